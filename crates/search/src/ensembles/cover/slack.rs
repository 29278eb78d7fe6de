//! The slack: the number of further wrong votes that every item may get.

use crate::minimum_size::SizeTable;
use crate::support::sets::{Set, and, or};

/// Level j holds the items that may get at most j more wrong votes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Slack<const W: usize> {
    levels: Vec<Set<W>>,
}

impl<const W: usize> Slack<W> {
    /// The slack before any tree is placed. With an even number of trees half of the votes suffice
    /// for the first class, since it wins ties.
    pub(super) fn new(prepared: &SizeTable<W>, trees: u32) -> Self {
        let mut levels = vec![[0; W]; trees as usize];
        for (set, &label) in prepared.classes.iter().zip(&prepared.labels) {
            let slack = if label == 0 { trees / 2 } else { (trees - 1) / 2 };
            for level in &mut levels[slack as usize..] {
                *level = or(level, set);
            }
        }
        Slack { levels }
    }

    /// Approximate bytes of a cached slack.
    pub(super) fn bytes(&self) -> usize {
        (self.levels.len() + 1) * size_of::<Set<W>>() + 64
    }

    /// Items that every later tree must classify.
    pub(super) fn none(&self) -> &Set<W> {
        &self.levels[0]
    }

    /// Items that would have too many wrong votes if all of `trees` further trees misclassified
    /// them.
    pub(super) fn to_classify(&self, trees: usize) -> &Set<W> {
        &self.levels[trees - 1]
    }

    /// Items that every later tree must classify if one tree misclassifies these.
    pub(super) fn none_after(&self, errors: &Set<W>) -> Set<W> {
        or(&self.levels[0], &and(&self.levels[1], errors))
    }

    /// The slack after a tree with these errors; it has one level less.
    pub(super) fn after(&self, errors: &Set<W>) -> Self {
        let levels = self.levels.windows(2);
        Slack { levels: levels.map(|pair| or(&pair[0], &and(&pair[1], errors))).collect() }
    }
}
