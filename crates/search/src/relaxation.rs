//! Minimum leaves: the same search without them, first.
//!
//! A tree whose leaves hold enough rows is also a tree without that demand, so
//! the relaxed cost is a lower bound; and a relaxed optimum that happens to meet
//! the demand is the optimum.

use crate::answer::{Answer, Bracket};
use crate::best::Search;
use crate::mutants::{Mutant, off};
use crate::part::Part;
use exactree_model::{Cost, Limits, Tree};

impl Search<'_> {
    /// The answer of a part with a demand on rows per leaf, if the relaxed search
    /// settles it; otherwise its bound goes into the bracket.
    pub(crate) fn answered_relaxed(
        &mut self,
        part: &Part,
        limits: Limits,
        upper: Cost,
        bracket: &mut Bracket,
    ) -> Option<Answer> {
        // The depth-two solvers bound themselves in the same way, inside.
        let inside = limits.small() && self.options.depth_two;
        if limits.min_rows == 1 || !self.options.relaxation || inside {
            return None;
        }
        // Not the outermost call: a relaxed tree is no incumbent to report.
        self.open_calls += 1;
        let mut relaxed = self.best(part, limits.relaxed(), upper, None);
        self.open_calls -= 1;
        relaxed.lower += off(Mutant::Relaxation);
        bracket.lower = bracket.lower.max(relaxed.lower);
        let allowed = |tree: &Tree| self.least_rows(part, tree) >= limits.min_rows;
        let exact = relaxed.tree.filter(|(cost, tree)| *cost == relaxed.lower && allowed(tree));
        if exact.is_none() && relaxed.lower < bracket.upper {
            return None;
        }
        self.stats.discards.relaxation += 1;
        let answer =
            Answer { tree: exact.or(bracket.found.take()), ..Answer::at_least(relaxed.lower) };
        Some(self.claim(part, limits, answer, 1))
    }
}
