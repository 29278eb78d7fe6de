//! Parts with two levels left of tables whose columns all have two values: the sums of
//! all pairs of columns tell what every tree saves.

use super::ground::Ground;
use super::part::Part;
use super::search::Search;
use super::units::Units;
use crate::answer::{Answer, Bracket};
use crate::kernels::sums::{Pairs, Rows, meet, stumps_below};
use exactree_model::{Cost, Limits, Tree};
use std::sync::Arc;

/// Numbers that the rows of a table may take, and columns.
const MOST_NUMBERS: usize = 1 << 22;
const MOST_COLUMNS: usize = 256;

/// Whether sums of pairs serve a table of so many items.
pub(crate) fn pays(items: usize, columns: usize) -> bool {
    columns <= MOST_COLUMNS && items * columns <= MOST_NUMBERS
}

/// The items of a table as rows.
pub(crate) fn rows(ground: &Ground) -> Rows {
    let columns = ground.features.len();
    let stride = columns.next_multiple_of(8);
    let size = stride * ground.items.len();
    let mut rows = Rows {
        columns,
        stride,
        sums: vec![0; size],
        weights: vec![0; size],
        holders: Vec::new(),
        ends: Vec::new(),
    };
    for (at, item) in ground.items.iter().enumerate() {
        for (column, feature) in ground.features.iter().enumerate() {
            if feature.ranks[at] == 1 {
                rows.sums[at * stride + column] = item.sum;
                rows.weights[at * stride + column] = item.weight;
                rows.holders.push(column as u32);
            }
        }
        rows.ends.push(rows.holders.len());
    }
    rows
}

/// What a search uses again and again.
#[derive(Default)]
pub(crate) struct Room {
    pairs: Pairs,
    saved: Vec<[f64; 2]>,
}

impl Search<'_> {
    /// The best tree of depth at most two of a part.
    pub fn by_pairs(&mut self, part: &Part, limits: Limits, mut bracket: Bracket) -> Answer {
        self.stats.depth_two_calls += 1;
        let mut room = std::mem::take(&mut self.room);
        let rows = &self.ground.rows;
        let members: Vec<u32> = part.members.iter().collect();
        meet(self.level, rows, &members, &mut room.pairs);
        let (scale, all) = (self.ground.units.gain_scale, (part.sum, part.weight));
        let Room { pairs, saved } = &mut room;
        stumps_below(self.level, rows.columns, rows.stride, pairs, all, scale, saved);
        let mut least = self.leaf(part);
        let mut best = None;
        for root in 0..rows.columns {
            let held = self.held(&room.pairs, root, root);
            if held.1 == 0 || held.1 == part.weight {
                continue;
            }
            let rest = (part.sum - held.0, part.weight - held.1);
            let leaves = [rest, held].map(|side| self.gain(side));
            for share in limits.shares() {
                let sides = [0, 1].map(|at| {
                    let size = if at == 0 { share.0 } else { share.1 };
                    self.saved_at_a_price(leaves[at], room.saved[root][at], size)
                });
                let cost = (part.square as i64 - sides[0] - sides[1]) as Cost;
                if cost < least {
                    least = cost;
                    best = Some((root, share));
                }
            }
        }
        if let Some((root, share)) = best.filter(|_| least < bracket.upper) {
            let tree = self.tree_of_pairs(part, &room, root, share);
            bracket.improve(least, tree);
        }
        self.room = room;
        Answer::at_least(least).with_tree(bracket.found)
    }

    /// Sum and weight of what two columns hold of a part.
    fn held(&self, pairs: &Pairs, one: usize, other: usize) -> (i64, i64) {
        let at = one * self.ground.rows.stride + other;
        (pairs.sums[at], pairs.weights[at])
    }

    fn gain(&self, (sum, weight): (i64, i64)) -> i64 {
        if weight == 0 { 0 } else { Units::gain(sum, self.ground.units.inverse(weight)) as i64 }
    }

    /// What a leaf saves, or a stump if that is more, less their prices.
    fn saved_at_a_price(&self, leaf: i64, stump: f64, size: u32) -> i64 {
        let (leaf, stump) = (leaf - self.price as i64, stump as i64 - 2 * self.price as i64);
        if size == 0 { leaf } else { leaf.max(stump) }
    }

    fn tree_of_pairs(&self, part: &Part, room: &Room, root: usize, share: (u32, u32)) -> Arc<Tree> {
        let held = self.held(&room.pairs, root, root);
        let rest = (part.sum - held.0, part.weight - held.1);
        let side = |at: usize, size: u32| {
            let (all, saved) = ([rest, held][at], room.saved[root][at]);
            let leaf = self.gain(all);
            if self.saved_at_a_price(leaf, saved, size) == leaf - self.price as i64 {
                return Tree::leaf(0);
            }
            let saves = |column: &usize| {
                let (inside, own) = (
                    self.held(&room.pairs, root, *column),
                    self.held(&room.pairs, *column, *column),
                );
                let one = if at == 1 { inside } else { (own.0 - inside.0, own.1 - inside.1) };
                let other = (all.0 - one.0, all.1 - one.1);
                one.1 > 0 && other.1 > 0 && self.gain(one) + self.gain(other) == saved as i64
            };
            let column = (0..self.ground.rows.columns).find(saves);
            let column = column.expect("the kernel found a stump that saves this much");
            Tree::node(column as u32, 0, Tree::leaf(0), Tree::leaf(0))
        };
        Tree::node(root as u32, 0, side(0, share.0), side(1, share.1))
    }
}
