//! Certificates of random tables, checked by the crate `exactree-check`; and those of an engine with
//! wrong bounds, of which none may be accepted.

use super::{BoundToProve, CertificateRequest, CertifiedCosts, write_certificate};
use crate::spaces::continuous::differential::{Instance, definition, draw, engine, random_options};
use crate::spaces::leaf_costs::CostOptions;
use crate::spaces::leaf_costs::differential::class_costs::instance::{
    ClassCostInstance, CostKind, draw as draw_class_costs,
};
use crate::spaces::leaf_costs::differential::definition::Definition;
use crate::support::clock::{Clock, StopSwitch};
use crate::support::mutants::{Mutant, with_mutant};
use crate::support::options::Options;
use crate::support::statistics::Progress;
use exactree_check::{Examples, Reason};
use exactree_model::{Cost, Limits, Table, Weight};
use std::fmt::Write;

/// A problem whose bounds are certified.
struct Certified<'t> {
    table: &'t Table,
    costs: CertifiedCosts,
    limits: Limits,
}

impl<'t> Certified<'t> {
    fn of_errors(instance: &'t Instance) -> Self {
        let costs = CertifiedCosts::Errors(instance.objective);
        Certified { table: &instance.table, costs, limits: instance.limits }
    }

    /// Of an instance with a matrix, and its table.
    fn of_classes(instance: &ClassCostInstance, table: &'t Table) -> Self {
        let CostKind::Matrix(by_class, price) = instance.kind.clone() else {
            panic!("the instances are drawn with a matrix")
        };
        Certified {
            table,
            costs: CertifiedCosts::Matrix { by_class, price },
            limits: instance.limits,
        }
    }

    /// The examples for the checker: one for every row of an item.
    fn examples(&self) -> Examples {
        let table = self.table;
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

    /// The classes of the examples by first appearance, and then all others.
    fn classes(&self) -> (Vec<usize>, Vec<usize>) {
        let mut known: Vec<usize> = Vec::new();
        for item in &self.table.items {
            if !known.contains(&(item.class as usize)) {
                known.push(item.class as usize);
            }
        }
        let all = match &self.costs {
            CertifiedCosts::Errors(_) => 0,
            CertifiedCosts::Matrix { by_class, .. } => by_class.len(),
        };
        let others = (0..all).filter(|class| !known.contains(class)).collect();
        (known, others)
    }

    /// The cost of a leaf that predicts the first class, by the definition.
    fn cost_of_leaf(&self) -> Cost {
        let items = &self.table.items;
        let first = items[0].class;
        match &self.costs {
            CertifiedCosts::Errors(objective) => {
                let errors = items.iter().filter(|item| item.class != first);
                objective.leaf(errors.map(|item| item.weight).sum())
            }
            CertifiedCosts::Matrix { by_class, price } => {
                let costs = items
                    .iter()
                    .map(|item| item.weight * by_class[item.class as usize][first as usize]);
                costs.sum::<Cost>() + price
            }
        }
    }

    /// The header up to the body, of a tree that is a leaf.
    fn header(&self, examples: &Examples, bound: Cost, counts: [usize; 2]) -> String {
        let splits = "n".repeat(examples.columns.len());
        let (known, others) = self.classes();
        let (prices, class_costs) = match &self.costs {
            CertifiedCosts::Errors(objective) => {
                ([objective.error_price, objective.leaf_price], None)
            }
            CertifiedCosts::Matrix { by_class, price } => {
                let predictions = || known.iter().chain(&others);
                let costs = known
                    .iter()
                    .flat_map(|&class| predictions().map(move |&other| by_class[class][other]));
                ([1, *price], Some(costs.collect::<Vec<Cost>>()))
            }
        };
        let table = exactree_check::Table::new(examples, &splits, class_costs.as_deref());
        let in_words = class_costs
            .map(|costs| costs.iter().map(Cost::to_string).collect::<Vec<String>>().join(" "));
        let min_rows = self.limits.min_samples_leaf;
        let mut header = String::from("exactree-certificate 1\n");
        let mut add = |name: &str, value: &dyn std::fmt::Display| {
            writeln!(header, "{name} {value}").expect("a string takes all");
        };
        add("table", &table.expect("a table").digest);
        add("rows", &examples.labels.len());
        add("features", &examples.columns.len());
        add("classes", &known.len());
        add("splits", &splits);
        add("weight-scale", &1);
        add("error-price", &prices[0]);
        add("leaf-price", &prices[1]);
        add("class-costs", &in_words.unwrap_or("none".into()));
        add("minimize", &"errors");
        add("max-depth", &self.limits.depth);
        add("max-size", &self.limits.size);
        add("max-errors", &"none");
        add("min-rows", &if min_rows > 1 { min_rows } else { 0 });
        add("cost", &self.cost_of_leaf());
        add("lower-bound", &bound);
        add("tree", &0);
        add("sets", &counts[0]);
        add("claims", &counts[1]);
        header + "body\n"
    }

    /// The verdict on a certificate that a bound holds, written with one bound of the engine made
    /// wrong; `None` if none is written.
    fn verdict(&self, bound: Cost, mutant: Option<Mutant>) -> Option<Result<(), Reason>> {
        let examples = self.examples();
        let request = CertificateRequest {
            costs: self.costs.clone(),
            stages: vec![vec![BoundToProve { limits: self.limits, bound }]],
            columns: examples.columns.len(),
            memory_limit: None,
            threads: 1,
        };
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let clock = Clock::start(None, &switch);
        let write = || write_certificate(self.table, &request, clock, &progress);
        let proof = with_mutant(mutant, write)?;
        let header = self.header(&examples, bound, [proof.sets, proof.claims]);
        let content = [header.as_bytes(), &proof.body].concat();
        Some(exactree_check::check(&content, &examples, &|| false).map(|_| ()))
    }
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
        let certified = Certified::of_errors(&instance);
        assert_eq!(certified.verdict(optimum, None), Some(Ok(())), "{instance:?}");
        assert_eq!(certified.verdict(optimum / 2, None), Some(Ok(())), "{instance:?}");
        assert_eq!(certified.verdict(optimum + 1, None), None, "{instance:?}");
    }
}

/// A random instance with a matrix, with enough rows for a leaf.
fn drawn_classes(random: &mut fastrand::Rng, max_rows: [usize; 4]) -> ClassCostInstance {
    loop {
        let instance = draw_class_costs(random, max_rows, true);
        if instance.limits.min_samples_leaf <= instance.labels.len() as u64 {
            return instance;
        }
    }
}

#[test]
fn the_minimum_cost_of_a_matrix_is_certified_and_no_greater_cost() {
    let mut random = fastrand::Rng::with_seed(20_261_130);
    for _ in 0..400 {
        let instance = drawn_classes(&mut random, [8, 30, 16, 9]);
        let optimum = instance.optimum() as Cost;
        let (examples, _) = instance.request_with(&CostOptions::default());
        let certified = Certified::of_classes(&instance, &examples.table);
        assert_eq!(certified.verdict(optimum, None), Some(Ok(())), "{instance:?}");
        assert_eq!(certified.verdict(optimum / 2, None), Some(Ok(())), "{instance:?}");
        assert_eq!(certified.verdict(optimum + 1, None), None, "{instance:?}");
    }
}

#[test]
fn no_certificate_of_a_wrong_search_for_costs_is_accepted() {
    let mutants = [
        Mutant::Intervals,
        Mutant::FeatureBounds,
        Mutant::CostSimilarity,
        Mutant::LeafBudget,
        Mutant::LeafPrice,
        Mutant::CachedBounds,
        Mutant::CostEqualRows,
        Mutant::TwoSetBound,
        Mutant::CostStumpBounds,
    ];
    for mutant in mutants {
        let mut random = fastrand::Rng::with_seed(20_261_130);
        let (mut wrong, mut written) = (0, 0);
        for _ in 0..20_000 {
            // Some wrong bounds of an engine suffice.
            if wrong >= 3 {
                break;
            }
            let instance = drawn_classes(&mut random, [8, 60, 40, 20]);
            let (examples, found) = instance.solved(&CostOptions::default());
            let optimum = found.outcome.cost.expect("a leaf is within the limits");
            let options = CostOptions::some_off(&mut random);
            let (_, found) = with_mutant(Some(mutant), || instance.solved(&options));
            let bound = found.outcome.lower_bound.max(found.outcome.cost.unwrap_or(0));
            if bound > optimum {
                wrong += 1;
                let certified = Certified::of_classes(&instance, &examples.table);
                let verdict = certified.verdict(bound, Some(mutant));
                written += usize::from(verdict.is_some());
                assert_ne!(verdict, Some(Ok(())), "{mutant:?} {instance:?}");
            }
        }
        println!("{mutant:?}: {wrong} wrong bounds, {written} certificates, all refused");
        assert!(wrong > 0, "{mutant:?}");
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
                let verdict = Certified::of_errors(&instance).verdict(bound, Some(mutant));
                written += usize::from(verdict.is_some());
                assert_ne!(verdict, Some(Ok(())), "{mutant:?} {instance:?}");
            }
        }
        println!("{mutant:?}: {wrong} wrong bounds, {written} certificates, all refused");
        assert!(wrong > 0);
    }
}
