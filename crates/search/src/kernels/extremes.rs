//! Rank extremes: the minimum and the maximum rank of every class in every feature.

use super::class_runs::{LANES, RankLanes, RunItems};
use super::multiversion;

/// Minimum and maximum ranks of the items of a class, in some features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RankExtremes {
    pub low: RankLanes,
    pub high: RankLanes,
}

/// The extremes of an empty set of items.
pub(crate) const EMPTY: RankExtremes =
    RankExtremes { low: [i16::MAX; LANES], high: [i16::MIN; LANES] };

impl RankExtremes {
    /// Includes an item if all bits of `mine` are set, and nothing if none is: without a branch,
    /// which would be mispredicted where classes alternate.
    // Lanes by index: this form compiles to vector instructions.
    #[allow(clippy::needless_range_loop)]
    #[inline(always)]
    fn include(&mut self, row: &RankLanes, mine: i16) {
        for lane in 0..LANES {
            self.low[lane] = self.low[lane].min((row[lane] & mine) | (i16::MAX & !mine));
            self.high[lane] = self.high[lane].max((row[lane] & mine) | (i16::MIN & !mine));
        }
    }
}

#[inline(always)]
fn body(items: &RunItems<'_>, members: &[u16], extremes: &mut [RankExtremes]) {
    if let (1, [first, second]) = (items.chunks, &mut *extremes) {
        // The extremes of two classes in a single group of lanes stay in registers.
        let (mut one, mut other) = (*first, *second);
        for &item in members {
            let mine = -((items.class[item as usize] == 0) as i16);
            one.include(&items.lanes[item as usize], mine);
            other.include(&items.lanes[item as usize], !mine);
        }
        (*first, *second) = (one, other);
        return;
    }
    for &item in members {
        let class = items.class[item as usize] as usize;
        let rows = &items.lanes[item as usize * items.chunks..][..items.chunks];
        let classes = &mut extremes[class * items.chunks..][..items.chunks];
        classes.iter_mut().zip(rows).for_each(|(extremes, row)| extremes.include(row, -1));
    }
}

multiversion! {
    /// Widens the extremes of every class, one per group of lanes, to include some items.
    pub(crate) fn widen<>(items: &RunItems<'_>, members: &[u16], extremes: &mut [RankExtremes]) = body
}

#[cfg(test)]
mod tests {
    use super::super::InstructionSet;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn extremes_are_those_of_the_members(
            mut rows in prop::collection::vec((prop::collection::vec(-6i16..6, 20), 0u16..3, any::<bool>()), 1..12),
            // One group of lanes and two classes have a loop of their own.
            narrow in any::<bool>(),
        ) {
            let (features, classes, chunks) = if narrow { (9, 2, 1) } else { (20, 3, 2) };
            for row in &mut rows {
                row.0.truncate(features);
                row.1 %= classes;
            }
            let lanes: Vec<RankLanes> = rows
                .iter()
                .flat_map(|row| row.0.chunks(LANES))
                .map(|chunk| std::array::from_fn(|lane| chunk.get(lane).copied().unwrap_or(0)))
                .collect();
            let class: Vec<u16> = rows.iter().map(|row| row.1).collect();
            let members: Vec<u16> = (0..rows.len()).filter(|&at| rows[at].2).map(|at| at as u16).collect();
            let items = RunItems { lanes: &lanes, class: &class, chunks };
            for instructions in InstructionSet::available() {
                let mut extremes = vec![EMPTY; classes as usize * chunks];
                widen(instructions, &items, &members, &mut extremes);
                for class in 0..classes {
                    for feature in 0..features {
                        let ranks = rows.iter().filter(|row| row.2 && row.1 == class).map(|row| row.0[feature]);
                        let at = extremes[class as usize * chunks + feature / LANES];
                        prop_assert_eq!(at.low[feature % LANES], ranks.clone().min().unwrap_or(i16::MAX));
                        prop_assert_eq!(at.high[feature % LANES], ranks.max().unwrap_or(i16::MIN));
                    }
                }
            }
        }
    }
}
