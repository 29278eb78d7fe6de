//! The decision problem: is there a tree of size at most s for this subset?

use super::cache::{SizeBounds, SizeCache, SizeSubproblem, Verdict};
use super::dominance::Dominance;
use super::prepared_table::SizeTable;
use super::request::{SizeRequest, SizeStats};
use super::subtree_limits::{ChildBudget, SubtreeLimits, SubtreeLimitsId, SubtreeLimitsList};
use super::unlike_pairs::{ClosestPairs, UnlikePairs};
use crate::kernels::class_runs::Ranges;
use crate::kernels::extremes::RankExtremes;
use crate::support::clock::{Clock, Stopped};
use crate::support::mutants::{Mutant, offset};
use crate::support::options::SizeOptions;
use crate::support::sets::Set;
use exactree_model::Weight;

/// A solver of decision problems on one table: prepared table, caches and statistics.
pub(crate) struct SizeDecision<'a, const W: usize> {
    pub(super) prepared: &'a SizeTable<W>,
    pub(super) options: &'a SizeOptions,
    pub(super) clock: &'a Clock<'a>,
    cache: SizeCache<W>,
    dominance: Dominance<W>,
    pub(super) limits: SubtreeLimitsList,
    pub(super) workspace: RuleWorkspace,
    pub(super) max_search_nodes: u64,
    closest_pairs: ClosestPairs,
    pub(super) stats: SizeStats,
}

/// Workspace, reused from call to call.
#[derive(Default)]
pub(super) struct RuleWorkspace {
    pub ranges: Vec<Ranges>,
    pub items: Vec<u16>,
    pub extremes: Vec<RankExtremes>,
}

impl<'a, const W: usize> SizeDecision<'a, W> {
    pub(crate) fn new(
        prepared: &'a SizeTable<W>,
        options: &'a SizeOptions,
        clock: &'a Clock<'a>,
        memory_limit: Option<usize>,
    ) -> Self {
        SizeDecision {
            prepared,
            options,
            clock,
            cache: SizeCache::new(memory_limit.map(|limit| limit / 4 * 3)),
            dominance: Dominance::new(memory_limit.map(|limit| limit / 4)),
            limits: SubtreeLimitsList::default(),
            workspace: RuleWorkspace::default(),
            max_search_nodes: u64::MAX,
            closest_pairs: if options.unlike_pairs {
                ClosestPairs::of(prepared)
            } else {
                ClosestPairs::none()
            },
            stats: SizeStats::default(),
        }
    }

    pub(crate) fn stats(self) -> SizeStats {
        SizeStats {
            cache_entries: self.cache.len() as u64,
            cache_bytes: (self.cache.bytes() + self.dominance.bytes()) as u64,
            cache_evicted: self.cache.evicted + self.dominance.evicted,
            ..self.stats
        }
    }

    /// The limits of a request other than the size: depth and leaves, and the errors.
    pub(super) fn limits_of(&mut self, request: &SizeRequest) -> (SubtreeLimitsId, Weight) {
        let limit = |&label: &u32| {
            let limits = request.leaves.iter().filter(|&&(class, _)| class == label);
            limits.map(|&(_, maximum)| maximum).min().unwrap_or(u32::MAX)
        };
        let leaves: Box<[u32]> = self.prepared.labels.iter().map(limit).collect();
        let limited = leaves.iter().any(|&maximum| maximum < u32::MAX);
        let leaves = if limited { leaves } else { Box::default() };
        (self.limits.id(SubtreeLimits { depth: request.depth, leaves }), request.errors)
    }

    /// Whether a tree of at most `size` nodes classifies the subset.
    pub(crate) fn has_tree(
        &mut self,
        set: &Set<W>,
        size: u32,
        request: &SizeRequest,
    ) -> Result<bool, Stopped> {
        let (limits, errors) = self.limits_of(request);
        let verdict = self.fits(set, ChildBudget { size, limits, errors })?;
        Ok(matches!(verdict, Verdict::Feasible(_)))
    }

    /// Whether a tree within a budget classifies the subset.
    pub(super) fn fits(
        &mut self,
        set: &Set<W>,
        budget: ChildBudget,
    ) -> Result<Verdict<W>, Stopped> {
        let verdict = self.decide(set, budget)?;
        Ok(match verdict {
            Verdict::Feasible(_) if !self.options.widened_subsets => Verdict::Feasible(*set),
            Verdict::Infeasible(_, needs) if !self.options.cores => {
                Verdict::Infeasible(*set, needs)
            }
            verdict => verdict,
        })
    }

    fn decide(&mut self, set: &Set<W>, budget: ChildBudget) -> Result<Verdict<W>, Stopped> {
        let ChildBudget { size, limits, errors } = budget;
        let leaf_bounds = match self.leaf(set, limits, errors) {
            Verdict::Infeasible(core, needs) => SizeBounds::not_a_leaf(core, needs),
            feasible => return Ok(feasible),
        };
        // A tree of depth d has fewer than 2^d nodes.
        let depth = self.limits.get(limits).depth;
        let size = if depth < 32 { size.min((1 << depth) - 1) } else { size };
        if size == 0 {
            return Ok(Verdict::Infeasible(leaf_bounds.core, leaf_bounds.needs));
        }
        if errors == 0
            && self.options.class_count
            && let Some(core) = self.core_by_classes(set, size, limits)
        {
            self.stats.class_count += 1;
            return Ok(Verdict::Infeasible(core, 1));
        }
        let limits = self.limits.within(limits, size);
        let budget = ChildBudget { size, limits, errors };
        if self.is_one_rule(budget) {
            return Ok(self.one_rule(set));
        }
        let unlimited_leaves = self.limits.get(limits).leaves.is_empty();
        if size == 1 && unlimited_leaves {
            return Ok(self.one_rule_with_errors(set, errors));
        }
        self.look_up_or_search(set, budget, leaf_bounds)
    }

    /// Decides by the cache, or by dominance of a subset or superset; otherwise searches.
    fn look_up_or_search(
        &mut self,
        set: &Set<W>,
        budget: ChildBudget,
        leaf_bounds: SizeBounds<W>,
    ) -> Result<Verdict<W>, Stopped> {
        let ChildBudget { size, limits, errors } = budget;
        let subproblem = SizeSubproblem { set: *set, limits, errors };
        self.stats.cache_lookups += 1;
        let mut bounds = self.cache.get(&subproblem).unwrap_or(leaf_bounds);
        if bounds.settles(size) {
            self.stats.cache_hits += 1;
            return Ok(bounds.verdict(size));
        }
        self.clock.check()?;
        if !self.follows_by_dominance(&subproblem, size, &mut bounds) {
            self.search(&subproblem, size, &mut bounds)?;
        }
        if self.options.cache {
            self.cache.set(subproblem, bounds);
        }
        Ok(bounds.verdict(size))
    }

    /// Whether the verdict follows from that of a subset or superset; if so, tightens `bounds`.
    fn follows_by_dominance(
        &mut self,
        subproblem: &SizeSubproblem<W>,
        size: u32,
        bounds: &mut SizeBounds<W>,
    ) -> bool {
        if !self.options.dominance {
            return false;
        }
        let &SizeSubproblem { set, limits, errors } = subproblem;
        if let Some((core, needs)) = self.dominance.too_hard(&set, (limits, size), errors) {
            (bounds.lower, bounds.core, bounds.needs) = (size + 1, core, needs);
        } else if let Some(wide) = self.dominance.easy_enough(&set, (limits, size), errors) {
            (bounds.upper, bounds.wide) = (size, wide);
        } else {
            return false;
        }
        self.stats.dominance += 1;
        true
    }

    /// Raises the size from the known lower bound until a tree is found or `size` is refuted.
    fn search(
        &mut self,
        subproblem: &SizeSubproblem<W>,
        size: u32,
        bounds: &mut SizeBounds<W>,
    ) -> Result<(), Stopped> {
        if self.stats.nodes == self.max_search_nodes {
            return Err(Stopped);
        }
        self.stats.nodes += 1;
        let &SizeSubproblem { set, limits, errors } = subproblem;
        let (mut node, mut pairs) = (None, None);
        while !bounds.settles(size) {
            let s = bounds.lower;
            if s < size && self.follows_by_dominance(subproblem, s, bounds) {
                continue;
            }
            let budget = ChildBudget { size: s, limits, errors };
            let verdict = if let Some(verdict) = self.by_runs(&set, budget)? {
                verdict
            } else if let Some(core) = self.by_pairs(subproblem, s, &mut pairs) {
                Verdict::Infeasible(core, 1)
            } else {
                let node = node.get_or_insert_with(|| self.node(subproblem));
                self.root(node, s)?.verdict()
            };
            self.record(subproblem, s, verdict, bounds);
        }
        Ok(())
    }

    /// Items whose unlike pairs need more than `size` nodes, if that is proved quickly; only
    /// without errors, since a tree with errors need not separate unlike items.
    fn by_pairs(
        &mut self,
        subproblem: &SizeSubproblem<W>,
        size: u32,
        pairs: &mut Option<UnlikePairs>,
    ) -> Option<Set<W>> {
        if subproblem.errors > 0 {
            return None;
        }
        let pairs = pairs.get_or_insert_with(|| self.closest_pairs.within(&subproblem.set));
        let core = pairs.inseparable_items(size)?;
        self.stats.unlike_pairs += 1;
        Some(core)
    }

    /// Whether a tree within a budget of one or two nodes classifies a subset, if that can be
    /// decided without trying every root.
    fn by_runs(
        &mut self,
        set: &Set<W>,
        budget: ChildBudget,
    ) -> Result<Option<Verdict<W>>, Stopped> {
        if budget.size > 2 || !self.limits.get(budget.limits).leaves.is_empty() {
            return Ok(None);
        }
        if budget.size == 1 {
            return self.fits(set, budget).map(Some);
        }
        let applies = budget.errors == 0 && self.limits.get(budget.limits).depth >= 2;
        Ok(if applies && self.options.two_nodes { self.two_nodes(set) } else { None })
    }

    /// Records the verdict for trees of s nodes in `bounds`, and for dominance of other subsets.
    fn record(
        &mut self,
        &SizeSubproblem { set, limits, errors }: &SizeSubproblem<W>,
        s: u32,
        verdict: Verdict<W>,
        bounds: &mut SizeBounds<W>,
    ) {
        match verdict {
            Verdict::Feasible(wide) => {
                let wide = if self.options.widened_subsets { wide } else { set };
                (bounds.upper, bounds.wide) = (s, wide);
                if self.options.dominance {
                    self.dominance.add_easy(wide, (limits, s), errors);
                }
            }
            Verdict::Infeasible(core, needs) => {
                let core = if self.options.cores { core } else { set };
                let lower = s + 1 + offset(Mutant::SizeCache) as u32;
                (bounds.lower, bounds.core, bounds.needs) = (lower, core, needs);
                if self.options.dominance {
                    self.dominance.add_hard(core, (limits, s), needs);
                }
            }
        }
    }
}
