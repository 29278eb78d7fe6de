//! Branching: the rules at the root of a tree of at most s nodes for a subset.
//!
//! Levels are tried in order of the smaller child's size; a *level* is such a size with one way to
//! divide leaves and errors. At a level the largest children of all orders are found; the larger
//! child must classify the remainder.

use super::cache::{SizeSubproblem, Verdict};
use super::decision::SizeDecision;
use super::largest_children::{LargestChild, SubsetOrder};
use super::subtree_limits::ChildBudget;
use crate::kernels::extremes::RankExtremes;
use crate::support::clock::Stopped;
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, count, or, within, without};
use exactree_model::{UNBOUNDED, Weight};

/// A subset whose root rules are tried, with the levels already tried for smaller trees.
pub(super) struct SizeNode<const W: usize> {
    subproblem: SizeSubproblem<W>,
    extremes: Vec<RankExtremes>,
    orders: Vec<SubsetOrder>,
    /// Levels are always tried in the same order, so larger trees only append levels.
    levels: Vec<RootLevel<W>>,
}

/// A budget of the smaller child, and its largest children.
struct RootLevel<const W: usize> {
    small: ChildBudget,
    /// The number of the division of the leaves; equal numbers mean equal divisions.
    leaves: usize,
    children: Vec<LargestChild<W>>,
    /// `None` until needed.
    candidates: Option<Vec<Candidate<W>>>,
}

/// A root rule: the smaller child is split off, and the larger child is the remainder.
#[derive(Clone, Copy)]
struct Candidate<const W: usize> {
    order: SubsetOrder,
    step: u32,
    remainder: Set<W>,
}

/// The root of a tree that classifies a subset, and the budgets of its children.
pub(super) struct SizeRoot<const W: usize> {
    pub feature: usize,
    pub rank: u32,
    pub left: (Set<W>, ChildBudget),
    pub right: (Set<W>, ChildBudget),
    /// All items that the tree classifies.
    wide: Set<W>,
}

/// Items that no root tried so far classifies, and the fewest errors with which a root might
/// classify them.
struct Refuted<const W: usize> {
    core: Set<W>,
    needs: Weight,
}

/// A root, or the items that no root classifies and the errors they need.
pub(super) enum RootVerdict<const W: usize> {
    Feasible(SizeRoot<W>),
    Infeasible(Set<W>, Weight),
}

impl<const W: usize> RootVerdict<W> {
    pub(super) fn verdict(self) -> Verdict<W> {
        match self {
            RootVerdict::Feasible(root) => Verdict::Feasible(root.wide),
            RootVerdict::Infeasible(core, needs) => Verdict::Infeasible(core, needs),
        }
    }
}

impl<const W: usize> SizeDecision<'_, W> {
    pub(super) fn node(&mut self, subproblem: &SizeSubproblem<W>) -> SizeNode<W> {
        let extremes = self.extremes(&subproblem.set);
        let orders = self.orders(&extremes);
        SizeNode { subproblem: *subproblem, extremes, orders, levels: Vec::new() }
    }

    /// A root rule of a tree of at most `size` nodes, if there is one.
    ///
    /// If there is none, the union of the cores of all rules is a core for all: a tree that
    /// classifies the union splits it at some threshold of some feature. Its smaller child cannot
    /// extend beyond the largest child, or it would contain the core of the next child. So the
    /// other child contains the remainder, and with it the core found there. A leaf splits nothing,
    /// so items that no leaf classifies are added.
    pub(super) fn root(
        &mut self,
        node: &mut SizeNode<W>,
        size: u32,
    ) -> Result<RootVerdict<W>, Stopped> {
        let mut refuted = Refuted { core: [0; W], needs: UNBOUNDED };
        let mut at = 0;
        for small in 0..=(size - 1) / 2 {
            let shares = self.limits.shares(node.subproblem.limits);
            for (leaves, &(limits, large_limits)) in shares.iter().enumerate() {
                let mut errors = 0;
                while errors <= node.subproblem.errors {
                    let small = ChildBudget { size: small, limits, errors };
                    let large = ChildBudget {
                        size: size - 1 - small.size,
                        limits: large_limits,
                        errors: node.subproblem.errors - errors,
                    };
                    if at == node.levels.len() {
                        let level = self.level(node, small, leaves)?;
                        node.levels.push(level);
                    }
                    if let Some(root) = self.try_level(node, at, large, &mut refuted)? {
                        return Ok(RootVerdict::Feasible(root));
                    }
                    // With fewer errors than `next` no child of the level becomes larger.
                    let children = node.levels[at].children.iter();
                    let next = children.map(LargestChild::needs).min().unwrap_or(UNBOUNDED);
                    errors = next + offset(Mutant::NextErrors);
                    at += 1;
                }
                refuted.needs = refuted.needs.min(errors);
            }
        }
        let Refuted { core, needs } = self.with_core_of_leaf(node, refuted);
        Ok(RootVerdict::Infeasible(core, needs))
    }

    /// Adds items that no leaf classifies, if a leaf classifies the core.
    fn with_core_of_leaf(&self, node: &SizeNode<W>, refuted: Refuted<W>) -> Refuted<W> {
        let SizeSubproblem { set, limits, errors } = node.subproblem;
        let Verdict::Infeasible(leaf_core, leaf_needs) = self.leaf(&set, limits, errors) else {
            return refuted;
        };
        let Refuted { core, needs } = refuted;
        let feasible = matches!(self.leaf(&core, limits, errors), Verdict::Feasible(_));
        let core =
            if feasible && offset(Mutant::LeafOfCore) == 0 { or(&core, &leaf_core) } else { core };
        Refuted { core, needs: needs.min(leaf_needs) }
    }

    /// The largest children of a level; the search starts from those of an earlier level with a
    /// smaller budget.
    fn level(
        &mut self,
        node: &SizeNode<W>,
        small: ChildBudget,
        leaves: usize,
    ) -> Result<RootLevel<W>, Stopped> {
        self.clock.check()?;
        let earlier = node.levels.iter().filter(|level| level.is_within(&small, leaves));
        let earlier: Vec<&RootLevel<W>> = earlier.collect();
        let mut children = Vec::with_capacity(node.orders.len());
        for (at, &order) in node.orders.iter().enumerate() {
            let from = earlier.iter().map(|level| level.children[at].feasible).max().unwrap_or(0);
            let set = &node.subproblem.set;
            children.push(self.largest_child(set, &node.extremes, order, small, from)?);
        }
        Ok(RootLevel { small, leaves, children, candidates: None })
    }

    /// Tries the roots of a level; adds their cores to `refuted`.
    fn try_level(
        &mut self,
        node: &mut SizeNode<W>,
        at: usize,
        large: ChildBudget,
        refuted: &mut Refuted<W>,
    ) -> Result<Option<SizeRoot<W>>, Stopped> {
        let small = node.levels[at].small;
        let unlimited_leaves = self.limits.get(node.subproblem.limits).leaves.is_empty();
        let even = small == large && unlimited_leaves && node.subproblem.errors == 0;
        if even && self.options.even_splits {
            self.stats.even_splits += 1;
            if let Some((order, feasible)) = node.levels[at].covering_order() {
                let root =
                    self.root_of_split(&node.subproblem.set, order, feasible - 1, small, large)?;
                return Ok(Some(root));
            }
        } else if let Some(root) = self.try_remainders(node, at, large, refuted)? {
            return Ok(Some(root));
        }
        self.add_limits(&node.levels[at], &mut refuted.core);
        Ok(None)
    }

    /// Tries the roots of a level that have to be tried: whether the larger child classifies the
    /// remainder.
    fn try_remainders(
        &mut self,
        node: &mut SizeNode<W>,
        at: usize,
        large: ChildBudget,
        refuted: &mut Refuted<W>,
    ) -> Result<Option<SizeRoot<W>>, Stopped> {
        if node.levels[at].candidates.is_none() {
            node.levels[at].candidates = Some(self.candidates(node, at));
        }
        let level = &node.levels[at];
        let one_rule = self.is_one_rule(large) && self.options.cores;
        for candidate in level.candidates.iter().flatten() {
            let feasible = if one_rule {
                refuted.needs = refuted.needs.min(node.subproblem.errors + 1);
                self.one_rule_or_extend_core(&candidate.remainder, &mut refuted.core)
            } else {
                match self.fits(&candidate.remainder, large)? {
                    Verdict::Feasible(_) => true,
                    Verdict::Infeasible(core, needs) => {
                        refuted.core = or(&refuted.core, &core);
                        refuted.needs = refuted.needs.min(level.small.errors + needs);
                        false
                    }
                }
            };
            if feasible {
                let &Candidate { order, step, .. } = candidate;
                let root =
                    self.root_of_split(&node.subproblem.set, order, step, level.small, large)?;
                return Ok(Some(root));
            }
        }
        Ok(None)
    }

    /// The roots of a level that have to be tried, smallest remainder first.
    ///
    /// A remainder that contains another need not be tried: by monotonicity it is no easier, and
    /// its budget is no greater than that of a remainder of an earlier level.
    fn candidates(&mut self, node: &SizeNode<W>, at: usize) -> Vec<Candidate<W>> {
        let level = &node.levels[at];
        let feasible = level.children.iter().filter(|child| child.feasible > 0);
        let mut candidates: Vec<Candidate<W>> = feasible
            .map(|child| {
                let step = child.feasible - 1;
                let small = child.order.child(self.prepared, &node.subproblem.set, step);
                let remainder = without(&node.subproblem.set, &small);
                Candidate { order: child.order, step, remainder }
            })
            .collect();
        candidates.sort_by_key(|candidate| count(&candidate.remainder));
        if !self.options.inclusion {
            return candidates;
        }
        let earlier = node.levels[..at]
            .iter()
            .filter(|level_before| level_before.is_within(&level.small, level.leaves));
        let earlier: Vec<&Candidate<W>> =
            earlier.flat_map(|level| level.candidates.iter().flatten()).collect();
        let all = candidates.len();
        let mut kept: Vec<Candidate<W>> = Vec::with_capacity(all);
        for candidate in candidates {
            let inside = |other: &&Candidate<W>| within(&other.remainder, &candidate.remainder);
            if !earlier.iter().any(&inside) && !kept.iter().any(|other| inside(&other)) {
                kept.push(candidate);
            }
        }
        self.stats.inclusion += (all - kept.len()) as u64;
        kept
    }

    /// Adds items to `core` which prove that the children of a level cannot be larger, unless
    /// `core` already proves it.
    fn add_limits(&mut self, level: &RootLevel<W>, core: &mut Set<W>) {
        let ChildBudget { size, errors, .. } = level.small;
        for limit in level.children.iter().filter_map(|child| child.limit.as_ref()) {
            match limit.core {
                Some(limit_core) => {
                    let already =
                        size == 0 && errors == 0 && !self.prepared.pure(&and(core, &limit.child));
                    if !already {
                        *core = or(core, &limit_core);
                    }
                }
                None => {
                    self.one_rule_or_extend_core(&limit.child, core);
                }
            }
        }
    }

    /// The root that splits a child off.
    fn root_of_split(
        &mut self,
        set: &Set<W>,
        order: SubsetOrder,
        step: u32,
        small: ChildBudget,
        large: ChildBudget,
    ) -> Result<SizeRoot<W>, Stopped> {
        let child = order.child(self.prepared, set, step);
        let remainder = without(set, &child);
        let rank = order.threshold(step);
        let (left, right) = match order.prefix {
            true => ((child, small), (remainder, large)),
            false => ((remainder, large), (child, small)),
        };
        let mut wide = *set;
        if self.options.widened_subsets {
            let up_to = self.prepared.up_to(order.feature, rank);
            if let Verdict::Feasible(left_wide) = self.fits(&left.0, left.1)?
                && let Verdict::Feasible(right_wide) = self.fits(&right.0, right.1)?
            {
                wide = or(&and(&left_wide, &up_to), &without(&right_wide, &up_to));
            }
        }
        Ok(SizeRoot { feature: order.feature, rank, left, right, wide })
    }
}

impl<const W: usize> RootLevel<W> {
    /// Whether the budget of this level is no greater than that of another.
    fn is_within(&self, small: &ChildBudget, leaves: usize) -> bool {
        self.leaves == leaves && self.small.size <= small.size && self.small.errors <= small.errors
    }

    /// An order whose largest children from both ends cover the subset, and the number of feasible
    /// steps of the child at its start.
    ///
    /// Both children have the same budget: if some rule of a feature is feasible, so is the rule at
    /// the end of the feature's largest prefix, and the rest lies in the largest suffix.
    fn covering_order(&self) -> Option<(SubsetOrder, u32)> {
        self.children.chunks(2).find_map(|pair| {
            let steps = pair[0].order.steps();
            let covered = pair[0].feasible + pair[1].feasible + offset(Mutant::EvenSplits) as u32;
            (pair[0].feasible > 0 && covered > steps).then(|| (pair[0].order, pair[0].feasible))
        })
    }
}
