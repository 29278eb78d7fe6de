//! Theorems 5.2 and 6.4: no errors, every example has its own class or none.
//!
//! Q[R_1, ..., R_c] with R_j inside class j is Q of the union of the R_j: 0 for a
//! set of one class, else 1 + the least of Q[left side] + Q[right side] over all
//! divisions with items on both sides.

use super::ground::{Ground, NONE, Set};
use super::{Answer, Filling};
use exactree_model::Tree;
use std::sync::Arc;

/// Fills Q for every set of items, in the order of their words.
///
/// Fewer items never need more nodes, so the greatest entry so far is a lower
/// bound on Q of all items.
pub fn smallest(filling: &mut Filling<'_>) -> Answer {
    let ground = filling.ground;
    let everything = ground.everything();
    filling.stats.entries = everything + 1;
    let mut q: Vec<u8> = Vec::with_capacity(everything as usize + 1);
    q.push(0);
    let mut greatest = 0;
    for set in 1..=everything {
        if filling.stopped(|| u64::from(greatest)) {
            return Answer { lower: u64::from(greatest), tree: None };
        }
        // Until it is known, the entry of the set itself is too large to be
        // chosen: this passes over divisions with an empty side.
        q.push(NONE);
        let size = if ground.one_class(set) { 0 } else { best_division(&q, set, filling) };
        q[set as usize] = size;
        greatest = greatest.max(size);
        filling.stats.filled += 1;
    }
    let tree = (u64::from(greatest), tree_of(ground, &q, everything));
    Answer { lower: u64::from(greatest), tree: Some(tree) }
}

/// 1 + the least of Q[left side] + Q[right side] over all divisions.
fn best_division(q: &[u8], set: Set, filling: &mut Filling<'_>) -> u8 {
    // No set needs fewer nodes than a set inside it, so a division that costs as
    // much as the set without its first (or its last) item is best.
    let floor = match filling.options.inner_sets {
        true => q[(set & (set - 1)) as usize].max(q[(set & !(1 << set.ilog2())) as usize]),
        false => 0,
    };
    let mut best = NONE;
    for (at, division) in filling.ground.thr.iter().enumerate() {
        let left = set & division.left;
        let size = 1 + q[left as usize] + q[(set & !division.left) as usize];
        best = best.min(size);
        if best == floor {
            filling.stats.inner_sets += 1;
            filling.stats.divisions += at as u64 + 1;
            return best;
        }
    }
    filling.stats.divisions += filling.ground.thr.len() as u64;
    best
}

/// The tree for a set, read from the entries.
fn tree_of(ground: &Ground, q: &[u8], set: Set) -> Arc<Tree> {
    let size = q[set as usize];
    let sides = |left: Set| (set & left, set & !left);
    let least = ground.thr.iter().find(|division| {
        let (left, right) = sides(division.left);
        size > 0 && 1 + q[left as usize] + q[right as usize] == size
    });
    match least {
        None => ground.leaf(set),
        Some(division) => {
            let (left, right) = sides(division.left);
            let (left, right) = (tree_of(ground, q, left), tree_of(ground, q, right));
            Tree::node(division.feature, division.rank, left, right)
        }
    }
}
