//! Removes the nodes of an ensemble that do not lower its errors.
//!
//! A tree only matters for the items that its vote decides. From the leaves up, a node is replaced
//! by a leaf of some class or by one of its children if that adds no errors; tree after tree,
//! until nothing changes. This never violates a limit: nodes and paths become fewer and shorter,
//! and leaves hold more rows. If the leaves of a class are limited, a node only becomes a leaf of
//! this class if a leaf below it predicts the class.
//!
//! `without_spare_nodes` goes further, one node at a time: it allows errors up to a limit, and any
//! leaf within the limits on leaves.

use super::{Ensemble, EnsembleRequest, ensemble_errors};
use crate::support::clock::Clock;
use exactree_model::{Errors, Table, Tree, Weight};
use std::sync::Arc;

/// Simplifies an ensemble until no node can become a leaf or one of its children without more
/// errors. `leaves` are the limits on leaves by class, or empty.
pub(crate) fn simplified(table: &Table, leaves: &[u32], mut ensemble: Ensemble) -> Ensemble {
    let items: Vec<usize> = (0..table.items.len()).collect();
    let mut again = true;
    while again {
        again = false;
        for at in 0..ensemble.len() {
            let member =
                EnsembleMember { table, leaves, correct: correct_with(table, &ensemble, at) };
            let (_, simpler) = member.simplified(&items, &ensemble[at]);
            if simpler.size() < ensemble[at].size() {
                ensemble[at] = simpler;
                again = true;
            }
        }
    }
    ensemble
}

/// Simplifies an ensemble until no node can become a leaf or one of its children within the limits
/// and the allowed errors, or time is up.
pub(crate) fn without_spare_nodes(
    table: &Table,
    request: &EnsembleRequest,
    errors: Weight,
    mut ensemble: Ensemble,
    clock: &Clock<'_>,
) -> Ensemble {
    let within_limits =
        |other: &Ensemble| ensemble_errors(table, other) <= errors && request.permits(table, other);
    let mut at = 0;
    while at < ensemble.len() {
        let shorter = shorter(&ensemble[at], table.n_classes as u32).into_iter().find_map(|tree| {
            let mut other = ensemble.clone();
            other[at] = tree;
            (!clock.stopped() && within_limits(&other)).then_some(other)
        });
        match shorter {
            // A tree before this one may have become reducible.
            Some(other) => (ensemble, at) = (other, 0),
            None => at += 1,
        }
    }
    ensemble
}

/// The trees in which one node is replaced by a leaf or by one of its children.
fn shorter(tree: &Arc<Tree>, classes: u32) -> Vec<Arc<Tree>> {
    let Tree::Node { feature, rank, left, right } = &**tree else { return Vec::new() };
    let node = |left: &Arc<Tree>, right: &Arc<Tree>| {
        Tree::node(*feature, *rank, left.clone(), right.clone())
    };
    let mut found: Vec<Arc<Tree>> = (0..classes).map(Tree::leaf).collect();
    found.extend([left.clone(), right.clone()]);
    found.extend(shorter(left, classes).iter().map(|left| node(left, right)));
    found.extend(shorter(right, classes).iter().map(|right| node(left, right)));
    found
}

/// By item and class, whether the ensemble is correct about the item if tree `at` votes for the
/// class.
fn correct_with(table: &Table, ensemble: &Ensemble, at: usize) -> Vec<Vec<bool>> {
    let of_item = |(item, own): (usize, &exactree_model::Item)| {
        let mut votes = vec![0; table.n_classes];
        for other in (0..ensemble.len()).filter(|&other| other != at) {
            votes[predicted(table, &ensemble[other], item)] += 1;
        }
        let correct = |class: usize| {
            votes[class] += 1;
            let correct = Errors::leaf_class(&votes) == own.class;
            votes[class] -= 1;
            correct
        };
        (0..table.n_classes).map(correct).collect()
    };
    table.items.iter().enumerate().map(of_item).collect()
}

fn predicted(table: &Table, tree: &Tree, item: usize) -> usize {
    tree.predict(|feature| table.features[feature as usize].ranks[item]) as usize
}

/// Whether a tree has a leaf of a class.
fn predicts(tree: &Tree, predicted: u32) -> bool {
    match tree {
        Tree::Leaf { class } => *class == predicted,
        Tree::Node { left, right, .. } => predicts(left, predicted) || predicts(right, predicted),
    }
}

/// One tree of an ensemble: the limits on its leaves and, by item and class, whether the ensemble
/// is correct about the item if this tree votes for the class.
struct EnsembleMember<'a> {
    table: &'a Table,
    leaves: &'a [u32],
    correct: Vec<Vec<bool>>,
}

impl EnsembleMember<'_> {
    /// The errors of a tree on some items, and the simplified tree.
    fn simplified(&self, items: &[usize], tree: &Arc<Tree>) -> (Weight, Arc<Tree>) {
        let Tree::Node { feature, rank, left, right } = &**tree else {
            return (self.errors(items, tree), tree.clone());
        };
        let ranks = &self.table.features[*feature as usize].ranks;
        let (lefts, rights): (Vec<usize>, Vec<usize>) =
            items.iter().partition(|&&item| ranks[item] <= *rank);
        let (left_errors, left) = self.simplified(&lefts, left);
        let (right_errors, right) = self.simplified(&rights, right);
        let errors = left_errors + right_errors;
        let leaves = (0..self.table.n_classes as u32).filter(|&class| self.allowed(class, tree));
        let leaves = leaves.map(Tree::leaf);
        let replacements = leaves.chain([left.clone(), right.clone()]);
        let replacements = replacements.map(|tree| (self.errors(items, &tree), tree));
        match replacements
            .filter(|(wrong, _)| *wrong <= errors)
            .min_by_key(|(wrong, t)| (*wrong, t.size()))
        {
            // A child may have become reducible on its new items.
            Some((_, tree)) if tree.size() > 0 => self.simplified(items, &tree),
            Some(leaf) => leaf,
            None => (errors, Tree::node(*feature, *rank, left, right)),
        }
    }

    /// Whether a leaf of a class may replace a tree: always if the leaves of the class are not
    /// limited, otherwise if the tree has such a leaf.
    fn allowed(&self, class: u32, tree: &Tree) -> bool {
        let unlimited = self.leaves.get(class as usize).is_none_or(|&maximum| maximum == u32::MAX);
        unlimited || predicts(tree, class)
    }

    fn errors(&self, items: &[usize], tree: &Tree) -> Weight {
        let wrong = |item: &&usize| !self.correct[**item][predicted(self.table, tree, **item)];
        items.iter().filter(wrong).map(|&item| self.table.items[item].weight).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ensembles::ensemble_errors;
    use crate::support::min_size_by_enumeration::draw;

    fn drawn(table: &Table, random: &mut fastrand::Rng, depth: u32) -> Arc<Tree> {
        if depth == 0 || table.features.is_empty() || random.u32(0..3) == 0 {
            return Tree::leaf(random.u32(0..table.n_classes as u32));
        }
        let feature = random.usize(0..table.features.len());
        let rank = random.u32(0..table.features[feature].values.len() as u32 - 1);
        let (left, right) = (drawn(table, random, depth - 1), drawn(table, random, depth - 1));
        Tree::node(feature as u32, rank, left, right)
    }

    #[test]
    fn no_node_is_superfluous_and_errors_never_rise() {
        let mut random = fastrand::Rng::with_seed(20_261_150);
        let (mut smaller, mut not_trivial) = (0, 0);
        for round in 0..3_000 {
            let table = draw(&mut random, 7, round % 2 == 0);
            let trees = random.usize(1..5);
            let ensemble: Ensemble = (0..trees).map(|_| drawn(&table, &mut random, 3)).collect();
            let before = ensemble_errors(&table, &ensemble);
            let found = simplified(&table, &[], ensemble.clone());
            let after = ensemble_errors(&table, &found);
            assert!(after <= before, "{table:?} {ensemble:?}");
            for at in 0..trees {
                for tree in shorter(&found[at], table.n_classes as u32) {
                    let mut other = found.clone();
                    other[at] = tree;
                    assert!(ensemble_errors(&table, &other) > after, "{table:?} {found:?}");
                }
            }
            let size = |ensemble: &Ensemble| ensemble.iter().map(|tree| tree.size()).sum::<u32>();
            smaller += u32::from(size(&found) < size(&ensemble));
            not_trivial += u32::from(size(&found) > 1);
        }
        assert!(smaller > 1_000 && not_trivial > 50, "{smaller} {not_trivial}");
    }
}
