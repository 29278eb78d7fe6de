//! The least cost of a tree for a part, by whichever search is the better one:
//! for fewest nodes the one of `least_size`, else the engine.

use super::parts::contains;
use super::{AllTreesRequest, FEW_ERRORS};
use crate::best::Search;
use crate::bits::{Bits, ones};
use crate::kernels::Level;
use crate::layout::{Layout, slots_of_items};
use crate::least_size::{Decision, Ground, SizeRequest, mixed};
use crate::limits::{Clock, Stopped};
use crate::memo::SharedMemo;
use crate::options::{Options, SizeOptions};
use crate::part::Part;
use crate::sets::insert;
use crate::tracer::Progress;
use exactree_model::{Cost, Limits, Table};

/// Tells the least cost of a part.
pub trait LeastCost {
    /// The least cost of a tree of these items within limits, if it is at most
    /// `most`.
    fn least_cost(
        &mut self,
        members: &[u64],
        limits: Limits,
        most: Cost,
    ) -> Result<Option<Cost>, Stopped>;
}

/// Runs `work` with the search that serves a request.
pub fn with_least_cost(
    table: &Table,
    request: &AllTreesRequest,
    clock: &Clock<'_>,
    work: &mut dyn FnMut(&mut dyn LeastCost),
) {
    let errors_alone = request.objective.error_price == 1 && request.objective.leaf_price == 0;
    let few = errors_alone && request.costs.1 <= FEW_ERRORS && request.min_rows == 1;
    if request.sizes.is_none() || !few {
        return by_cost(table, request, clock, work);
    }
    macro_rules! by_width {
        ($($words:literal),*) => {
            match table.items.len().div_ceil(64) {
                $(0..=$words => by_size::<$words>(table, request.memory_limit, clock, work),)*
                _ => by_cost(table, request, clock, work),
            }
        };
    }
    by_width!(1, 2, 4, 8, 16, 64, 256, 1024)
}

fn by_size<const W: usize>(
    table: &Table,
    memory_limit: Option<usize>,
    clock: &Clock<'_>,
    work: &mut dyn FnMut(&mut dyn LeastCost),
) {
    let Some(ground) = Ground::<W>::unless(&|| clock.stopped(), table, Level::detect(true)) else {
        return; // nothing is counted or listed
    };
    let options = SizeOptions::default();
    let decision = Decision::new(&ground, &options, clock, memory_limit);
    let order = mixed(table.items.len());
    let (leaves, options_here) = (Vec::new(), options.clone());
    let request = SizeRequest {
        depth: 0,
        errors: 0,
        size: 0,
        leaves,
        nodes: u64::MAX,
        memory_limit: None,
        options: options_here,
    };
    work(&mut BySize { decision, order, request });
}

/// The search for fewest nodes; costs are errors.
struct BySize<'a, const W: usize> {
    decision: Decision<'a, W>,
    /// By place in its sets, the item of the table.
    order: Vec<usize>,
    request: SizeRequest,
}

impl<const W: usize> LeastCost for BySize<'_, W> {
    fn least_cost(
        &mut self,
        members: &[u64],
        limits: Limits,
        most: Cost,
    ) -> Result<Option<Cost>, Stopped> {
        let mut set = [0; W];
        let inside = |(_, item): &(usize, &usize)| contains(members, **item as u32);
        let places = self.order.iter().enumerate().filter(inside);
        places.for_each(|(place, _)| insert(&mut set, place as u32));
        self.request.depth = limits.depth;
        for errors in 0..=most {
            self.request.errors = errors;
            if self.decision.smallest(&set, limits.size, &self.request)? {
                return Ok(Some(errors));
            }
        }
        Ok(None)
    }
}

fn by_cost(
    table: &Table,
    request: &AllTreesRequest,
    clock: &Clock<'_>,
    work: &mut dyn FnMut(&mut dyn LeastCost),
) {
    let options = Options::default();
    let lay_out = Layout::unless(&|| clock.stopped(), table, &options, request.min_rows);
    let Some(layout) = lay_out else {
        return; // nothing is counted or listed
    };
    // Nobody is told of the costs of parts.
    let progress = Progress::default();
    let memo = SharedMemo::new(request.memory_limit, 1);
    let search = Search::new(&layout, request.objective, &options, *clock, &progress, &memo);
    work(&mut ByCost { search, slots: slots_of_items(table) });
}

/// The engine.
struct ByCost<'a> {
    search: Search<'a>,
    /// By item of the table.
    slots: Vec<u32>,
}

impl LeastCost for ByCost<'_> {
    fn least_cost(
        &mut self,
        members: &[u64],
        limits: Limits,
        most: Cost,
    ) -> Result<Option<Cost>, Stopped> {
        let mut slots = Bits::empty(self.search.layout.slots);
        ones(members).for_each(|item| slots.insert(self.slots[item as usize]));
        let part = Part::with(self.search.layout, slots);
        if part.rows < limits.min_rows {
            return Ok(None);
        }
        let answer = self.search.best(&part, limits.normalised(), most + 1, None);
        match answer.tree {
            Some((cost, _)) if cost == answer.lower => Ok(Some(cost)),
            None if answer.lower > most => Ok(None),
            _ => Err(Stopped),
        }
    }
}
