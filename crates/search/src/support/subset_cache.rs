//! The cache of decision problems "is there a tree of size (or depth) at most s?": by subset, a
//! lower bound and possibly a tree. Keys are compared in full, so a hash collision never gives a
//! wrong result.

use crate::support::bits::Bits;
use crate::support::memory::reserve_one;
use exactree_model::Tree;
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::Arc;

/// A lower bound on the minimized quantity, and possibly a tree.
#[derive(Default)]
struct SubsetBounds {
    lower: u32,
    tree: Option<(u32, Arc<Tree>)>,
}

/// Bounds of subsets, by a key: the other limits on their trees.
pub(crate) struct SubsetCache<K> {
    bounds: FxHashMap<K, FxHashMap<Bits, SubsetBounds>>,
    entries: usize,
    max_entries: usize,
    pub evicted: u64,
}

impl<K: Clone + Eq + Hash> SubsetCache<K> {
    /// A cache for subsets of a table with this many items.
    pub(crate) fn new(items: usize, memory_limit: Option<usize>) -> Self {
        // Hash tables are at most 7/8 full and double in size; a tree has a few nodes on average.
        let bytes =
            2 * size_of::<(Bits, SubsetBounds)>() + 8 * items.div_ceil(64) + 4 * size_of::<Tree>();
        let max_entries = memory_limit.map_or(usize::MAX, |limit| limit / bytes);
        SubsetCache { bounds: FxHashMap::default(), entries: 0, max_entries, evicted: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries
    }

    /// Removes the entries of all other keys.
    pub(crate) fn keep_only(&mut self, key: &K) {
        self.bounds.retain(|other, _| other == key);
        self.entries = self.bounds.get(key).map_or(0, FxHashMap::len);
    }

    /// The cached answer to "is there a tree of at most `s`?": `None` if it is unknown,
    /// `Some(None)` if there is no tree. With `smallest` only a tree proved to be smallest counts.
    pub(crate) fn solution(
        &self,
        members: &Bits,
        key: &K,
        s: u32,
        smallest: bool,
    ) -> Option<Option<Arc<Tree>>> {
        let bounds = self.bounds.get(key)?.get(members)?;
        match &bounds.tree {
            Some((size, tree)) if *size <= s && (!smallest || *size == bounds.lower) => {
                Some(Some(tree.clone()))
            }
            _ if bounds.lower > s => Some(None),
            _ => None,
        }
    }

    /// Records that there is no tree of at most `s`.
    pub(crate) fn record_infeasible(&mut self, members: &Bits, key: &K, s: u32) {
        let bounds = self.entry(members, key);
        bounds.lower = bounds.lower.max(s + 1);
    }

    /// Records a tree of `s`; if `smallest`, also that no tree is smaller.
    pub(crate) fn record_tree(
        &mut self,
        members: &Bits,
        key: &K,
        s: u32,
        tree: &Arc<Tree>,
        smallest: bool,
    ) {
        let bounds = self.entry(members, key);
        if smallest {
            bounds.lower = bounds.lower.max(s);
        }
        if bounds.tree.as_ref().is_none_or(|(size, _)| s < *size) {
            bounds.tree = Some((s, tree.clone()));
        }
    }

    /// The bounds of a subset, to be changed. A full cache is cleared first, which costs time only.
    fn entry(&mut self, members: &Bits, key: &K) -> &mut SubsetBounds {
        let full = self.bounds.get_mut(key).is_some_and(|subsets| !reserve_one(subsets));
        if full || self.entries > self.max_entries {
            self.evicted += self.entries as u64;
            self.bounds = FxHashMap::default();
            self.entries = 0;
        }
        let subsets = self.bounds.entry(key.clone()).or_default();
        subsets.entry(members.clone()).or_insert_with(|| {
            self.entries += 1;
            SubsetBounds::default()
        })
    }
}
