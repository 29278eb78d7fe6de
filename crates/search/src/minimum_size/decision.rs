//! "Is there a tree of size at most s for this subset?"

use super::cache::{SizeBounds, SizeCache, SizeSubproblem, Verdict};
use super::dominance::Dominance;
use super::largest_children::ChildBudget;
use super::one_rule::RuleWorkspace;
use super::prepared_table::SizeTable;
use super::subtree_limits::{SubtreeLimits, SubtreeLimitsId, SubtreeLimitsList};
use super::unlike_pairs::{Closest, UnlikePairs};
use super::{SizeRequest, SizeStats};
use crate::support::clock::{Clock, Stopped};
use crate::support::mutants::{Mutant, offset};
use crate::support::options::SizeOptions;
use crate::support::sets::Set;
use exactree_model::Weight;

/// One search: the prepared table, the cache and the statistics.
pub struct SizeDecision<'a, const W: usize> {
    pub(super) prepared: &'a SizeTable<W>,
    pub(super) options: &'a SizeOptions,
    pub(super) clock: &'a Clock<'a>,
    cache: SizeCache<W>,
    dominance: Dominance<W>,
    pub(super) terms: SubtreeLimitsList,
    pub(super) workspace: RuleWorkspace,
    pub(super) max_search_nodes: u64,
    closest: Closest,
    pub(super) stats: SizeStats,
}

impl<'a, const W: usize> SizeDecision<'a, W> {
    pub fn new(
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
            terms: SubtreeLimitsList::default(),
            workspace: RuleWorkspace::default(),
            max_search_nodes: u64::MAX,
            closest: if options.unlike_pairs { Closest::of(prepared) } else { Closest::none() },
            stats: SizeStats::default(),
        }
    }

    pub fn stats(self) -> SizeStats {
        SizeStats {
            cache_entries: self.cache.len() as u64,
            cache_bytes: (self.cache.bytes() + self.dominance.bytes()) as u64,
            cache_evicted: self.cache.evicted + self.dominance.evicted,
            ..self.stats
        }
    }

    /// The limits of a request besides the size.
    pub(super) fn limits_of(&mut self, request: &SizeRequest) -> (SubtreeLimitsId, Weight) {
        let limit = |&label: &u32| {
            let limits = request.leaves.iter().filter(|&&(class, _)| class == label);
            limits.map(|&(_, maximum)| maximum).min().unwrap_or(u32::MAX)
        };
        let leaves: Box<[u32]> = self.prepared.labels.iter().map(limit).collect();
        let limited = leaves.iter().any(|&maximum| maximum < u32::MAX);
        let leaves = if limited { leaves } else { Box::default() };
        (self.terms.id(SubtreeLimits { depth: request.depth, leaves }), request.errors)
    }

    /// Whether a tree of at most `size` nodes classifies the subset.
    pub fn smallest(
        &mut self,
        set: &Set<W>,
        size: u32,
        request: &SizeRequest,
    ) -> Result<bool, Stopped> {
        let (terms, errors) = self.limits_of(request);
        let verdict = self.fits(set, ChildBudget { size, terms, errors })?;
        Ok(matches!(verdict, Verdict::Feasible(_)))
    }

    /// Whether a tree within a budget classifies the subset.
    pub(super) fn fits(&mut self, set: &Set<W>, share: ChildBudget) -> Result<Verdict<W>, Stopped> {
        let verdict = self.decided(set, share)?;
        Ok(match verdict {
            Verdict::Feasible(_) if !self.options.widened_subsets => Verdict::Feasible(*set),
            Verdict::Infeasible(_, needs) if !self.options.cores => {
                Verdict::Infeasible(*set, needs)
            }
            verdict => verdict,
        })
    }

    fn decided(&mut self, set: &Set<W>, share: ChildBudget) -> Result<Verdict<W>, Stopped> {
        let ChildBudget { size, terms, errors } = share;
        let unlike = match self.leaf(set, terms, errors) {
            Verdict::Infeasible(core, needs) => SizeBounds::unlike(core, needs),
            feasible => return Ok(feasible),
        };
        // A tree of depth d has fewer than 2^d nodes.
        let depth = self.terms.get(terms).depth;
        let size = if depth < 32 { size.min((1 << depth) - 1) } else { size };
        if size == 0 {
            return Ok(Verdict::Infeasible(unlike.core, unlike.needs));
        }
        if errors == 0
            && self.options.class_count
            && let Some(core) = self.too_many_classes(set, size, terms)
        {
            self.stats.class_count += 1;
            return Ok(Verdict::Infeasible(core, 1));
        }
        let terms = self.terms.within(terms, size);
        let share = ChildBudget { size, terms, errors };
        if self.for_one_rule(share) {
            return Ok(self.one_rule(set));
        }
        let free = self.terms.get(terms).leaves.is_empty();
        if size == 1 && free {
            return Ok(self.one_rule_with_errors(set, errors));
        }
        self.cached(set, share, unlike)
    }

    /// Looks up the subset, or a subset or superset of it; otherwise searches.
    fn cached(
        &mut self,
        set: &Set<W>,
        share: ChildBudget,
        unlike: SizeBounds<W>,
    ) -> Result<Verdict<W>, Stopped> {
        let ChildBudget { size, terms, errors } = share;
        let subproblem = SizeSubproblem { set: *set, terms, errors };
        self.stats.cache_lookups += 1;
        let mut cached = self.cache.get(&subproblem).unwrap_or(unlike);
        if cached.settles(size) {
            self.stats.cache_hits += 1;
            return Ok(cached.verdict(size));
        }
        self.clock.check()?;
        if !self.follows(&subproblem, size, &mut cached) {
            self.search(&subproblem, size, &mut cached)?;
        }
        if self.options.cache {
            self.cache.set(subproblem, cached);
        }
        Ok(cached.verdict(size))
    }

    /// Whether the verdict follows from a subset or superset.
    fn follows(
        &mut self,
        subproblem: &SizeSubproblem<W>,
        size: u32,
        cached: &mut SizeBounds<W>,
    ) -> bool {
        if !self.options.dominance {
            return false;
        }
        let &SizeSubproblem { set, terms, errors } = subproblem;
        if let Some((core, needs)) = self.dominance.too_hard(&set, (terms, size), errors) {
            (cached.lower, cached.core, cached.needs) = (size + 1, core, needs);
        } else if let Some(wide) = self.dominance.easy_enough(&set, (terms, size), errors) {
            (cached.upper, cached.wide) = (size, wide);
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
        cached: &mut SizeBounds<W>,
    ) -> Result<(), Stopped> {
        if self.stats.nodes == self.max_search_nodes {
            return Err(Stopped);
        }
        self.stats.nodes += 1;
        let &SizeSubproblem { set, terms, errors } = subproblem;
        let (mut node, mut pairs) = (None, None);
        while !cached.settles(size) {
            let s = cached.lower;
            if s < size && self.follows(subproblem, s, cached) {
                continue;
            }
            let share = ChildBudget { size: s, terms, errors };
            let verdict = if let Some(verdict) = self.by_runs(&set, share)? {
                verdict
            } else if let Some(core) = self.by_pairs(subproblem, s, &mut pairs) {
                Verdict::Infeasible(core, 1)
            } else {
                let node = node.get_or_insert_with(|| self.node(subproblem));
                self.root(node, s)?.verdict()
            };
            self.learn(subproblem, s, verdict, cached);
        }
        Ok(())
    }

    /// Items whose unlike pairs need more nodes; only without errors, since a tree with errors need
    /// not separate them.
    fn by_pairs(
        &mut self,
        subproblem: &SizeSubproblem<W>,
        size: u32,
        pairs: &mut Option<UnlikePairs>,
    ) -> Option<Set<W>> {
        if subproblem.errors > 0 {
            return None;
        }
        let pairs = pairs.get_or_insert_with(|| self.closest.within(&subproblem.set));
        let core = pairs.not_distinguished(size)?;
        self.stats.unlike_pairs += 1;
        Some(core)
    }

    /// Whether one or two nodes classify a subset, if that can be decided without trying every
    /// root.
    fn by_runs(&mut self, set: &Set<W>, share: ChildBudget) -> Result<Option<Verdict<W>>, Stopped> {
        if share.size > 2 || !self.terms.get(share.terms).leaves.is_empty() {
            return Ok(None);
        }
        if share.size == 1 {
            return self.fits(set, share).map(Some);
        }
        let two = share.errors == 0 && self.terms.get(share.terms).depth >= 2;
        Ok(if two && self.options.two_nodes { self.two_nodes(set) } else { None })
    }

    /// Stores the verdict for trees of s nodes, also for use by subsets and supersets.
    fn learn(
        &mut self,
        &SizeSubproblem { set, terms, errors }: &SizeSubproblem<W>,
        s: u32,
        verdict: Verdict<W>,
        cached: &mut SizeBounds<W>,
    ) {
        match verdict {
            Verdict::Feasible(wide) => {
                let wide = if self.options.widened_subsets { wide } else { set };
                (cached.upper, cached.wide) = (s, wide);
                if self.options.dominance {
                    self.dominance.add_easy(wide, (terms, s), errors);
                }
            }
            Verdict::Infeasible(core, needs) => {
                let core = if self.options.cores { core } else { set };
                let lower = s + 1 + offset(Mutant::SizeCache) as u32;
                (cached.lower, cached.core, cached.needs) = (lower, core, needs);
                if self.options.dominance {
                    self.dominance.add_hard(core, (terms, s), needs);
                }
            }
        }
    }
}
