//! The thresholds of stumps that keep a minimum leaf size in a child of a root.
//!
//! Let m be the minimum, and let only the rows that count for the child be listed in the order of a
//! feature. The left leaf of a threshold, which holds all ranks up to it, has at least m rows if and
//! only if the threshold is no less than the rank of the m-th row from the beginning. The right leaf
//! has at least m rows if and only if the threshold is less than the rank of the m-th row from the end.
//! So the thresholds allowed are a range of ranks, whichever of the items have weight.

use crate::engine::subset::OrderEntry;
use crate::engine::two_set_bound::LeafRows;
use crate::kernels::gains::Thresholds;
use crate::spaces::leaf_costs::prepared_table::CostTable;
use crate::support::mutants::{Mutant, offset};

/// The minimum leaf size of the stumps of one root.
#[derive(Default)]
pub(super) struct LeafThresholds {
    leaf_rows: Option<LeafRows>,
    /// By slot, the place in the order of the root feature.
    places: Vec<u32>,
}

impl LeafThresholds {
    /// Prepares for a root with this order of its feature.
    pub(super) fn begin(
        &mut self,
        prepared: &CostTable,
        order: &[OrderEntry],
        leaf_rows: Option<&LeafRows>,
    ) {
        self.leaf_rows = leaf_rows.map(|leaf_rows| LeafRows {
            minimum: leaf_rows.minimum.saturating_sub(offset(Mutant::LeafRowCounts)),
            ..*leaf_rows
        });
        if self.leaf_rows.is_some() {
            self.places.resize(prepared.items.len(), 0);
            for (place, entry) in (0..).zip(order) {
                self.places[entry.slot as usize] = place;
            }
        }
    }

    /// The thresholds of a feature with this order that are allowed, by child of the root.
    pub(super) fn of(&self, prepared: &CostTable, order: &[OrderEntry]) -> [Thresholds; 2] {
        let Some(LeafRows { outer, totals, minimum }) = self.leaf_rows else {
            return [Thresholds::ALL; 2];
        };
        let outer = outer.map(|place| place as u32);
        [0, 1].map(|child| {
            if minimum == 0 || totals[child] / 2 < minimum {
                return if minimum == 0 { Thresholds::ALL } else { Thresholds::NONE };
            }
            let rows = |entry: &OrderEntry| {
                let place = self.places[entry.slot as usize];
                let counts = if child == 0 { place < outer[0] } else { place >= outer[1] };
                if counts { prepared.items[entry.slot as usize].rows } else { 0 }
            };
            let ends = (rank_of_row(order.iter(), rows, minimum)).zip(rank_of_row(
                order.iter().rev(),
                rows,
                minimum,
            ));
            ends.map_or(Thresholds::NONE, |(first, last)| Thresholds { first, last })
        })
    }
}

/// The rank of the item with the row of this number, counted from 1 in the order of some items;
/// `None` if they have fewer rows.
fn rank_of_row<'o>(
    mut order: impl Iterator<Item = &'o OrderEntry>,
    rows: impl Fn(&OrderEntry) -> u64,
    number: u64,
) -> Option<u32> {
    let mut before = 0;
    let reaches = |entry: &&OrderEntry| {
        before += rows(entry);
        before >= number
    };
    order.find(reaches).map(|entry| entry.rank)
}
