//! The best single rule of a part, or the leaf: every rule is looked at.

use crate::answer::{Answer, Bracket};
use crate::best::Search;
use crate::part::{Entry, Part, Rule};
use exactree_model::{Cost, Errors, Limits, Tree, Weight};
use std::sync::Arc;

/// A rule and the errors of its two leaves.
struct Stump {
    errors: Weight,
    feature: usize,
    rank: u32,
    classes: (u32, u32),
}

/// Items in the order of a feature, and what they hold.
struct Held<'o> {
    order: &'o [Entry],
    weights: &'o [Weight],
    rows: u64,
}

/// Keeps the best of the rules it is shown: feature, rank, and the weights of the
/// classes on both sides.
fn consider(best: &mut Option<Stump>) -> impl FnMut(usize, u32, &[Weight], &[Weight]) {
    |feature, rank, left, right| {
        let errors = Errors::leaf_errors(left) + Errors::leaf_errors(right);
        if best.as_ref().is_none_or(|best| errors < best.errors) {
            let classes = (Errors::leaf_class(left), Errors::leaf_class(right));
            *best = Some(Stump { errors, feature, rank, classes });
        }
    }
}

impl Search<'_> {
    /// Answers a part with one level left.
    pub(crate) fn stump(&mut self, part: &Part, limits: Limits, mut bracket: Bracket) -> Answer {
        let (cost, tree) = self.leaf_or_stump(part, 1, limits.min_rows);
        let relaxed = match limits.min_rows {
            1 => cost,
            _ => self.leaf_or_stump(part, 1, 1).0,
        };
        bracket.improve(cost, tree);
        Answer { lower: cost, relaxed, tree: bracket.found, by_threshold: None }
    }

    /// The cheaper of the leaf and, if `size` allows one, the best stump.
    pub(crate) fn leaf_or_stump(&self, part: &Part, size: u32, min_rows: u64) -> (Cost, Arc<Tree>) {
        let stump = if size == 0 { None } else { self.best_stump(part, min_rows) };
        self.cheaper(&part.class_weights, stump)
    }

    /// The same for one side of a rule, with stumps of one feature only.
    pub(crate) fn leaf_or_stump_on(
        &self,
        part: &Part,
        rule: &Rule,
        on_left: bool,
        feature: usize,
        size: u32,
    ) -> (Cost, Arc<Tree>) {
        let ranks = &self.layout.features[rule.feature].ranks;
        let on_side = |entry: &&Entry| (ranks[entry.slot as usize] <= rule.rank) == on_left;
        let order: Vec<Entry> =
            part.sorted.order(feature).iter().filter(on_side).copied().collect();
        let (mut weights, mut rows) = (vec![0; self.layout.n_classes], 0);
        for slot in order.iter().map(|entry| entry.slot as usize) {
            weights[self.layout.class[slot] as usize] += self.layout.weight[slot];
            rows += self.layout.rows[slot];
        }
        let mut best = None;
        if size > 0 {
            let held = Held { order: &order, weights: &weights, rows };
            self.stumps_of_sorted(&held, feature, 1, &mut consider(&mut best));
        }
        self.cheaper(&weights, best)
    }

    /// The cheaper of the leaf and a stump.
    fn cheaper(&self, weights: &[Weight], stump: Option<Stump>) -> (Cost, Arc<Tree>) {
        let leaf_cost = self.objective.leaf(Errors::leaf_errors(weights));
        match stump {
            Some(stump) if self.stump_cost(stump.errors) < leaf_cost => {
                let (left, right) = (Tree::leaf(stump.classes.0), Tree::leaf(stump.classes.1));
                let tree = Tree::node(stump.feature as u32, stump.rank, left, right);
                (self.stump_cost(stump.errors), tree)
            }
            _ => (leaf_cost, Tree::leaf(Errors::leaf_class(weights))),
        }
    }

    /// Cost of two leaves that misclassify `errors` together.
    pub(crate) fn stump_cost(&self, errors: Weight) -> Cost {
        self.objective.join(self.objective.leaf(errors), self.objective.leaf(0))
    }

    fn best_stump(&self, part: &Part, min_rows: u64) -> Option<Stump> {
        let mut best = None;
        let mut consider = consider(&mut best);
        for feature in 0..self.layout.features.len() {
            if self.layout.bit_columns {
                self.stumps_of_columns(part, feature, min_rows, &mut consider);
            } else {
                let (weights, rows) = (&part.class_weights[..], part.rows);
                let held = Held { order: part.sorted.order(feature), weights, rows };
                self.stumps_of_sorted(&held, feature, min_rows, &mut consider);
            }
        }
        drop(consider);
        best
    }

    fn stumps_of_sorted(
        &self,
        held: &Held<'_>,
        feature: usize,
        min_rows: u64,
        consider: &mut impl FnMut(usize, u32, &[Weight], &[Weight]),
    ) {
        let mut left = vec![0; self.layout.n_classes];
        let mut right = held.weights.to_vec();
        let mut rows = 0;
        for pair in held.order.windows(2) {
            let slot = pair[0].slot as usize;
            let class = self.layout.class[slot] as usize;
            left[class] += self.layout.weight[slot];
            right[class] -= self.layout.weight[slot];
            rows += self.layout.rows[slot];
            let allowed = rows >= min_rows && held.rows - rows >= min_rows;
            if pair[0].rank != pair[1].rank && allowed {
                consider(feature, pair[0].rank, &left, &right);
            }
        }
    }

    fn stumps_of_columns(
        &self,
        part: &Part,
        feature: usize,
        min_rows: u64,
        consider: &mut impl FnMut(usize, u32, &[Weight], &[Weight]),
    ) {
        for rule in part.rules(self.layout, feature).iter() {
            if rule.rows >= min_rows && part.rows - rule.rows >= min_rows {
                let column = &self.layout.features[feature].columns[rule.rank as usize];
                let left = self.class_weights_within(part, column);
                let right: Vec<Weight> =
                    part.class_weights.iter().zip(&left).map(|(all, left)| all - left).collect();
                consider(feature, rule.rank, &left, &right);
            }
        }
    }

    /// Weight of each class among the members of a part inside a column.
    pub(crate) fn class_weights_within(
        &self,
        part: &Part,
        column: &crate::bits::Bits,
    ) -> Vec<Weight> {
        let mut weights = vec![0; self.layout.n_classes];
        for plane in &self.layout.planes {
            let words = self.layout.class_words[plane.class as usize].clone();
            let held: u64 = words
                .map(|at| part.members.words[at] & column.words[at] & plane.members.words[at])
                .map(|word| word.count_ones() as u64)
                .sum();
            weights[plane.class as usize] += held << plane.bit;
        }
        weights
    }
}
