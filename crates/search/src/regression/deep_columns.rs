//! Parts with more levels than are counted, of tables whose rules are columns of bits:
//! the rules one by one, in the order of what the best tree of few levels with that root
//! costs.

use super::columns_team::OpenColumns;
use super::part::Part;
use super::search::Search;
use super::stump::Costed;
use crate::answer::{Answer, Bracket};
use exactree_model::{Cost, Limits, Tree, UNBOUNDED};

impl Search<'_> {
    /// Tries the columns until none is left that matters; with the help of threads that
    /// have nothing to do.
    pub fn tried_columns(&mut self, part: &Part, limits: Limits, mut bracket: Bracket) -> Answer {
        self.open_calls += 1;
        let columns = self.shallow(part, limits, &mut bracket).into_iter();
        let mut open = OpenColumns { columns, tried: UNBOUNDED, stopped: false };
        loop {
            if self.must_stop(&bracket, bracket.lower.min(open.tried)) {
                open.stopped = true;
                break;
            }
            if let Some(board) = self.columns_board.filter(|board| board.somebody_waits()) {
                (open, bracket) = self.columns_together(board, (part, limits), open, bracket);
                break;
            }
            let Some(column) = open.columns.next() else { break };
            let (lower, tree) = self.try_column(part, limits, column, bracket.upper);
            open.tried = open.tried.min(lower);
            if let Some((cost, tree)) = tree {
                bracket.improve(cost, tree);
            }
        }
        self.open_calls -= 1;
        let untried = if open.stopped { bracket.lower } else { UNBOUNDED };
        let lower = open.tried.min(untried).max(bracket.lower);
        self.at_least(part, limits, lower, bracket)
    }

    /// Solves both sides of a column as far as they can stay below `upper`; a lower bound on
    /// trees with this root, and the best of them if it costs less than that.
    pub fn try_column(
        &mut self,
        part: &Part,
        limits: Limits,
        column: usize,
        upper: Cost,
    ) -> (Cost, Option<Costed>) {
        let sides = part.sides_of(self.ground, column);
        let sides = [&sides.0, &sides.1];
        let mut best = Bracket::above(upper);
        let mut lower = UNBOUNDED;
        for share in limits.shares() {
            let within = [limits.side(share.0), limits.side(share.1)];
            let mut answers = [0, 1].map(|at| Answer::at_least(self.floor(sides[at], within[at])));
            let first = usize::from(sides[0].count < sides[1].count);
            for at in [first, 1 - first] {
                let other = answers[1 - at].lower;
                if answers[at].lower + other >= best.upper {
                    break;
                }
                let found = self.best(sides[at], within[at], best.upper - other, None);
                answers[at] = found.at_least_too(answers[at].relaxed);
            }
            let [left, right] = answers;
            lower = lower.min(left.lower.saturating_add(right.lower));
            if let Some(((left_cost, left), (right_cost, right))) = left.tree.zip(right.tree) {
                let (feature, rank) = self.rule_of_column(column);
                best.improve(left_cost + right_cost, Tree::node(feature, rank, left, right));
            }
        }
        (lower, best.found)
    }

    fn rule_of_column(&self, column: usize) -> (u32, u32) {
        self.ground.columns.as_ref().map_or((0, 0), |columns| columns.rules[column])
    }
}
