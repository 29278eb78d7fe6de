//! Runs a search on a thread of its own while the calling thread handles signals and progress:
//! Ctrl-C and callbacks never wait for the search, and the search never waits for Python.
//! `exactree.stopping` handles Ctrl-C for the whole call of the user; here its flag is polled.

use crate::CoreError;
use crate::allocator;
use crate::request::Resources;
use exactree_model::{Cost, StoppedBy};
use exactree_search::{Clock, Progress, StopSwitch};
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Trees without limits may be deep, and their search recurses as deep.
pub const STACK_BYTES: usize = 1 << 28;

/// Interval between two polls of signals.
pub const POLL: Duration = Duration::from_millis(20);

/// Least time between two calls of `on_progress`.
const PROGRESS: Duration = Duration::from_millis(100);

/// State shared by the calling thread and the search.
struct RunningCall {
    switch: StopSwitch,
    progress: Progress,
}

/// Conversion of a cost for display.
pub type CostConversion<'a> = &'a dyn Fn(Cost) -> f64;

/// Runs `search` on a thread of its own and returns its result. Its clock starts there, with the
/// time that remains after copying the table.
pub fn run<T: Send>(
    py: Python<'_>,
    on_progress: Option<Py<PyAny>>,
    resources: Resources,
    search: impl FnOnce(&Clock<'_>, &Progress) -> T + Send,
) -> PyResult<T> {
    run_in_units(py, on_progress, None, resources, search)
}

/// The same where costs are shown in other units.
pub fn run_in_units<T: Send>(
    py: Python<'_>,
    on_progress: Option<Py<PyAny>>,
    in_units: Option<CostConversion<'_>>,
    resources: Resources,
    search: impl FnOnce(&Clock<'_>, &Progress) -> T + Send,
) -> PyResult<T> {
    allocator::prepare();
    let switch = resources.switch();
    let shared = RunningCall { switch, progress: Progress::default() };
    let started = Instant::now();
    if interrupted(py)? {
        // After a stop no search begins: it only returns a result at hand.
        shared.switch.stop(StoppedBy::Interrupt);
    }
    std::thread::scope(|scope| {
        let (sender, mut receiver) = channel();
        let shared = &shared;
        std::thread::Builder::new()
            .name("exactree".into())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, move || {
                let clock = Clock::start(resources.time_left(), &shared.switch);
                let search = std::panic::AssertUnwindSafe(|| search(&clock, &shared.progress));
                // A panic drops the sender, and `wait` reports it. The receiver only
                // goes when the calling thread has failed.
                if let Ok(solution) = std::panic::catch_unwind(search) {
                    let _ = sender.send(solution);
                }
            })
            .map_err(no_thread)?;
        let listener =
            on_progress.as_ref().map(|callback| ProgressCallback { callback, in_units, started });
        wait(py, &mut receiver, shared, listener)
    })
}

/// The error if the system cannot create a thread, because no addresses are left for its stack.
pub fn no_thread(error: std::io::Error) -> PyErr {
    PyMemoryError::new_err(format!("the system gives no thread for the search: {error}"))
}

/// Waits for the search. Whatever goes wrong meanwhile stops the search first
/// and is raised afterwards; an interrupt is part of the outcome.
fn wait<T: Send>(
    py: Python<'_>,
    receiver: &mut Receiver<T>,
    shared: &RunningCall,
    listener: Option<ProgressCallback<'_>>,
) -> PyResult<T> {
    let mut failure = None;
    let mut shown = Instant::now();
    loop {
        let inbox = &mut *receiver;
        let received = py.detach(move || inbox.recv_timeout(POLL));
        match received {
            // A signal that arrives now does not concern this search: Python handles it next.
            Ok(solution) => return failure.map_or(Ok(solution), Err),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(CoreError::new_err("the search ended without an answer"));
            }
            Err(RecvTimeoutError::Timeout) => mind_signals(py, shared, &mut failure),
        }
        let due = shown.elapsed() >= PROGRESS && failure.is_none();
        if let Some(listener) = listener.as_ref().filter(|_| due) {
            shown = Instant::now();
            if let Err(error) = show(py, shared, listener) {
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

/// Calls `on_progress`; a true answer stops the search.
fn show(py: Python<'_>, shared: &RunningCall, listener: &ProgressCallback<'_>) -> PyResult<()> {
    let (cost, lower_bound) = shared.progress.read();
    let (callback, seconds) = (listener.callback, listener.started.elapsed().as_secs_f64());
    let solution = match listener.in_units {
        None => callback.call1(py, (cost, lower_bound, seconds))?,
        Some(shown) => callback.call1(py, (cost.map(shown), shown(lower_bound), seconds))?,
    };
    if solution.is_truthy(py)? {
        shared.switch.stop(StoppedBy::Callback);
    }
    Ok(())
}

/// Lets Python run its signal handlers.
fn mind_signals(py: Python<'_>, shared: &RunningCall, failure: &mut Option<PyErr>) {
    match py.check_signals().and_then(|()| interrupted(py)) {
        Ok(true) => shared.switch.stop(StoppedBy::Interrupt),
        Ok(false) => {}
        Err(error) => stop_for(py, shared, error, failure),
    }
}

/// Whether Ctrl-C was pressed during the user's call that this thread runs.
pub fn interrupted(py: Python<'_>) -> PyResult<bool> {
    static POLL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let poll = POLL.get_or_try_init(py, || {
        py.import("exactree.stopping")?.getattr("interrupted").map(Bound::unbind)
    })?;
    poll.call0(py)?.extract(py)
}

/// Stops the search. Ctrl-C becomes part of the outcome, which keeps the best
/// tree so far; any other exception is raised once the search has ended.
fn stop_for(py: Python<'_>, shared: &RunningCall, error: PyErr, failure: &mut Option<PyErr>) {
    shared.switch.stop(StoppedBy::Interrupt);
    if !error.is_instance_of::<PyKeyboardInterrupt>(py) {
        failure.get_or_insert(error);
    }
}
