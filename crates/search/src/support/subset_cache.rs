//! Cache of decision searches: by subset a lower bound, and possibly a tree. Keys are compared in
//! full.

use crate::support::bits::Bits;
use crate::support::memory::takes_one_more;
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

/// By further limits of their trees (the key), subsets and their bounds.
pub(crate) struct SubsetCache<K> {
    known: FxHashMap<K, FxHashMap<Bits, SubsetBounds>>,
    entries: usize,
    most: usize,
    pub evicted: u64,
}

impl<K: Clone + Eq + Hash> SubsetCache<K> {
    /// A cache for subsets of a table with this many items.
    pub fn new(items: usize, memory_limit: Option<usize>) -> Self {
        // Hash tables are at most 7/8 full and double in size; a tree has a few nodes on average.
        let bytes =
            2 * size_of::<(Bits, SubsetBounds)>() + 8 * items.div_ceil(64) + 4 * size_of::<Tree>();
        let most = memory_limit.map_or(usize::MAX, |limit| limit / bytes);
        SubsetCache { known: FxHashMap::default(), entries: 0, most, evicted: 0 }
    }

    pub fn len(&self) -> usize {
        self.entries
    }

    /// Evicts the entries of all other keys.
    pub fn keep(&mut self, key: &K) {
        self.known.retain(|other, _| other == key);
        self.entries = self.known.get(key).map_or(0, FxHashMap::len);
    }

    /// Whether there is a tree of at most `s`, if that is known; then the tree, which is smallest
    /// if `smallest`.
    pub fn solution(&self, e: &Bits, key: &K, s: u32, smallest: bool) -> Option<Option<Arc<Tree>>> {
        let known = self.known.get(key)?.get(e)?;
        match &known.tree {
            Some((least, tree)) if *least <= s && (!smallest || *least == known.lower) => {
                Some(Some(tree.clone()))
            }
            _ if known.lower > s => Some(None),
            _ => None,
        }
    }

    /// Records that there is no tree of at most `s`.
    pub fn no_tree(&mut self, e: &Bits, key: &K, s: u32) {
        let known = self.entry(e, key);
        known.lower = known.lower.max(s + 1);
    }

    /// Records a tree of `s`, and that no tree is smaller if `smallest`.
    pub fn a_tree(&mut self, e: &Bits, key: &K, s: u32, tree: &Arc<Tree>, smallest: bool) {
        let known = self.entry(e, key);
        if smallest {
            known.lower = known.lower.max(s);
        }
        if known.tree.as_ref().is_none_or(|(least, _)| s < *least) {
            known.tree = Some((s, tree.clone()));
        }
    }

    /// The bounds of a subset. A full cache is cleared before it takes another entry, which costs
    /// time only.
    fn entry(&mut self, e: &Bits, key: &K) -> &mut SubsetBounds {
        let full = self.known.get_mut(key).is_some_and(|subsets| !takes_one_more(subsets));
        if full || self.entries > self.most {
            self.evicted += self.entries as u64;
            self.known = FxHashMap::default();
            self.entries = 0;
        }
        let subsets = self.known.entry(key.clone()).or_default();
        subsets.entry(e.clone()).or_insert_with(|| {
            self.entries += 1;
            SubsetBounds::default()
        })
    }
}
