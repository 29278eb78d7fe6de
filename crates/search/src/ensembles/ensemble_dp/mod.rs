//! Smallest ensembles by dynamic programming over the votes for the items: the fast form of
//! `spec/subsets_ensemble.py`.
//!
//! Komusiewicz et al., ICML 2023, full version, Theorem 5.3 (two classes), 6.5 (any number) and
//! Proposition 6.9 (up to t errors). The table of Lemma 5.1 or 6.3
//! (`papers/subset_dp/labelings.rs`) gives the minimum size of a tree for every labelling of all
//! items. Starting without votes, the table adds one tree after the other, with every labelling.
//! The result is the minimum entry whose votes misclassify weight at most t, or as little weight as
//! possible if errors are minimized. To minimize the largest size, the table is filled with trees
//! of at most s nodes for one s after the other. A table that would not fit in memory is refused;
//! long searches are not.
//!
//! Beyond the paper, *dominated*: a labelling is left out if another one that is no larger differs
//! from it only on items to which it gives their own class. This is safe because a vote for an
//! item's own class never makes the item wrong.

#[cfg(test)]
mod differential;
mod votes;

use crate::ensembles::witness_ensemble::incumbent::greedy;
use crate::ensembles::{
    Ensemble, EnsembleOutcome, EnsembleQuantity, EnsembleRequest, Sizes, ensemble_errors, sizes,
    value_of,
};
use crate::papers::subset_dp::context::TableContext;
use crate::papers::subset_dp::labelings::{LabelingTable, fill};
use crate::papers::subset_dp::prepared_table::SubsetTable;
use crate::papers::subset_dp::{SubsetOptions, SubsetStats};
use crate::support::clock::Clock;
use crate::support::options::options;
use crate::support::refusal::Refusal;
use crate::support::statistics::Progress;
use crate::support::table_size::{power, refuse_large_table};
use exactree_model::{Cost, Status, StoppedBy, Table, Weight};

use votes::{LabelingTree, VoteCounter, VotesTable};

options! { EnsembleDpOptions {
    dominated: "leave out labellings that another one of no greater size dominates (argument in ensembles/ensemble_dp/mod.rs)",
} }

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct EnsembleDpStats {
    /// Labellings of all items for which there is a tree.
    pub labelings: u64,
    /// The dominated labellings among them.
    pub dominated: u64,
    /// Votes that can occur, over all numbers of trees.
    pub entries: u64,
    /// The first quantity of the first incumbent.
    pub first_incumbent: Option<Cost>,
    pub seconds: f64,
}

/// Values in the requested order, and the numbers of the labellings of the trees.
type BestEnsemble = (Vec<Cost>, Vec<usize>);

/// A minimum ensemble within the allowed errors. An error if the method cannot minimize the
/// quantities or the entries would not fit in memory.
pub fn ensemble_dp(
    table: &Table,
    request: &EnsembleRequest,
    options: &EnsembleDpOptions,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Result<(EnsembleOutcome, EnsembleDpStats), Refusal> {
    if request.quantities.iter().any(|quantity| quantity.of_depth()) || request.limits_leaves() {
        return Err(Refusal::DepthsOrLeafLimits);
    }
    let classes = table.n_classes;
    let limit = request.memory_limit;
    let sets = power(2, table.items.len()).saturating_mul(8);
    let labelings = power(classes + 1, table.items.len()).saturating_add(sets);
    refuse_large_table("Lemma 6.3", labelings, 1, limit)?;
    let counter = VoteCounter::new(table, request.trees);
    refuse_large_table("Theorem 6.5", counter.vectors(), VotesTable::BYTES, limit)?;
    let prepared = SubsetTable::with_classes(table, (0..classes as u32).collect());
    let subset_options = SubsetOptions::default();
    let mut context = TableContext {
        prepared: &prepared,
        options: &subset_options,
        clock,
        progress,
        stats: SubsetStats::default(),
        next_poll: 0,
    };
    let incumbent = greedy(table, request, clock);
    let mut stats = EnsembleDpStats {
        first_incumbent: incumbent
            .as_ref()
            .map(|incumbent| value_of(table, incumbent, request.quantities[0])),
        ..EnsembleDpStats::default()
    };
    let filled = fill(&mut context, Weight::MAX);
    let (mut best, mut complete) = (None, false);
    if filled.minimum.is_some() && !clock.stopped() {
        let trees =
            labelings_within_limits(&prepared, &filled.table, request, options, clock, &mut stats);
        if !clock.stopped() {
            (best, complete) = cheapest(&counter, &trees, request, clock, &mut stats);
        }
    }
    stats.seconds = clock.seconds();
    let with_cost = |ensemble: Ensemble| {
        (cost(request, ensemble_errors(table, &ensemble), sizes(&ensemble)), ensemble)
    };
    let of_table = best.map(|(_, numbers)| {
        numbers.into_iter().map(|number| filled.table.voting_tree(number)).collect()
    });
    // Ties go to the ensemble of the table, which has no superfluous nodes.
    let candidates = of_table.into_iter().chain(incumbent).map(with_cost);
    let found = candidates.min_by(|(cost, _), (other, _)| cost.cmp(other));
    Ok((outcome(found, complete, request, clock), stats))
}

/// The labellings of trees within the limits, smallest first.
fn labelings_within_limits(
    prepared: &SubsetTable,
    table: &LabelingTable<'_>,
    request: &EnsembleRequest,
    options: &EnsembleDpOptions,
    clock: &Clock<'_>,
    stats: &mut EnsembleDpStats,
) -> Vec<LabelingTree> {
    let maximum = request.size.min(request.total);
    let mut all: Vec<LabelingTree> = table
        .whole()
        .into_iter()
        .filter(|(_, size)| u32::from(*size) <= maximum)
        .map(|(number, size)| LabelingTree {
            number,
            size: size.into(),
            classes: table.classes(number),
        })
        .collect();
    all.sort_by_key(|labelled| (labelled.size, labelled.number));
    stats.labelings = all.len() as u64;
    if !options.dominated {
        return all;
    }
    let dominates = |one: &LabelingTree, other: &LabelingTree| {
        let mut pairs = one.classes.iter().zip(&other.classes).zip(&prepared.class);
        one.number != other.number && pairs.all(|((a, b), own)| a == b || a == own)
    };
    // Dominance is transitive, so whatever a removed labelling dominates is dominated by a kept one
    // that is no larger. Two different labellings never dominate each other.
    let mut kept: Vec<LabelingTree> = Vec::new();
    for (at, labelled) in all.iter().enumerate() {
        if clock.stopped() {
            break; // The result will not be used.
        }
        let equal_size = all[at + 1..].iter().take_while(|other| other.size == labelled.size);
        if kept.iter().chain(equal_size).any(|other| dominates(other, labelled)) {
            stats.dominated += 1;
        } else {
            kept.push(labelled.clone());
        }
    }
    kept
}

/// The best ensemble found within the limits, and whether the search was completed.
fn cheapest(
    counter: &VoteCounter,
    trees: &[LabelingTree],
    request: &EnsembleRequest,
    clock: &Clock<'_>,
    stats: &mut EnsembleDpStats,
) -> (Option<BestEnsemble>, bool) {
    let mut largest: Vec<u32> = trees.iter().map(|tree| tree.size).collect();
    largest.dedup();
    if !request.quantities.contains(&EnsembleQuantity::Largest) {
        largest.drain(..largest.len().saturating_sub(1));
    }
    let mut best: Option<BestEnsemble> = None;
    for s in largest {
        let small: Vec<&LabelingTree> = trees.iter().take_while(|tree| tree.size <= s).collect();
        let Some(filled) = VotesTable::fill(counter, &small, request.trees, clock) else {
            return (best, false);
        };
        stats.entries += filled.entries();
        let cost = |errors, total| {
            let within = errors <= request.errors && total <= request.total;
            within.then(|| cost(request, errors, Sizes { total, largest: s }))
        };
        if let Some((cost, chosen)) = filled.cheapest(counter, cost)
            && best.as_ref().is_none_or(|(minimum, _)| cost < *minimum)
        {
            best = Some((cost, chosen.into_iter().map(|at| small[at].number).collect()));
        }
    }
    (best, true)
}

fn cost(request: &EnsembleRequest, errors: Weight, Sizes { total, largest }: Sizes) -> Vec<Cost> {
    let of = |quantity: &EnsembleQuantity| match quantity {
        EnsembleQuantity::Total => total.into(),
        EnsembleQuantity::Largest => largest.into(),
        EnsembleQuantity::Errors => errors,
        EnsembleQuantity::TotalDepth | EnsembleQuantity::LargestDepth => {
            unreachable!("refused at the start")
        }
    };
    request.quantities.iter().map(of).collect()
}

/// The outcome, with a proof if the table is `complete`.
fn outcome(
    found: Option<(Vec<Cost>, Ensemble)>,
    complete: bool,
    request: &EnsembleRequest,
    clock: &Clock<'_>,
) -> EnsembleOutcome {
    let stopped_by = clock.stopped_by();
    let status = match (&found, complete) {
        (Some(_), true) => Status::Optimal,
        (Some(_), false) => Status::Feasible,
        (None, true) => Status::Infeasible,
        (None, false) => Status::Stopped,
    };
    let (cost, ensemble) = found.unzip();
    let no_bound = vec![0; request.quantities.len()];
    EnsembleOutcome {
        status,
        ensemble,
        lower_bound: cost.filter(|_| complete).unwrap_or(no_bound),
        stopped_by: stopped_by.filter(|by| !complete || *by == StoppedBy::Interrupt),
    }
}
