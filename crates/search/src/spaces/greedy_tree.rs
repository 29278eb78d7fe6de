//! The first incumbent of a search for the minimum size: the greedy tree, pruned as far as the
//! allowed errors permit, if it is within the limits.
//!
//! If the clock stops the greedy construction, the subsets left are split in halves. So there is a
//! tree as soon as the table is read, unless building it takes longer than the grace period after
//! the stop.

use crate::spaces::post_pruning::smallest_pruning;
use crate::spaces::solve::greedy_tree;
use crate::support::clock::{Clock, Grace};
use crate::support::size_loop::SizedTree;
use exactree_model::{Errors, Limits, Table, Tree, Weight};
use std::sync::Arc;

/// A tree of at most `size` nodes that misclassifies at most `errors`, if the greedy construction
/// finds one.
pub(crate) fn first_tree(
    table: &Table,
    errors: Weight,
    size: u32,
    clock: &Clock<'_>,
) -> Option<SizedTree> {
    let (wrong, tree) = complete_tree(table, u32::MAX, errors, clock);
    let found = tree.size();
    (wrong <= errors && found <= size).then_some((u64::from(found), tree))
}

/// The greedy tree within a depth, and its errors; pruned within the allowed errors, and completed if
/// it was stopped before it had few enough.
pub(crate) fn complete_tree(
    table: &Table,
    depth: u32,
    errors: Weight,
    clock: &Clock<'_>,
) -> (Weight, Arc<Tree>) {
    let limits = Limits { depth, size: u32::MAX, min_samples_leaf: 1 };
    let (mut wrong, mut tree) = greedy_tree(table, limits, clock);
    if wrong > errors && clock.stopped() {
        let grace = Grace::of(clock, table.items.len(), table.features.len());
        (wrong, tree) = completed(table, &tree, depth, grace);
    }
    smallest_pruning(table, &tree, errors).unwrap_or((wrong, tree))
}

/// A tree with further nodes below its leaves, and its errors.
fn completed(table: &Table, tree: &Tree, depth: u32, grace: Grace<'_>) -> (Weight, Arc<Tree>) {
    let mut completed = GreedyCompletion { table, grace, wrong: 0 };
    let tree = completed.tree((0..table.items.len() as u32).collect(), tree, depth);
    (completed.wrong, tree)
}

struct GreedyCompletion<'a> {
    table: &'a Table,
    grace: Grace<'a>,
    wrong: Weight,
}

impl GreedyCompletion<'_> {
    /// A tree of some items, with further nodes below its leaves.
    fn tree(&mut self, items: Vec<u32>, tree: &Tree, depth: u32) -> Arc<Tree> {
        match tree {
            Tree::Leaf { .. } => self.halved(items, depth),
            Tree::Node { feature, rank, left, right } => {
                let (on_left, on_right) = self.split(items, *feature, *rank);
                let left = self.tree(on_left, left, depth.saturating_sub(1));
                let right = self.tree(on_right, right, depth.saturating_sub(1));
                Tree::node(*feature, *rank, left, right)
            }
        }
    }

    /// Splits items of several classes by the first feature that can split them, as evenly as
    /// possible: O(n d) per level.
    fn halved(&mut self, items: Vec<u32>, depth: u32) -> Arc<Tree> {
        let class = |item: &u32| self.table.items[*item as usize].class;
        let mixed = items.iter().any(|item| class(item) != class(&items[0]));
        let divisible = mixed && depth > 0 && !self.grace.is_over();
        let rule = if divisible { self.most_even_rule(&items) } else { None };
        let Some((feature, rank)) = rule else {
            let mut weights = vec![0; self.table.n_classes];
            for &item in &items {
                let item = &self.table.items[item as usize];
                weights[item.class as usize] += item.weight;
            }
            self.wrong += Errors::leaf_errors(&weights);
            return Tree::leaf(Errors::leaf_class(&weights));
        };
        let (left, right) = self.split(items, feature, rank);
        let left = self.halved(left, depth - 1);
        Tree::node(feature, rank, left, self.halved(right, depth - 1))
    }

    /// The most even rule of the first feature that can split the items.
    fn most_even_rule(&self, items: &[u32]) -> Option<(u32, u32)> {
        (0..self.table.features.len()).find_map(|feature| {
            let ranks = &self.table.features[feature].ranks;
            let rank = |item: &u32| ranks[*item as usize];
            let minimum = items.iter().map(rank).min()?;
            if items.iter().all(|item| rank(item) == minimum) {
                return None;
            }
            let mut all: Vec<u32> = items.iter().map(rank).collect();
            all.sort_unstable();
            // A rule at the greatest rank sends nothing right, so the rank below it is used.
            let middle = all[(all.len() - 1) / 2];
            let below = all[..all.partition_point(|&rank| rank < all[all.len() - 1])].last();
            below.map(|&below| (feature as u32, middle.min(below)))
        })
    }

    fn split(&self, items: Vec<u32>, feature: u32, rank: u32) -> (Vec<u32>, Vec<u32>) {
        let ranks = &self.table.features[feature as usize].ranks;
        items.into_iter().partition(|&item| ranks[item as usize] <= rank)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::clock::{StopSwitch, stop_at_poll};
    use crate::support::min_size_by_enumeration::{InstanceLimits, check_tree, draw};
    use exactree_model::StoppedBy;

    #[test]
    fn a_clock_that_stops_immediately_leaves_a_tree_without_avoidable_errors() {
        let mut random = fastrand::Rng::with_seed(20_261_122);
        for round in 0..3_000 {
            let table = draw(&mut random, 30, round % 2 == 0);
            let unavoidable = table.items.iter().map(|item| item.unavoidable).sum();
            let switch = StopSwitch::default();
            let clock = Clock::start(None, &switch);
            let poll = random.u64(1..8);
            let first = stop_at_poll(poll, || first_tree(&table, unavoidable, u32::MAX, &clock));
            let (size, tree) = first.expect("no limit forbids it");
            assert_eq!(size, u64::from(tree.size()));
            if unavoidable == 0 {
                check_tree(&table, &InstanceLimits::all(&table), &tree);
            }
        }
    }

    #[test]
    fn a_tree_is_completed_for_as_long_as_the_grace_lasts() {
        let mut random = fastrand::Rng::with_seed(7);
        let (mut whole, mut cut_off) = (0, 0);
        for _ in 0..200 {
            let table = draw(&mut random, 30, true);
            let switch = StopSwitch::default();
            let clock = Clock::start(None, &switch);
            let from_leaf = |grace| completed(&table, &Tree::leaf(0), u32::MAX, grace);
            // The poll that stops the search comes after some nodes.
            let polls = random.u64(1..20);
            let (wrong, tree) = stop_at_poll(polls, || from_leaf(Grace::none(&clock)));
            assert!(u64::from(tree.size()) < polls, "a node for every poll at most");
            cut_off += u64::from(wrong > 0);
            switch.stop(StoppedBy::Interrupt);
            let (wrong, tree) = from_leaf(Grace::of(&clock, 30, 9));
            let unavoidable = table.items.iter().map(|item| item.unavoidable).sum();
            assert_eq!(wrong, unavoidable);
            whole += u64::from(tree.size() > 0);
        }
        assert!(whole > 50 && cut_off > 20, "{whole} {cut_off}");
    }
}
