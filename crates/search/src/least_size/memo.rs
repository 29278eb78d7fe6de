//! What is proved about the least size of parts; keys are compared in full.

use super::terms::TermsId;
use crate::memory::takes_one_more;
use crate::sets::Set;
use exactree_model::Weight;
use rustc_hash::FxHashMap;

/// A part, and what its tree may have besides nodes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Question<const W: usize> {
    pub set: Set<W>,
    pub terms: TermsId,
    pub errors: Weight,
}

/// Whether a tree serves a part, and what else follows.
#[derive(Clone, Copy)]
pub enum Verdict<const W: usize> {
    /// One does, and it serves all these items as well.
    Served(Set<W>),
    /// None does: not even for these items of the part, nor with fewer errors
    /// than the weight.
    Refused(Set<W>, Weight),
}

/// No tree has fewer than `lower` nodes, one has `upper`.
#[derive(Clone, Copy)]
pub struct Known<const W: usize> {
    pub lower: u32,
    pub upper: u32,
    /// Items that `lower` − 1 nodes do not serve with fewer errors than `needs`.
    pub core: Set<W>,
    pub needs: Weight,
    /// Items that `upper` nodes serve.
    pub wide: Set<W>,
}

impl<const W: usize> Known<W> {
    /// Nothing but that a leaf does not serve these items.
    pub fn unlike(core: Set<W>, needs: Weight) -> Self {
        Known { lower: 1, upper: u32::MAX, core, needs, wide: [0; W] }
    }

    /// Whether it is known if trees of a size serve.
    #[inline]
    pub fn settles(&self, size: u32) -> bool {
        self.upper <= size || self.lower > size
    }

    /// What is known about trees of a size that it settles.
    #[inline]
    pub fn verdict(&self, size: u32) -> Verdict<W> {
        match self.upper <= size {
            true => Verdict::Served(self.wide),
            false => Verdict::Refused(self.core, self.needs),
        }
    }
}

/// A map from questions to what is known, within a soft limit of bytes.
pub struct SizeMemo<const W: usize> {
    known: FxHashMap<Question<W>, Known<W>>,
    most: usize,
    pub evicted: u64,
}

/// Hash tables are at most 7/8 full and double when they grow.
const fn bytes_each<const W: usize>() -> usize {
    2 * size_of::<(Question<W>, Known<W>)>() + 2
}

impl<const W: usize> SizeMemo<W> {
    pub fn new(limit: Option<usize>) -> Self {
        let most = limit.map_or(usize::MAX, |limit| (limit / bytes_each::<W>()).max(1));
        SizeMemo { known: FxHashMap::default(), most, evicted: 0 }
    }

    pub fn get(&self, question: &Question<W>) -> Option<Known<W>> {
        self.known.get(question).copied()
    }

    pub fn len(&self) -> usize {
        self.known.len()
    }

    pub fn bytes(&self) -> usize {
        self.known.capacity() * bytes_each::<W>() / 2
    }

    /// Sets what is now known, which is at least what was. When full, parts of
    /// which only little is known go first: losing them costs time only.
    pub fn set(&mut self, question: Question<W>, known: Known<W>) {
        let grows = takes_one_more(&mut self.known);
        if self.known.len() >= self.most || !grows {
            let before = self.known.len();
            self.known.retain(|_, known| known.lower > 3);
            if self.known.len() > before / 2 {
                self.known.clear();
            }
            self.evicted += (before - self.known.len()) as u64;
        }
        self.known.insert(question, known);
    }
}
