//! Answers that follow from other parts: a part is as hard as any part inside it
//! and as easy as any part around it.

use super::terms::TermsId;
use crate::sets::{Set, within};
use exactree_model::Weight;
use rustc_hash::FxHashMap;

/// Bytes that the parts may take together where no limit on memory is given.
const MOST_BYTES: usize = 1 << 28;

/// Parts kept for one level; going through more costs more than it saves.
const MOST: usize = 4096;

/// Terms and size; parts of other levels are not compared.
type Level = (TermsId, u32);

/// Parts with a number of errors: refused below it, or served with it.
type Parts<const W: usize> = Vec<(Set<W>, Weight)>;

/// Hard parts (no tree of a size) and easy parts (there is one), by level.
pub struct Dominance<const W: usize> {
    hard: FxHashMap<Level, Parts<W>>,
    easy: FxHashMap<Level, Parts<W>>,
    kept: usize,
    most: usize,
    pub evicted: u64,
}

impl<const W: usize> Dominance<W> {
    /// With a soft limit on bytes.
    pub fn new(limit: Option<usize>) -> Self {
        let most = limit.unwrap_or(MOST_BYTES) / size_of::<(Set<W>, Weight)>();
        let (hard, easy) = (FxHashMap::default(), FxHashMap::default());
        Dominance { hard, easy, kept: 0, most, evicted: 0 }
    }

    /// A part inside that is known to need more than `size` nodes, and the
    /// errors with which that is known not to change.
    pub fn too_hard(
        &mut self,
        set: &Set<W>,
        level: Level,
        errors: Weight,
    ) -> Option<(Set<W>, Weight)> {
        let parts = self.hard.get_mut(&level)?;
        found(parts, |(part, needs)| within(part, set) && *needs > errors)
    }

    /// A part around that is known to need at most `size` nodes.
    pub fn easy_enough(&mut self, set: &Set<W>, level: Level, errors: Weight) -> Option<Set<W>> {
        let parts = self.easy.get_mut(&level)?;
        found(parts, |(part, made)| within(set, part) && *made <= errors).map(|(part, _)| part)
    }

    pub fn add_hard(&mut self, set: Set<W>, level: Level, needs: Weight) {
        self.make_room();
        let parts = self.hard.entry(level).or_default();
        let dropped = add(parts, (set, needs));
        self.count(dropped);
    }

    pub fn add_easy(&mut self, set: Set<W>, level: Level, errors: Weight) {
        self.make_room();
        let parts = self.easy.entry(level).or_default();
        let dropped = add(parts, (set, errors));
        self.count(dropped);
    }

    pub fn bytes(&self) -> usize {
        let parts = self.hard.values().chain(self.easy.values());
        parts.map(|parts| parts.capacity() * size_of::<(Set<W>, Weight)>()).sum()
    }

    fn count(&mut self, dropped: usize) {
        self.kept = self.kept + 1 - dropped;
        self.evicted += dropped as u64;
    }

    /// When there is no room left, everything goes: losing it costs time only.
    fn make_room(&mut self) {
        if self.kept >= self.most {
            self.evicted += self.kept as u64;
            self.hard.clear();
            self.easy.clear();
            self.kept = 0;
        }
    }
}

/// Adds a part; how many others went. Those that answered before stand first,
/// the newest last: the ones between go.
fn add<const W: usize>(parts: &mut Parts<W>, part: (Set<W>, Weight)) -> usize {
    let mut dropped = 0;
    if parts.len() >= MOST {
        dropped = parts.drain(MOST / 4..MOST * 3 / 4).len();
    }
    parts.push(part);
    dropped
}

/// The first part that passes; it moves half way to the front.
fn found<const W: usize>(
    parts: &mut Parts<W>,
    passes: impl Fn(&(Set<W>, Weight)) -> bool,
) -> Option<(Set<W>, Weight)> {
    let at = parts.iter().position(passes)?;
    let part = parts[at];
    parts.swap(at, at / 2);
    Some(part)
}
