//! Best stumps by two passes per feature; for any number of classes.

use super::evaluator::{Between, Evaluated, Evaluator, Right, Root};
use crate::kernels::tally::{Row, TallyRoom, tally};
use crate::layout::Layout;
use crate::part::{Entry, Part};
use exactree_model::Weight;

/// See above.
#[derive(Default)]
pub struct ByTally {
    classes: usize,
    /// By slot: class · 2 + side of the root.
    codes: Vec<usize>,
    /// By slot.
    weights: Vec<Weight>,
    room: TallyRoom,
}

impl ByTally {
    /// Turns to a part with these classes.
    pub fn begin(&mut self, layout: &Layout, classes: &[usize]) {
        let mut local = vec![0; layout.n_classes];
        for (index, &class) in classes.iter().enumerate() {
            local[class] = index;
        }
        self.classes = classes.len();
        self.codes.clear();
        self.codes.extend(layout.class.iter().map(|&class| local[class as usize] * 2));
        self.weights.clone_from(&layout.weight);
    }

    /// Notes the side of every item; the weights of the classes on both sides.
    fn divide(&mut self, part: &Part, Root { feature, left }: Root) -> [Vec<Weight>; 2] {
        let mut sides = [vec![0; self.classes], vec![0; self.classes]];
        for (place, row) in part.sorted.order(feature).iter().enumerate() {
            let (slot, side) = (row.slot as usize, (place >= left) as usize);
            let class = self.codes[slot] / 2;
            self.codes[slot] = class * 2 + side;
            sides[side][class] += self.weights[slot];
        }
        sides
    }

    fn rows(&self, order: &[Entry]) -> Vec<Row> {
        let next = order.iter().skip(1).chain(order.last());
        let row = |(row, next): (&Entry, &Entry)| Row {
            code: self.codes[row.slot as usize],
            weight: self.weights[row.slot as usize],
            ends: next.rank != row.rank,
        };
        order.iter().zip(next).map(row).collect()
    }
}

impl Evaluator for ByTally {
    fn evaluate(&mut self, part: &Part, root: Root, _: &Between) -> Evaluated {
        let mut sides = self.divide(part, root).map(|weights| {
            let leaf = weights.into_iter().max().unwrap_or(0);
            Right { leaf, stump: leaf }
        });
        let mut greatest = sides.map(|side| side.stump);
        for feature in 0..part.sorted.features() {
            let rows = self.rows(part.sorted.order(feature));
            tally(rows.iter().copied(), self.classes, &mut self.room, &mut greatest);
        }
        for side in 0..2 {
            sides[side].stump = greatest[side];
        }
        Evaluated { sides, features: None, notes: None }
    }

    fn left_out(&self) -> u64 {
        0
    }
}
