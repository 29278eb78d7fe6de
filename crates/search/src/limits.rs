//! When to stop: the only place that reads the clock.

use exactree_model::StoppedBy;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// The search was asked to stop.
#[derive(Debug)]
pub struct Stopped;

/// A request to stop that another thread may make; shared by all who search.
#[derive(Debug, Default)]
pub struct StopSwitch(AtomicU8);

impl StopSwitch {
    /// Asks the search to stop. The first reason given stands.
    pub fn stop(&self, by: StoppedBy) {
        let _ = self.0.compare_exchange(0, code(by), Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Why the search was asked to stop, if it was.
    pub fn reason(&self) -> Option<StoppedBy> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(StoppedBy::TimeLimit),
            2 => Some(StoppedBy::Interrupt),
            3 => Some(StoppedBy::Callback),
            4 => Some(StoppedBy::MemoryLimit),
            _ => Some(StoppedBy::Gap),
        }
    }
}

fn code(by: StoppedBy) -> u8 {
    match by {
        StoppedBy::TimeLimit => 1,
        StoppedBy::Interrupt => 2,
        StoppedBy::Callback => 3,
        StoppedBy::MemoryLimit => 4,
        StoppedBy::Gap => 5,
    }
}

/// The clock of one search.
#[derive(Clone, Copy)]
pub struct Clock<'a> {
    started: Instant,
    deadline: Option<Instant>,
    switch: &'a StopSwitch,
}

impl<'a> Clock<'a> {
    pub fn start(time_limit: Option<Duration>, switch: &'a StopSwitch) -> Self {
        let started = Instant::now();
        // A limit beyond what the clock can hold is no limit.
        let deadline = time_limit.and_then(|limit| started.checked_add(limit));
        Clock { started, deadline, switch }
    }

    /// Whether the search must unwind. Costs about 30 ns: ask it before every
    /// piece of work that takes microseconds.
    #[inline]
    pub fn stopped(&self) -> bool {
        #[cfg(test)]
        if patience::is_over() {
            self.switch.stop(StoppedBy::Interrupt);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.switch.stop(StoppedBy::TimeLimit);
        }
        self.switch.0.load(Ordering::Relaxed) != 0
    }

    /// The same as an error, to unwind by.
    #[inline]
    pub fn check(&self) -> Result<(), Stopped> {
        if self.stopped() { Err(Stopped) } else { Ok(()) }
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

#[cfg(test)]
pub(crate) use patience::asked_so_often;

/// Stops searches at the same place every time.
#[cfg(test)]
mod patience {
    use std::cell::Cell;

    thread_local! {
        static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    }

    pub fn is_over() -> bool {
        LEFT.set(LEFT.get().saturating_sub(1));
        LEFT.get() == 0
    }

    /// Runs a search on this thread whose clock stops it when asked so often.
    pub fn asked_so_often<T>(times: u64, run: impl FnOnce() -> T) -> T {
        LEFT.set(times);
        let result = run();
        LEFT.set(u64::MAX);
        result
    }
}
