//! The evaluator, and the best stump of a subset, against trying every stump.

use super::{CostStumpBounds, StumpEvaluation, StumpEvaluator};
use crate::costs::class_costs::{ClassCosts, ShareCost};
use crate::costs::items::CostSubset;
use crate::costs::units::TargetError;
use crate::engine::rules::Rule;
use crate::engine::subset::SearchTable;
use crate::engine::two_set_bound::LeafRows;
use crate::kernels::InstructionSet;
use crate::spaces::leaf_costs::cost_space::CostSpace;
use crate::spaces::leaf_costs::prepared_table::CostTable;
use crate::spaces::leaf_costs::threshold_rules::{ThresholdRules, ThresholdsSearch};
use crate::spaces::leaf_costs::{CostExamples, CostOptions, CostRequest};
use crate::support::bits::Bits;
use crate::support::cache::SharedCache;
use crate::support::clock::{Clock, StopSwitch};
use crate::support::mutants::{Mutant, with_mutant};
use crate::support::random_weights;
use crate::support::statistics::Progress;
use exactree_model::{Cost, Limits, Tree};

const OPEN: CostStumpBounds = CostStumpBounds { notes: [None; 2], useless: [Cost::MAX; 2] };

/// The kinds of costs, each with its own code.
const KINDS: usize = 6;

fn request() -> CostRequest {
    CostRequest {
        limits: Limits { depth: 2, size: 3, min_samples_leaf: 1 },
        leaf_price: 0.0,
        memory_limit: None,
        stop_at_gap: 0.0,
        threads: 1,
        options: CostOptions { bit_columns: false, ..CostOptions::default() },
    }
}

/// A random table: squared error in usual and in fine units, absolute error, a cost matrix, log-loss,
/// Gini impurity.
fn draw(random: &mut fastrand::Rng, kind: usize) -> CostTable {
    let (rows, features) = (random.usize(2..50), random.usize(1..4));
    let values = [2, 4, 12, 50][random.usize(0..4)];
    let column = |_| (0..rows).map(|_| f64::from(random.u32(0..values))).collect();
    let columns: Vec<Vec<f64>> = (0..features).map(column).collect();
    let bits = if kind == 3 { 43 } else { 60 };
    let weights = random_weights::weights(random, rows, bits);
    let (request, switch) = (request(), StopSwitch::default());
    let clock = Clock::start(None, &switch);
    if kind < 3 {
        let below = [2, 5, 1000][random.usize(0..3)];
        let targets: Vec<f64> = (0..rows).map(|_| f64::from(random.u32(0..below))).collect();
        let deviation = [TargetError::Squared, TargetError::Squared, TargetError::Absolute][kind];
        let examples = CostExamples::new(&clock, &columns, &targets, &weights, deviation, &request);
        let CostExamples { table, prepared } = examples.expect("nothing stops it");
        let finer = prepared.units.finer().filter(|_| kind == 1);
        let fine = finer
            .and_then(|units| CostTable::prepare(&|| false, &table, units, &request.options, 1));
        return fine.unwrap_or(prepared);
    }
    let classes = random.usize(2..5);
    let labels: Vec<u32> = (0..rows).map(|_| random.u32(0..classes as u32)).collect();
    let costs = match kind {
        3 => {
            let row = |_| (0..classes).map(|_| random.u64(0..500)).collect();
            (ClassCosts::Matrix { by_class: (0..classes).map(row).collect(), price: 0 }, 0)
        }
        _ => {
            let mut whole = vec![0; classes];
            labels.iter().zip(&weights).for_each(|(&at, &w)| whole[at as usize] += w as i64);
            let more = [0.0, 0.0, 1.0, 3.5][random.usize(0..4)];
            let kind = [ShareCost::LogLoss, ShareCost::Gini][kind - 4];
            ClassCosts::of_shares(kind, vec![more; classes], &whole, 0.0)
        }
    };
    CostExamples::of_classes(&clock, &columns, &labels, &weights, costs, &request)
        .expect("nothing stops it")
        .prepared
}

/// The first items of a random feature, or the others.
fn end_of(random: &mut fastrand::Rng, subset: &CostSubset) -> Bits {
    let order = subset.sorted.order(random.usize(0..subset.sorted.features()));
    let (left, right) = order.split_at(random.usize(0..=order.len()));
    let mut end = Bits::empty(subset.members.words.len() * 64);
    [left, right][random.usize(0..2)].iter().for_each(|entry| end.insert(entry.slot));
    end
}

/// A random subset, of which all or only some items have weight.
fn draw_subset(random: &mut fastrand::Rng, prepared: &CostTable) -> CostSubset {
    let mut subset = prepared.whole();
    if random.bool() {
        let feature = random.usize(0..subset.sorted.features());
        let rules = subset.rules(prepared, feature);
        if let Some(rule) = rules.iter().nth(random.usize(0..10)) {
            let [left, right] = subset.split(prepared, &rule);
            subset = if random.bool() { left } else { right };
        }
    }
    if random.u32(0..3) > 0 {
        let inner = subset.members.and(&end_of(random, &subset));
        let inner = if random.bool() { inner } else { inner.and(&end_of(random, &subset)) };
        subset.totals = prepared.totals(&subset.members, &inner).2;
        subset.inner = Some(inner);
    }
    subset
}

/// The cost of a leaf of some of these items.
fn leaf(prepared: &CostTable, items: &Bits, here: impl Fn(u32) -> bool) -> Cost {
    let slots: Vec<u32> = items.iter().filter(|&slot| here(slot)).collect();
    prepared.totals_of(slots.into_iter()).leaf
}

/// The minimum cost of a leaf or stump of some weighted items whose leaves hold enough rows of the
/// counted items.
fn naive(prepared: &CostTable, price: Cost, weighted: &Bits, counted: &Bits, minimum: u64) -> Cost {
    let mut best = leaf(prepared, weighted, |_| true) + price;
    for feature in &prepared.features {
        for rank in 0..50 {
            let on_left = |slot: &u32| feature.ranks[*slot as usize] <= rank;
            let rows = |left: bool| -> u64 {
                let here = counted.iter().filter(|slot| on_left(slot) == left);
                here.map(|slot| prepared.items[slot as usize].rows).sum()
            };
            if rows(true) >= minimum && rows(false) >= minimum {
                let [left, right] = [true, false]
                    .map(|left| leaf(prepared, weighted, |slot| on_left(&slot) == left));
                best = best.min(left + right + 2 * price);
            }
        }
    }
    best
}

/// A root with the rows that count in its children, which are those of an outer root on either side.
struct Root<'a> {
    prepared: &'a CostTable,
    subset: &'a CostSubset,
    rule: Rule,
    leaf_rows: LeafRows,
    price: Cost,
}

impl<'a> Root<'a> {
    fn new(
        prepared: &'a CostTable,
        subset: &'a CostSubset,
        feature: usize,
        [low, items, high]: [usize; 3],
        minimum: u64,
        price: Cost,
    ) -> Self {
        let order = &subset.sorted.order(feature);
        let rows = |from: usize, to: usize| {
            order[from..to].iter().map(|entry| prepared.items[entry.slot as usize].rows).sum()
        };
        let totals = [rows(0, high), rows(low, order.len())];
        let leaf_rows = LeafRows { outer: [high, low], totals, minimum };
        let rule = Rule { feature, rank: 0, items, rows: 0, weight: 0 };
        Root { prepared, subset, rule, leaf_rows, price }
    }

    /// The items of a child that have weight, and those whose rows count.
    fn child(&self, child: usize) -> [Bits; 2] {
        let order = &self.subset.sorted.order(self.rule.feature);
        let set = |place: usize| {
            let mut left = Bits::empty(self.prepared.items.len());
            order[..place].iter().for_each(|entry| left.insert(entry.slot));
            if child == 0 { left } else { self.subset.members.without(&left) }
        };
        let weighted = self.subset.inner.as_ref().unwrap_or(&self.subset.members);
        [set(self.rule.items).and(weighted), set(self.leaf_rows.outer[child])]
    }

    fn naive(&self, child: usize, minimum: u64) -> Cost {
        let [weighted, counted] = self.child(child);
        naive(self.prepared, self.price, &weighted, &counted, minimum)
    }

    fn evaluate(
        &self,
        evaluator: &mut StumpEvaluator<'_>,
        stump_bounds: &CostStumpBounds,
    ) -> StumpEvaluation {
        let leaf_rows = (self.leaf_rows.minimum > 0).then_some(&self.leaf_rows);
        evaluator.evaluate(&self.rule, leaf_rows, stump_bounds)
    }
}

/// Places in a random order of a subset, in increasing order.
fn places<const N: usize>(random: &mut fastrand::Rng, count: usize) -> [usize; N] {
    let mut places = [(); N].map(|()| random.usize(0..=count));
    places.sort_unstable();
    places
}

/// A minimum leaf size, or none.
fn draw_minimum(random: &mut fastrand::Rng, subset: &CostSubset) -> u64 {
    let maximum = subset.rows / 3 + 3;
    [0, random.u64(2..6), random.u64(1..maximum), maximum / 2][random.usize(0..4)]
}

fn draw_price(random: &mut fastrand::Rng, subset: &CostSubset) -> Cost {
    [0, random.u64(0..4), subset.leaf / 8][random.usize(0..3)]
}

/// Draws random subsets, for each a root feature and five places in its order: that of a root, and two
/// on either side. Tables without features are left out.
fn each_root(
    seed: u64,
    kind: usize,
    mut check: impl FnMut(&mut fastrand::Rng, &CostTable, &CostSubset, usize, [usize; 5]),
) {
    let mut random = fastrand::Rng::with_seed(seed);
    for _ in 0..300 {
        let prepared = draw(&mut random, kind);
        if prepared.features.is_empty() {
            continue;
        }
        for _ in 0..4 {
            let subset = draw_subset(&mut random, &prepared);
            let feature = random.usize(0..subset.sorted.features());
            let places = places(&mut random, subset.count);
            check(&mut random, &prepared, &subset, feature, places);
        }
    }
}

#[test]
fn rows_of_leaves_count_on_the_outer_set_and_costs_on_the_inner_set() {
    for kind in 0..KINDS {
        let (mut forbidden, mut weightless, mut outside) = (0, 0, 0);
        each_root(20_261_123, kind, |random, prepared, subset, feature, [low, _, at, _, high]| {
            let (minimum, price) = (draw_minimum(random, subset), draw_price(random, subset));
            let root = Root::new(prepared, subset, feature, [low, at, high], minimum, price);
            // Without a minimum, a threshold that empties a leaf costs what the leaf costs.
            let expected = [0, 1].map(|child| root.naive(child, minimum));
            let leaves = [0, 1].map(|child| {
                let [weighted, counted] = root.child(child);
                forbidden += u32::from(expected[child] != root.naive(child, 0));
                let own = naive(prepared, price, &weighted, &weighted, minimum);
                outside += u32::from(expected[child] != own);
                weightless += u32::from(weighted != counted);
                leaf(prepared, &weighted, |_| true) + price
            });
            for instructions in InstructionSet::available() {
                let mut evaluator = StumpEvaluator::new(prepared, subset, price, instructions);
                let found = root.evaluate(&mut evaluator, &OPEN);
                assert_eq!((found.leaves, found.best), (leaves, expected), "{kind}");
            }
        });
        assert!(
            forbidden > 90 && weightless > 1000 && outside > 100,
            "{kind}: {forbidden} {weightless} {outside}"
        );
    }
}

#[test]
fn evaluations_are_exact_unless_useless_with_notes_of_both_ends_of_an_interval() {
    for kind in 0..KINDS {
        let (mut useful, mut skipped) = (0, 0);
        each_root(20_261_124, kind, |random, prepared, subset, feature, places| {
            let (minimum, price) = (draw_minimum(random, subset), draw_price(random, subset));
            let [low, before, at, after, high] = places;
            let root = |at| Root::new(prepared, subset, feature, at, minimum, price);
            let ends = [root([low, before, high]), root([low, after, high])];
            let root = root([before, at, after]);
            let instructions = InstructionSet::detect(true);
            let mut evaluator = StumpEvaluator::new(prepared, subset, price, instructions);
            let notes = ends.map(|end| end.evaluate(&mut evaluator, &OPEN).notes);
            let useless = [(); 2].map(|()| random.u64(0..=subset.leaf + price));
            let stump_bounds = CostStumpBounds { notes, useless };
            evaluator.skipped_features = 0;
            let found = root.evaluate(&mut evaluator, &stump_bounds);
            skipped += evaluator.skipped_features;
            for (child, useless) in useless.into_iter().enumerate() {
                let (expected, found) = (root.naive(child, minimum), found.best[child]);
                if expected < useless {
                    useful += 1;
                    assert_eq!(found, expected, "{kind}");
                } else {
                    let range = useless.min(expected)..=expected;
                    assert!(range.contains(&found), "{kind} {found} {range:?}");
                }
            }
        });
        assert!(useful > 300 && skipped > 100, "{kind}: {useful} {skipped}");
    }
}

#[test]
fn a_wrong_count_of_rows_is_noticed() {
    for kind in 0..KINDS {
        let mut noticed = 0;
        each_root(20_261_125, kind, |random, prepared, subset, feature, [low, _, at, _, high]| {
            let minimum = random.u64(1..3 + subset.rows / 4);
            let root = Root::new(prepared, subset, feature, [low, at, high], minimum, 0);
            let instructions = InstructionSet::detect(true);
            let mut evaluator = StumpEvaluator::new(prepared, subset, 0, instructions);
            let found =
                with_mutant(Some(Mutant::LeafRowCounts), || root.evaluate(&mut evaluator, &OPEN));
            noticed += u32::from(found.best != [0, 1].map(|child| root.naive(child, minimum)));
        });
        assert!(noticed > 20, "{kind}: {noticed}");
    }
}

#[test]
fn the_best_stump_counts_rows_of_items_without_weight() {
    for kind in 0..KINDS {
        let (mut stumps, mut forbidden) = (0, 0);
        each_root(20_261_126, kind, |random, prepared, subset, _, _| {
            let minimum = random.u64(1..3 + subset.rows / 3);
            let (request, switch) = (request(), StopSwitch::default());
            let (progress, cache) = (Progress::default(), SharedCache::new(None, 1));
            let clock = Clock::start(None, &switch);
            let space = CostSpace::new(prepared, &request, ThresholdRules);
            let mut search = ThresholdsSearch::new(space, &clock, &progress, &cache);
            let (cost, tree) = search.leaf_or_stump(subset, 1, minimum);
            let weighted = subset.inner.as_ref().unwrap_or(&subset.members);
            let best = |minimum| naive(prepared, 0, weighted, &subset.members, minimum);
            assert_eq!(cost, best(minimum), "{kind}");
            forbidden += u32::from(cost != best(0));
            let Tree::Node { feature, rank, .. } = &*tree else { return };
            stumps += 1;
            let ranks = &prepared.features[*feature as usize].ranks;
            let on_left = |slot: u32| ranks[slot as usize] <= *rank;
            let costs =
                [true, false].map(|left| leaf(prepared, weighted, |slot| on_left(slot) == left));
            assert_eq!(cost, costs[0] + costs[1]);
            for left in [true, false] {
                let here = subset.members.iter().filter(|&slot| on_left(slot) == left);
                let rows: u64 = here.map(|slot| prepared.items[slot as usize].rows).sum();
                assert!(rows >= minimum);
            }
        });
        assert!(stumps > 100 && forbidden > 50, "{kind}: {stumps} {forbidden}");
    }
}
