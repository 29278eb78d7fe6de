//! Best stumps by two passes per feature; for any number of classes.

use super::evaluator::{CorrectWeight, Evaluation, Evaluator, RootSplit, StumpBounds};
use crate::engine::subset::OrderEntry;
use crate::engine::two_set_bound::LeafRows;
use crate::kernels::tally::{TallyRow, TallyWorkspace, tally};
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::layout::Layout;
use exactree_model::Weight;

/// Best stumps for any number of classes.
#[derive(Default)]
pub(super) struct TallyEvaluator {
    classes: usize,
    /// By slot: class · 2 + child of the root.
    codes: Vec<usize>,
    /// By slot, the weight that counts for costs.
    weights: Vec<Weight>,
    /// By slot, the number of rows.
    rows_of: Vec<u64>,
    /// By slot, the item's place in the root feature's order.
    places: Vec<usize>,
    workspace: TallyWorkspace,
}

impl TallyEvaluator {
    /// Prepares for a subset with these classes.
    pub(super) fn begin(&mut self, layout: &Layout, subset: &ContinuousSubset, classes: &[usize]) {
        let mut local = vec![0; layout.n_classes];
        for (index, &class) in classes.iter().enumerate() {
            local[class] = index;
        }
        self.classes = classes.len();
        self.codes.clear();
        self.codes.extend(layout.class.iter().map(|&class| local[class as usize] * 2));
        self.weights.clone_from(&layout.weight);
        // Items outside the inner set count as rows only (`engine/two_set_bound.rs`).
        if let Some(inner) = &subset.inner {
            for slot in subset.members.without(inner).iter() {
                self.weights[slot as usize] = 0;
            }
        }
        self.rows_of.clone_from(&layout.rows);
        self.places.resize(layout.slots, 0);
    }

    /// Records the child of every item; returns the class weights of both children.
    fn split(
        &mut self,
        subset: &ContinuousSubset,
        RootSplit { feature, left, .. }: RootSplit,
    ) -> [Vec<Weight>; 2] {
        let mut children = [vec![0; self.classes], vec![0; self.classes]];
        for (place, row) in subset.sorted.order(feature).iter().enumerate() {
            let (slot, child) = (row.slot as usize, (place >= left) as usize);
            self.places[slot] = place;
            let class = self.codes[slot] / 2;
            self.codes[slot] = class * 2 + child;
            children[child][class] += self.weights[slot];
        }
        children
    }

    /// The items in a feature's order, in the format of the kernel. In each child of the root, a
    /// threshold may follow an item if both leaves hold enough rows.
    fn tally_rows(&self, order: &[OrderEntry], leaf_rows: Option<LeafRows>) -> Vec<TallyRow> {
        // The last entry is its own successor: no threshold follows it.
        let next = order.iter().skip(1).chain(order.last());
        let mut held = [0; 2];
        let tally_row = |(entry, next): (&OrderEntry, &OrderEntry)| {
            let slot = entry.slot as usize;
            let ends = next.rank != entry.rank;
            let allowed = leaf_rows.map_or([true; 2], |LeafRows { outer, totals, minimum }| {
                let place = self.places[slot];
                let counts = [place < outer[0], place >= outer[1]];
                [0, 1].map(|child| {
                    held[child] += if counts[child] { self.rows_of[slot] } else { 0 };
                    held[child] >= minimum && totals[child] - held[child] >= minimum
                })
            });
            let ends = allowed.map(|allowed| allowed && ends);
            TallyRow { code: self.codes[slot], weight: self.weights[slot], ends }
        };
        order.iter().zip(next).map(tally_row).collect()
    }
}

impl Evaluator for TallyEvaluator {
    fn evaluate(
        &mut self,
        subset: &ContinuousSubset,
        root: RootSplit,
        _: &StumpBounds,
    ) -> Evaluation {
        let mut children = self.split(subset, root).map(|weights| {
            let leaf = weights.into_iter().max().unwrap_or(0);
            CorrectWeight { leaf, stump: leaf }
        });
        let mut greatest = children.map(|child| child.stump);
        for feature in 0..subset.sorted.features() {
            let rows = self.tally_rows(subset.sorted.order(feature), root.leaf_rows);
            tally(rows.iter().copied(), self.classes, &mut self.workspace, &mut greatest);
        }
        for child in 0..2 {
            children[child].stump = greatest[child];
        }
        Evaluation { children, features: None, notes: None }
    }

    fn pruned_sweeps(&self) -> u64 {
        0
    }

    fn swept_share(&self) -> f64 {
        1.0
    }
}
