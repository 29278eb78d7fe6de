//! The graph of all trees: states, the choices at their roots, and the numbers of their trees.

use super::min_cost::MinCost;
use super::request::{AllTreesRequest, AllTreesStats};
use super::root_limits::RootLimits;
use super::shapes::ANY_SHAPE;
use super::subproblem::{ANY_SIZE, ChildBudgets, EnumerationSubproblem, Spectrum};
use super::subsets::{SubsetSplits, SubsetStore};
use crate::support::clock::{Clock, Stopped};
use exactree_model::{Cost, Limits, StoppedBy, Table};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Maximum number of choices kept for listing; further choices are recomputed.
const MAX_KEPT_CHOICES: usize = 1 << 24;

/// A subproblem and the exact cost of its trees; at least one tree exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct GraphState {
    pub sub: EnumerationSubproblem,
    pub cost: Cost,
}

/// A choice for the root of a state's trees.
#[derive(Clone, Copy, Debug)]
pub(super) enum RootChoice {
    Leaf,
    /// A feature, the ranks next to its threshold in both children, and the states of the children.
    Node {
        feature: u32,
        low: u32,
        high: u32,
        left: u32,
        right: u32,
    },
}

/// The part of the graph needed so far, with the searches that extend it.
pub(super) struct Graph<'a> {
    pub(super) request: &'a AllTreesRequest,
    pub(super) table: &'a Table,
    pub(super) subsets: SubsetStore<'a>,
    pub(super) min_cost: &'a mut dyn MinCost,
    pub(super) stats: AllTreesStats,
    pub(super) clock: &'a Clock<'a>,
    pub(super) spectra: Vec<Spectrum>,
    pub(super) spectrum_numbers: FxHashMap<EnumerationSubproblem, u32>,
    /// Number of costs in all spectra.
    pub(super) cost_count: usize,
    states: Vec<GraphState>,
    numbers: FxHashMap<GraphState, u32>,
    counts: FxHashMap<u32, BigUint>,
    /// Choices kept for listing, by state and group; see `choices`.
    kept_choices: FxHashMap<(u32, u32), Rc<[RootChoice]>>,
    kept_choices_count: usize,
}

impl<'a> Graph<'a> {
    pub(super) fn new(
        table: &'a Table,
        request: &'a AllTreesRequest,
        clock: &'a Clock<'a>,
        min_cost: &'a mut dyn MinCost,
    ) -> Self {
        Graph {
            request,
            table,
            subsets: SubsetStore::new(table),
            min_cost,
            stats: AllTreesStats::default(),
            clock,
            spectra: Vec::new(),
            spectrum_numbers: FxHashMap::default(),
            cost_count: 0,
            states: Vec::new(),
            numbers: FxHashMap::default(),
            counts: FxHashMap::default(),
            kept_choices: FxHashMap::default(),
            kept_choices_count: 0,
        }
    }

    pub(super) fn stats(&self) -> AllTreesStats {
        let subsets = self.subsets.len() as u64;
        AllTreesStats { states: self.spectra.len() as u64, subsets, ..self.stats.clone() }
    }

    pub(super) fn state(&self, number: u32) -> GraphState {
        self.states[number as usize]
    }

    /// An error if the search must stop; also stops it if the graph is too large.
    pub(super) fn check(&self) -> Result<(), Stopped> {
        if self.request.memory_limit.is_some_and(|limit| self.bytes() > limit) {
            self.clock.stop(StoppedBy::MemoryLimit);
        }
        self.clock.check()
    }

    /// Approximate memory of the graph in bytes.
    fn bytes(&self) -> usize {
        // Subproblems and states are also keys of hash tables.
        self.subsets.bytes()
            + self.spectra.len()
                * (2 * size_of::<EnumerationSubproblem>() + 2 * size_of::<Spectrum>())
            + self.states.len() * 3 * size_of::<GraphState>()
            + self.kept_choices_count * size_of::<RootChoice>()
            + self.counts.len() * 2 * size_of::<BigUint>()
            + self.cost_count * size_of::<Cost>()
    }

    /// The number of all trees.
    pub(super) fn count_all(&mut self) -> Result<BigUint, Stopped> {
        let (from, to) = self.request.costs;
        let mut count = BigUint::default();
        for root in self.request.roots() {
            let sub = self.whole(&root);
            let mut next = Some(from);
            while let Some(minimum) = next {
                let Some(cost) = self.next_cost(sub, minimum, to)? else { break };
                if let Some(state) = self.state_of(sub, cost)? {
                    count += self.count(state)?;
                }
                next = cost.checked_add(1);
            }
        }
        Ok(count)
    }

    /// The whole table with the depth and the size of a root.
    pub(super) fn whole(&mut self, root: &RootLimits) -> EnumerationSubproblem {
        let subset = self.subsets.whole();
        match &self.request.shapes {
            None => EnumerationSubproblem {
                subset,
                shape: ANY_SHAPE,
                depth: root.depth,
                size: root.size,
            },
            Some(shapes) => {
                let shape = shapes.get(shapes.whole());
                EnumerationSubproblem {
                    subset,
                    shape: shapes.whole(),
                    depth: shape.depth,
                    size: shape.size,
                }
            }
        }
    }

    fn count(&mut self, number: u32) -> Result<BigUint, Stopped> {
        if let Some(count) = self.counts.get(&number) {
            return Ok(count.clone());
        }
        let mut count = BigUint::default();
        for group in 0..self.groups() {
            for choice in self.find_choices(number, group)? {
                count += match choice {
                    RootChoice::Leaf => BigUint::from(1u32),
                    RootChoice::Node { left, right, .. } => {
                        self.count(left)? * self.count(right)?
                    }
                };
            }
        }
        self.counts.insert(number, count.clone());
        Ok(count)
    }

    /// Number of groups of choices of a state: one for the leaf, and one for each feature.
    pub(super) fn groups(&self) -> u32 {
        1 + self.subsets.features() as u32
    }

    /// The choices of a state in one group.
    pub(super) fn choices(&mut self, number: u32, group: u32) -> Result<Rc<[RootChoice]>, Stopped> {
        if let Some(choices) = self.kept_choices.get(&(number, group)) {
            return Ok(choices.clone());
        }
        let choices: Rc<[RootChoice]> = self.find_choices(number, group)?.into();
        self.kept_choices_count += choices.len() + 1;
        if self.kept_choices_count > MAX_KEPT_CHOICES {
            self.kept_choices.clear();
            self.kept_choices_count = choices.len() + 1;
        }
        self.kept_choices.insert((number, group), choices.clone());
        Ok(choices)
    }

    /// `choices` without the cache.
    fn find_choices(&mut self, number: u32, group: u32) -> Result<Vec<RootChoice>, Stopped> {
        let state = self.state(number);
        let Some(feature) = group.checked_sub(1) else {
            let leaf = self.leaf_cost(&state.sub) == Some(state.cost);
            return Ok(if leaf { vec![RootChoice::Leaf] } else { Vec::new() });
        };
        self.check()?;
        let mut found = Vec::new();
        if state.sub.depth == 0 || state.sub.size == 0 {
            return Ok(found);
        }
        let splits = self.subsets.splits(state.sub.subset, feature as usize);
        for budgets in self.shares(&state.sub, state.cost) {
            self.add_nodes(&splits, &budgets, feature, &mut found)?;
        }
        Ok(found)
    }

    /// The number of the state of a subproblem with a cost, if it has trees.
    pub(super) fn state_of(
        &mut self,
        sub: EnumerationSubproblem,
        cost: Cost,
    ) -> Result<Option<u32>, Stopped> {
        if self.next_cost(sub, cost, cost)?.is_none() {
            return Ok(None);
        }
        let Some(sub) = self.normalised(sub) else { return Ok(None) };
        let next = self.states.len() as u32;
        let number = *self.numbers.entry(GraphState { sub, cost }).or_insert(next);
        if number == next {
            self.states.push(GraphState { sub, cost });
        }
        Ok(Some(number))
    }

    /// Cost of the leaf of a subproblem, if its trees may be a leaf.
    pub(super) fn leaf_cost(&self, sub: &EnumerationSubproblem) -> Option<Cost> {
        let allowed = sub.size == 0 || sub.size == ANY_SIZE;
        let errors = self.subsets.get(sub.subset).leaf_errors();
        allowed.then(|| self.request.objective.leaf(errors))
    }

    /// The ways to divide the budget below a root between its children.
    pub(super) fn shares(&self, sub: &EnumerationSubproblem, cost: Cost) -> Vec<ChildBudgets> {
        let min_samples_leaf = self.request.min_samples_leaf;
        let depth = if sub.depth == u32::MAX { u32::MAX } else { sub.depth - 1 };
        let child = |size| (Limits { depth, size, min_samples_leaf }, ANY_SHAPE);
        let shapes = self.request.shapes.as_ref().filter(|_| sub.shape != ANY_SHAPE);
        let pairs = match shapes.map(|shapes| (shapes, shapes.get(sub.shape).children)) {
            None if sub.size == ANY_SIZE => vec![(child(ANY_SIZE), child(ANY_SIZE))],
            None => (0..sub.size).map(|left| (child(left), child(sub.size - 1 - left))).collect(),
            Some((_, None)) => Vec::new(),
            Some((shapes, Some((first, second)))) => {
                let child = |number| {
                    let shape = shapes.get(number);
                    (Limits { depth: shape.depth, size: shape.size, min_samples_leaf }, number)
                };
                let mut pairs = vec![(child(first), child(second)), (child(second), child(first))];
                pairs.truncate(if first == second { 1 } else { 2 });
                pairs
            }
        };
        let share = |((left, left_shape), (right, right_shape))| ChildBudgets {
            left,
            right,
            shapes: (left_shape, right_shape),
            cost,
        };
        pairs.into_iter().map(share).collect()
    }

    /// Adds the root nodes for one feature and one way to divide the budget below.
    fn add_nodes(
        &mut self,
        splits: &SubsetSplits<'_>,
        budgets: &ChildBudgets,
        feature: u32,
        found: &mut Vec<RootChoice>,
    ) -> Result<(), Stopped> {
        for threshold_costs in self.threshold_costs(splits, budgets)? {
            let [left_sub, right_sub] = self.children(splits, budgets, &threshold_costs);
            let (low, high) = splits.ranks(threshold_costs.threshold);
            let maximum = budgets.cost - threshold_costs.right;
            let mut next = threshold_costs.left;
            while let Some(cost) = self.next_cost(left_sub, next, maximum)? {
                let left = self.state_of(left_sub, cost)?;
                let right = self.state_of(right_sub, budgets.cost - cost)?;
                if let (Some(left), Some(right)) = (left, right) {
                    found.push(RootChoice::Node { feature, low, high, left, right });
                }
                next = cost + 1;
            }
        }
        Ok(())
    }
}
