//! Certificates of random tables, checked by the crate `exactree-check`; and those of an engine with
//! wrong bounds, of which none may be accepted.

use super::{BoundToProve, CertificateRequest, write_certificate};
use crate::spaces::continuous::differential::{Instance, definition, draw, engine, random_options};
use crate::support::clock::{Clock, StopSwitch};
use crate::support::mutants::{Mutant, with_mutant};
use crate::support::options::Options;
use crate::support::statistics::Progress;
use exactree_check::{Examples, Reason, Table};
use exactree_model::{Cost, Weight};

/// The examples of an instance for the checker: one for every row of an item.
fn examples_of(instance: &Instance) -> Examples {
    let table = &instance.table;
    let columns = table.features.iter().map(|feature| feature.index + 1).max().unwrap_or(1);
    let rows: Vec<usize> = table.items.iter().map(|item| item.rows as usize).collect();
    let mut given = vec![vec![0.0; rows.iter().sum()]; columns as usize];
    for feature in &table.features {
        let ranks = feature.ranks.iter().zip(&rows);
        let of_rows = ranks.flat_map(|(&rank, &rows)| vec![rank.into(); rows]);
        given[feature.index as usize] = of_rows.collect();
    }
    let (mut labels, mut weights) = (Vec::new(), Vec::new());
    for (item, &rows) in table.items.iter().zip(&rows) {
        labels.extend(vec![item.class; rows]);
        // The first row has what the others leave.
        weights.push(item.weight - (rows as Weight - 1));
        weights.extend(vec![1; rows - 1]);
    }
    Examples { columns: given, labels, weights, weight_scale: 1 }
}

/// The verdict on a certificate that a bound holds, written with one bound of the engine made wrong;
/// `None` if none is written. Its tree is a leaf.
fn verdict(instance: &Instance, bound: Cost, mutant: Option<Mutant>) -> Option<Result<(), Reason>> {
    let examples = examples_of(instance);
    let columns = examples.columns.len();
    let splits = "n".repeat(columns);
    let request = CertificateRequest {
        objective: instance.objective,
        stages: vec![vec![BoundToProve { limits: instance.limits, bound }]],
        columns,
        memory_limit: None,
        threads: 1,
    };
    let (switch, progress) = (StopSwitch::default(), Progress::default());
    let clock = Clock::start(None, &switch);
    let write = || write_certificate(&instance.table, &request, clock, &progress);
    let proof = with_mutant(mutant, write)?;
    let table = &instance.table;
    let first = table.items[0].class;
    let errors = table.items.iter().filter(|item| item.class != first);
    let cost = instance.objective.leaf(errors.map(|item| item.weight).sum());
    let classes: std::collections::BTreeSet<u32> =
        table.items.iter().map(|item| item.class).collect();
    let header = format!(
        "exactree-certificate 1\ntable {}\nrows {}\nfeatures {columns}\nclasses {}\n\
         splits {splits}\nweight-scale 1\nerror-price {}\nleaf-price {}\nminimize errors\nmax-depth {}\n\
         max-size {}\nmax-errors none\nmin-rows {}\ncost {cost}\nlower-bound {bound}\ntree 0\nsets {}\n\
         claims {}\nbody\n",
        Table::new(&examples, &splits).expect("a table").digest,
        examples.labels.len(),
        classes.len(),
        instance.objective.error_price,
        instance.objective.leaf_price,
        instance.limits.depth,
        instance.limits.size,
        if instance.limits.min_samples_leaf > 1 { instance.limits.min_samples_leaf } else { 0 },
        proof.sets,
        proof.claims,
    );
    let content = [header.as_bytes(), &proof.body].concat();
    Some(exactree_check::check(&content, &examples, &|| false).map(|_| ()))
}

/// A random instance of few rows, half of them without a minimum leaf size.
fn drawn_within(random: &mut fastrand::Rng, max_rows: [usize; 5]) -> Instance {
    loop {
        let instance = draw(random, max_rows);
        let rows = instance.table.items.iter().map(|item| u128::from(item.rows)).sum::<u128>();
        if rows < 200 && u128::from(instance.limits.min_samples_leaf) <= rows {
            return instance;
        }
    }
}

/// A random instance and its minimum cost.
fn drawn(random: &mut fastrand::Rng) -> (Instance, Cost) {
    let instance = drawn_within(random, [0, 40, 20, 9, 6]);
    let items: Vec<usize> = (0..instance.table.items.len()).collect();
    let optimum = definition(&instance, &items, instance.limits.normalised());
    (instance, optimum)
}

#[test]
fn the_minimum_cost_is_certified_and_no_greater_cost() {
    let mut random = fastrand::Rng::with_seed(20_261_128);
    for _ in 0..400 {
        let (instance, optimum) = drawn(&mut random);
        assert_eq!(verdict(&instance, optimum, None), Some(Ok(())), "{instance:?}");
        assert_eq!(verdict(&instance, optimum / 2, None), Some(Ok(())), "{instance:?}");
        assert_eq!(verdict(&instance, optimum + 1, None), None, "{instance:?}");
    }
}

#[test]
fn no_certificate_of_a_wrong_engine_is_accepted() {
    let mutants = [
        Mutant::Intervals,
        Mutant::ThresholdSimilarity,
        Mutant::FeatureBounds,
        Mutant::StumpBounds,
        Mutant::EqualRows,
        Mutant::ClassCount,
        Mutant::LeafPrice,
        Mutant::LeafBudget,
        Mutant::CachedBounds,
        Mutant::TwoSetBound,
        Mutant::LeafClasses,
    ];
    for mutant in mutants {
        let mut random = fastrand::Rng::with_seed(20_261_129);
        let (mut wrong, mut written) = (0, 0);
        for _ in 0..2_500 {
            // Some wrong bounds of an engine suffice.
            if wrong >= 5 {
                break;
            }
            let instance = drawn_within(&mut random, [0, 60, 60, 40, 16]);
            let (.., optimum) = engine(&instance, &Options::default(), 1);
            let options = random_options(&mut random, 20);
            // What the engine takes for the minimum cost.
            let (_, cost, bound) = with_mutant(Some(mutant), || engine(&instance, &options, 1));
            let bound = bound.max(cost.unwrap_or(0));
            if bound > optimum {
                wrong += 1;
                let verdict = verdict(&instance, bound, Some(mutant));
                written += usize::from(verdict.is_some());
                assert_ne!(verdict, Some(Ok(())), "{mutant:?} {instance:?}");
            }
        }
        println!("{mutant:?}: {wrong} wrong bounds, {written} certificates, all refused");
        assert!(wrong > 0);
    }
}
