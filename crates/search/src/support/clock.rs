//! Stopping: time limits, the memory limit and requests to stop.

use crate::support::memory::{Account, is_exhausted};
use exactree_model::{Cost, StoppedBy, Tree};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// The search was stopped.
#[derive(Debug)]
pub struct Stopped;

/// A request to stop, which any thread may make; shared by all threads of a search.
#[derive(Debug, Default)]
pub struct StopSwitch {
    reason: AtomicU8,
    memory: Account,
}

impl StopSwitch {
    /// A switch that also stops the search at a memory limit in bytes; `held` bytes are in use
    /// already.
    pub fn within(memory_limit: Option<usize>, held: isize) -> Self {
        StopSwitch { reason: AtomicU8::new(0), memory: Account::new(memory_limit, held) }
    }

    /// Requests the search to stop. The first reason is kept.
    pub fn stop(&self, by: StoppedBy) {
        let _ = self.reason.compare_exchange(0, code(by), Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Why the search was stopped, if it was.
    pub fn reason(&self) -> Option<StoppedBy> {
        match self.reason.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(StoppedBy::TimeLimit),
            2 => Some(StoppedBy::Interrupt),
            3 => Some(StoppedBy::Callback),
            4 => Some(StoppedBy::Gap),
            _ => Some(StoppedBy::MemoryLimit),
        }
    }
}

fn code(by: StoppedBy) -> u8 {
    match by {
        StoppedBy::TimeLimit => 1,
        StoppedBy::Interrupt => 2,
        StoppedBy::Callback => 3,
        StoppedBy::Gap => 4,
        StoppedBy::MemoryLimit => 5,
    }
}

/// What a thread of a search does when it may work beside the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occupation {
    Searching,
    /// It waits for another thread.
    Waiting,
    /// The search has had no work for it yet.
    Idle,
}

/// Work beside a search, done a piece at a time by the threads that poll the clock of the search.
pub(crate) trait Background: Sync {
    /// Does a piece of the work if one is due for the thread; whether it did.
    fn step(&self, clock: &Clock<'_>, occupation: Occupation) -> bool;

    /// The lower bound on the cost of every tree that the work has proved.
    fn lower_bound(&self) -> Cost;

    /// The cheapest tree that the work has found, and its cost.
    fn tree(&self) -> Option<(Cost, Arc<Tree>)>;
}

/// The clock of one search: start, deadline and stop switch.
#[derive(Clone, Copy)]
pub struct Clock<'a> {
    started: Instant,
    deadline: Option<Instant>,
    switch: &'a StopSwitch,
    /// The switch of the search beside which this one runs.
    outer: Option<&'a StopSwitch>,
    background: Option<&'a dyn Background>,
}

impl<'a> Clock<'a> {
    pub fn start(time_limit: Option<Duration>, switch: &'a StopSwitch) -> Self {
        let started = Instant::now();
        // A limit beyond the range of the clock is no limit.
        let deadline = time_limit.and_then(|limit| started.checked_add(limit));
        Clock { started, deadline, switch, outer: None, background: None }
    }

    /// The same clock, which also gives its threads some work to do beside the search.
    pub(crate) fn with_background<'b>(&self, background: Option<&'b dyn Background>) -> Clock<'b>
    where
        'a: 'b,
    {
        Clock { background, ..*self }
    }

    /// The clock of a search within this one, which takes at most `limit`.
    pub(crate) fn within<'b>(&self, limit: Duration, switch: &'b StopSwitch) -> Clock<'b>
    where
        'a: 'b,
    {
        let started = Instant::now();
        let deadline = started.checked_add(limit).into_iter().chain(self.deadline).min();
        Clock { started, deadline, switch, outer: Some(self.switch), background: None }
    }

    /// Does a piece of the work beside the search, if one is due; whether it did.
    pub(crate) fn work_beside(&self, occupation: Occupation) -> bool {
        self.background.is_some_and(|background| background.step(self, occupation))
    }

    /// Polls the clock: whether the search must unwind. A poll takes about 30 ns, so poll before
    /// every step of work that takes microseconds.
    #[inline]
    pub fn stopped(&self) -> bool {
        #[cfg(test)]
        if poll_limit::is_reached() {
            self.switch.stop(StoppedBy::Interrupt);
        }
        if let Some(background) = self.background {
            background.step(self, Occupation::Searching);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.switch.stop(StoppedBy::TimeLimit);
        }
        if self.outer.unwrap_or(self.switch).memory.exceeded() {
            self.switch.stop(StoppedBy::MemoryLimit);
        }
        if let Some(reason) = self.outer.and_then(StopSwitch::reason) {
            self.switch.stop(reason);
        }
        self.switch.reason.load(Ordering::Relaxed) != 0
    }

    /// Whether the search was asked to stop or its time is over, without work beside it.
    pub(crate) fn has_ended(&self) -> bool {
        self.stopped_by().is_some()
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Like `stopped`, as an error for `?`.
    #[inline]
    pub fn check(&self) -> Result<(), Stopped> {
        if self.stopped() { Err(Stopped) } else { Ok(()) }
    }

    /// The lower bound that was proved beside the search; 0 if nothing was.
    pub(crate) fn bound_beside(&self) -> Cost {
        self.background.map_or(0, Background::lower_bound)
    }

    /// The cheapest tree that was found beside the search.
    pub(crate) fn tree_beside(&self) -> Option<(Cost, Arc<Tree>)> {
        self.background.and_then(Background::tree)
    }

    pub fn stop(&self, by: StoppedBy) {
        self.switch.stop(by);
    }

    pub fn stopped_by(&self) -> Option<StoppedBy> {
        self.switch.reason()
    }

    pub fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}

/// Grace period after a stop, for the work without which there would be no tree.
const GRACE: Duration = Duration::from_millis(100);

/// Number of values in a table for which that work takes about the grace period. For smaller tables
/// the work is always completed, so that a search has a tree however slow the machine is.
const SMALL_TABLE: usize = 1 << 18;

/// Limits the work that continues after a stop because it builds the first tree: reading the table
/// and building a greedy tree. The grace period begins when the stop is first noticed.
pub struct Grace<'a> {
    clock: Clock<'a>,
    small: bool,
    length: Duration,
    since: Cell<Option<Instant>>,
}

impl<'a> Grace<'a> {
    /// For a table with these numbers of rows and columns.
    pub fn of(clock: &Clock<'a>, rows: usize, columns: usize) -> Self {
        let small = rows.saturating_mul(columns) <= SMALL_TABLE;
        Grace { clock: *clock, small, length: GRACE, since: Cell::new(None) }
    }

    /// Without a grace period.
    #[cfg(test)]
    pub fn none(clock: &Clock<'a>) -> Self {
        Grace { small: false, length: Duration::ZERO, ..Grace::of(clock, 0, 0) }
    }

    /// Whether the work must end. It ends at once if the system is out of memory.
    pub fn is_over(&self) -> bool {
        if !self.clock.stopped() {
            return false;
        }
        let since = self.since.get().unwrap_or_else(Instant::now);
        self.since.set(Some(since));
        is_exhausted() || (!self.small && since.elapsed() >= self.length)
    }
}

#[cfg(test)]
pub(crate) use poll_limit::stop_at_poll;

/// Stops searches at a fixed poll, for reproducible tests.
#[cfg(test)]
mod poll_limit {
    use std::cell::Cell;

    thread_local! {
        static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    }

    pub(super) fn is_reached() -> bool {
        LEFT.set(LEFT.get().saturating_sub(1));
        LEFT.get() == 0
    }

    /// Runs a search on this thread; its clock stops it at the poll of this number (from 1).
    pub(crate) fn stop_at_poll<T>(poll: u64, run: impl FnOnce() -> T) -> T {
        LEFT.set(poll);
        let result = run();
        LEFT.set(u64::MAX);
        result
    }
}
