//! What the memo says of a part, and what it is told.

use crate::answer::{Answer, Bracket};
use crate::best::Search;
use crate::memo::{Claim, Known};
use crate::mutants::{Mutant, off};
use crate::part::Part;
use exactree_model::Limits;

impl Search<'_> {
    /// What is remembered of a part, if it settles the question; otherwise it
    /// goes into the bracket.
    pub(crate) fn remembered(
        &mut self,
        part: &Part,
        limits: Limits,
        bracket: &mut Bracket,
    ) -> Option<Answer> {
        if !self.options.memo || limits.leaf_only() {
            return None;
        }
        self.stats.memo_lookups += 1;
        let Known { lower, tree } = self.memo.known(&part.members, &limits)?;
        let lower = lower + off(Mutant::MemoBounds);
        let relaxed = match limits.min_rows {
            1 => lower,
            _ => self.memo.known(&part.members, &limits.relaxed()).map_or(0, |known| known.lower),
        };
        if let Some((cost, tree)) = tree {
            bracket.improve(cost, tree);
        }
        // The bound of a claim covers the leaf as well; as a bound on trees
        // with an inner root it holds all the more.
        bracket.lower = bracket.lower.max(lower);
        if lower < bracket.upper {
            return None;
        }
        self.stats.memo_hits += 1;
        self.stats.discards.memo_bounds += bracket.found.is_none() as u64;
        Some(Answer { lower, relaxed, tree: bracket.found.take(), by_threshold: None })
    }

    /// Remembers an answer and passes it on.
    pub(crate) fn claim(
        &mut self,
        part: &Part,
        limits: Limits,
        answer: Answer,
        effort: u64,
    ) -> Answer {
        let exact = answer.tree.as_ref().is_some_and(|(cost, _)| *cost == answer.lower);
        if self.options.memo && (exact || self.options.memo_bounds) {
            let claim = Claim { limits, lower: answer.lower, tree: answer.tree.clone() };
            self.memo.insert(&part.members, claim, effort);
            if limits.min_rows > 1 && self.options.memo_bounds {
                let claim = Claim { limits: limits.relaxed(), lower: answer.relaxed, tree: None };
                self.memo.insert(&part.members, claim, effort);
            }
        }
        answer
    }
}
