//! Running a search on its own thread, while the calling thread handles signals and progress:
//! Ctrl-C and callbacks never wait for the search, and the search never waits for Python.
//! `exactree.stopping` handles Ctrl-C for the whole call of the user; here its flag is polled.

use crate::allocator;
use crate::refusal::Refusal;
use crate::request::CallLimits;
use exactree_model::{Cost, StoppedBy};
use exactree_search::{Clock, Progress, StopSwitch};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Stack size of the search's thread: trees without limits may be deep, and the search recurses as
/// deep as its trees.
pub(crate) const STACK_BYTES: usize = 1 << 28;

/// Interval between two polls of signals.
pub(crate) const POLL: Duration = Duration::from_millis(20);

/// Minimum time between two calls of `on_progress`.
const PROGRESS: Duration = Duration::from_millis(100);

/// State shared by the calling thread and the search.
struct RunningCall {
    switch: StopSwitch,
    progress: Progress,
}

/// Conversion of a cost into the units of the user.
pub(crate) type CostConversion<'a> = &'a dyn Fn(Cost) -> f64;

/// Runs `search` on a thread of its own and returns its result. Its clock starts there, with the
/// time that remains after copying the table.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    on_progress: Option<Py<PyAny>>,
    limits: CallLimits,
    search: impl FnOnce(&Clock<'_>, &Progress) -> T + Send,
) -> PyResult<T> {
    run_in_units(py, on_progress, None, limits, search)
}

/// Like `run`, with costs converted for `on_progress`.
pub(crate) fn run_in_units<T: Send>(
    py: Python<'_>,
    on_progress: Option<Py<PyAny>>,
    in_units: Option<CostConversion<'_>>,
    limits: CallLimits,
    search: impl FnOnce(&Clock<'_>, &Progress) -> T + Send,
) -> PyResult<T> {
    allocator::prepare();
    let switch = limits.switch();
    let shared = RunningCall { switch, progress: Progress::default() };
    let started = Instant::now();
    if interrupted(py)? {
        // After an interrupt the search only returns a result that needs no time.
        shared.switch.stop(StoppedBy::Interrupt);
    }
    std::thread::scope(|scope| {
        let (sender, mut receiver) = channel();
        let shared = &shared;
        std::thread::Builder::new()
            .name("exactree".into())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, move || {
                let clock = Clock::start(limits.time_left(), &shared.switch);
                let search = std::panic::AssertUnwindSafe(|| search(&clock, &shared.progress));
                // A panic drops the sender, and `wait` reports it. The receiver is dropped only if
                // the calling thread has failed.
                if let Ok(solution) = std::panic::catch_unwind(search) {
                    let _ = sender.send(solution);
                }
            })
            .map_err(Refusal::NoThread)?;
        let listener =
            on_progress.as_ref().map(|callback| ProgressCallback { callback, in_units, started });
        wait(py, &mut receiver, shared, listener)
    })
}

/// Waits for the search. An exception meanwhile stops the search and is raised after its end; an
/// interrupt is part of the outcome.
fn wait<T: Send>(
    py: Python<'_>,
    receiver: &mut Receiver<T>,
    shared: &RunningCall,
    listener: Option<ProgressCallback<'_>>,
) -> PyResult<T> {
    let mut failure = None;
    let mut reported = Instant::now();
    loop {
        let inbox = &mut *receiver;
        let received = py.detach(move || inbox.recv_timeout(POLL));
        match received {
            // A signal that arrives now does not concern this search: Python handles it next.
            Ok(solution) => return failure.map_or(Ok(solution), Err),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Refusal::NoResult { of: "search" }.into());
            }
            Err(RecvTimeoutError::Timeout) => handle_signals(py, shared, &mut failure),
        }
        let due = reported.elapsed() >= PROGRESS && failure.is_none();
        if let Some(listener) = listener.as_ref().filter(|_| due) {
            reported = Instant::now();
            if let Err(error) = call_listener(py, shared, listener) {
                stop_for(py, shared, error, &mut failure);
            }
        }
    }
}

/// The callback for progress, and its units.
struct ProgressCallback<'a> {
    callback: &'a Py<PyAny>,
    in_units: Option<CostConversion<'a>>,
    started: Instant,
}

/// Calls `on_progress`; a true return value stops the search.
fn call_listener(
    py: Python<'_>,
    shared: &RunningCall,
    listener: &ProgressCallback<'_>,
) -> PyResult<()> {
    let (cost, lower_bound) = shared.progress.read();
    let (callback, seconds) = (listener.callback, listener.started.elapsed().as_secs_f64());
    let returned = match listener.in_units {
        None => callback.call1(py, (cost, lower_bound, seconds))?,
        Some(convert) => callback.call1(py, (cost.map(convert), convert(lower_bound), seconds))?,
    };
    if returned.is_truthy(py)? {
        shared.switch.stop(StoppedBy::Callback);
    }
    Ok(())
}

/// Lets Python run its signal handlers.
fn handle_signals(py: Python<'_>, shared: &RunningCall, failure: &mut Option<PyErr>) {
    match py.check_signals().and_then(|()| interrupted(py)) {
        Ok(true) => shared.switch.stop(StoppedBy::Interrupt),
        Ok(false) => {}
        Err(error) => stop_for(py, shared, error, failure),
    }
}

/// Whether Ctrl-C was pressed during the user's call that this thread runs.
pub(crate) fn interrupted(py: Python<'_>) -> PyResult<bool> {
    static INTERRUPTED: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let poll = INTERRUPTED.get_or_try_init(py, || {
        py.import("exactree.stopping")?.getattr("interrupted").map(Bound::unbind)
    })?;
    poll.call0(py)?.extract(py)
}

/// Stops the search because of an exception. Ctrl-C becomes part of the outcome, which keeps the
/// incumbent; any other exception is raised once the search has ended.
fn stop_for(py: Python<'_>, shared: &RunningCall, error: PyErr, failure: &mut Option<PyErr>) {
    shared.switch.stop(StoppedBy::Interrupt);
    if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
        failure.get_or_insert(error);
    }
}
