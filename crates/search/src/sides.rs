//! Trying one threshold: both sides solved as far as they matter.

use crate::answer::Answer;
use crate::best::Search;
use crate::inherited::Known;
use crate::intervals::{Edge, Interval, Trial, Tried};
use crate::part::{Part, Rule};
use exactree_model::{Cost, Limits, Tree};

impl Search<'_> {
    /// Evaluates a threshold.
    pub(crate) fn try_threshold(&mut self, trial: &Trial, part: &Part, limits: Limits) -> Tried {
        let Trial { interval, rule, upper, .. } = trial;
        let (left, right) = self.solve_sides(part, limits, interval, rule, *upper);
        let lower = self.objective.join(left.lower, right.lower);
        let total = self.objective.join(left.relaxed, right.relaxed);
        let tree = left.tree.zip(right.tree).map(|((left_cost, left), (right_cost, right))| {
            let cost = self.objective.join(left_cost, right_cost);
            (cost, Tree::node(rule.feature as u32, rule.rank, left, right))
        });
        let Rule { feature, rank, .. } = *rule;
        let known = Known { feature, rank, left: left.relaxed, right: right.relaxed };
        let edge =
            |side, by_threshold| Edge { side, total, at: rule.weight, notes: None, by_threshold };
        // Sides farther out lie inside these, so what they tell holds as well.
        let beyond = |edge: &Edge| edge.by_threshold.clone();
        let left_known = left.by_threshold.or_else(|| beyond(&interval.before));
        let right_known = right.by_threshold.or_else(|| beyond(&interval.after));
        let (left, right) = (edge(left.relaxed, left_known), edge(right.relaxed, right_known));
        Tried { left, right, lower, tree, known }
    }

    /// Solves both sides of a threshold as far as they can stay below `upper`
    /// together, the larger side first: it is the likelier to end the matter.
    fn solve_sides(
        &mut self,
        part: &Part,
        limits: Limits,
        interval: &Interval,
        rule: &Rule,
        upper: Cost,
    ) -> (Answer, Answer) {
        let (left, right) = part.divide_into(self.layout, rule, &mut self.spare);
        let (left_limits, right_limits) =
            (limits.side(interval.share.0), limits.side(interval.share.1));
        let mut left_answer =
            Answer::at_least(self.floor(&left, left_limits).max(self.edge(&interval.before)));
        let mut right_answer =
            Answer::at_least(self.floor(&right, right_limits).max(self.edge(&interval.after)));
        let left_first = left.weight >= right.weight;
        for solve_left in [left_first, !left_first] {
            let (side, side_limits, edge) = match solve_left {
                true => (&left, left_limits, &interval.before),
                false => (&right, right_limits, &interval.after),
            };
            let (answer, other) = match solve_left {
                true => (&mut left_answer, right_answer.relaxed),
                false => (&mut right_answer, left_answer.relaxed),
            };
            if answer.relaxed + other >= upper {
                break;
            }
            let found = self.best(side, side_limits, upper - other, edge.by_threshold.as_ref());
            *answer = found.at_least_too(answer.relaxed);
        }
        left.sorted.spare(&mut self.spare);
        right.sorted.spare(&mut self.spare);
        (left_answer, right_answer)
    }

    /// What the neighbouring threshold says of this side; the same argument as
    /// for whole intervals, so it goes with that switch.
    fn edge(&self, edge: &Edge) -> Cost {
        if self.options.intervals { edge.side } else { 0 }
    }
}
