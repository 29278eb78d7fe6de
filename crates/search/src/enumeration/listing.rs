//! Listing of all trees, depth first: the next tree differs from the previous tree at the last
//! place, in preorder, where another choice remains.

use super::graph::{Graph, RootChoice};
use crate::support::clock::Stopped;
use exactree_model::{Errors, Weight};
use std::rc::Rc;

/// Maximum number of trees in a batch. The first batches are smaller, so that trees come soon.
const MAX_BATCH: usize = 512;

/// Trees in preorder, one after the other, as columns.
#[derive(Clone, Debug, Default)]
pub struct Trees {
    /// By tree, the end of its nodes.
    pub ends: Vec<usize>,
    /// By node or leaf, the positions of its children, counted from the tree's root; −1 at leaves.
    pub left: Vec<i64>,
    pub right: Vec<i64>,
    /// Index of the feature as given; −1 at leaves.
    pub feature: Vec<i64>,
    /// The greatest value in the left child and the smallest value in the right child.
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    pub prediction: Vec<i64>,
    /// Number of rows as given.
    pub rows: Vec<i64>,
    /// Weights of all classes, node after node.
    pub class_weights: Vec<Weight>,
}

/// A place in the current tree: a state, and the choice made there.
struct ListingPlace {
    state: u32,
    group: u32,
    choices: Rc<[RootChoice]>,
    at: usize,
}

/// A listing in progress.
pub(super) struct TreeListing<'a> {
    graph: Graph<'a>,
    /// The current tree in preorder.
    places: Vec<ListingPlace>,
    /// The written part of the next batch, and the number of trees that complete it.
    trees: Trees,
    batch: usize,
}

impl<'a> TreeListing<'a> {
    pub(super) fn new(graph: Graph<'a>) -> Self {
        TreeListing { graph, places: Vec::new(), trees: Trees::default(), batch: 1 }
    }

    /// Passes all trees to `take`; returns false if `take` ended the list.
    pub(super) fn run(mut self, take: &mut dyn FnMut(Trees) -> bool) -> Result<bool, Stopped> {
        let (from, to) = self.graph.request.costs;
        for group in self.graph.request.groups() {
            let subs: Vec<_> =
                group.iter().map(|root| (self.graph.whole(root), root.exact_depth())).collect();
            let mut next = Some(from);
            while let Some(minimum) = next {
                let mut cost = None;
                for (sub, _) in &subs {
                    let maximum = cost.unwrap_or(to);
                    cost = self.graph.next_cost(*sub, minimum, maximum)?.or(cost);
                }
                let Some(cost) = cost else { break };
                for (sub, exact_depth) in &subs {
                    let Some(root) = self.graph.state_of(*sub, cost)? else { continue };
                    if !self.run_root(root, *exact_depth, take)? {
                        return Ok(false);
                    }
                }
                next = cost.checked_add(1);
            }
        }
        Ok(self.trees.ends.is_empty() || take(self.trees))
    }

    /// Passes on the trees of a root state, if `exact_depth` is given only those of this depth.
    fn run_root(
        &mut self,
        root: u32,
        exact_depth: Option<u32>,
        take: &mut dyn FnMut(Trees) -> bool,
    ) -> Result<bool, Stopped> {
        self.places.clear();
        self.complete(root)?;
        loop {
            if exact_depth.is_none_or(|depth| self.depth() == depth) {
                self.write();
            }
            self.graph.check()?;
            if self.trees.ends.len() >= self.batch {
                self.batch = (2 * self.batch).min(MAX_BATCH);
                if !take(std::mem::take(&mut self.trees)) {
                    return Ok(false);
                }
            }
            if !self.advance()? {
                return Ok(true);
            }
            self.complete(root)?;
        }
    }

    /// Makes the next choice at the last place with another choice, and drops the places after it.
    /// False if there is no such place.
    fn advance(&mut self) -> Result<bool, Stopped> {
        while let Some(mut place) = self.places.pop() {
            place.at += 1;
            if self.find_choice(&mut place)? {
                self.places.push(place);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Advances to the next group with choices if the current group has none left.
    fn find_choice(&mut self, place: &mut ListingPlace) -> Result<bool, Stopped> {
        while place.at >= place.choices.len() {
            place.group += 1;
            if place.group == self.graph.groups() {
                return Ok(false);
            }
            (place.choices, place.at) = (self.graph.choices(place.state, place.group)?, 0);
        }
        Ok(true)
    }

    /// Completes the tree with the first choice at all missing places.
    fn complete(&mut self, root: u32) -> Result<(), Stopped> {
        let mut pending = vec![root];
        let mut number = 0;
        while let Some(state) = pending.pop() {
            if number == self.places.len() {
                let choices = self.graph.choices(state, 0)?;
                let mut place = ListingPlace { state, group: 0, choices, at: 0 };
                // States of the graph have trees.
                self.find_choice(&mut place)?;
                self.places.push(place);
            }
            let place = &self.places[number];
            if let RootChoice::Node { left, right, .. } = place.choices[place.at] {
                pending.extend([right, left]);
            }
            number += 1;
        }
        Ok(())
    }

    /// The depth of the current tree.
    fn depth(&self) -> u32 {
        // The depths of the nodes whose right child is still to come.
        let mut pending: Vec<u32> = Vec::new();
        let (mut depth, mut deepest) = (0, 0);
        for place in &self.places {
            deepest = deepest.max(depth);
            match place.choices[place.at] {
                RootChoice::Leaf => depth = pending.pop().unwrap_or(0) + 1,
                RootChoice::Node { .. } => {
                    pending.push(depth);
                    depth += 1;
                }
            }
        }
        deepest
    }

    /// Adds the current tree to the columns.
    fn write(&mut self) {
        let trees = &mut self.trees;
        let start = trees.feature.len();
        // Nodes whose right child is still to come.
        let mut pending: Vec<usize> = Vec::new();
        for (number, place) in self.places.iter().enumerate() {
            let subset = self.graph.subsets.get(self.graph.state(place.state).sub.subset);
            trees.prediction.push(Errors::leaf_class(&subset.class_weights).into());
            trees.rows.push(subset.rows as i64);
            trees.class_weights.extend_from_slice(&subset.class_weights);
            let (feature, left, low, high) = match place.choices[place.at] {
                RootChoice::Leaf => {
                    if let Some(above) = pending.pop() {
                        trees.right[above] = number as i64 + 1;
                    }
                    (-1, -1, 0.0, 0.0)
                }
                RootChoice::Node { feature, low, high, .. } => {
                    pending.push(start + number);
                    let feature = &self.graph.table.features[feature as usize];
                    let value = |rank: u32| feature.values[rank as usize];
                    (i64::from(feature.index), number as i64 + 1, value(low), value(high))
                }
            };
            trees.feature.push(feature);
            trees.left.push(left);
            trees.right.push(-1);
            trees.low.push(low);
            trees.high.push(high);
        }
        trees.ends.push(trees.feature.len());
    }
}
