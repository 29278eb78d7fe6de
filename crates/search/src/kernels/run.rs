//! How many items, one after the other, one rule can serve without errors.
//!
//! A feature divides two classes when all ranks of the one are below all ranks
//! of the other. So the least and the greatest rank of both classes, in every
//! feature, decide; they are kept in lanes, many features at once.

use super::multiversion;

/// Features in one group of lanes.
pub const LANES: usize = 16;

/// Ranks of some features, moved down so that they fit signed lanes.
pub type Lanes = [i16; LANES];

/// Least and greatest ranks of the first and of the second class.
#[derive(Clone, Copy)]
pub struct Ranges {
    low: [Lanes; 2],
    high: [Lanes; 2],
}

const NOTHING: Ranges = Ranges { low: [[i16::MAX; LANES]; 2], high: [[i16::MIN; LANES]; 2] };

/// The lanes and the class of every item.
pub struct Items<'a> {
    pub lanes: &'a [Lanes],
    pub class: &'a [u16],
    /// Groups of lanes of an item.
    pub chunks: usize,
}

// Lanes by index: the plain form is the one that compiles to vector instructions.
#[allow(clippy::needless_range_loop)]
#[inline(always)]
fn body(
    items: &Items<'_>,
    order: &[u16],
    prefix: bool,
    ranges: &mut Vec<Ranges>,
    served: &mut usize,
) {
    ranges.clear();
    ranges.resize(items.chunks, NOTHING);
    let mut classes: [Option<u16>; 2] = [None, None];
    for at in 0..order.len() {
        let item = if prefix { order[at] } else { order[order.len() - 1 - at] };
        let class = items.class[item as usize];
        let place = match classes {
            [None, _] => 0,
            [Some(first), _] if first == class => 0,
            [_, Some(second)] if second != class => return,
            _ => 1,
        };
        classes[place] = Some(class);
        let rows = &items.lanes[item as usize * items.chunks..][..items.chunks];
        let mut alive = [0i16; LANES];
        for (ranges, row) in ranges.iter_mut().zip(rows) {
            for lane in 0..LANES {
                ranges.low[place][lane] = ranges.low[place][lane].min(row[lane]);
                ranges.high[place][lane] = ranges.high[place][lane].max(row[lane]);
            }
            for lane in 0..LANES {
                let below = ranges.high[0][lane] < ranges.low[1][lane];
                let above = ranges.high[1][lane] < ranges.low[0][lane];
                alive[lane] |= -((below | above) as i16);
            }
        }
        if alive == [0; LANES] {
            return;
        }
        *served += 1;
    }
}

multiversion! {
    /// Raises `served` by the number of items, taken from the beginning of the
    /// order or from its end, that one rule serves together.
    pub fn serve<>(
        items: &Items<'_>,
        order: &[u16],
        prefix: bool,
        ranges: &mut Vec<Ranges>,
        served: &mut usize,
    ) = body
}

#[cfg(test)]
mod tests {
    use super::super::Level;
    use super::*;
    use proptest::prelude::*;

    /// Whether one rule serves these items, by trying all of them.
    fn one_rule_serves(items: &[(Vec<i16>, u16)]) -> bool {
        let pure = |side: &[&(Vec<i16>, u16)]| side.windows(2).all(|pair| pair[0].1 == pair[1].1);
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

    proptest! {
        #[test]
        fn items_are_served_until_no_rule_serves_them(
            rows in prop::collection::vec((prop::collection::vec(0i16..6, 18), 0u16..3), 1..12),
            prefix in any::<bool>(),
        ) {
            let lanes: Vec<Lanes> = rows
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
                (1..=taken.len()).take_while(|&count| one_rule_serves(&taken[..count])).count();
            let order: Vec<u16> = (0..rows.len() as u16).collect();
            let items = Items { lanes: &lanes, class: &class, chunks: 2 };
            for level in Level::available() {
                let (mut ranges, mut served) = (Vec::new(), 0);
                serve(level, &items, &order, prefix, &mut ranges, &mut served);
                prop_assert_eq!(served, expected);
            }
        }
    }
}
