//! Violations of monotonicity, and two conditions of which every monotone tree satisfies one.
//!
//! The region of a leaf has, for every feature, some of its *values*: the distinct numbers of the
//! table, or the codes of the table and one further code. No other numbers matter, because all
//! thresholds are thresholds of the whole table.

use crate::constraints::statement::TreeConstraints;
use crate::engine::subset::ThresholdTable;
use crate::engine::subset_state::{LeafCondition, LeafValue};
use exactree_model::{Table, Weight};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The values of all features of a prepared table.
pub(crate) struct FeatureSpace<'a> {
    /// By column of the prepared table the ranks of its slots.
    ranks: Vec<&'a [u32]>,
    features: Vec<SpaceFeature>,
}

/// A feature, its columns, and its values.
struct SpaceFeature {
    direction: i8,
    columns: Vec<usize>,
    values: SpaceValues,
}

/// The values of a feature.
enum SpaceValues {
    /// The ranks of its only column.
    Ranks(u32),
    /// By value its rank in each column; by slot its value.
    Codes { ranks: Vec<Vec<u32>>, of_slot: Vec<u32> },
}

/// The values of a feature that reach a leaf.
#[derive(Clone)]
pub(crate) enum Region {
    /// From the first to the last rank.
    Ranks(u32, u32),
    Codes(Vec<bool>),
}

/// A leaf with its region, by feature.
pub(crate) struct LeafRegion {
    pub(crate) regions: Vec<Region>,
    pub slots: Vec<u32>,
    pub value: LeafValue,
    pub weight: Weight,
}

/// Two leaves a and b whose values are in the wrong order: a point of a becomes a point of b if
/// only its value of the feature increases.
#[derive(Clone, Copy)]
struct Violation {
    leaves: [usize; 2],
    feature: usize,
}

impl<'a> FeatureSpace<'a> {
    /// The features of the constraints that have columns in the prepared table; `columns` are the
    /// numbers of these columns in the problem.
    pub(crate) fn new<P: ThresholdTable>(
        statement: &TreeConstraints,
        table: &Table,
        prepared: &'a P,
        columns: &[usize],
    ) -> Self {
        let ranks_of: Vec<&[u32]> = (0..prepared.features()).map(|at| prepared.ranks(at)).collect();
        let mut features = Vec::new();
        for (feature, &direction) in statement.directions.iter().enumerate() {
            let of_feature = |column: &usize| statement.features[*column] as usize == feature;
            let of_table: Vec<usize> = (0..statement.features.len()).filter(of_feature).collect();
            let kept: Vec<(usize, usize)> = of_table
                .iter()
                .enumerate()
                .filter_map(|(at, c)| columns.iter().position(|k| k == c).map(|k| (at, k)))
                .collect();
            let columns: Vec<usize> = kept.iter().map(|&(_, column)| column).collect();
            let values = match (&statement.values[feature], columns.as_slice()) {
                (_, []) => continue,
                (ranks, [column]) if ranks.is_empty() => {
                    let index = prepared.index(*column) as usize;
                    SpaceValues::Ranks(table.features[index].values.len() as u32)
                }
                (ranks, columns) => {
                    let ranks: Vec<Vec<u32>> = ranks
                        .iter()
                        .map(|value| kept.iter().map(|&(at, _)| value[at]).collect())
                        .collect();
                    let mut by_ranks: FxHashMap<&[u32], u32> = FxHashMap::default();
                    for (value, ranks) in ranks.iter().enumerate() {
                        by_ranks.entry(ranks).or_insert(value as u32);
                    }
                    let of_slot = (0..prepared.slots())
                        .map(|slot| {
                            let key: Vec<u32> =
                                columns.iter().map(|&c| ranks_of[c][slot]).collect();
                            by_ranks.get(key.as_slice()).copied().unwrap_or(0)
                        })
                        .collect();
                    SpaceValues::Codes { ranks, of_slot }
                }
            };
            features.push(SpaceFeature { direction, columns, values });
        }
        FeatureSpace { ranks: ranks_of, features }
    }

    /// The region of the root.
    pub(crate) fn everything(&self) -> LeafRegion {
        let whole = |feature: &SpaceFeature| match &feature.values {
            SpaceValues::Ranks(count) => Region::Ranks(0, count - 1),
            SpaceValues::Codes { ranks, .. } => Region::Codes(vec![true; ranks.len()]),
        };
        let regions = self.features.iter().map(whole).collect();
        LeafRegion { regions, slots: Vec::new(), value: LeafValue::whole(0), weight: 0 }
    }

    /// The regions of the two children of a split.
    pub(crate) fn split(&self, of: &LeafRegion, column: usize, rank: u32) -> [LeafRegion; 2] {
        let of_column = |feature: &SpaceFeature| feature.columns.contains(&column);
        let at = self.features.iter().position(of_column).expect("every column has a feature");
        let halves: [Region; 2] = match (&of.regions[at], &self.features[at].values) {
            (Region::Ranks(first, last), _) => [
                Region::Ranks(*first, *last.min(&rank)),
                Region::Ranks(*first.max(&(rank + 1)), *last),
            ],
            (Region::Codes(held), SpaceValues::Codes { ranks, .. }) => {
                let columns = &self.features[at].columns;
                let place = columns.iter().position(|c| *c == column).expect("found above");
                [true, false].map(|on_left| {
                    let stays = |(held, ranks): (&bool, &Vec<u32>)| {
                        *held && (ranks[place] <= rank) == on_left
                    };
                    Region::Codes(held.iter().zip(ranks).map(stays).collect())
                })
            }
            (Region::Codes(_), SpaceValues::Ranks(_)) => {
                unreachable!("regions are as their values")
            }
        };
        halves.map(|half| {
            let mut regions = of.regions.clone();
            regions[at] = half;
            LeafRegion { regions, slots: Vec::new(), value: LeafValue::whole(0), weight: 0 }
        })
    }

    /// Whether a tree with these leaves is monotone.
    pub(crate) fn is_monotone(&self, leaves: &[LeafRegion]) -> bool {
        self.violations(leaves).next().is_none()
    }

    /// Two conditions that a tree with these leaves violates; every monotone tree satisfies one of
    /// them. `None` if the tree is monotone.
    ///
    /// Two points that differ only in one feature with a direction reach leaves whose values are in
    /// the wrong order. Take any number between these values: the value of an increasing tree is at
    /// most this number at the lower point, or greater than it at the upper point, because it is
    /// not smaller there. For a decreasing tree the points are exchanged. The number is `boundary`
    /// if the leaves predict different classes, the value up to which the earlier class is
    /// predicted; else that of a leaf of both sets of examples, or the smaller value if that is not
    /// between them.
    pub(crate) fn choice(
        &self,
        leaves: &[LeafRegion],
        boundary: Option<LeafValue>,
        value_of: impl Fn(&[u32]) -> LeafValue,
    ) -> Option<[LeafCondition; 2]> {
        // The heaviest leaves first: other trees are likely to have similar leaves.
        let weight = |at: &Violation| leaves[at.leaves[0]].weight.min(leaves[at.leaves[1]].weight);
        let Violation { leaves: [a, b], feature } = self.violations(leaves).max_by_key(weight)?;
        let (a, b) = (&leaves[a], &leaves[b]);
        let slots = [a.slots.as_slice(), b.slots.as_slice()].concat();
        let (smaller, greater) = ((&a.value).min(&b.value), (&a.value).max(&b.value));
        let between = |limit: &LeafValue| smaller <= limit && limit < greater;
        let limits = boundary.into_iter().chain([value_of(&slots)]);
        let limit = limits.into_iter().find(between).unwrap_or_else(|| smaller.clone());
        let (low, high) = self.points(a, b, feature, &slots);
        let rises = self.features[feature].direction > 0;
        Some([
            LeafCondition { point: low, at_most: rises, limit: limit.clone() },
            LeafCondition { point: high, at_most: !rises, limit },
        ])
    }

    fn violations(&self, leaves: &[LeafRegion]) -> impl Iterator<Item = Violation> {
        let directed = |at: &usize| self.features[*at].direction != 0;
        let pairs = move |feature: usize| {
            let count = leaves.len();
            let pairs = (0..count).flat_map(move |a| (0..count).map(move |b| [a, b]));
            pairs
                .filter(move |pair| pair[0] != pair[1])
                .map(move |leaves| Violation { leaves, feature })
        };
        let all = (0..self.features.len()).filter(directed).flat_map(pairs);
        all.filter(|violation| self.is_violation(leaves, violation))
    }

    fn is_violation(&self, leaves: &[LeafRegion], violation: &Violation) -> bool {
        let Violation { leaves: [a, b], feature } = *violation;
        let (a, b) = (&leaves[a], &leaves[b]);
        let wrong = match self.features[feature].direction {
            1 => a.value > b.value,
            _ => a.value < b.value,
        };
        wrong
            && first(&a.regions[feature]) < last(&b.regions[feature])
            && (0..self.features.len())
                .filter(|other| *other != feature)
                .all(|other| meet(&a.regions[other], &b.regions[other]))
    }

    /// Two points near the middle of the examples that differ in one feature only, the first in a,
    /// the second in b.
    fn points(
        &self,
        a: &LeafRegion,
        b: &LeafRegion,
        feature: usize,
        slots: &[u32],
    ) -> (Arc<[u32]>, Arc<[u32]>) {
        let mut low: Vec<u32> = vec![0; self.ranks.len()];
        for (at, of_space) in self.features.iter().enumerate().filter(|(at, _)| *at != feature) {
            let allowed = |value: u32| holds(&a.regions[at], value) && holds(&b.regions[at], value);
            let range = (
                first(&a.regions[at]).max(first(&b.regions[at])),
                last(&a.regions[at]).min(last(&b.regions[at])),
            );
            self.write(of_space, self.middle(of_space, slots, range, allowed), &mut low);
        }
        let mut high = low.clone();
        let of_space = &self.features[feature];
        let top = last(&b.regions[feature]);
        let in_a = |value: u32| holds(&a.regions[feature], value) && value < top;
        let ends = (first(&a.regions[feature]), last(&a.regions[feature]).min(top - 1));
        let lower = self.middle(of_space, &a.slots, ends, in_a);
        let in_b = |value: u32| holds(&b.regions[feature], value) && value > lower;
        let ends = (first(&b.regions[feature]).max(lower + 1), top);
        let upper = self.middle(of_space, &b.slots, ends, in_b);
        self.write(of_space, lower, &mut low);
        self.write(of_space, upper, &mut high);
        (low.into(), high.into())
    }

    /// An allowed value near the median of some slots, else one near the middle of a range with
    /// allowed values.
    fn middle(
        &self,
        feature: &SpaceFeature,
        slots: &[u32],
        range: (u32, u32),
        allowed: impl Fn(u32) -> bool,
    ) -> u32 {
        let value = |slot: u32| match &feature.values {
            SpaceValues::Ranks(_) => self.ranks[feature.columns[0]][slot as usize],
            SpaceValues::Codes { of_slot, .. } => of_slot[slot as usize],
        };
        let mut held: Vec<u32> =
            slots.iter().map(|&slot| value(slot)).filter(|&v| allowed(v)).collect();
        if held.is_empty() {
            held = match &feature.values {
                SpaceValues::Ranks(_) => vec![range.0.midpoint(range.1)],
                SpaceValues::Codes { .. } => (range.0..=range.1).filter(|&v| allowed(v)).collect(),
            };
        }
        let middle = held.len() / 2;
        *held.select_nth_unstable(middle).1
    }

    /// Writes the ranks of a value of a feature.
    fn write(&self, feature: &SpaceFeature, value: u32, point: &mut [u32]) {
        match &feature.values {
            SpaceValues::Ranks(_) => point[feature.columns[0]] = value,
            SpaceValues::Codes { ranks, .. } => {
                let pairs = feature.columns.iter().zip(&ranks[value as usize]);
                pairs.for_each(|(&column, &rank)| point[column] = rank);
            }
        }
    }
}

/// The first value of a region that is not empty.
fn first(region: &Region) -> u32 {
    match region {
        Region::Ranks(first, _) => *first,
        Region::Codes(held) => held.iter().position(|&held| held).unwrap_or(held.len()) as u32,
    }
}

/// The last value of a region that is not empty.
fn last(region: &Region) -> u32 {
    match region {
        Region::Ranks(_, last) => *last,
        Region::Codes(held) => held.iter().rposition(|&held| held).unwrap_or(0) as u32,
    }
}

fn holds(region: &Region, value: u32) -> bool {
    match region {
        Region::Ranks(first, last) => (*first..=*last).contains(&value),
        Region::Codes(held) => held[value as usize],
    }
}

/// Whether two regions share a value.
fn meet(a: &Region, b: &Region) -> bool {
    match (a, b) {
        (Region::Codes(a), Region::Codes(b)) => a.iter().zip(b).any(|(a, b)| *a && *b),
        _ => first(a).max(first(b)) <= last(a).min(last(b)),
    }
}
