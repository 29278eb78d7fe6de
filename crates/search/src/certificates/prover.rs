//! Proves lower bounds on the cost of trees by claims of a certificate.
//!
//! A claim about a subset is proved by counting if that suffices; at depth two by the thresholds at
//! which the checker evaluates stumps; and else by claims about children of some thresholds. Bounds
//! on children come from searches of the engine, so every claim that is begun is true unless the
//! engine is wrong; then a step fails (`Failure::Refuted`).

use super::body::{Body, ClaimRule};
use super::cover::{Cover, Failure, Known};
use crate::engine::children::ChildPair;
use crate::engine::open_splits::ChildUpper;
use crate::engine::rules::{Rule, Rules};
use crate::engine::solution::Solution;
use crate::engine::subset::ThresholdTable;
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::depth_two::evaluator::{RootSplit, StumpBounds};
use crate::spaces::continuous::error_space::ContinuousSearch;
use crate::support::bits::Bits;
use exactree_model::{Cost, Limits, Table, Weight};
use rustc_hash::FxHashMap;

/// An earlier claim about a set.
#[derive(Clone)]
struct Claim {
    limits: Limits,
    value: Cost,
    number: usize,
}

/// The children of a threshold whose bounds a claim cites.
struct CitedThreshold {
    rule: Rule,
    limits: [Limits; 2],
    values: [Cost; 2],
}

/// The rank of a threshold, and the claims about its children.
type CitedClaims = (u32, [Option<usize>; 2]);

/// What is written, and the numbers of its sets and claims.
#[derive(Clone)]
pub(super) struct WrittenProof {
    pub body: Body,
    sets: FxHashMap<Bits, u32>,
    claims: FxHashMap<u32, Vec<Claim>>,
}

pub(super) struct Prover<'s, 'a> {
    search: &'s mut ContinuousSearch<'a, 'a>,
    /// By column of the user, the feature of the search with the same order of rows.
    features: Vec<Option<usize>>,
    /// By feature of the search, the column of the user.
    columns: Vec<u32>,
    pub proof: WrittenProof,
}

impl<'s, 'a> Prover<'s, 'a> {
    pub(super) fn new(
        search: &'s mut ContinuousSearch<'a, 'a>,
        table: &Table,
        columns: usize,
    ) -> Self {
        let searched: Vec<usize> =
            search.space.layout.features.iter().map(|feature| feature.index as usize).collect();
        let mut features = vec![None; columns];
        for feature in &table.features {
            let same = |&index: &usize| table.features[index].ranks == feature.ranks;
            features[feature.index as usize] = searched.iter().position(same);
        }
        let columns = searched.iter().map(|&index| table.features[index].index).collect();
        let whole = search.space.layout.occupied.clone();
        let sets = FxHashMap::from_iter([(whole, 0)]);
        let proof = WrittenProof { body: Body::default(), sets, claims: FxHashMap::default() };
        Prover { search, features, columns, proof }
    }

    /// Claims that no tree for a subset within limits costs less than `value`, and returns the
    /// number of the claim; `None` if that needs no claim, because every tree has a leaf.
    pub(super) fn prove(
        &mut self,
        subset: &ContinuousSubset,
        set: u32,
        limits: Limits,
        value: Cost,
    ) -> Result<Option<usize>, Failure> {
        if value <= self.search.space.objective.leaf_price {
            return Ok(None);
        }
        let limits = self.search.affordable_limits(limits, value).normalised();
        let suffices = |claim: &&Claim| claim.limits.covers(&limits) && claim.value >= value;
        if let Some(claim) = self.proof.claims.get(&set).and_then(|all| all.iter().find(suffices)) {
            return Ok(Some(claim.number));
        }
        if self.search.clock.stopped() {
            return Err(Failure::Stopped);
        }
        let (rule, lists) = if self.counting(subset, limits) >= value {
            (ClaimRule::Counting, Vec::new())
        } else if self.search.leaf_cost(subset) < value {
            return Err(Failure::Refuted);
        } else if limits.depth > 2 {
            (ClaimRule::Cited, self.cited_thresholds(subset, set, limits, value)?)
        } else {
            (ClaimRule::Evaluated, self.evaluated_thresholds(subset, limits, value)?)
        };
        let number = self.proof.body.add_claim(set, limits, value, rule, &lists);
        self.proof.claims.entry(set).or_default().push(Claim { limits, value, number });
        Ok(Some(number))
    }

    /// The bound of the checker's rule of counting: a tree with j leaves predicts at most j classes.
    fn counting(&self, subset: &ContinuousSubset, limits: Limits) -> Cost {
        let mut heaviest = subset.class_weights.clone();
        heaviest.sort_unstable_by(|a, b| b.cmp(a));
        let leaves = (limits.size.saturating_add(1) as usize).min(heaviest.len());
        let objective = self.search.space.objective;
        let bound = |leaves: usize| {
            let others: Weight = heaviest[leaves..].iter().sum();
            let errors = others.max(subset.unavoidable) * objective.error_price;
            errors + objective.leaf_price * leaves as Cost
        };
        (1..=leaves).map(bound).min().unwrap_or(0)
    }

    /// The splits of a subset by a feature.
    fn rules(&self, subset: &ContinuousSubset, feature: usize) -> Rules {
        self.search.space.layout.rules(subset, feature, true)
    }

    /// The numbers of a claim about trees of depth at most two: by column the thresholds at which
    /// the checker evaluates stumps.
    fn evaluated_thresholds(
        &mut self,
        subset: &ContinuousSubset,
        limits: Limits,
        value: Cost,
    ) -> Result<Vec<u64>, Failure> {
        if limits.depth < 2 {
            let (cost, _) = self.search.leaf_or_stump(subset, limits.size, 1);
            return if cost < value { Err(Failure::Refuted) } else { Ok(Vec::new()) };
        }
        let objective = self.search.space.objective;
        let mut evaluators = self.search.take_evaluators();
        let evaluator = evaluators.begin(self.search.space.layout, subset, false);
        let mut lists = Vec::new();
        for feature in 0..self.columns.len() {
            let rules = self.rules(subset, feature);
            let cover = Cover { rules: &rules, value, objective };
            let mut ranks = Vec::new();
            for share in limits.shares() {
                let known = cover.evaluate(|at, near| {
                    let rule = rules.get(at);
                    let split = RootSplit { feature, left: rule.items, leaf_rows: None };
                    let notes = near.map(|known| known.and_then(|known| known.notes));
                    let useless = [Weight::MAX; 2];
                    let found = evaluator.evaluate(subset, split, &StumpBounds { notes, useless });
                    let (left, right) =
                        self.search.stump_children(subset, &rule, share, found.children);
                    Ok(Known { at, costs: [left, right], notes: found.notes })
                })?;
                ranks.extend(cover.shortest(&known).iter().map(|known| rules.get(known.at).rank));
            }
            ranks.sort_unstable();
            ranks.dedup();
            lists.push(ranks);
        }
        self.search.workspace.evaluators = Some(evaluators);
        let mut numbers = Vec::new();
        for column in &self.features {
            let ranks = column.map_or(&[][..], |feature| &lists[feature]);
            numbers.push(ranks.len() as u64);
            let mut next = 0;
            for &rank in ranks {
                numbers.push(u64::from(rank - next));
                next = rank + 1;
            }
        }
        Ok(numbers)
    }

    /// The numbers of a claim about deeper trees: by column and by division of the size thresholds,
    /// and the claims cited for their children, which are proved here.
    fn cited_thresholds(
        &mut self,
        subset: &ContinuousSubset,
        set: u32,
        limits: Limits,
        value: Cost,
    ) -> Result<Vec<u64>, Failure> {
        let mut lists: Vec<Vec<Vec<CitedThreshold>>> = Vec::new();
        for feature in 0..self.columns.len() {
            let rules = self.rules(subset, feature);
            let shares = limits.shares();
            let of_shares = shares
                .iter()
                .map(|&share| self.cited_of_share(subset, &rules, limits, share, value));
            lists.push(of_shares.collect::<Result<_, Failure>>()?);
        }
        let mut cited: Vec<Vec<Vec<CitedClaims>>> = Vec::new();
        for lists in &lists {
            let mut of_feature = Vec::new();
            for list in lists {
                let mut of_share = Vec::new();
                for threshold in list {
                    let claims = self.prove_children(subset, set, threshold)?;
                    of_share.push((threshold.rule.rank, claims));
                }
                of_feature.push(of_share);
            }
            cited.push(of_feature);
        }
        let mut numbers = Vec::new();
        for column in &self.features {
            let Some(feature) = column else {
                numbers.extend(limits.shares().iter().map(|_| 0));
                continue;
            };
            for list in &cited[*feature] {
                numbers.push(list.len() as u64);
                let mut next = 0;
                for &(rank, claims) in list {
                    numbers.push(u64::from(rank - next));
                    numbers.extend(claims.map(|claim| self.proof.body.citation(claim)));
                    next = rank + 1;
                }
            }
        }
        Ok(numbers)
    }

    /// Thresholds of a feature, and bounds on their children that prove a claim for all splits.
    fn cited_of_share(
        &mut self,
        subset: &ContinuousSubset,
        rules: &Rules,
        limits: Limits,
        share: (u32, u32),
        value: Cost,
    ) -> Result<Vec<CitedThreshold>, Failure> {
        let cover = Cover { rules, value, objective: self.search.space.objective };
        let divided = limits.shares().len() > 1;
        let limits = [limits.child(share.0), limits.child(share.1)];
        let known = cover.evaluate(|at, near| {
            if self.search.clock.stopped() {
                return Err(Failure::Stopped);
            }
            let layout = self.search.space.layout;
            let children = subset.split_into(layout, &rules.get(at), &mut self.search.spare);
            let start = [0, 1].map(|side| {
                let floor = self.search.floor(&children[side], limits[side]);
                let edge = near[side].map_or(0, |known| known.costs[side]);
                Solution::with_lower(floor.max(edge))
            });
            let pair = ChildPair { children, limits, inherited: [None; 2] };
            // Within sizes the costs of children take long to find; a bound near the value suffices.
            let margin = cover.margin(at, near);
            let margin = if divided { margin.min(value) } else { margin };
            let upper = value.saturating_add(margin);
            let costs = self
                .search
                .solve_children(&pair, start, upper, ChildUpper::Needed)
                .map(|child| child.lower);
            if costs[0] + costs[1] < value && self.search.clock.stopped() {
                return Err(Failure::Stopped);
            }
            pair.children.into_iter().for_each(|child| child.sorted.spare(&mut self.search.spare));
            Ok(Known { at, costs, notes: None })
        })?;
        let list = cover.shortest(&known);
        let needed = cover.needed(&list).into_iter();
        let cite = |(known, values): (&Known, [Cost; 2])| CitedThreshold {
            rule: rules.get(known.at),
            limits,
            values,
        };
        Ok(list.iter().zip(needed).map(cite).collect())
    }

    /// Proves the bounds on the children of a threshold.
    fn prove_children(
        &mut self,
        subset: &ContinuousSubset,
        set: u32,
        threshold: &CitedThreshold,
    ) -> Result<[Option<usize>; 2], Failure> {
        let CitedThreshold { rule, limits, values } = threshold;
        let children = subset.split(self.search.space.layout, rule);
        let mut claims = [None; 2];
        for side in 0..2 {
            if values[side] > self.search.space.objective.leaf_price {
                let child = self.child(set, rule, side, &children[side].members);
                claims[side] = self.prove(&children[side], child, limits[side], values[side])?;
            }
        }
        Ok(claims)
    }

    /// The number of the set of a child, which is added if it is new.
    fn child(&mut self, parent: u32, rule: &Rule, side: usize, members: &Bits) -> u32 {
        if let Some(&set) = self.proof.sets.get(members) {
            return set;
        }
        let column = self.columns[rule.feature];
        let set = self.proof.body.add_set((parent, column, rule.rank, side as u32));
        self.proof.sets.insert(members.clone(), set);
        set
    }
}
