//! Test-only: solves a problem by random root tasks, in any order, some of them stopped early.

use super::{RootRange, RootTasks, SearchControl};
use crate::engine::solution::CostedTree;
use crate::support::clock::{Clock, StopSwitch};
use crate::support::statistics::Progress;
use exactree_model::{Cost, StoppedBy};
use std::time::Duration;

/// Counts of events in searches that are split into tasks.
#[derive(Debug, Default)]
pub(crate) struct TaskCounts {
    pub returned_open: usize,
    pub stopped: usize,
    /// Returned ranges of several open rules.
    pub ranges: usize,
}

/// Limits of random tasks: the maximum time, and, if the costs of trees are exact up to rounding, a
/// difference of costs that is too large to be due to rounding.
#[derive(Clone, Copy)]
pub(crate) struct TaskLimits {
    pub micros: u64,
    pub far: Option<Cost>,
}

/// The state between two tasks: the best tree, and a lower bound on the cost of every tree.
pub(crate) struct KnownBounds<'k> {
    pub best: Option<&'k CostedTree>,
    pub lower: Cost,
}

/// Solves a problem task by task. Returns an error that describes the defect as soon as `is_right`
/// rejects the known bounds, or a tree does not have the cost that was reported. Only trees that
/// cost less than `below` count; no tree costs less than `lower`.
pub(crate) fn by_tasks(
    search: &dyn RootTasks,
    (random, counts): (&mut fastrand::Rng, &mut TaskCounts),
    limits: TaskLimits,
    (below, lower, mut best): (Cost, Cost, Option<CostedTree>),
    is_right: &dyn Fn(KnownBounds<'_>) -> bool,
) -> Result<Option<CostedTree>, String> {
    let upper = |best: &Option<CostedTree>| best.as_ref().map_or(below, |best| best.0);
    let (mut open, mut before) = (search.roots(), below);
    for round in 0.. {
        let roots = take(random, &mut open);
        // Later rounds are never stopped.
        let may_stop = random.u32(0..30) > round;
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let control = SearchControl::default();
        let micros = random.u64(0..limits.micros);
        let limit = (may_stop && random.bool()).then(|| Duration::from_micros(micros));
        match random.u32(0..4) {
            0 if may_stop => control.return_open(),
            1 if may_stop => switch.stop(StoppedBy::Interrupt),
            _ => {}
        }
        if random.bool() {
            control.tighten_upper_bound(upper(&best));
        }
        // The upper bound of a worker may be outdated.
        let start = (if random.bool() { upper(&best) } else { before }, random.bool());
        let clock = Clock::start(limit, &switch);
        let (solved, returned) = search.run(&roots, start, clock, &progress, &control);
        counts.returned_open += usize::from(control.must_return_open() && !returned.is_empty());
        counts.stopped += usize::from(switch.reason().is_some() && !returned.is_empty());
        counts.ranges += returned.iter().filter(|range| range.first < range.last).count();
        before = upper(&best);
        if let Some((cost, tree)) = solved.outcome.cost.zip(solved.outcome.tree) {
            let far_agrees = limits.far.is_some_and(|far| search.agrees(&tree, cost + far));
            if !search.agrees(&tree, cost) || far_agrees {
                return Err(format!("{tree:?} does not cost {cost}"));
            }
            if cost < upper(&best) {
                best = Some((cost, tree));
            }
        }
        open.extend(returned);
        open.retain(|roots| roots.lower < upper(&best));
        let known = open.iter().map(|roots| roots.lower).fold(upper(&best), Cost::min).max(lower);
        let known = KnownBounds { best: best.as_ref(), lower: known.min(upper(&best)) };
        if !is_right(known) {
            return Err(format!(
                "{best:?}, {open:?}, at least {lower}, after {roots:?}, {start:?}"
            ));
        }
        if (open.is_empty() && round > 0) || lower >= upper(&best) {
            return Ok(best);
        }
    }
    unreachable!("the rounds do not end")
}

/// Takes some open rules for the next task; may split a range of rules.
fn take(random: &mut fastrand::Rng, open: &mut Vec<RootRange>) -> Vec<RootRange> {
    if open.is_empty() {
        return Vec::new();
    }
    random.shuffle(open);
    let mut taken = open.split_off(random.usize(0..open.len()));
    let last = taken.len() - 1;
    let whole = taken[last];
    if whole.first < whole.last && random.bool() {
        let middle = random.u32(whole.first..whole.last);
        taken[last].last = middle;
        open.push(RootRange { first: middle + 1, ..whole });
    }
    taken
}
