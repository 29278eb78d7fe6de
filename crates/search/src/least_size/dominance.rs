//! Answers that follow from other parts: a part is as hard as any part inside it
//! and as easy as any part around it.

use super::ground::{Set, within};
use super::memo::Question;
use exactree_model::Weight;
use rustc_hash::FxHashMap;

/// Parts kept for each size; the ones that answered last are looked at first.
const MOST: usize = 2048;

/// Questions differ in depth and errors; only equal ones are compared.
type Level = (u32, Weight, u32);

/// Hard parts (no tree of a size) and easy parts (there is one), by size.
#[derive(Default)]
pub struct Dominance<const W: usize> {
    hard: FxHashMap<Level, Vec<Set<W>>>,
    easy: FxHashMap<Level, Vec<Set<W>>>,
}

impl<const W: usize> Dominance<W> {
    /// Whether a part inside is known to need more than `size` nodes.
    pub fn too_hard(&mut self, question: &Question<W>, size: u32) -> bool {
        let level = (question.depth, question.errors, size);
        let Some(parts) = self.hard.get_mut(&level) else { return false };
        first_to_front(parts, |part| within(part, &question.set))
    }

    /// Whether a part around is known to need at most `size` nodes.
    pub fn easy_enough(&mut self, question: &Question<W>, size: u32) -> bool {
        let level = (question.depth, question.errors, size);
        let Some(parts) = self.easy.get_mut(&level) else { return false };
        first_to_front(parts, |part| within(&question.set, part))
    }

    pub fn add_hard(&mut self, question: &Question<W>, size: u32) {
        let level = (question.depth, question.errors, size);
        add(self.hard.entry(level).or_default(), question.set);
    }

    pub fn add_easy(&mut self, question: &Question<W>, size: u32) {
        let level = (question.depth, question.errors, size);
        add(self.easy.entry(level).or_default(), question.set);
    }
}

fn add<const W: usize>(parts: &mut Vec<Set<W>>, part: Set<W>) {
    if parts.len() >= MOST {
        parts.truncate(MOST / 2);
    }
    parts.push(part);
}

/// Whether a part passes; it moves half way to the front.
fn first_to_front<const W: usize>(parts: &mut [Set<W>], passes: impl Fn(&Set<W>) -> bool) -> bool {
    let Some(at) = parts.iter().position(passes) else { return false };
    parts.swap(at, at / 2);
    true
}
