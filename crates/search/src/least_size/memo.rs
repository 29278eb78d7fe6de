//! What is proved about the least size of parts; keys are compared in full.

use super::ground::Set;
use exactree_model::Weight;
use rustc_hash::FxHashMap;

/// A part, and the depth and the errors its tree may have.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Question<const W: usize> {
    pub set: Set<W>,
    pub depth: u32,
    pub errors: Weight,
}

/// No tree has fewer than `lower` nodes, one has `upper`.
#[derive(Clone, Copy)]
pub struct Known {
    pub lower: u32,
    pub upper: u32,
}

/// A map from questions to what is known, within a soft limit of bytes.
pub struct SizeMemo<const W: usize> {
    known: FxHashMap<Question<W>, Known>,
    most: usize,
    pub evicted: u64,
}

impl<const W: usize> SizeMemo<W> {
    pub fn new(limit: Option<usize>) -> Self {
        // Hash tables are at most 7/8 full and double when they grow.
        let bytes = 2 * size_of::<(Question<W>, Known)>() + 2;
        let most = limit.map_or(usize::MAX, |limit| (limit / bytes).max(1));
        SizeMemo { known: FxHashMap::default(), most, evicted: 0 }
    }

    pub fn get(&self, question: &Question<W>) -> Option<Known> {
        self.known.get(question).copied()
    }

    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// Adds what is now known; bounds only tighten. When full, parts of which
    /// only little is known go first: losing them costs time only.
    pub fn set(&mut self, question: Question<W>, known: Known) {
        if self.known.len() >= self.most {
            let before = self.known.len();
            self.known.retain(|_, known| known.lower > 3);
            if self.known.len() > before / 2 {
                self.known.clear();
            }
            self.evicted += (before - self.known.len()) as u64;
        }
        self.known
            .entry(question)
            .and_modify(|old| {
                old.lower = old.lower.max(known.lower);
                old.upper = old.upper.min(known.upper);
            })
            .or_insert(known);
    }
}
