//! Minimizes total size, largest size, total depth, largest depth or errors, one quantity after the
//! other in the given order, each raised from a lower bound.
//!
//! The minimum value of a quantity becomes a limit for those after it. If the largest size alone is
//! requested, the total size is minimized after it, since otherwise the smaller trees may have
//! superfluous nodes.
//!
//! *Depths.* A lower bound on the total depth is the depth of one tree equivalent to the ensemble
//! (one_tree.rs); divided evenly among the trees it bounds the deepest tree.
//!
//! *Errors* are raised from below as well, so that each refuted value gives a lower bound. If
//! weights are large numbers, they are raised in steps. Once a decision has found an ensemble, the
//! loop decides whether there is one with fewer errors, until there is none.
//!
//! Length: one loop raises five quantities. The start, the limits and the result of each quantity
//! are side by side here, so that a missing case is seen.

use super::incumbent::{greedy, improve};
use super::one_tree::{bound_of_one_tree, min_depth_of_one_tree};
use super::options::EnsembleOptions;
use super::search::{EnsembleWitnessSearch, SearchStopped, TreeLimits};
use super::statistics::{EnsemblePruneCounts, EnsembleStats};
use crate::ensembles::simplify::{simplified, without_spare_nodes};
use crate::ensembles::{
    Depths, Ensemble, EnsembleOutcome, EnsembleQuantity, EnsembleRequest, Sizes,
    decided_by_one_tree, depths, ensemble_errors, sizes, value_of,
};
use crate::papers::witness::WitnessOptions;
use crate::papers::witness::pairs::{Nearest, pair_bound};
use crate::papers::witness::prepared_table::WitnessTable;
use crate::support::clock::Clock;
use crate::support::deep_stack::on_deep_stack;
use crate::support::mutants::{Mutant, offset};
use crate::support::refusal::Refusal;
use crate::support::size_loop::is_within_gap;
use crate::support::statistics::Progress;
use crate::support::table_size::refuse_large_table;
use exactree_model::{Cost, Status, StoppedBy, Table, UNBOUNDED, Weight};

/// Approximate number of steps from the first lower bound on the errors to the errors of the
/// incumbent. Small weights need fewer steps, since errors are raised by at least one.
const MAX_STEPS: Weight = 16;

/// Approximate bytes of stack per search node.
pub(super) fn bytes_each_level<const W: usize>() -> usize {
    64 * W * size_of::<u64>() + (8 << 10)
}

/// The inputs of a search.
#[derive(Clone, Copy)]
pub(super) struct EnsembleRun<'a> {
    pub table: &'a Table,
    pub request: &'a EnsembleRequest,
    pub options: &'a EnsembleOptions,
    pub clock: &'a Clock<'a>,
    pub progress: &'a Progress,
}

impl EnsembleRun<'_> {
    /// Runs on a deep stack: the recursion depth is the number of nodes of the ensemble.
    pub(super) fn solve_with_words<const W: usize>(
        self,
    ) -> Result<(EnsembleOutcome, EnsembleStats), Refusal> {
        let limit = self.request.memory_limit;
        let values = self.table.features.iter().map(|feature| feature.values.len() as u128 - 1);
        refuse_large_table("rules by items", values.sum(), W * size_of::<u64>(), limit)?;
        let reductions = WitnessOptions {
            // The proof of pure borders moves rows between leaves and changes the class of a leaf.
            pure_borders: self.options.pure_borders && !self.request.limits_leaves(),
            equal_rules: self.options.equal_rules,
            mergeable_features: self.options.mergeable_features,
            ..WitnessOptions::default()
        };
        let errors_first = self.request.quantities[0] == EnsembleQuantity::Errors;
        // First an incumbent that takes little time, since the clock may stop at any time.
        let incumbent = match self.options.incumbent {
            true => greedy(self.table, self.request, self.clock),
            false => None,
        };
        let Ok(prepared) =
            WitnessTable::<W>::new(self.table, self.request.errors, &reductions, self.clock)
        else {
            let outcome = self.outcome(LoopEnd::Stopped, incumbent, Vec::new());
            let seconds = self.clock.seconds();
            return Ok((outcome, EnsembleStats { seconds, ..EnsembleStats::default() }));
        };
        // If errors are minimized first, sizes may be anything down to 0.
        let first_size = match self.options.pair_bound && !errors_first {
            true => pair_bound(&prepared, self.clock),
            false => 0,
        };
        let incumbent = match self.options.incumbent {
            true => improve(self.table, self.request, incumbent, self.clock),
            false => None,
        };
        let levels = u128::from(self.max_total(incumbent.as_ref())) + 1;
        on_deep_stack(levels, bytes_each_level::<W>(), limit, || {
            self.quantity_loop(prepared, first_size, incumbent)
        })
    }

    /// The greatest total size that may be searched for.
    fn max_total(&self, incumbent: Option<&Ensemble>) -> u32 {
        let maximum = self.request.allowed(self.table);
        let quantities = &self.request.quantities;
        if quantities[0].of_depth() {
            // The first depth never exceeds that of the incumbent.
            let EnsembleRun { table, request, .. } = *self;
            let at = |incumbent| value_of(table, incumbent, quantities[0]) as u32;
            let caps = request.allowed_depths(table);
            let bound = |incumbent| caps.at(quantities[0], at(incumbent), request.trees);
            return incumbent.map_or(maximum.total, |incumbent| {
                bound(incumbent).bound(maximum, request.trees).total
            });
        }
        if quantities.iter().any(|quantity| quantity.of_depth()) {
            return maximum.total;
        }
        let maximum = maximum.total;
        let has_min_errors = |incumbent: &&Ensemble| {
            quantities[0] != EnsembleQuantity::Errors
                || value_of(self.table, incumbent, EnsembleQuantity::Errors) == self.unavoidable()
        };
        incumbent.filter(has_min_errors).map_or(maximum, |incumbent| {
            let Sizes { total, largest } = sizes(incumbent);
            let all_largest = largest.saturating_mul(self.request.trees);
            let minimizes_largest = quantities.contains(&EnsembleQuantity::Largest);
            maximum.min(if minimizes_largest { all_largest } else { total })
        })
    }

    /// Unavoidable errors: equal rows of different classes get the same votes.
    fn unavoidable(&self) -> Weight {
        self.table.items.iter().map(|item| item.unavoidable).sum()
    }

    fn quantity_loop<const W: usize>(
        &self,
        prepared: WitnessTable<W>,
        first_size: u32,
        incumbent: Option<Ensemble>,
    ) -> (EnsembleOutcome, EnsembleStats) {
        let nearest =
            if self.options.cell_pairs { Nearest::new(&prepared, self.clock) } else { None };
        let first = self.request.quantities[0];
        let first_incumbent =
            incumbent.as_ref().map(|incumbent| value_of(self.table, incumbent, first));
        let caps = QuantityCaps {
            errors: self.request.errors,
            sizes: self.request.allowed(self.table),
            depths: self.request.allowed_depths(self.table),
        };
        let rows = self.table.items.iter().map(|item| item.rows).collect();
        let mut quantity_loop = QuantityLoop {
            task: self,
            prepared,
            nearest,
            incumbent,
            caps,
            rows,
            first_size,
            lower: Vec::new(),
            nodes: 0,
            pruned: EnsemblePruneCounts::default(),
            by_size: Vec::new(),
        };
        let ended = quantity_loop.quantities();
        let outcome = self.outcome(ended, quantity_loop.incumbent, quantity_loop.lower);
        let stats = EnsembleStats {
            search_nodes: quantity_loop.nodes,
            search_nodes_by_size: quantity_loop.by_size,
            first_size: quantity_loop.first_size,
            first_incumbent,
            pruned: quantity_loop.pruned,
            seconds: self.clock.seconds(),
        };
        (outcome, stats)
    }

    /// Removes superfluous nodes without exceeding the errors of the ensemble or, if errors are not
    /// minimized, the allowed errors.
    fn without_superfluous_nodes(&self, incumbent: Ensemble) -> Ensemble {
        let EnsembleRun { table, request, .. } = *self;
        let incumbent = simplified(table, &request.leaves, incumbent);
        let minimized = request.quantities.contains(&EnsembleQuantity::Errors);
        if minimized && request.leaves.is_empty() {
            return incumbent;
        }
        let errors = if minimized { ensemble_errors(table, &incumbent) } else { request.errors };
        without_spare_nodes(table, request, errors, incumbent, self.clock)
    }

    fn outcome(
        &self,
        ended: LoopEnd,
        mut incumbent: Option<Ensemble>,
        mut lower_bound: Vec<Cost>,
    ) -> EnsembleOutcome {
        let quantities = &self.request.quantities;
        lower_bound.resize(quantities.len(), 0);
        let one_quantity = quantities[..] == [EnsembleQuantity::Largest];
        if !quantities.contains(&EnsembleQuantity::Total) && !one_quantity {
            // Trees of few errors or small depth may have superfluous nodes.
            incumbent = incumbent.map(|incumbent| self.without_superfluous_nodes(incumbent));
        }
        let value = |incumbent: &Ensemble| -> Vec<Cost> {
            let of = |&quantity: &EnsembleQuantity| value_of(self.table, incumbent, quantity);
            quantities.iter().map(of).collect()
        };
        let value = incumbent.as_ref().map(value);
        let status = match ended {
            LoopEnd::Infeasible => Status::Infeasible,
            LoopEnd::Proved => Status::Optimal,
            // The last bound may just have been reached.
            LoopEnd::Stopped if value.as_ref() == Some(&lower_bound) => Status::Optimal,
            LoopEnd::Stopped if value.is_some() => Status::Feasible,
            LoopEnd::Stopped => Status::Stopped,
        };
        let proved = matches!(status, Status::Optimal | Status::Infeasible);
        let stopped_by = self.clock.stopped_by();
        EnsembleOutcome {
            status,
            ensemble: incumbent,
            lower_bound,
            // An interrupt is reported even if the proof is complete.
            stopped_by: stopped_by.filter(|by| !proved || *by == StoppedBy::Interrupt),
        }
    }
}

/// Limits of an ensemble on the quantities.
#[derive(Clone, Copy)]
struct QuantityCaps {
    errors: Weight,
    sizes: Sizes,
    depths: Depths,
}

impl QuantityCaps {
    /// These limits with other limits on depths, and without sizes that the depths exclude.
    fn within(self, depths: Depths, trees: u32) -> Self {
        QuantityCaps { depths, sizes: depths.bound(self.sizes, trees), ..self }
    }
}

/// The end of a loop.
enum LoopEnd {
    Proved,
    /// There is no ensemble within the limits.
    Infeasible,
    Stopped,
}

/// The state of the loop over the quantities.
struct QuantityLoop<'a, 'b, const W: usize> {
    task: &'b EnsembleRun<'a>,
    prepared: WitnessTable<W>,
    nearest: Option<Nearest>,
    incumbent: Option<Ensemble>,
    /// The limits; the minimum values of the quantities done so far are among them.
    caps: QuantityCaps,
    /// Rows by item.
    rows: Vec<u64>,
    /// A lower bound on the total size.
    first_size: u32,
    /// Lower bounds on the requested quantities up to the current one.
    lower: Vec<Cost>,
    nodes: u64,
    pruned: EnsemblePruneCounts,
    by_size: Vec<((u32, u32), u64)>,
}

impl<const W: usize> QuantityLoop<'_, '_, W> {
    /// Minimizes one quantity after the other, as `spec/minimum_sizes.py`.
    fn quantities(&mut self) -> LoopEnd {
        let target = &self.task.request.quantities;
        for (place, &quantity) in target.iter().enumerate() {
            match self.minimize_quantity(quantity) {
                Ok(Some(value)) => self.fix_value(quantity, value),
                Ok(None) if place == 0 => return LoopEnd::Infeasible,
                // Only with a wrong bound (a mutant): the ensemble found for the quantity before is
                // within the caps.
                Ok(None) => {}
                Err(SearchStopped) => return LoopEnd::Stopped,
            }
        }
        if target[..] == [EnsembleQuantity::Largest] {
            // A quantity that was not requested need not be proved.
            let _ = self.minimize_quantity(EnsembleQuantity::Total);
        }
        LoopEnd::Proved
    }

    /// Makes the minimum value of a quantity a limit for those that follow.
    fn fix_value(&mut self, quantity: EnsembleQuantity, value: Cost) {
        let trees = self.task.request.trees;
        let QuantityCaps { sizes, depths, .. } = &mut self.caps;
        match quantity {
            EnsembleQuantity::TotalDepth | EnsembleQuantity::LargestDepth => {
                *depths = depths.at(quantity, value as u32, trees);
                *sizes = depths.bound(*sizes, trees);
            }
            EnsembleQuantity::Total => {
                sizes.total = value as u32;
                self.first_size = value as u32;
            }
            EnsembleQuantity::Largest => {
                sizes.largest = value as u32;
                sizes.total = sizes.total.min(trees.saturating_mul(value as u32));
                self.first_size = self.first_size.max(value as u32);
            }
            EnsembleQuantity::Errors => {
                self.caps.errors = value;
                self.prepared.set_errors(value);
                if self.first_size == 0 && self.task.options.pair_bound {
                    self.first_size = pair_bound(&self.prepared, self.task.clock);
                }
                if self.task.options.incumbent && self.lower.len() == 1 {
                    self.shrink_incumbent();
                }
            }
        }
    }

    /// Improves the incumbent before the second quantity is minimized.
    fn shrink_incumbent(&mut self) {
        let EnsembleRun { table, request, clock, .. } = *self.task;
        let Some(quantities) = request.quantities.get(1..).filter(|rest| !rest.is_empty()) else {
            return;
        };
        let quantities = quantities.to_vec();
        let request = EnsembleRequest { errors: self.caps.errors, quantities, ..request.clone() };
        let incumbent =
            self.incumbent.take().map(|incumbent| simplified(table, &request.leaves, incumbent));
        self.incumbent = improve(table, &request, incumbent, clock);
    }

    /// The first value of a quantity to try, and the greatest.
    fn span(&mut self, quantity: EnsembleQuantity) -> (Cost, Cost) {
        let request = self.task.request;
        let total = self.caps.sizes.total.min(self.max_total_size());
        match quantity {
            EnsembleQuantity::Total => (self.first_size.into(), total.into()),
            EnsembleQuantity::Largest => {
                let minimum = self.first_size.div_ceil(request.trees);
                (minimum.into(), self.caps.sizes.largest.into())
            }
            EnsembleQuantity::TotalDepth | EnsembleQuantity::LargestDepth => {
                let Depths { total, largest } = self.caps.depths;
                let total = total.min(self.caps.sizes.total);
                let largest = largest.min(self.caps.sizes.largest);
                let minimum = self.min_total_depth(quantity, total);
                if quantity == EnsembleQuantity::TotalDepth {
                    (minimum.into(), total.into())
                } else {
                    (minimum.div_ceil(request.trees).into(), largest.into())
                }
            }
            EnsembleQuantity::Errors => (self.min_errors(), self.caps.errors),
        }
    }

    /// A lower bound on the total depth within the caps, at most `maximum` + 1. One tree of that
    /// depth becomes the incumbent if it is better.
    fn min_total_depth(&mut self, quantity: EnsembleQuantity, maximum: u32) -> u32 {
        let EnsembleRun { table, request, options, clock, .. } = *self.task;
        if !options.one_tree || self.task.unavoidable() > self.caps.errors {
            return 0;
        }
        let (minimum, tree) =
            min_depth_of_one_tree(table, self.caps.errors, maximum, request.memory_limit, clock);
        self.pruned.one_tree += u64::from(minimum > 0);
        let found =
            tree.map(|tree| decided_by_one_tree(tree, request.trees, table.n_classes as u32));
        let value = |ensemble: &Ensemble| value_of(table, ensemble, quantity);
        if let Some(found) = found.filter(|found| options.incumbent && self.permits(found))
            && self.incumbent.as_ref().is_none_or(|incumbent| value(&found) < value(incumbent))
        {
            self.incumbent = Some(found);
        }
        minimum + offset(Mutant::EnsembleDepthOfOneTree) as u32
    }

    /// Whether an ensemble is within the limits and the fixed values.
    fn permits(&self, ensemble: &Ensemble) -> bool {
        let EnsembleRun { table, request, .. } = *self.task;
        let QuantityCaps { errors, sizes: max_sizes, depths: max_depths } = self.caps;
        let (sizes, depths) = (sizes(ensemble), depths(ensemble));
        sizes.total <= max_sizes.total
            && sizes.largest <= max_sizes.largest
            && depths.total <= max_depths.total
            && depths.largest <= max_depths.largest
            && ensemble_errors(table, ensemble) <= errors
            && request.permits(table, ensemble)
    }

    /// `EnsembleRequest::max_total_size`, unless a fixed value limits trees further.
    fn max_total_size(&self) -> u32 {
        let EnsembleRun { request, table, .. } = self.task;
        let nothing_fixed = self.caps.sizes.largest == request.allowed(table).largest
            && self.caps.depths == request.allowed_depths(table);
        if nothing_fixed { request.max_total_size(table) } else { u32::MAX }
    }

    /// A lower bound on the errors within the caps.
    fn min_errors(&mut self) -> Weight {
        let EnsembleRun { table, request, options, clock, .. } = *self.task;
        let unavoidable = self.task.unavoidable();
        let incumbent = self
            .incumbent
            .as_ref()
            .map(|incumbent| value_of(table, incumbent, EnsembleQuantity::Errors));
        let below = incumbent.unwrap_or(UNBOUNDED).min(self.caps.errors.saturating_add(1));
        if !options.one_tree || below <= unavoidable {
            return unavoidable;
        }
        let one_tree = bound_of_one_tree(table, request, self.caps.sizes, below, clock);
        self.pruned.one_tree += u64::from(one_tree > unavoidable);
        unavoidable.max(one_tree)
    }

    /// The limits of ensembles with this value of a quantity.
    fn caps_at(&self, quantity: EnsembleQuantity, value: Cost) -> QuantityCaps {
        let caps = self.caps;
        let (trees, sizes) = (self.task.request.trees, caps.sizes);
        match quantity {
            EnsembleQuantity::Total => {
                QuantityCaps { sizes: Sizes { total: value as u32, ..sizes }, ..caps }
            }
            EnsembleQuantity::Largest => {
                let total = trees.saturating_mul(value as u32).min(sizes.total);
                QuantityCaps { sizes: Sizes { total, largest: value as u32 }, ..caps }
            }
            EnsembleQuantity::TotalDepth | EnsembleQuantity::LargestDepth => {
                caps.within(caps.depths.at(quantity, value as u32, trees), trees)
            }
            EnsembleQuantity::Errors => {
                let total = sizes.total.min(self.max_total_size());
                QuantityCaps { errors: value, sizes: Sizes { total, ..sizes }, ..caps }
            }
        }
    }

    /// Raises a quantity from below until there is an ensemble; `None` if there is no ensemble
    /// within the caps.
    fn minimize_quantity(
        &mut self,
        quantity: EnsembleQuantity,
    ) -> Result<Option<Cost>, SearchStopped> {
        let place = self.lower.len();
        let (low, high) = self.span(quantity);
        self.lower.push(low);
        let (mut found, mut step) = (false, None);
        loop {
            let lower = self.lower[place];
            let value = |incumbent| value_of(self.task.table, incumbent, quantity);
            let incumbent = self.incumbent.as_ref().map(value);
            if place == 0 {
                self.task.progress.report(incumbent.unwrap_or(UNBOUNDED), lower);
            }
            // The value of the incumbent itself needs no search.
            let may_use = found || self.task.options.incumbent;
            let incumbent = incumbent.filter(|_| may_use);
            if incumbent.is_some_and(|incumbent| incumbent <= lower) {
                self.lower[place] = incumbent.unwrap_or(lower);
                return Ok(incumbent);
            }
            if lower > high {
                return Ok(None);
            }
            if is_within_gap(self.task.request.stop_at_gap, incumbent, lower) {
                self.task.clock.stop(StoppedBy::Gap);
                return Err(SearchStopped);
            }
            let below = incumbent.map_or(high, |incumbent| incumbent - 1).min(high);
            let target = match quantity {
                EnsembleQuantity::Errors if found => below,
                EnsembleQuantity::Errors => {
                    let step = *step.get_or_insert((below - lower) / MAX_STEPS);
                    below.min(lower + step)
                }
                EnsembleQuantity::Total | EnsembleQuantity::Largest => lower,
                EnsembleQuantity::TotalDepth | EnsembleQuantity::LargestDepth => lower,
            };
            match self.decide(self.caps_at(quantity, target))? {
                Some(ensemble) => (self.incumbent, found) = (Some(ensemble), true),
                None => self.lower[place] = target + 1,
            }
        }
    }

    /// An ensemble within the caps, if any.
    fn decide(&mut self, caps: QuantityCaps) -> Result<Option<Ensemble>, SearchStopped> {
        let QuantityCaps { errors, sizes, depths } = caps;
        let EnsembleRun { request, options, clock, .. } = *self.task;
        self.prepared.set_errors(errors);
        let limits = TreeLimits {
            depths: self.needed_depth_limits(depths),
            min_samples_leaf: request.min_samples_leaf,
            rows: &self.rows,
            leaves: &request.leaves,
        };
        let mut search = EnsembleWitnessSearch::new(
            &self.prepared,
            options,
            clock,
            self.nearest.as_ref(),
            limits,
        );
        search.pruned = std::mem::take(&mut self.pruned);
        let found = search.decide(request.trees as usize, sizes);
        let (nodes, target) = (search.nodes, (sizes.total, sizes.largest));
        self.pruned = search.pruned;
        self.nodes += nodes;
        match self.by_size.iter_mut().find(|(sizes, _)| *sizes == target) {
            Some((_, before)) => *before += nodes,
            None => self.by_size.push((target, nodes)),
        }
        found
    }

    /// The limits on depths, or none if they follow from the limits on sizes.
    fn needed_depth_limits(&self, depths: Depths) -> Depths {
        let EnsembleRun { table, request, .. } = *self.task;
        let implied = request.depth == u32::MAX && depths == request.allowed_depths(table);
        if implied { Depths { total: u32::MAX, largest: u32::MAX } } else { depths }
    }
}
