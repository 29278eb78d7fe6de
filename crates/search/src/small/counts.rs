//! Depth two by counting all pairs of rules as columns of bits.
//!
//! For tables whose features have few values. Nothing is discarded: each pair
//! of rules is met once and serves both as root and as second rule, in the
//! manner of MurTree's depth-two solver, with words of bits instead of lists of
//! rows.

use super::Root;
use crate::answer::{Answer, Bracket};
use crate::best::Search;
use crate::kernels::compress::compress;
use crate::kernels::pairs::{BestStumps, Columns, Row, Segment, meet};
use crate::part::{Part, Rule};
use exactree_model::{Limits, UNBOUNDED};

/// Room that is used again from call to call.
#[derive(Default)]
pub struct CountRoom {
    columns: Columns,
    row: Row,
    packed: Vec<u64>,
}

impl Search<'_> {
    /// Answers a part with two levels left.
    pub(crate) fn count_pairs(
        &mut self,
        part: &Part,
        limits: Limits,
        bracket: &mut Bracket,
    ) -> Answer {
        let candidates: Vec<Rule> = (0..self.layout.features.len())
            .flat_map(|feature| part.rules(self.layout, feature).iter().collect::<Vec<Rule>>())
            .collect();
        let mut room = std::mem::take(&mut self.count_room);
        self.pack_columns(part, &candidates, &mut room);
        let relaxed = self.stumps_by_root(&candidates, 1, &mut room);
        let allowed = match limits.min_rows {
            1 => None,
            rows => Some(self.stumps_by_root(&candidates, rows, &mut room)),
        };
        let stopped = allowed.as_ref().is_some_and(|allowed| allowed.is_none());
        let (relaxed, allowed) = (relaxed.filter(|_| !stopped), allowed.flatten());
        // Stopped, nothing is known without the demand on rows.
        let mut answer = Answer { relaxed: 0, ..Answer::at_least(bracket.lower) };
        if let Some(relaxed) = relaxed {
            let root =
                self.cheapest_root(part, limits.relaxed(), &candidates, &room.columns, &relaxed);
            answer = Answer::at_least(root.map_or(UNBOUNDED, |root| root.cost));
            let root = match &allowed {
                None => root,
                Some(allowed) => {
                    self.cheapest_root(part, limits, &candidates, &room.columns, allowed)
                }
            };
            answer.lower = root.map_or(UNBOUNDED, |root| root.cost);
            if let Some(root) = root.filter(|root| root.cost < bracket.upper) {
                self.take_root(part, limits, &root, bracket);
            }
        }
        self.count_room = room;
        let leaf = self.objective.leaf(part.leaf_errors());
        answer.lower = answer.lower.min(leaf);
        answer.relaxed = answer.relaxed.min(leaf);
        answer.tree = bracket.found.take();
        answer
    }

    /// Packs the rules of a part, class by class and plane by plane.
    fn pack_columns(&self, part: &Part, candidates: &[Rule], room: &mut CountRoom) {
        let (count, columns) = (candidates.len(), &mut room.columns);
        columns.count = count;
        columns.words.clear();
        columns.segments.clear();
        let classes: Vec<u32> = (0..self.layout.n_classes as u32)
            .filter(|&c| part.class_weights[c as usize] > 0)
            .collect();
        columns.totals = classes.iter().map(|&c| part.class_weights[c as usize]).collect();
        columns.tallies.clear();
        columns.tallies.resize(classes.len() * count, 0);
        for plane in &self.layout.planes {
            let Some(class) = classes.iter().position(|&class| class == plane.class) else {
                continue;
            };
            let words = self.layout.class_words[plane.class as usize].clone();
            let mask: Vec<u64> =
                words.clone().map(|at| part.members.words[at] & plane.members.words[at]).collect();
            let held: u32 = mask.iter().map(|word| word.count_ones()).sum();
            if held == 0 {
                continue;
            }
            let width = held.div_ceil(64) as usize;
            let start = columns.words.len() / count.max(1);
            columns.words.resize((start + width) * count, 0);
            for (at, rule) in candidates.iter().enumerate() {
                let column = &self.layout.features[rule.feature].columns[rule.rank as usize];
                room.packed.clear();
                compress(self.level, &column.words[words.clone()], &mask, &mut room.packed);
                let mut tally = 0;
                for (place, &word) in room.packed.iter().enumerate() {
                    columns.words[(start + place) * count + at] = word;
                    tally += word.count_ones() as u64;
                }
                columns.tallies[class * count + at] += tally << plane.bit;
            }
            columns.segments.push(Segment { class, bit: plane.bit, words: start..start + width });
        }
    }

    /// For every rule as root, the greatest weight right on each side; none
    /// when stopped. Sides start with what their leaf gets right.
    fn stumps_by_root(
        &mut self,
        candidates: &[Rule],
        min_rows: u64,
        room: &mut CountRoom,
    ) -> Option<BestStumps> {
        let columns = &room.columns;
        let leaf = |at: usize, side: fn(u64, u64) -> u64| {
            let weights = columns.totals.iter().enumerate();
            weights
                .map(|(c, &all)| side(all, columns.tallies[c * columns.count + at]))
                .max()
                .unwrap_or(0)
        };
        let mut best = BestStumps {
            left: (0..candidates.len()).map(|at| leaf(at, |_, left| left)).collect(),
            right: (0..candidates.len()).map(|at| leaf(at, |all, left| all - left)).collect(),
        };
        for root in 0..candidates.len() {
            if self.clock.stopped() {
                return None;
            }
            self.stats.stump_evaluations += 1;
            match min_rows {
                1 => meet::<false>(self.level, columns, root, 0, &mut room.row, &mut best),
                _ => meet::<true>(self.level, columns, root, min_rows, &mut room.row, &mut best),
            }
        }
        Some(best)
    }

    /// The cheapest inner root and its cost, exactly.
    fn cheapest_root(
        &self,
        part: &Part,
        limits: Limits,
        candidates: &[Rule],
        columns: &Columns,
        best: &BestStumps,
    ) -> Option<Root> {
        let mut cheapest: Option<Root> = None;
        for (at, &rule) in candidates.iter().enumerate() {
            if rule.rows < limits.min_rows || part.rows - rule.rows < limits.min_rows {
                continue;
            }
            let tally = |class: usize| columns.tallies[class * columns.count + at];
            let classes = || 0..columns.totals.len();
            let left_leaf = classes().map(tally).max().unwrap_or(0);
            let right_leaf = classes().map(|c| columns.totals[c] - tally(c)).max().unwrap_or(0);
            for share in limits.shares() {
                let left = self.side_cost(rule.weight, left_leaf, best.left[at], share.0);
                let right_weight = part.weight - rule.weight;
                let right = self.side_cost(right_weight, right_leaf, best.right[at], share.1);
                let cost = self.objective.join(left, right);
                if cheapest.as_ref().is_none_or(|root| cost < root.cost) {
                    cheapest = Some(Root { cost, rule, share });
                }
            }
        }
        cheapest
    }
}
