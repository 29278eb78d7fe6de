//! The search of some roots, see `roots.rs` one storey up, of tables of two-valued columns.

use super::columns::Source;
use super::part::Part;
use super::search::{Answer, BinarySearch, Bracket, usable};
use crate::kernels::chunks::Lane;
use crate::mutants::{Mutant, off};
use crate::roots::{Roots, Tried};
use crate::solve::Request;
use exactree_model::{Cost, Limits, Tree, UNBOUNDED};

impl<L: Lane> BinarySearch<'_, L> {
    pub fn run_roots(&mut self, request: &Request, roots: &[Roots]) -> Tried {
        let whole = Part::whole(self.columns);
        let limits = request.limits.normalised();
        let found = self.first_incumbent(&whole, request);
        let upper = found.as_ref().map_or(request.below, |found| found.0).min(UNBOUNDED);
        let mut left = roots.to_vec();
        let answer = self.in_turns(upper, |search, upper| {
            let (answer, open) = search.best_of_roots(&whole, limits, upper, &left);
            left = open;
            answer
        });
        self.count_memo();
        Tried { found: answer.tree.or(found), lower: answer.lower, left }
    }

    /// One turn: the answer, and what is left open. Trees of two levels are counted all at once.
    fn best_of_roots(
        &mut self,
        whole: &Part,
        limits: Limits,
        upper: Cost,
        roots: &[Roots],
    ) -> (Answer, Vec<Roots>) {
        let limits = usable(whole, self.within_price(limits, upper));
        let leaf = self.objective.leaf(whole.leaf_errors());
        let mut bracket = Bracket { upper, lower: 0, found: None };
        bracket.improve(leaf, || Tree::leaf(whole.leaf_class()));
        self.stats.nodes += 1;
        if self.settled(whole, limits, &mut bracket) {
            return (Answer { lower: bracket.lower.min(leaf), tree: bracket.found }, Vec::new());
        }
        if limits.depth <= 2 {
            return (self.two_levels(whole, limits, bracket), Vec::new());
        }
        let known = |rule: usize| {
            let Source { feature, rank, turned } = self.rules[rule];
            let holds =
                |set: &&Roots| set.feature == feature && (set.first..=set.last).contains(&rank);
            roots.iter().find(holds).map(|set| as_bits(*set, turned))
        };
        let known: Vec<Option<Roots>> = (0..self.rules.len()).map(known).collect();
        let keep = |at: usize| known[whole.columns.rules[at] as usize];
        let (rules, bracket) = self.try_those(whole, limits, bracket, |rules| rules.keep(keep));
        let Some(rules) = rules else {
            return (Answer { lower: bracket.lower.min(leaf), tree: bracket.found }, Vec::new());
        };
        let left = rules.left(bracket.upper.saturating_sub(off(Mutant::RootsLeft)));
        let root = |(at, [lower, left, right]): (usize, [Cost; 3])| {
            let Source { feature, rank, turned } = self.rules[whole.columns.rules[at] as usize];
            as_bits(Roots { lower, left, right, ..Roots::new(feature, rank, rank) }, turned)
        };
        let lower = rules.lower().max(bracket.lower).min(leaf);
        (Answer { lower, tree: bracket.found }, left.map(root).collect())
    }
}

/// What is known of the sides of a rule as its bits stand for them, and back.
fn as_bits(roots: Roots, turned: bool) -> Roots {
    let (left, right) = if turned { (roots.right, roots.left) } else { (roots.left, roots.right) };
    Roots { left, right, ..roots }
}
