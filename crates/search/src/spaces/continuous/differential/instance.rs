//! Random tables, the minimum cost of their trees by definition, and the engine's outcomes for
//! them.

use crate::engine::request::{Request, SearchOutcome};
use crate::spaces::solve::solve;
use crate::support::clock::{Clock, StopSwitch};
use crate::support::options::Options;
use crate::support::random_weights;
use crate::support::statistics::Progress;
use exactree_model::{Cost, Errors, Limits, Status, Table, UNBOUNDED, Weight};

#[derive(Debug)]
pub(crate) struct Instance {
    pub table: Table,
    pub limits: Limits,
    pub objective: Errors,
}

/// Minimum cost by trying every rule at every node.
pub(crate) fn definition(instance: &Instance, items: &[usize], limits: Limits) -> Cost {
    let table = &instance.table;
    let mut weights: Vec<Weight> = vec![0; table.n_classes];
    let rows = |items: &[usize]| items.iter().map(|&item| table.items[item].rows).sum::<u64>();
    for &item in items {
        weights[table.items[item].class as usize] += table.items[item].weight;
    }
    let mut optimum = instance.objective.leaf(Errors::leaf_errors(&weights));
    if limits.depth == 0 || limits.size == 0 {
        return optimum;
    }
    for feature in &table.features {
        for rank in 0..feature.values.len() as u32 - 1 {
            let (left, right): (Vec<usize>, Vec<usize>) =
                items.iter().partition(|&&item| feature.ranks[item] <= rank);
            if left.is_empty()
                || right.is_empty()
                || rows(&left).min(rows(&right)) < limits.min_samples_leaf
            {
                continue;
            }
            for size in 0..limits.size {
                let child = |size| Limits { depth: limits.depth - 1, size, ..limits };
                let cost = definition(instance, &left, child(size))
                    + definition(instance, &right, child(limits.size - 1 - size));
                optimum = optimum.min(cost);
            }
        }
    }
    optimum
}

/// The total weight of a table is below 2 to this power, so that three times the weight is still a
/// valid cost.
pub(crate) const BITS: u32 = 60;

/// A random instance; `max_rows` limits its rows by depth.
pub(crate) fn draw(random: &mut fastrand::Rng, max_rows: [usize; 5]) -> Instance {
    let depth = random.u32(1..5);
    let rows = random.usize(2..max_rows[depth as usize]);
    let features = random.usize(1..4);
    let values = [2, 3, 6, 40][random.usize(0..4)];
    let classes = random.u32(2..6);
    let columns: Vec<Vec<f64>> =
        (0..features).map(|_| (0..rows).map(|_| random.u32(0..values) as f64).collect()).collect();
    let noisy = random.bool();
    let label = |row: usize, random: &mut fastrand::Rng| match noisy || random.u32(0..10) == 0 {
        true => random.u32(0..classes),
        false => (columns[0][row] * 2.0 > values as f64) as u32,
    };
    let labels: Vec<u32> = (0..rows).map(|row| label(row, random)).collect();
    let weights = random_weights::weights(random, rows, BITS);
    let size =
        if random.bool() { (1 << depth) - 1 } else { random.u32(1..6).min((1 << depth) - 1) };
    let mut table = Table::new(&columns, &labels, &weights, classes as usize);
    // The minimum leaf size counts weights or rows.
    if random.u32(0..4) == 0 {
        table.count_weight_as_rows();
    }
    let counted: u64 = table.items.iter().map(|item| item.rows).sum();
    let min_samples_leaf = [1, 1, 2, random.u64(2..4 + counted / 4)][random.usize(0..4)];
    Instance {
        table,
        limits: Limits { depth, size, min_samples_leaf },
        objective: [(1, 0), (1, 0), (1, 1), (3, 2)]
            .map(|(error_price, leaf_price)| Errors { error_price, leaf_price })
            [random.usize(0..4)],
    }
}

/// Options in which each switch is off with a probability of `off` per cent.
pub(crate) fn random_options(random: &mut fastrand::Rng, off: u32) -> Options {
    let mut options = Options::default();
    // Blocks are for large tables; `spaces/error_blocks/` tests them on small ones.
    for (name, _) in Options::ALL.iter().filter(|(name, _)| *name != "block_bound") {
        options.set(name, random.u32(0..100) >= off);
    }
    options
}

/// Status, cost and lower bound that the engine returns.
pub(crate) fn engine(
    instance: &Instance,
    options: &Options,
    threads: usize,
) -> (Status, Option<Cost>, Cost) {
    below(instance, options, threads, UNBOUNDED)
}

/// Like `engine`, for trees that cost less than `below`.
pub(crate) fn below(
    instance: &Instance,
    options: &Options,
    threads: usize,
    below: Cost,
) -> (Status, Option<Cost>, Cost) {
    let outcome = solved(instance, options, threads, below).outcome;
    (outcome.status, outcome.cost, outcome.lower_bound)
}

/// The engine's whole outcome.
pub(crate) fn solved(
    instance: &Instance,
    options: &Options,
    threads: usize,
    below: Cost,
) -> SearchOutcome {
    let request = Request {
        objective: instance.objective,
        limits: instance.limits,
        below,
        memory_limit: None,
        stop_at_gap: 0.0,
        threads,
    };
    let (switch, progress) = (StopSwitch::default(), Progress::default());
    let clock = Clock::start(None, &switch);
    solve(&instance.table, &request, options, clock, &progress)
}
