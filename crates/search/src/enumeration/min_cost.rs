//! The minimum cost of a tree for a subset, found by the search for fewest nodes if few errors and
//! sizes are requested, otherwise by the engine.

use super::request::AllTreesRequest;
use super::subsets::contains;
use crate::kernels::InstructionSet;
use crate::minimum_size::{SizeDecision, SizeRequest, SizeTable};
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::error_space::ContinuousSearch;
use crate::spaces::continuous::layout::{Layout, slots_of_items};
use crate::support::bits::{Bits, ones};
use crate::support::cache::SharedCache;
use crate::support::clock::{Clock, Stopped};
use crate::support::options::{Options, SizeOptions};
use crate::support::sets::{insert, mixed};
use crate::support::statistics::Progress;
use exactree_model::{Cost, Limits, Table};

/// Number of errors up to which the search for fewest nodes is used; it tries all divisions of the
/// errors between two children.
const FEW_ERRORS: Cost = 64;

/// Finds the minimum cost of a subset.
pub(super) trait MinCost {
    /// The minimum cost of a tree for these items within limits, if it is at most `maximum`.
    fn min_cost(
        &mut self,
        members: &[u64],
        limits: Limits,
        maximum: Cost,
    ) -> Result<Option<Cost>, Stopped>;
}

/// Runs `work` with the searches that suit a request.
pub(super) fn with_min_cost(
    table: &Table,
    request: &AllTreesRequest,
    clock: &Clock<'_>,
    work: &mut dyn FnMut(&mut dyn MinCost),
) {
    let errors_alone = request.objective.error_price == 1 && request.objective.leaf_price == 0;
    let few_errors = errors_alone && request.costs.1 <= FEW_ERRORS;
    if request.sizes.is_none() || !few_errors || request.min_samples_leaf > 1 {
        return with_cost_searches(table, request, clock, work);
    }
    macro_rules! by_width {
        ($($words:literal),*) => {
            match table.items.len().div_ceil(64) {
                $(0..=$words => with_size_searches::<$words>(table, request.memory_limit, clock, work),)*
                _ => with_cost_searches(table, request, clock, work),
            }
        };
    }
    by_width!(1, 2, 4, 8, 16, 64, 256, 1024)
}

fn with_size_searches<const W: usize>(
    table: &Table,
    memory_limit: Option<usize>,
    clock: &Clock<'_>,
    work: &mut dyn FnMut(&mut dyn MinCost),
) {
    let Some(prepared) =
        SizeTable::<W>::prepare(&|| clock.stopped(), table, InstructionSet::detect(true))
    else {
        return; // nothing is counted or listed
    };
    let options = SizeOptions::default();
    let decision = SizeDecision::new(&prepared, &options, clock, memory_limit);
    let order = mixed(table.items.len());
    // `min_cost` sets depth and errors; the size is an argument of the decision.
    let request = SizeRequest {
        depth: 0,
        errors: 0,
        size: 0,
        leaves: Vec::new(),
        nodes: u64::MAX,
        memory_limit: None,
        stop_at_gap: 0.0,
        options: options.clone(),
    };
    work(&mut SizeSearches { decision, order, request });
}

/// Decisions about sizes, for one number of errors after the other; costs are errors.
struct SizeSearches<'a, const W: usize> {
    decision: SizeDecision<'a, W>,
    /// By place in the sets of `decision`, the item of the table.
    order: Vec<usize>,
    request: SizeRequest,
}

impl<const W: usize> MinCost for SizeSearches<'_, W> {
    fn min_cost(
        &mut self,
        members: &[u64],
        limits: Limits,
        maximum: Cost,
    ) -> Result<Option<Cost>, Stopped> {
        let mut set = [0; W];
        let inside = |(_, item): &(usize, &usize)| contains(members, **item as u32);
        let places = self.order.iter().enumerate().filter(inside);
        places.for_each(|(place, _)| insert(&mut set, place as u32));
        self.request.depth = limits.depth;
        for errors in 0..=maximum {
            self.request.errors = errors;
            if self.decision.has_tree(&set, limits.size, &self.request)? {
                return Ok(Some(errors));
            }
        }
        Ok(None)
    }
}

fn with_cost_searches(
    table: &Table,
    request: &AllTreesRequest,
    clock: &Clock<'_>,
    work: &mut dyn FnMut(&mut dyn MinCost),
) {
    let options = Options::default();
    let prepare =
        Layout::prepare(&|| clock.stopped(), table, &options, request.min_samples_leaf, 1);
    let Some(layout) = prepare else {
        return; // nothing is counted or listed
    };
    // Costs of subsets are not reported as progress.
    let progress = Progress::default();
    let cache = SharedCache::new(request.memory_limit, 1);
    let search =
        ContinuousSearch::new(&layout, request.objective, &options, *clock, &progress, &cache);
    work(&mut CostSearches { search, slots: slots_of_items(table) });
}

/// Searches by the engine.
struct CostSearches<'a> {
    search: ContinuousSearch<'a, 'a>,
    /// By item of the table, its slot in the layout.
    slots: Vec<u32>,
}

impl MinCost for CostSearches<'_> {
    fn min_cost(
        &mut self,
        members: &[u64],
        limits: Limits,
        maximum: Cost,
    ) -> Result<Option<Cost>, Stopped> {
        let mut slots = Bits::empty(self.search.space.layout.slots);
        ones(members).for_each(|item| slots.insert(self.slots[item as usize]));
        let subset = ContinuousSubset::with(self.search.space.layout, slots);
        if subset.rows < limits.min_samples_leaf {
            return Ok(None);
        }
        let solution = self.search.solve(&subset, limits.normalised(), maximum + 1, None);
        match solution.tree {
            Some((cost, _)) if cost == solution.lower => Ok(Some(cost)),
            None if solution.lower > maximum => Ok(None),
            _ => Err(Stopped),
        }
    }
}
