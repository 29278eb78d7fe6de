//! Cache of decisions whether a tree within a cap classifies a set of items.
//!
//! *Cores.* Fewer items never need more nodes (`minimum_size/mod.rs`). So no superset of an
//! infeasible set is feasible, and every subset of a feasible set is. `minimum_size/` returns a
//! core of an infeasible set, and the superset classified by the tree of a feasible one.

use super::request::CoverStats;
use super::sizes::Cap;
use crate::minimum_size::{SizeDecision, Verdict};
use crate::support::clock::Stopped;
use crate::support::options::CoverOptions;
use crate::support::sets::{Set, members, within};
use exactree_model::Tree;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Maximum number of sets kept for each cap; those with recent hits are tried first.
const MAX_SETS_PER_CAP: usize = 4096;

/// Maximum size of a cap whose cores are shrunk. Shrinking a core takes one search per item: up to
/// this size each is a pass over the rules, but beyond it the searches grow with the cap.
const MAX_SHRUNK_SIZE: u32 = 2;

/// Sets that can be classified, and sets that cannot.
pub(super) struct FeasibilityCache<'a, const W: usize> {
    decision: SizeDecision<'a, W>,
    options: &'a CoverOptions,
    /// By cap, items that cannot be classified together.
    cores: FxHashMap<(u32, u32), Vec<Set<W>>>,
    /// By cap, sets that can be classified.
    feasible: FxHashMap<(u32, u32), Vec<Set<W>>>,
}

impl<'a, const W: usize> FeasibilityCache<'a, W> {
    pub(super) fn new(decision: SizeDecision<'a, W>, options: &'a CoverOptions) -> Self {
        FeasibilityCache {
            decision,
            options,
            cores: FxHashMap::default(),
            feasible: FxHashMap::default(),
        }
    }

    /// Whether a tree within the cap classifies the items.
    pub(super) fn is_feasible(
        &mut self,
        cap: Cap,
        set: &Set<W>,
        stats: &mut CoverStats,
    ) -> Result<bool, Stopped> {
        let key = (cap.size, cap.depth);
        if self.options.cores {
            if find_and_promote(self.cores.get_mut(&key), |core| within(core, set)) {
                stats.by_core += 1;
                return Ok(false);
            }
            if find_and_promote(self.feasible.get_mut(&key), |larger| within(set, larger)) {
                stats.by_larger += 1;
                return Ok(true);
            }
        }
        stats.by_search += 1;
        let verdict = self.decision.classifies(set, cap.size, cap.depth)?;
        let is_feasible = matches!(verdict, Verdict::Feasible(_));
        if self.options.cores {
            match verdict {
                Verdict::Feasible(wide) => add(self.feasible.entry(key).or_default(), wide),
                Verdict::Infeasible(core, _) => {
                    let core =
                        if cap.size <= MAX_SHRUNK_SIZE { self.shrink(cap, core)? } else { core };
                    add(self.cores.entry(key).or_default(), core);
                }
            }
        }
        Ok(is_feasible)
    }

    /// Removes items from a core as long as the rest cannot be classified.
    fn shrink(&mut self, cap: Cap, mut core: Set<W>) -> Result<Set<W>, Stopped> {
        for item in members(&core.clone()) {
            let mut smaller = core;
            smaller[item as usize / 64] &= !(1 << (item % 64));
            if let Verdict::Infeasible(..) =
                self.decision.classifies(&smaller, cap.size, cap.depth)?
            {
                core = smaller;
            }
        }
        Ok(core)
    }

    /// The smallest tree that classifies the items; there must be one within the cap.
    pub(super) fn tree(&mut self, cap: Cap, set: &Set<W>) -> Result<Arc<Tree>, Stopped> {
        self.decision.tree_for(set, cap.size, cap.depth)
    }
}

/// Whether some set passes a test. The first such set moves half way to the front.
fn find_and_promote<const W: usize>(
    sets: Option<&mut Vec<Set<W>>>,
    passes: impl Fn(&Set<W>) -> bool,
) -> bool {
    let Some(sets) = sets else { return false };
    let Some(at) = sets.iter().position(passes) else { return false };
    sets.swap(at, at / 2);
    true
}

fn add<const W: usize>(sets: &mut Vec<Set<W>>, set: Set<W>) {
    if sets.len() >= MAX_SETS_PER_CAP {
        sets.truncate(MAX_SETS_PER_CAP / 2);
    }
    sets.push(set);
}
