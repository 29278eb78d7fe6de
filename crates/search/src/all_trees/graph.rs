//! The graph: states, whether they have trees, what their trees may begin with,
//! and how many they are.
//!
//! *Room.* A tree of s nodes has s + 1 leaves, none of which is empty, and one of
//! depth d has less than 2^d nodes. A state beyond that has no trees.
//!
//! *Bounds.* A state whose part has no tree within depth and size that costs as
//! little has no trees.
//!
//! *Tight.* If the least cost of the part within depth and size s is exactly
//! the wanted one, a tree of that cost exists; it has exactly s nodes if no
//! tree of s − 1 nodes costs as little. Where no wanted tree can have fewer
//! nodes (`least_size`), that need not be asked: a smaller tree for this part,
//! together with the trees there are for all other parts, would be a smaller
//! tree for the table. (There are such trees: a state is only looked at after
//! the least costs of both sides of the threshold above it were found to be
//! cheap enough together.) Of a wanted shape this holds up to two nodes only:
//! then all trees of a size have one shape. Bounds hold for every shape, as its
//! trees are among those of its depth and size.

use super::least_cost::LeastCost;
use super::parts::{Divisions, Parts};
use super::shapes::ANY_SHAPE;
use super::worth::Share;
use super::{AllTreesRequest, AllTreesStats};
use crate::limits::Clock;
use crate::limits::Stopped;
use exactree_model::{Cost, Limits, Table};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;
use std::rc::Rc;

/// In place of a size: any.
pub const ANY_SIZE: u32 = u32::MAX;

/// Choices kept for listing; beyond that they are found again.
const MOST_KEPT: usize = 1 << 24;

/// Trees of more nodes can have several shapes.
const MOST_OF_ONE_SHAPE: u32 = 2;

/// A part and what its trees have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub part: u32,
    /// `ANY_SHAPE`, or the number of their shape; depth and size are its own.
    pub shape: u32,
    /// At most; `u32::MAX` for no limit.
    pub depth: u32,
    /// Exactly, or `ANY_SIZE`.
    pub size: u32,
    /// Exactly.
    pub cost: Cost,
}

/// What a tree of a state begins with.
#[derive(Clone, Copy, Debug)]
pub enum Choice {
    Leaf,
    /// A feature, the ranks on both sides of its threshold, two states.
    Node {
        feature: u32,
        low: u32,
        high: u32,
        left: u32,
        right: u32,
    },
}

pub struct Graph<'a> {
    pub(super) request: &'a AllTreesRequest,
    pub(super) table: &'a Table,
    pub(super) parts: Parts<'a>,
    pub(super) least_cost: &'a mut dyn LeastCost,
    pub(super) stats: AllTreesStats,
    clock: &'a Clock<'a>,
    states: Vec<State>,
    numbers: FxHashMap<State, u32>,
    has_trees: Vec<Option<bool>>,
    counts: FxHashMap<u32, BigUint>,
    /// By state and group of choices; see `choices`.
    kept: FxHashMap<(u32, u32), Rc<[Choice]>>,
    choices_kept: usize,
}

impl<'a> Graph<'a> {
    pub fn new(
        table: &'a Table,
        request: &'a AllTreesRequest,
        clock: &'a Clock<'a>,
        least_cost: &'a mut dyn LeastCost,
    ) -> Self {
        Graph {
            request,
            table,
            parts: Parts::new(table),
            least_cost,
            stats: AllTreesStats::default(),
            clock,
            states: Vec::new(),
            numbers: FxHashMap::default(),
            has_trees: Vec::new(),
            counts: FxHashMap::default(),
            kept: FxHashMap::default(),
            choices_kept: 0,
        }
    }

    pub fn stats(&self) -> AllTreesStats {
        let parts = self.parts.known() as u64;
        AllTreesStats { states: self.states.len() as u64, parts, ..self.stats.clone() }
    }

    pub fn state(&self, number: u32) -> State {
        self.states[number as usize]
    }

    /// The states whose trees are all that are wanted, least size and cost first.
    pub fn roots(&mut self) -> impl Iterator<Item = State> + use<> {
        let part = self.parts.whole();
        let shape = self.request.shapes.as_ref().map_or(ANY_SHAPE, |shapes| shapes.whole());
        let (from, to) = self.request.costs;
        let (depth, (least, most)) = match &self.request.shapes {
            Some(shapes) => {
                (shapes.get(shape).depth, (shapes.get(shape).size, shapes.get(shape).size))
            }
            None => (self.request.depth, self.request.sizes.unwrap_or((ANY_SIZE, ANY_SIZE))),
        };
        let numbers =
            (least..=most).flat_map(move |size| (from..=to).map(move |cost| (size, cost)));
        numbers.map(move |(size, cost)| State { part, shape, depth, size, cost })
    }

    /// The number of all trees.
    pub fn count_all(&mut self) -> Result<BigUint, Stopped> {
        let mut count = BigUint::default();
        for root in self.roots() {
            if let Some(root) = self.with_trees(root)? {
                count += self.count(root)?;
            }
        }
        Ok(count)
    }

    fn count(&mut self, number: u32) -> Result<BigUint, Stopped> {
        if let Some(count) = self.counts.get(&number) {
            return Ok(count.clone());
        }
        let mut count = BigUint::default();
        for group in 0..self.groups() {
            for choice in self.find_choices(number, group)? {
                count += match choice {
                    Choice::Leaf => BigUint::from(1u32),
                    Choice::Node { left, right, .. } => self.count(left)? * self.count(right)?,
                };
            }
        }
        self.counts.insert(number, count.clone());
        Ok(count)
    }

    /// How many groups of choices a state has: the leaf, and one by feature.
    pub fn groups(&self) -> u32 {
        1 + self.parts.features() as u32
    }

    /// What the trees of a state begin with, by groups.
    pub fn choices(&mut self, number: u32, group: u32) -> Result<Rc<[Choice]>, Stopped> {
        if let Some(choices) = self.kept.get(&(number, group)) {
            return Ok(choices.clone());
        }
        let choices: Rc<[Choice]> = self.find_choices(number, group)?.into();
        self.choices_kept += choices.len() + 1;
        if self.choices_kept > MOST_KEPT {
            self.kept.clear();
            self.choices_kept = choices.len() + 1;
        }
        self.kept.insert((number, group), choices.clone());
        Ok(choices)
    }

    fn find_choices(&mut self, number: u32, group: u32) -> Result<Vec<Choice>, Stopped> {
        let state = self.state(number);
        let Some(feature) = group.checked_sub(1) else {
            return Ok(if self.leaf_serves(&state) { vec![Choice::Leaf] } else { Vec::new() });
        };
        let mut found = Vec::new();
        self.try_feature(&state, feature as usize, &mut |choice| {
            found.push(choice);
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    /// The number of a state if it has trees.
    pub fn with_trees(&mut self, state: State) -> Result<Option<u32>, Stopped> {
        let part = self.parts.get(state.part);
        let rules = part.items - 1;
        // A tree of s nodes is at most s deep, and has a node less than it has leaves.
        let most = if state.size == ANY_SIZE { rules } else { state.size };
        if part.rows < self.request.min_rows {
            return Ok(None);
        }
        let deepest = 1u32.checked_shl(state.depth).unwrap_or(0).wrapping_sub(1);
        let crowded = most > rules || (state.size != ANY_SIZE && most > deepest);
        if self.request.options.room && crowded {
            self.stats.room += 1;
            return Ok(None);
        }
        let depth = if state.depth >= most { u32::MAX } else { state.depth };
        let state = State { depth, ..state };
        let next = self.states.len() as u32;
        let number = *self.numbers.entry(state).or_insert(next);
        if number == next {
            self.states.push(state);
            self.has_trees.push(None);
        }
        let known = match self.has_trees[number as usize] {
            Some(known) => known,
            None => self.find_out(&state)?,
        };
        self.has_trees[number as usize] = Some(known);
        Ok(known.then_some(number))
    }

    /// Whether a state has trees.
    fn find_out(&mut self, state: &State) -> Result<bool, Stopped> {
        if self.clock.stopped() {
            return Err(Stopped);
        }
        if self.leaf_serves(state) {
            return Ok(true);
        }
        if state.depth == 0 || state.size == 0 {
            return Ok(false);
        }
        if self.request.options.bounds {
            match self.least_cost_of(state, state.size)? {
                None => return Ok(false),
                Some(least) if least == state.cost && self.exact_size(state)? => {
                    self.stats.tight += 1;
                    return Ok(true);
                }
                Some(_) => {}
            }
        }
        let mut found = false;
        for feature in 0..self.parts.features() {
            self.try_feature(state, feature, &mut |_| {
                found = true;
                ControlFlow::Break(())
            })?;
            if found {
                break;
            }
        }
        Ok(found)
    }

    fn leaf_serves(&self, state: &State) -> bool {
        let leaf = self.request.objective.leaf(self.parts.get(state.part).leaf_errors());
        leaf == state.cost && (state.size == 0 || state.size == ANY_SIZE)
    }

    /// Whether a tree of the state's least cost and at most its size exists only
    /// with exactly its size.
    fn exact_size(&mut self, state: &State) -> Result<bool, Stopped> {
        let one_shape = state.shape == ANY_SHAPE || state.size <= MOST_OF_ONE_SHAPE;
        if !(self.request.options.tight && one_shape) {
            return Ok(false);
        }
        let any = state.size == ANY_SIZE || self.request.least_size;
        Ok(any || self.least_cost_of(state, state.size - 1)?.is_none())
    }

    fn least_cost_of(&mut self, state: &State, size: u32) -> Result<Option<Cost>, Stopped> {
        let limits = Limits { depth: state.depth, size, min_rows: self.request.min_rows };
        let members = self.parts.get(state.part).members.clone();
        let found = self.least_cost.least_cost(&members, limits, state.cost)?;
        self.stats.bounds += found.is_none() as u64;
        Ok(found)
    }

    /// Hands on the nodes that trees of a state begin with, for one feature,
    /// until told to stop.
    fn try_feature(
        &mut self,
        state: &State,
        feature: usize,
        take: &mut dyn FnMut(Choice) -> ControlFlow<()>,
    ) -> Result<(), Stopped> {
        if self.clock.stopped() {
            return Err(Stopped);
        }
        if state.depth == 0 || state.size == 0 {
            return Ok(());
        }
        let divisions = self.parts.divisions(state.part, feature);
        for share in self.shares(state) {
            if self.try_share(&divisions, &share, feature as u32, take)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The ways to share what is below a root among its sides.
    fn shares(&self, state: &State) -> Vec<Share> {
        let min_rows = self.request.min_rows;
        let depth = if state.depth == u32::MAX { u32::MAX } else { state.depth - 1 };
        let side = |size| (Limits { depth, size, min_rows }, ANY_SHAPE);
        let shapes = self.request.shapes.as_ref().filter(|_| state.shape != ANY_SHAPE);
        let pairs = match shapes.map(|shapes| (shapes, shapes.get(state.shape).children)) {
            None if state.size == ANY_SIZE => vec![(side(ANY_SIZE), side(ANY_SIZE))],
            None => (0..state.size).map(|left| (side(left), side(state.size - 1 - left))).collect(),
            Some((_, None)) => Vec::new(),
            Some((shapes, Some((one, other)))) => {
                let side = |number| {
                    let shape = shapes.get(number);
                    (Limits { depth: shape.depth, size: shape.size, min_rows }, number)
                };
                let mut pairs = vec![(side(one), side(other)), (side(other), side(one))];
                pairs.truncate(if one == other { 1 } else { 2 });
                pairs
            }
        };
        let share = |((left, left_shape), (right, right_shape))| Share {
            left,
            right,
            shapes: (left_shape, right_shape),
            cost: state.cost,
        };
        pairs.into_iter().map(share).collect()
    }

    /// The same for one way to share the nodes.
    fn try_share(
        &mut self,
        divisions: &Divisions<'_>,
        share: &Share,
        feature: u32,
        take: &mut dyn FnMut(Choice) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Stopped> {
        for worth in self.worth(divisions, share)? {
            let sides = [true, false].map(|left| divisions.side(worth.threshold, left));
            let [left, right] = sides.map(|members| self.parts.number_of(members));
            let (low, high) = divisions.ranks(worth.threshold);
            for left_cost in worth.left..=share.cost - worth.right {
                let side = |part, limits: &Limits, shape, cost| State {
                    part,
                    shape,
                    depth: limits.depth,
                    size: limits.size,
                    cost,
                };
                let Some(left) =
                    self.with_trees(side(left, &share.left, share.shapes.0, left_cost))?
                else {
                    continue;
                };
                let right = side(right, &share.right, share.shapes.1, share.cost - left_cost);
                let Some(right) = self.with_trees(right)? else { continue };
                if take(Choice::Node { feature, low, high, left, right }).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}
