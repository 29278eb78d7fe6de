//! The cache of bounds on the minimum size of subsets; keys are compared in full.

use super::subtree_limits::SubtreeLimitsId;
use crate::support::memory::reserve_one;
use crate::support::sets::Set;
use exactree_model::Weight;
use rustc_hash::FxHashMap;

/// A subset, and the limits of its tree besides its size.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SizeSubproblem<const W: usize> {
    pub set: Set<W>,
    pub terms: SubtreeLimitsId,
    pub errors: Weight,
}

/// Whether a tree classifies a subset, with the items that prove more.
#[derive(Clone, Copy)]
pub enum Verdict<const W: usize> {
    /// A tree does, and it classifies all these items as well.
    Feasible(Set<W>),
    /// No tree does, not even for these items of the subset, and not with fewer errors than the
    /// weight.
    Infeasible(Set<W>, Weight),
}

/// No tree has fewer than `lower` nodes, one has `upper`.
#[derive(Clone, Copy)]
pub struct SizeBounds<const W: usize> {
    pub lower: u32,
    pub upper: u32,
    /// Items that `lower` − 1 nodes do not classify with fewer errors than `needs`.
    pub core: Set<W>,
    pub needs: Weight,
    /// Items that `upper` nodes classify.
    pub wide: Set<W>,
}

impl<const W: usize> SizeBounds<W> {
    /// Only that a leaf does not classify these items.
    pub fn unlike(core: Set<W>, needs: Weight) -> Self {
        SizeBounds { lower: 1, upper: u32::MAX, core, needs, wide: [0; W] }
    }

    /// Whether these bounds decide a size.
    #[inline]
    pub fn settles(&self, size: u32) -> bool {
        self.upper <= size || self.lower > size
    }

    /// The verdict for a size that these bounds decide.
    #[inline]
    pub fn verdict(&self, size: u32) -> Verdict<W> {
        match self.upper <= size {
            true => Verdict::Feasible(self.wide),
            false => Verdict::Infeasible(self.core, self.needs),
        }
    }
}

/// A map from subproblems to bounds, within a soft limit of bytes.
pub struct SizeCache<const W: usize> {
    cached: FxHashMap<SizeSubproblem<W>, SizeBounds<W>>,
    maximum: usize,
    pub evicted: u64,
}

/// Hash tables are at most 7/8 full and double when they grow.
const fn bytes_each<const W: usize>() -> usize {
    2 * size_of::<(SizeSubproblem<W>, SizeBounds<W>)>() + 2
}

impl<const W: usize> SizeCache<W> {
    pub fn new(limit: Option<usize>) -> Self {
        let maximum = limit.map_or(usize::MAX, |limit| (limit / bytes_each::<W>()).max(1));
        SizeCache { cached: FxHashMap::default(), maximum, evicted: 0 }
    }

    pub fn get(&self, subproblem: &SizeSubproblem<W>) -> Option<SizeBounds<W>> {
        self.cached.get(subproblem).copied()
    }

    pub fn len(&self) -> usize {
        self.cached.len()
    }

    pub fn bytes(&self) -> usize {
        self.cached.capacity() * bytes_each::<W>() / 2
    }

    /// Sets the bounds of a subproblem, which are at least as tight as before. When full, entries
    /// with weak bounds are evicted first, which costs time only.
    pub fn set(&mut self, subproblem: SizeSubproblem<W>, cached: SizeBounds<W>) {
        let grows = reserve_one(&mut self.cached);
        if self.cached.len() >= self.maximum || !grows {
            let before = self.cached.len();
            self.cached.retain(|_, cached| cached.lower > 3);
            if self.cached.len() > before / 2 {
                self.cached.clear();
            }
            self.evicted += (before - self.cached.len()) as u64;
        }
        self.cached.insert(subproblem, cached);
    }
}
