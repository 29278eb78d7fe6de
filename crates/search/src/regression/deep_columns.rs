//! Parts with more levels than are counted, of tables whose rules are columns of bits:
//! the rules one by one, in the order of what the best tree of few levels with that root
//! costs.

use super::part::Part;
use super::search::Search;
use crate::answer::{Answer, Bracket};
use exactree_model::{Cost, Limits, Tree, UNBOUNDED};

impl Search<'_> {
    /// Tries the columns until none is left that matters.
    pub fn tried_columns(&mut self, part: &Part, limits: Limits, mut bracket: Bracket) -> Answer {
        self.open_calls += 1;
        let order = self.shallow(part, limits, &mut bracket);
        let mut lower = UNBOUNDED;
        for column in order {
            if self.must_stop(&bracket, bracket.lower.min(lower)) {
                lower = lower.min(bracket.lower);
                break;
            }
            lower = lower.min(self.try_column(part, limits, column, &mut bracket));
        }
        self.open_calls -= 1;
        let lower = lower.max(bracket.lower);
        self.at_least(part, limits, lower, bracket)
    }

    /// Solves both sides of a column as far as they can stay below what is to be
    /// beaten; a lower bound on trees with this root.
    fn try_column(
        &mut self,
        part: &Part,
        limits: Limits,
        column: usize,
        bracket: &mut Bracket,
    ) -> Cost {
        let sides = part.sides_of(self.ground, column);
        let sides = [&sides.0, &sides.1];
        let mut lower = UNBOUNDED;
        for share in limits.shares() {
            let within = [limits.side(share.0), limits.side(share.1)];
            let mut answers = [0, 1].map(|at| Answer::at_least(self.floor(sides[at], within[at])));
            let first = usize::from(sides[0].count < sides[1].count);
            for at in [first, 1 - first] {
                let other = answers[1 - at].lower;
                if answers[at].lower + other >= bracket.upper {
                    break;
                }
                let found = self.best(sides[at], within[at], bracket.upper - other, None);
                answers[at] = found.at_least_too(answers[at].relaxed);
            }
            let [left, right] = answers;
            lower = lower.min(left.lower.saturating_add(right.lower));
            if let Some(((left_cost, left), (right_cost, right))) = left.tree.zip(right.tree) {
                let (feature, rank) = self.rule_of_column(column);
                bracket.improve(left_cost + right_cost, Tree::node(feature, rank, left, right));
            }
        }
        lower
    }

    fn rule_of_column(&self, column: usize) -> (u32, u32) {
        self.ground.columns.as_ref().map_or((0, 0), |columns| columns.rules[column])
    }
}
