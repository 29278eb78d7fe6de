//! Proves lower bounds on the cost of trees by claims of a certificate.
//!
//! A claim about a subset is proved by counting if that suffices; at depth two by the thresholds at
//! which the checker evaluates stumps; and else by claims about children of some thresholds. Bounds
//! on children come from searches of the engine, so every claim that is begun is true unless the
//! engine is wrong; then a step fails (`Failure::Refuted`).

use super::body::{Body, ClaimRule};
use super::certified_space::{CertifiedSpace, EvaluatedRoot};
use super::cover::{Cover, Failure, Known, Listed};
use crate::engine::children::ChildPair;
use crate::engine::open_splits::ChildUpper;
use crate::engine::rules::{Rule, Rules};
use crate::engine::solution::Solution;
use crate::engine::space::{Search, SubsetOf};
use crate::engine::subset::{Subset, ThresholdTable};
use crate::engine::two_set_bound::LeafRows;
use crate::support::bits::Bits;
use exactree_model::{Cost, Limits, Table};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// An earlier claim about a set; `outer` is the set on which rows of leaves are counted, `None` if
/// the claim is relaxed.
#[derive(Clone)]
struct Claim {
    outer: Option<u32>,
    limits: Limits,
    value: Cost,
    number: usize,
}

/// The children of a threshold whose bounds a claim cites, and with a minimum leaf size the
/// thresholds before and after it.
struct CitedThreshold {
    rule: Rule,
    near: [Option<Rule>; 2],
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

pub(super) struct Prover<'s, 'a, S: CertifiedSpace> {
    search: &'s mut Search<'a, S>,
    /// By column of the user, the feature of the search with the same order of rows.
    features: Vec<Option<usize>>,
    /// By feature of the search, the column of the user.
    columns: Vec<u32>,
    pub proof: WrittenProof,
}

impl<'s, 'a, S: CertifiedSpace> Prover<'s, 'a, S> {
    pub(super) fn new(
        search: &'s mut Search<'a, S>,
        whole: &SubsetOf<S>,
        table: &Table,
        columns: usize,
    ) -> Self {
        let searches = search.space.table();
        let searched: Vec<usize> =
            (0..searches.features()).map(|feature| searches.index(feature) as usize).collect();
        let mut features = vec![None; columns];
        for feature in &table.features {
            let same = |&index: &usize| table.features[index].ranks == feature.ranks;
            features[feature.index as usize] = searched.iter().position(same);
        }
        let columns = searched.iter().map(|&index| table.features[index].index).collect();
        let sets = FxHashMap::from_iter([(whole.members.clone(), 0)]);
        let proof = WrittenProof { body: Body::default(), sets, claims: FxHashMap::default() };
        Prover { search, features, columns, proof }
    }

    /// Claims that no tree for a subset within limits costs less than `value`, and returns the
    /// number of the claim; `None` if that needs no claim, because every tree has a leaf. `sets` are
    /// the numbers of the items with weight, and of all items of the subset.
    pub(super) fn prove(
        &mut self,
        subset: &SubsetOf<S>,
        sets: [u32; 2],
        limits: Limits,
        value: Cost,
    ) -> Result<Option<usize>, Failure> {
        if value <= self.search.space.leaf_price() {
            return Ok(None);
        }
        let limits = self.search.affordable_limits(limits, value).normalised();
        let [set, outer] = sets;
        let suffices = |claim: &&Claim| {
            claim.limits.covers(&limits)
                && claim.value >= value
                && claim.outer.is_none_or(|of_claim| of_claim == outer)
        };
        if let Some(claim) = self.proof.claims.get(&set).and_then(|all| all.iter().find(suffices)) {
            return Ok(Some(claim.number));
        }
        if self.search.clock.stopped() {
            return Err(Failure::Stopped);
        }
        let mut outer = (limits.min_samples_leaf > 1).then_some(outer);
        let (rule, lists) = if self.search.space.counting(subset, limits.relaxed()) >= value {
            outer = None;
            (ClaimRule::Counting, Vec::new())
        } else if self.search.space.counting(subset, limits) >= value {
            (ClaimRule::Counting, Vec::new())
        } else if self.search.leaf_cost(subset) < value {
            return Err(Failure::Refuted);
        } else if limits.depth > 2 {
            (ClaimRule::Cited, self.cited_thresholds(subset, sets, limits, value)?)
        } else {
            (ClaimRule::Evaluated, self.evaluated_thresholds(subset, limits, value)?)
        };
        let number = self.proof.body.add_claim((set, outer), limits, value, rule, &lists);
        self.proof.claims.entry(set).or_default().push(Claim { outer, limits, value, number });
        Ok(Some(number))
    }

    /// The splits of a subset by a feature with enough rows on both sides.
    fn rules(&self, subset: &SubsetOf<S>, feature: usize, limits: Limits) -> Rules {
        let rules = self.search.space.reach_rules(subset, feature);
        let least = limits.min_samples_leaf;
        if least == 1 {
            return rules;
        }
        let enough = |rule: &Rule| rule.rows >= least && subset.rows - rule.rows >= least;
        Rules::new(feature, &rules.iter().filter(enough).collect::<Vec<Rule>>())
    }

    /// The numbers of a claim about trees of depth at most two: by column the thresholds at which
    /// the checker evaluates stumps.
    fn evaluated_thresholds(
        &mut self,
        subset: &SubsetOf<S>,
        limits: Limits,
        value: Cost,
    ) -> Result<Vec<u64>, Failure> {
        if limits.depth < 2 {
            let cost = S::leaf_or_stump_cost(self.search, subset, limits);
            return if cost < value { Err(Failure::Refuted) } else { Ok(Vec::new()) };
        }
        let rules: Vec<Rules> =
            (0..self.columns.len()).map(|feature| self.rules(subset, feature, limits)).collect();
        let two_sets = limits.min_samples_leaf > 1;
        let lists = S::evaluate_with(self.search, subset, two_sets, |search, evaluate| {
            let mut lists: Vec<Vec<u32>> = Vec::new();
            for rules in &rules {
                let cover = Cover::new(&search.space, rules, value);
                // By rank, how often it is listed.
                let mut ranks: BTreeMap<u32, usize> = BTreeMap::new();
                for share in limits.shares() {
                    let known = cover.evaluate(|at, near| {
                        let rule = &rules.get(at);
                        let mut evaluate = |outer: Option<&[Rule; 2]>, notes| {
                            let leaf_rows = LeafRows::of(subset, rule, outer, limits);
                            evaluate(search, EvaluatedRoot { rule, leaf_rows, share, notes })
                        };
                        let within = near.map(|known| known.map(|known| known.at));
                        let outer =
                            outer_rules(subset, &within.map(|at| at.map(|at| rules.get(at))));
                        let notes = near.map(|known| known.and_then(|known| known.notes));
                        let (costs, notes) = evaluate(Some(&outer), notes);
                        let falls_short = two_sets && costs[0] + costs[1] < value;
                        let exact = falls_short.then(|| evaluate(None, [notes; 2]).0);
                        let within = if two_sets { within } else { [None; 2] };
                        Ok(Known { at, costs, notes, within, exact })
                    })?;
                    for known in cover.shortest(&known) {
                        let times = ranks.entry(rules.get(known.at).rank).or_default();
                        *times = (*times).max(1 + usize::from(known.exact.is_some()));
                    }
                }
                lists.push(ranks.into_iter().flat_map(|(rank, times)| vec![rank; times]).collect());
            }
            Ok(lists)
        })?;
        let mut numbers = Vec::new();
        for column in &self.features {
            let ranks = column.map_or(&[][..], |feature| &lists[feature]);
            numbers.push(ranks.len() as u64);
            let mut last = 0;
            for &rank in ranks {
                numbers.push(u64::from(rank - last));
                last = rank;
            }
        }
        Ok(numbers)
    }

    /// The numbers of a claim about deeper trees: by column and by division of the size thresholds,
    /// and the claims cited for their children, which are proved here.
    fn cited_thresholds(
        &mut self,
        subset: &SubsetOf<S>,
        sets: [u32; 2],
        limits: Limits,
        value: Cost,
    ) -> Result<Vec<u64>, Failure> {
        let mut lists: Vec<Vec<Vec<CitedThreshold>>> = Vec::new();
        for feature in 0..self.columns.len() {
            let rules = self.rules(subset, feature, limits);
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
                    let claims = self.prove_children(subset, sets, threshold)?;
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
                let mut last = 0;
                for &(rank, claims) in list {
                    numbers.push(u64::from(rank - last));
                    numbers.extend(claims.map(|claim| self.proof.body.citation(claim)));
                    last = rank;
                }
            }
        }
        Ok(numbers)
    }

    /// Thresholds of a feature, and bounds on their children that prove a claim for all splits.
    fn cited_of_share(
        &mut self,
        subset: &SubsetOf<S>,
        rules: &Rules,
        limits: Limits,
        share: (u32, u32),
        value: Cost,
    ) -> Result<Vec<CitedThreshold>, Failure> {
        let cover = Cover::new(&self.search.space, rules, value);
        let divided = limits.shares().len() > 1;
        let two_sets = limits.min_samples_leaf > 1;
        let limits = [limits.child(share.0), limits.child(share.1)];
        let known = cover.evaluate(|at, near| {
            if self.search.clock.stopped() {
                return Err(Failure::Stopped);
            }
            let rule = rules.get(at);
            let within = near.map(|known| known.map(|known| known.at));
            let within = if two_sets { within } else { [None; 2] };
            let outer =
                two_sets.then(|| outer_rules(subset, &within.map(|at| at.map(|at| rules.get(at)))));
            let edges = [0, 1].map(|side| near[side].map_or(0, |known| known.costs[side]));
            // Within sizes the costs of children take long to find; a bound near the value suffices.
            let margin = cover.margin(at, near);
            let margin = if divided { margin.min(value) } else { margin };
            let upper = value.saturating_add(margin);
            let costs = self.bounds(subset, &rule, outer.as_ref(), limits, edges, upper);
            let falls_short = two_sets && costs[0] + costs[1] < value;
            let exact = falls_short.then(|| self.bounds(subset, &rule, None, limits, costs, value));
            let [left, right] = exact.unwrap_or(costs);
            if left + right < value && self.search.clock.stopped() {
                return Err(Failure::Stopped);
            }
            Ok(Known { at, costs, notes: None, within, exact })
        })?;
        let list = cover.needed(&cover.shortest(&known));
        let rule = |at: usize| list.get(at).map(|listed| rules.get(listed.at));
        let cite = |(place, listed): (usize, &Listed)| CitedThreshold {
            rule: rules.get(listed.at),
            near: [place.checked_sub(1).and_then(rule), rule(place + 1)],
            limits,
            values: listed.costs,
        };
        Ok(list.iter().enumerate().map(cite).collect())
    }

    /// Bounds on the children of a threshold, with the rows of the children of the outer rules; they
    /// are not needed beyond the sum `upper`.
    fn bounds(
        &mut self,
        subset: &SubsetOf<S>,
        rule: &Rule,
        outer: Option<&[Rule; 2]>,
        limits: [Limits; 2],
        known: [Cost; 2],
        upper: Cost,
    ) -> [Cost; 2] {
        let (table, spare) = (self.search.space.table(), &mut self.search.spare);
        let children = match outer {
            None => subset.split_into(table, rule, spare),
            Some(outer) => {
                [0, 1].map(|side| subset.two_set_child(table, &outer[side], rule, side == 0, spare))
            }
        };
        let start = [0, 1].map(|side| {
            let floor = self.search.floor(&children[side], limits[side]);
            Solution::with_lower(floor.max(known[side]))
        });
        let pair = ChildPair { children, limits, inherited: [None; 2] };
        let solved = self.search.solve_children(&pair, start, upper, ChildUpper::Needed);
        pair.children.into_iter().for_each(|child| child.sorted.spare(&mut self.search.spare));
        solved.map(|child| child.lower)
    }

    /// Proves the bounds on the children of a threshold.
    fn prove_children(
        &mut self,
        subset: &SubsetOf<S>,
        [set, outer]: [u32; 2],
        threshold: &CitedThreshold,
    ) -> Result<[Option<usize>; 2], Failure> {
        let CitedThreshold { rule, near, limits, values } = threshold;
        let leaf = self.search.space.leaf_price();
        let mut claims = [None; 2];
        for side in (0..2).filter(|&side| values[side] > leaf) {
            let near = if limits[side].min_samples_leaf > 1 { near } else { &[Some(*rule); 2] };
            let of_leaves = &outer_rules(subset, near)[side];
            let (table, spare) = (self.search.space.table(), &mut self.search.spare);
            let child = subset.two_set_child(table, of_leaves, rule, side == 0, spare);
            let inner_set = self.child(set, rule, side, child.weighted());
            // The rows of leaves of the outermost children are those of the subset.
            let outer_set = match near[1 - side] {
                None => outer,
                Some(rule) => self.child(outer, &rule, side, &child.members),
            };
            let sets = [inner_set, outer_set];
            claims[side] = self.prove(&child, sets, limits[side], values[side])?;
            child.sorted.spare(&mut self.search.spare);
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

/// The rules whose left child and whose right child are the outer sets of the children of a threshold
/// between two others; of all items if there is none. Their weights are not used.
fn outer_rules<T>(subset: &Subset<T>, [before, after]: &[Option<Rule>; 2]) -> [Rule; 2] {
    let (items, rows, weight) = (subset.count, subset.rows, 0);
    // The items are those in the order of any feature.
    let feature = before.or(*after).map_or(0, |rule| rule.feature);
    let all = Rule { feature, rank: u32::MAX, items, rows, weight };
    let none = Rule { feature, rank: 0, items: 0, rows: 0, weight };
    [after.unwrap_or(all), before.unwrap_or(none)]
}
