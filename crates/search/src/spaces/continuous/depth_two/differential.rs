//! Evaluators, and the evaluation of all thresholds at once, against trying every stump in both
//! children of every root.

use super::evaluator::{CorrectWeight, Evaluator, MAX_PAIRED_CLASSES, RootSplit, StumpBounds};
use super::pair_evaluator::PairEvaluator;
use super::tally_evaluator::TallyEvaluator;
use crate::engine::inherited_bounds::ThresholdBounds;
use crate::engine::intervals::{Interval, IntervalEdge};
use crate::engine::rules::Rule;
use crate::engine::two_set_bound::LeafRows;
use crate::kernels::InstructionSet;
use crate::kernels::prefixes::TOO_HEAVY;
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::error_space::ContinuousSearch;
use crate::spaces::continuous::layout::Layout;
use crate::support::cache::SharedCache;
use crate::support::clock::{Clock, StopSwitch};
use crate::support::options::Options;
use crate::support::random_weights;
use crate::support::statistics::Progress;
use exactree_model::{Cost, Errors, StoppedBy, Table, Weight};

/// The weights of the classes among some slots.
fn weights(layout: &Layout, slots: impl Iterator<Item = usize>) -> Vec<Weight> {
    let mut weights = vec![0; layout.n_classes];
    slots.for_each(|slot| weights[layout.class[slot] as usize] += layout.weight[slot]);
    weights
}

fn heaviest_class(weights: &[Weight]) -> Weight {
    weights.iter().max().copied().unwrap_or(0)
}

/// The weight of some slots that the leaf, and the best stump on some features, classify correctly.
fn naive(layout: &Layout, slots: &[usize], features: &[usize]) -> CorrectWeight {
    let leaf = heaviest_class(&weights(layout, slots.iter().copied()));
    let mut stump = leaf;
    for &feature in features {
        let ranks = &layout.features[feature].ranks;
        for rank in 0..50 {
            let (left, right): (Vec<usize>, Vec<usize>) =
                slots.iter().partition(|&&slot| ranks[slot] <= rank);
            let [left, right] =
                [left, right].map(|child| heaviest_class(&weights(layout, child.into_iter())));
            stump = stump.max(left + right);
        }
    }
    CorrectWeight { leaf, stump }
}

fn draw(random: &mut fastrand::Rng) -> Layout {
    let (rows, features) = (random.usize(2..90), random.usize(1..5));
    let classes = [2, 2, 3, 5][random.usize(0..4)];
    let values = [3, 10, 50][random.usize(0..3)];
    // Some features have few values and others many.
    let few = random.u32(1..10);
    let values_of = |at: usize| if at == 2 { few } else { values };
    let columns: Vec<Vec<f64>> = (0..features)
        .map(|at| (0..rows).map(|_| random.u32(0..values_of(at)) as f64).collect())
        .collect();
    let clear = random.bool();
    let label = |row: usize| match clear && random.u32(0..5) > 0 {
        true => (columns[0][row] * 2.0 > values as f64) as u32,
        false => random.u32(0..classes),
    };
    let labels: Vec<u32> = (0..rows).map(label).collect();
    let weights = random_weights::weights(random, rows, 60);
    let table = Table::new(&columns, &labels, &weights, classes as usize);
    Layout::new(&table, &Options { bit_columns: false, ..Options::default() }, 1)
}

/// Every evaluator, prepared for a subset.
fn evaluators(
    layout: &Layout,
    subset: &ContinuousSubset,
    leaf_rows: bool,
) -> Vec<Box<dyn Evaluator>> {
    let classes = (0..layout.n_classes).filter(|&class| subset.class_weights[class] > 0);
    let classes: Vec<usize> = classes.collect();
    assert!(classes.len() <= MAX_PAIRED_CLASSES);
    let mut tally = TallyEvaluator::default();
    tally.begin(layout, subset, &classes);
    let mut all: Vec<Box<dyn Evaluator>> = vec![Box::new(tally)];
    for instructions in InstructionSet::available() {
        for few in [false, true] {
            let mut narrow = PairEvaluator::<i16>::new(instructions, few);
            let mut middle = PairEvaluator::<i32>::new(instructions, few);
            let mut wide = PairEvaluator::<i64>::new(instructions, few);
            // Only evaluators whose lanes can hold the weights of the subset, as in `workspace.rs`.
            let rows = if leaf_rows { subset.rows } else { 0 };
            if subset.weight.max(rows) < 0x7fff {
                narrow.begin(layout, subset, &classes, leaf_rows);
                all.push(Box::new(narrow));
            }
            if subset.weight.max(rows) < 0x7fff_ffff {
                middle.begin(layout, subset, &classes, leaf_rows);
                all.push(Box::new(middle));
            }
            wide.begin(layout, subset, &classes, leaf_rows);
            all.push(Box::new(wide));
        }
    }
    all
}

/// The slots in both children of a root.
fn children(subset: &ContinuousSubset, root: RootSplit) -> [Vec<usize>; 2] {
    let order = subset.sorted.order(root.feature);
    let slots: Vec<usize> = order.iter().map(|entry| entry.slot as usize).collect();
    let (left, right) = slots.split_at(root.left);
    [left.to_vec(), right.to_vec()]
}

#[test]
fn evaluators_find_the_best_stumps_unless_they_are_useless() {
    let mut random = fastrand::Rng::with_seed(20_261_120);
    let (mut useful, mut pruned_sweeps) = (0, 0);
    for _ in 0..400 {
        let layout = draw(&mut random);
        let subset = ContinuousSubset::whole(&layout);
        let all: Vec<usize> = (0..layout.features.len()).collect();
        let feature = random.usize(0..all.len());
        let mut ends: Vec<usize> = (0..3).map(|_| random.usize(0..=subset.count)).collect();
        ends.sort_unstable();
        let at = |left: usize| RootSplit { feature, left: ends[left], leaf_rows: None };
        let useless = [(); 2].map(|()| random.u64(0..=subset.weight));
        for evaluator in &mut evaluators(&layout, &subset, false) {
            let open = StumpBounds { notes: [None; 2], useless: [Weight::MAX; 2] };
            let [before, after] =
                [at(0), at(2)].map(|root| evaluator.evaluate(&subset, root, &open));
            let pruned_before = evaluator.pruned_sweeps();
            let stump_bounds = StumpBounds { notes: [before.notes, after.notes], useless };
            let found = evaluator.evaluate(&subset, at(1), &stump_bounds);
            pruned_sweeps += evaluator.pruned_sweeps() - pruned_before;
            for (child, slots) in children(&subset, at(1)).iter().enumerate() {
                let expected = naive(&layout, slots, &all);
                let weight = weights(&layout, slots.iter().copied()).iter().sum::<Weight>();
                let [wrong, noted] = [expected, found.children[child]].map(|it| weight - it.stump);
                assert_eq!(expected.leaf, found.children[child].leaf);
                if wrong < useless[child] {
                    useful += 1;
                    assert_eq!(noted, wrong);
                    let best = found.features.map(|features| [features[child]]);
                    let best = best.map_or(expected, |best| naive(&layout, slots, &best));
                    assert_eq!(best, expected);
                } else {
                    assert!(useless[child].min(wrong) <= noted && noted <= wrong);
                }
            }
        }
    }
    assert!(useful > 1000 && pruned_sweeps > 1000, "{useful} {pruned_sweeps}");
}

/// The weight that the best stump of some weighted slots classifies correctly if both its leaves hold
/// enough rows of the counted slots; the leaf if there is none.
fn naive_with_rows(
    layout: &Layout,
    weighted: &[usize],
    counted: &[usize],
    minimum: u64,
) -> CorrectWeight {
    let leaf = heaviest_class(&weights(layout, weighted.iter().copied()));
    let mut stump = leaf;
    let rows = |slots: &[usize]| slots.iter().map(|&slot| layout.rows[slot]).sum::<u64>();
    for feature in &layout.features {
        for rank in 0..50 {
            let split = |slots: &[usize]| -> [Vec<usize>; 2] {
                slots.iter().partition::<Vec<usize>, _>(|&&slot| feature.ranks[slot] <= rank).into()
            };
            if split(counted).iter().all(|child| rows(child) >= minimum) {
                let correct = split(weighted)
                    .map(|child| heaviest_class(&weights(layout, child.into_iter())));
                stump = stump.max(correct[0] + correct[1]);
            }
        }
    }
    CorrectWeight { leaf, stump }
}

#[test]
fn evaluators_count_rows_of_leaves_on_the_outer_set_and_weights_on_the_inner_set() {
    let mut random = fastrand::Rng::with_seed(20_261_123);
    let (mut forbidden, mut weightless) = (0, 0);
    for _ in 0..400 {
        let layout = draw(&mut random);
        let whole = ContinuousSubset::whole(&layout);
        let feature = random.usize(0..layout.features.len().max(1));
        let rules: Vec<Rule> = match layout.features.is_empty() {
            true => continue,
            false => whole.rules(&layout, feature).iter().collect(),
        };
        if rules.is_empty() {
            continue;
        }
        // A subset of which only some items have weight, and the same for the children of a root.
        let cuts = |random: &mut fastrand::Rng, count: usize| {
            let mut cuts = [(); 3].map(|()| random.usize(0..count));
            cuts.sort_unstable();
            cuts
        };
        let [inner, _, outer] = cuts(&mut random, rules.len()).map(|at| rules[at]);
        let subset = match random.u32(0..3) {
            0 => whole,
            1 => whole.two_set_child(&layout, &outer, &inner, true, &mut Vec::new()),
            _ => whole.two_set_child(&layout, &inner, &outer, false, &mut Vec::new()),
        };
        weightless += usize::from(subset.inner.is_some());
        let feature = random.usize(0..layout.features.len());
        let [low, left, high] = cuts(&mut random, subset.count + 1);
        let order = subset.sorted.order(feature);
        let slots: Vec<usize> = order.iter().map(|entry| entry.slot as usize).collect();
        let counted = [&slots[..high], &slots[low..]];
        let rows = |slots: &[usize]| slots.iter().map(|&slot| layout.rows[slot]).sum::<u64>();
        let minimum = random.u64(2..5 + subset.rows / 3);
        let leaf_rows = LeafRows { outer: [high, low], totals: counted.map(rows), minimum };
        let root = RootSplit { feature, left, leaf_rows: Some(leaf_rows) };
        let classes = [&slots[..left], &slots[left..]];
        for evaluator in &mut evaluators(&layout, &subset, true) {
            let open = StumpBounds { notes: [None; 2], useless: [Weight::MAX; 2] };
            let found = evaluator.evaluate(&subset, root, &open).children;
            for child in 0..2 {
                let weighted = classes[child].iter().copied();
                let weighted: Vec<usize> =
                    weighted.filter(|&slot| subset.weighted().contains(slot as u32)).collect();
                let all = naive_with_rows(&layout, &weighted, &weighted, 0);
                let expected = naive_with_rows(&layout, &weighted, counted[child], minimum);
                assert_eq!(found[child], expected);
                forbidden += usize::from(all != expected);
            }
        }
    }
    assert!(forbidden > 1000 && weightless > 100, "{forbidden} {weightless}");
}

/// Minimum costs of the children of a split, each a leaf or, if its size allows, a stump.
fn naive_children(
    layout: &Layout,
    subset: &ContinuousSubset,
    objective: Errors,
    rule: &Rule,
) -> [[Cost; 2]; 2] {
    let features: Vec<usize> = (0..layout.features.len()).collect();
    children(subset, RootSplit { feature: rule.feature, left: rule.items, leaf_rows: None }).map(
        |slots| {
            let correct = naive(layout, &slots, &features);
            let weight = weights(layout, slots.iter().copied()).iter().sum::<Weight>();
            let leaf = objective.leaf(weight - correct.leaf);
            let stump = objective.join(objective.leaf(weight - correct.stump), objective.leaf(0));
            [leaf, leaf.min(stump)]
        },
    )
}

#[test]
fn evaluating_all_thresholds_together_agrees_with_trying_every_stump() {
    let mut random = fastrand::Rng::with_seed(20_261_121);
    let (options, progress) = (Options::default(), Progress::default());
    let (mut thresholds, mut reported) = (0, 0);
    for _ in 0..650 {
        let layout = draw(&mut random);
        let objective = [(1, 0), (1, 2), (3, 200)]
            .map(|(error_price, leaf_price)| Errors { error_price, leaf_price })
            [random.usize(0..3)];
        if layout.features.is_empty() {
            continue;
        }
        let subset = ContinuousSubset::whole(&layout);
        let feature = random.usize(0..layout.features.len());
        let rules: Vec<Rule> = subset.rules(&layout, feature).iter().collect();
        let classes = subset.class_weights.iter().filter(|&&weight| weight > 0).count();
        if rules.is_empty() || classes < 2 || subset.weight >= TOO_HEAVY {
            continue;
        }
        let ends = [(); 2].map(|()| random.usize(0..rules.len()));
        let (first, last) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        let share = [(1, 1), (0, 1), (1, 0)][random.usize(0..3)];
        // So close to the upper bound that every threshold would be evaluated.
        let edge = IntervalEdge { total: 100, ..IntervalEdge::default() };
        let interval = Interval {
            lower: 0,
            feature: feature as u32,
            share,
            first: first as u32,
            last: last as u32,
            before: edge.clone(),
            after: edge,
        };
        let (switch, cache) = (StopSwitch::default(), SharedCache::new(None, 1));
        let clock = Clock::start(None, &switch);
        let mut search =
            ContinuousSearch::new(&layout, objective, &options, clock, &progress, &cache);
        let found = search.all_thresholds(&subset, &interval, 99).expect("nobody stops it");
        let cost = |rule: &Rule| {
            let [left, right] = naive_children(&layout, &subset, objective, rule);
            objective.join(left[share.0 as usize], right[share.1 as usize])
        };
        assert_eq!(Some(found.cost), rules[first..=last].iter().map(cost).min());
        assert_eq!(found.cost, cost(&found.rule));
        for ThresholdBounds { feature, rank, left, right } in found.threshold_bounds {
            let rule = rules[first..=last].iter().find(|rule| rule.rank == rank).expect("inside");
            assert_eq!(feature, rule.feature);
            let naive = naive_children(&layout, &subset, objective, rule);
            assert_eq!([left, right], [naive[0][1], naive[1][1]]);
            reported += 1;
        }
        thresholds += last - first + 1;
        switch.stop(StoppedBy::Interrupt);
        assert!(search.all_thresholds(&subset, &interval, 99).is_none());
    }
    assert!(thresholds > 2000 && reported > 1000, "{thresholds} {reported}");
}
