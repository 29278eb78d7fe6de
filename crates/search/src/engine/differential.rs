//! For the tests of spaces: searches of some columns as roots, in any order and stopped anywhere.

use crate::engine::column_children::ColumnSpace;
use crate::engine::root_range::{RootRange, SearchControl};
use crate::engine::space::{Search, SubsetOf};
use crate::kernels::InstructionSet;
use crate::support::cache::SharedCache;
use crate::support::clock::{Clock, StopSwitch};
use crate::support::statistics::Progress;
use exactree_model::{Cost, Limits, StoppedBy, UNBOUNDED};
use std::sync::Mutex;

/// Numbers of searches that returned open columns, by the reason why they ended early.
#[derive(Default)]
pub(crate) struct Returned {
    pub on_request: usize,
    pub stopped: usize,
}

/// Searches the columns at these `roots` in rounds; whether all rounds have valid bounds and the
/// last one finds the optimum.
pub(crate) fn finds_by_rounds<S: ColumnSpace<Workspace: Default>>(
    space: S,
    (whole, limits): (&SubsetOf<S>, Limits),
    roots: Vec<RootRange>,
    optimum: Cost,
    random: &mut fastrand::Rng,
    returned: &mut Returned,
) -> bool {
    let (cache, progress) = (SharedCache::new(None, 1), Progress::default());
    let level = InstructionSet::detect(true);
    let (mut open, mut best) = (roots, UNBOUNDED);
    for round in 0.. {
        random.shuffle(&mut open);
        let roots = open.split_off(random.usize(0..=open.len()));
        let (switch, control) = (StopSwitch::default(), SearchControl::default());
        // Later rounds are rarely stopped.
        match random.u32(0..30 + round) {
            0..8 => control.return_open(),
            8..16 => switch.stop(StoppedBy::Interrupt),
            _ => {}
        }
        control.tighten_upper_bound(best);
        let clock = Clock::start(None, &switch);
        let mut search =
            Search::over(space, clock, &progress, &cache, level, S::Workspace::default());
        search.control = Some(&control);
        let tried = search.best_of_roots(whole, limits, best, (&roots, &Mutex::new(())));
        returned.on_request += usize::from(control.must_return_open() && !tried.open.is_empty());
        returned.stopped += usize::from(switch.reason().is_some() && !tried.open.is_empty());
        best = tried.tree.map_or(best, |(cost, _)| cost.min(best));
        open.extend(tried.open);
        open.retain(|root| root.lower < best);
        let lower = open.iter().map(|root| root.lower).fold(best, Cost::min);
        if lower > optimum || best < optimum {
            return false;
        }
        if open.is_empty() && round > 0 {
            return best == optimum;
        }
    }
    unreachable!("the rounds do not end")
}
