//! Post-pruning: the smallest pruned form of a tree within a number of errors.
//!
//! A pruned form replaces some nodes by leaves that predict the heaviest class of their items. The
//! fewest errors of the pruned forms of a node, by number of nodes, follow from those of its children:
//! a leaf has no node, and a pruned form with k nodes has a nodes on the left and k - 1 - a on the
//! right. So a tree of s nodes takes at most s² steps.

use exactree_model::{Errors, Table, Tree, Weight};
use std::sync::Arc;

/// Maximum size of a tree that is pruned; that takes some milliseconds.
const MAX_SIZE: u32 = 1 << 12;

/// The pruned forms of a subtree.
struct Prunings<'t> {
    leaf: Arc<Tree>,
    /// By number of nodes, the fewest errors, and the nodes of the left child; a leaf has no nodes.
    fewest: Vec<(Weight, usize)>,
    node: Option<(&'t Tree, [Box<Prunings<'t>>; 2])>,
}

/// The smallest pruned form of a tree that misclassifies at most `errors`, and the weight that it
/// misclassifies; of forms of one size that with the fewest errors. `None` if the tree itself
/// misclassifies more, or is too large.
pub(crate) fn smallest_pruning(
    table: &Table,
    tree: &Tree,
    errors: Weight,
) -> Option<(Weight, Arc<Tree>)> {
    if tree.size() > MAX_SIZE {
        return None;
    }
    let prunings = Prunings::of(table, tree, (0..table.items.len() as u32).collect());
    let size = prunings.fewest.iter().position(|(fewest, _)| *fewest <= errors)?;
    Some((prunings.fewest[size].0, prunings.of_size(size)))
}

impl<'t> Prunings<'t> {
    fn of(table: &Table, tree: &'t Tree, items: Vec<u32>) -> Self {
        let mut weights = vec![0; table.n_classes];
        for &item in &items {
            let item = &table.items[item as usize];
            weights[item.class as usize] += item.weight;
        }
        let leaf = Tree::leaf(Errors::leaf_class(&weights));
        let mut fewest = vec![(Errors::leaf_errors(&weights), 0)];
        let Tree::Node { feature, rank, left, right } = tree else {
            return Prunings { leaf, fewest, node: None };
        };
        let ranks = &table.features[*feature as usize].ranks;
        let (left_items, right_items) =
            items.into_iter().partition(|&item| ranks[item as usize] <= *rank);
        let children = [(left, left_items), (right, right_items)]
            .map(|(child, items): (_, Vec<u32>)| Box::new(Prunings::of(table, child, items)));
        let [left, right] = &children;
        fewest.resize(left.fewest.len() + right.fewest.len(), (Weight::MAX, 0));
        for (at, (on_left, _)) in left.fewest.iter().enumerate() {
            for (below, (on_right, _)) in right.fewest.iter().enumerate() {
                let best = &mut fewest[1 + at + below];
                *best = (*best).min((on_left + on_right, at));
            }
        }
        Prunings { leaf, fewest, node: Some((tree, children)) }
    }

    /// The pruned form of this number of nodes with the fewest errors.
    fn of_size(&self, size: usize) -> Arc<Tree> {
        match &self.node {
            Some((Tree::Node { feature, rank, .. }, [left, right])) if size > 0 => {
                let on_left = self.fewest[size].1;
                let right = right.of_size(size - 1 - on_left);
                Tree::node(*feature, *rank, left.of_size(on_left), right)
            }
            _ => self.leaf.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spaces::greedy_tree::complete_tree;
    use crate::support::clock::{Clock, StopSwitch};
    use crate::support::min_size_by_enumeration::draw;

    /// Errors and sizes of all pruned forms of a tree.
    fn all_prunings(table: &Table, tree: &Tree, items: &[u32]) -> Vec<(u32, Weight)> {
        let mut weights = vec![0; table.n_classes];
        items.iter().map(|&item| &table.items[item as usize]).for_each(|item| {
            weights[item.class as usize] += item.weight;
        });
        let mut all = vec![(0, Errors::leaf_errors(&weights))];
        if let Tree::Node { feature, rank, left, right } = tree {
            let ranks = &table.features[*feature as usize].ranks;
            let (on_left, on_right): (Vec<u32>, Vec<u32>) =
                items.iter().partition(|&&item| ranks[item as usize] <= *rank);
            for (left_size, left_errors) in all_prunings(table, left, &on_left) {
                for (right_size, right_errors) in all_prunings(table, right, &on_right) {
                    all.push((1 + left_size + right_size, left_errors + right_errors));
                }
            }
        }
        all
    }

    fn errors(table: &Table, tree: &Tree) -> Weight {
        let wrong = |(at, item): (usize, &exactree_model::Item)| {
            let class = tree.predict(|feature| table.features[feature as usize].ranks[at]);
            if class == item.class { 0 } else { item.weight }
        };
        table.items.iter().enumerate().map(wrong).sum()
    }

    #[test]
    fn no_pruned_form_within_the_errors_is_smaller() {
        let mut random = fastrand::Rng::with_seed(20_261_128);
        let switch = StopSwitch::default();
        let clock = Clock::start(None, &switch);
        let mut smaller = 0;
        for _ in 0..2_000 {
            let table = draw(&mut random, 14, false);
            let unavoidable = table.items.iter().map(|item| item.unavoidable).sum();
            let (wrong, tree) = complete_tree(&table, u32::MAX, unavoidable, &clock);
            let allowed = random.u64(0..=table.weight() / 2);
            let items: Vec<u32> = (0..table.items.len() as u32).collect();
            let all = all_prunings(&table, &tree, &items);
            let best = all.into_iter().filter(|&(_, wrong)| wrong <= allowed).min();
            let found = smallest_pruning(&table, &tree, allowed);
            let counted = found.as_ref().map(|(wrong, tree)| (tree.size(), *wrong));
            assert_eq!(counted, best, "{table:?} {tree:?} {allowed}");
            if let Some((fewest, pruned)) = found {
                assert_eq!(errors(&table, &pruned), fewest);
                assert!(wrong <= fewest && fewest <= allowed);
                smaller += u32::from(pruned.size() < tree.size());
            }
        }
        assert!(smaller > 500, "{smaller}");
    }
}
