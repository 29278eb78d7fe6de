//! The cache of subproblems: by subset and limits, bounds on the minimum size. Keys are compared in
//! full.

use super::subtree_limits::SubtreeLimitsId;
use crate::support::memory::reserve_one;
use crate::support::sets::Set;
use exactree_model::Weight;
use rustc_hash::FxHashMap;

/// A subset, and the limits of its tree other than the size.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SizeSubproblem<const W: usize> {
    pub set: Set<W>,
    pub limits: SubtreeLimitsId,
    pub errors: Weight,
}

/// The answer to "is there a tree within this budget for the subset?", with items for which the
/// same answer holds.
#[derive(Clone, Copy)]
pub(crate) enum Verdict<const W: usize> {
    /// There is a tree, and it also classifies all these items.
    Feasible(Set<W>),
    /// There is no tree, not even for these items of the subset (a core), and not with fewer errors
    /// than this weight.
    Infeasible(Set<W>, Weight),
}

/// Bounds on the minimum size: no tree has fewer than `lower` nodes, and some tree has `upper`
/// nodes.
#[derive(Clone, Copy)]
pub(super) struct SizeBounds<const W: usize> {
    pub lower: u32,
    pub upper: u32,
    /// Items that `lower` − 1 nodes do not classify with fewer errors than `needs`.
    pub core: Set<W>,
    pub needs: Weight,
    /// Items that `upper` nodes classify.
    pub wide: Set<W>,
}

impl<const W: usize> SizeBounds<W> {
    /// The bounds if a leaf does not classify the items `core`.
    pub(super) fn not_a_leaf(core: Set<W>, needs: Weight) -> Self {
        SizeBounds { lower: 1, upper: u32::MAX, core, needs, wide: [0; W] }
    }

    /// Whether these bounds decide a size.
    #[inline]
    pub(super) fn settles(&self, size: u32) -> bool {
        self.upper <= size || self.lower > size
    }

    /// The verdict for a size that these bounds decide.
    #[inline]
    pub(super) fn verdict(&self, size: u32) -> Verdict<W> {
        match self.upper <= size {
            true => Verdict::Feasible(self.wide),
            false => Verdict::Infeasible(self.core, self.needs),
        }
    }
}

/// A map from subproblems to bounds, within a soft limit of bytes.
pub(super) struct SizeCache<const W: usize> {
    bounds: FxHashMap<SizeSubproblem<W>, SizeBounds<W>>,
    max_entries: usize,
    pub evicted: u64,
}

/// Approximate number of bytes per entry. Hash tables are at most 7/8 full and double when they
/// grow.
const fn bytes_each<const W: usize>() -> usize {
    2 * size_of::<(SizeSubproblem<W>, SizeBounds<W>)>() + 2
}

impl<const W: usize> SizeCache<W> {
    pub(super) fn new(limit: Option<usize>) -> Self {
        let max_entries = limit.map_or(usize::MAX, |limit| (limit / bytes_each::<W>()).max(1));
        SizeCache { bounds: FxHashMap::default(), max_entries, evicted: 0 }
    }

    pub(super) fn get(&self, subproblem: &SizeSubproblem<W>) -> Option<SizeBounds<W>> {
        self.bounds.get(subproblem).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.bounds.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bounds.capacity() * bytes_each::<W>() / 2
    }

    /// Sets the bounds of a subproblem, which are at least as tight as before. When full, entries
    /// with weak bounds are evicted first, which costs time only.
    pub(super) fn set(&mut self, subproblem: SizeSubproblem<W>, bounds: SizeBounds<W>) {
        let grows = reserve_one(&mut self.bounds);
        if self.bounds.len() >= self.max_entries || !grows {
            let before = self.bounds.len();
            self.bounds.retain(|_, bounds| bounds.lower > 3);
            if self.bounds.len() > before / 2 {
                self.bounds.clear();
            }
            self.evicted += (before - self.bounds.len()) as u64;
        }
        self.bounds.insert(subproblem, bounds);
    }
}
