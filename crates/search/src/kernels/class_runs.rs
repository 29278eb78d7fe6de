//! Class runs: the longest prefix or suffix of an order that a single rule classifies without
//! errors.
//!
//! A feature separates two classes if all ranks of the first are below all ranks of the second, or
//! vice versa. So the minimum and the maximum rank of both classes in every feature decide; they
//! are kept in lanes, many features at once.

use super::multiversion;

/// Features in one group of lanes.
pub(crate) const LANES: usize = 16;

/// Ranks of some features, moved down so that they fit signed lanes.
pub(crate) type RankLanes = [i16; LANES];

/// Minimum and maximum ranks of the first and of the second class.
#[derive(Clone, Copy)]
pub(crate) struct Ranges {
    low: [RankLanes; 2],
    high: [RankLanes; 2],
}

const EMPTY: Ranges = Ranges { low: [[i16::MAX; LANES]; 2], high: [[i16::MIN; LANES]; 2] };

/// The lanes and the class of every item.
pub(crate) struct RunItems<'a> {
    pub lanes: &'a [RankLanes],
    pub class: &'a [u16],
    /// Groups of lanes of an item.
    pub chunks: usize,
}

impl Ranges {
    /// Includes an item of the first class, or of the second class if all bits of `second` are set.
    /// There is no branch, which would be mispredicted where classes alternate. Some lane of
    /// `alive` is not zero iff some feature still separates the classes.
    // Lanes by index: this form compiles to vector instructions.
    #[allow(clippy::needless_range_loop)]
    #[inline(always)]
    fn include(&mut self, row: &RankLanes, second: i16, alive: &mut RankLanes) {
        let [low, other_low] = &mut self.low;
        let [high, other_high] = &mut self.high;
        for lane in 0..LANES {
            let (mine, other) = (row[lane] & !second, row[lane] & second);
            low[lane] = low[lane].min(mine | (i16::MAX & second));
            high[lane] = high[lane].max(mine | (i16::MIN & second));
            other_low[lane] = other_low[lane].min(other | (i16::MAX & !second));
            other_high[lane] = other_high[lane].max(other | (i16::MIN & !second));
            let separates = (high[lane] < other_low[lane]) | (other_high[lane] < low[lane]);
            alive[lane] |= -(separates as i16);
        }
    }
}

#[inline(always)]
fn body(
    items: &RunItems<'_>,
    order: &[u16],
    prefix: bool,
    ranges: &mut Vec<Ranges>,
    classified: &mut usize,
) {
    ranges.clear();
    ranges.resize(items.chunks, EMPTY);
    match items.chunks {
        // One or two groups of lanes stay in registers.
        1 => chunks::<1>(items, order, prefix, &mut [EMPTY; 1], classified),
        2 => chunks::<2>(items, order, prefix, &mut [EMPTY; 2], classified),
        _ => chunks::<0>(items, order, prefix, ranges, classified),
    }
}

/// The loop for a fixed number of groups of lanes; zero for any number.
#[inline(always)]
fn chunks<const CHUNKS: usize>(
    items: &RunItems<'_>,
    order: &[u16],
    prefix: bool,
    ranges: &mut [Ranges],
    classified: &mut usize,
) {
    let chunks = if CHUNKS == 0 { items.chunks } else { CHUNKS };
    let Some(&begin) = (if prefix { order.first() } else { order.last() }) else { return };
    let first = items.class[begin as usize];
    let mut second = first;
    for at in 0..order.len() {
        let item = if prefix { order[at] } else { order[order.len() - 1 - at] };
        let class = items.class[item as usize];
        if class != first {
            if second == first {
                second = class;
            } else if second != class {
                return;
            }
        }
        let rows = &items.lanes[item as usize * chunks..][..chunks];
        let mut alive = [0i16; LANES];
        for (ranges, row) in ranges[..chunks].iter_mut().zip(rows) {
            ranges.include(row, -((class != first) as i16), &mut alive);
        }
        // Before there are items of a second class, its extremes are the ends of a lane, which may
        // be ranks of the first class: then `alive` has no meaning.
        if second != first && alive == [0; LANES] {
            return;
        }
        *classified += 1;
    }
}

multiversion! {
    /// Raises `classified` by the number of items, taken from the beginning of the
    /// order or from its end, that one rule classifies together.
    pub(crate) fn classify<>(
        items: &RunItems<'_>,
        order: &[u16],
        prefix: bool,
        ranges: &mut Vec<Ranges>,
        classified: &mut usize,
    ) = body
}

#[cfg(test)]
mod tests {
    use super::super::InstructionSet;
    use super::*;
    use proptest::prelude::*;

    /// Whether some rule classifies these items, by trying all rules.
    fn one_rule_classifies(items: &[(Vec<i16>, u16)]) -> bool {
        let pure = |child: &[&(Vec<i16>, u16)]| child.windows(2).all(|pair| pair[0].1 == pair[1].1);
        let all: Vec<&(Vec<i16>, u16)> = items.iter().collect();
        let features = items.first().map_or(0, |item| item.0.len());
        pure(&all)
            || (0..features).any(|feature| {
                (0..6).any(|rank| {
                    let (left, right): (Vec<_>, Vec<_>) =
                        all.iter().partition(|item| item.0[feature] <= rank);
                    pure(&left) && pure(&right)
                })
            })
    }

    #[test]
    fn one_class_that_fills_all_lanes_from_end_to_end_is_classified() {
        let lanes = [[i16::MIN; LANES], [i16::MAX; LANES], [0; LANES]];
        let items = RunItems { lanes: &lanes, class: &[0, 0, 1], chunks: 1 };
        for instructions in InstructionSet::available() {
            let (mut ranges, mut classified) = (Vec::new(), 0);
            classify(instructions, &items, &[0, 1, 2], true, &mut ranges, &mut classified);
            assert_eq!(classified, 2);
        }
    }

    proptest! {
        #[test]
        fn the_run_ends_where_no_rule_classifies_it(
            mut rows in prop::collection::vec((prop::collection::vec(0i16..6, 40), 0u16..3), 1..12),
            // One and two groups of lanes have loops of their own.
            chunks in 1usize..4,
            prefix in any::<bool>(),
        ) {
            rows.iter_mut().for_each(|row| row.0.truncate(LANES * (chunks - 1) + 8));
            let lanes: Vec<RankLanes> = rows
                .iter()
                .flat_map(|row| row.0.chunks(LANES))
                .map(|chunk| std::array::from_fn(|lane| chunk.get(lane).copied().unwrap_or(0)))
                .collect();
            let class: Vec<u16> = rows.iter().map(|row| row.1).collect();
            let mut taken: Vec<_> = rows.clone();
            if !prefix {
                taken.reverse();
            }
            let expected =
                (1..=taken.len()).take_while(|&count| one_rule_classifies(&taken[..count])).count();
            let order: Vec<u16> = (0..rows.len() as u16).collect();
            let items = RunItems { lanes: &lanes, class: &class, chunks };
            for instructions in InstructionSet::available() {
                let (mut ranges, mut classified) = (Vec::new(), 0);
                classify(instructions, &items, &order, prefix, &mut ranges, &mut classified);
                prop_assert_eq!(classified, expected);
            }
        }
    }
}
