//! What is beyond the paper: a memo, a bound by classes, and thresholds found
//! without a whole bisection.

use super::algorithms::{Search, Stopped};
use super::examples::Leaves;
use crate::bits::Bits;
use exactree_model::Tree;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What is proved of a part with so many leaves: no tree has fewer than `lower`
/// nodes, and perhaps a tree.
#[derive(Clone, Default)]
struct Known {
    lower: u32,
    tree: Option<(u32, Arc<Tree>)>,
}

/// A map from parts and allowed leaves to what is known; keys are compared in full.
pub struct Memo {
    known: FxHashMap<(Bits, Leaves), Known>,
    bytes: usize,
    most: usize,
    pub evicted: u64,
}

impl Memo {
    pub fn new(memory_limit: Option<usize>) -> Self {
        let most = memory_limit.unwrap_or(usize::MAX);
        Memo { known: FxHashMap::default(), bytes: 0, most, evicted: 0 }
    }

    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// When full, everything is forgotten: that costs time only.
    fn make_room(&mut self, e: &Bits, r: &Leaves) {
        // Tables are at most 7/8 full and double; a tree is on average a few nodes.
        let entry = 2 * size_of::<((Bits, Leaves), Known)>() + 4 * size_of::<Tree>();
        self.bytes += entry + 8 * e.words.len() + 4 * r.len();
        if self.bytes > self.most {
            self.evicted += self.known.len() as u64;
            self.known = FxHashMap::default();
            self.bytes = 0;
        }
    }
}

impl Search<'_> {
    /// The answer of Algorithm 1, if the memo has it.
    pub(super) fn remembered(&mut self, e: &Bits, s: u32, r: &Leaves) -> Option<Option<Arc<Tree>>> {
        if !self.options.threshold_memo {
            return None;
        }
        self.stats.memo_lookups += 1;
        let known = self.memo.known.get(&(e.clone(), r.clone()))?;
        let answer = match &known.tree {
            // Any tree that is small enough, or, as printed, a smallest one.
            Some((size, tree))
                if *size <= s && (self.options.first_found || *size == known.lower) =>
            {
                Some(tree.clone())
            }
            _ if known.lower > s => None,
            _ => return None,
        };
        self.stats.memo_hits += 1;
        Some(answer)
    }

    pub(super) fn remember(&mut self, e: &Bits, s: u32, r: &Leaves, sdt: &Option<Arc<Tree>>) {
        if !self.options.threshold_memo {
            return;
        }
        self.memo.make_room(e, r);
        let known = self.memo.known.entry((e.clone(), r.clone())).or_default();
        match sdt {
            None => known.lower = known.lower.max(s + 1),
            Some(tree) => {
                let size = tree.size();
                if !self.options.first_found {
                    known.lower = known.lower.max(size);
                }
                if known.tree.as_ref().is_none_or(|(known, _)| size < *known) {
                    known.tree = Some((size, tree.clone()));
                }
            }
        }
    }

    /// Whether s nodes are too few, or the leaves allowed: a tree without errors
    /// has a leaf for every class of E, and s + 1 leaves in all.
    pub(super) fn too_few_leaves(&mut self, e: &Bits, s: u32, r: &Leaves) -> bool {
        let too_few = self.options.class_leaves
            && (self.examples.classes_in(e).count() > s as usize + 1
                || self.examples.classes_in(e).any(|class| !self.examples.leaf_allowed(class, r)));
        self.stats.class_leaves += u64::from(too_few);
        too_few
    }

    /// The threshold of Algorithm 2, if it leaves something on both sides and was
    /// not tried before.
    pub(super) fn threshold(
        &mut self,
        e: &Bits,
        domain: &[u32],
        i: usize,
        j: u32,
        r: &Leaves,
        found: &mut Found,
    ) -> Result<Option<u32>, Stopped> {
        // More nodes, with the same leaves, serve at least as many values. Where
        // they serve no more, fewer nodes on the left left more to the same right
        // side, which had no tree, or one that is no larger.
        let before = found.with(r).filter(|_| self.options.fewer_nodes);
        let works = match j == 0 && self.options.one_class_run {
            true => self.one_class_run(e, domain, i, r),
            false => self.binary_search(e, domain, (i, j), r, before.unwrap_or(0))?,
        };
        found.set(r, works);
        if before == Some(works) {
            self.stats.fewer_nodes += 1;
            return Ok(None);
        }
        Ok((works > 0 && works < domain.len()).then(|| domain[works - 1]))
    }

    /// How many values of the domain leave nothing but one class on the left.
    fn one_class_run(&self, e: &Bits, domain: &[u32], i: usize, r: &Leaves) -> usize {
        let allowed = |t: u32| {
            let class = self.examples.uniform(&self.examples.left(e, i, t));
            class.is_some_and(|class| self.examples.leaf_allowed(class, r))
        };
        domain.iter().take_while(|&&t| allowed(t)).count()
    }
}

/// For one part and feature, how many values worked with the most nodes tried so
/// far, by the leaves allowed on the left.
#[derive(Default)]
pub struct Found(Vec<(Leaves, usize)>);

impl Found {
    fn with(&self, r: &Leaves) -> Option<usize> {
        self.0.iter().find(|(leaves, _)| leaves == r).map(|(_, works)| *works)
    }

    fn set(&mut self, r: &Leaves, works: usize) {
        match self.0.iter_mut().find(|(leaves, _)| leaves == r) {
            Some((_, before)) => *before = works,
            None => self.0.push((r.clone(), works)),
        }
    }
}
