//! Enumeration of all optimal trees: their number, and a lazy list. A thread computes a few batches
//! of trees ahead of Python; it ends when Python drops the list.

use crate::allocator;
use crate::border::{CountResult, TreeColumns};
use crate::refusal::Refusal;
use crate::request::{CallLimits, Resources, limit};
use crate::result::stopped_by;
use crate::table::TableArguments;
use crate::watch::{POLL, STACK_BYTES, interrupted};
use exactree_model::{Errors, StoppedBy};
use exactree_search::{AllTreesOptions, AllTreesStats, ListingQuantity, Shapes};
use exactree_search::{AllTreesRequest, Clock, StopSwitch, Trees, list_trees};
use num_bigint::BigUint;
use numpy::{IntoPyArray, PyArrayMethods};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Maximum number of batches of trees computed ahead of Python.
const BATCHES_AHEAD: usize = 2;

/// The trees to list: ranges of cost, size and depth.
#[derive(FromPyObject)]
struct ListingRequest {
    #[pyo3(from_py_with = limit)]
    max_depth: u32,
    sizes: Option<(u64, u64)>,
    costs: (u64, u64),
    minimum_size: bool,
    shapes: Option<Vec<Option<(u32, u32)>>>,
    order: Vec<String>,
}

/// Settings of the count and of the list of trees.
#[derive(FromPyObject)]
pub(crate) struct ListingSettings {
    pub resources: Resources,
    error_price: u64,
    leaf_price: u64,
    min_samples_leaf: u64,
    request: ListingRequest,
}

impl ListingSettings {
    pub(crate) fn request(&self) -> Result<AllTreesRequest, Refusal> {
        let ListingSettings { resources, error_price, leaf_price, min_samples_leaf, request } =
            self;
        let shapes = request.shapes.as_ref();
        let read = |children: &Vec<_>| Shapes::new(children).ok_or(Refusal::UnorderedShapes);
        Ok(AllTreesRequest {
            objective: Errors { error_price: *error_price, leaf_price: *leaf_price },
            depth: request.max_depth,
            shapes: shapes.map(read).transpose()?,
            // The sizes are below the number of rows, which fits into 32 bits.
            sizes: request.sizes.map(|(from, to)| (from as u32, to as u32)),
            costs: request.costs,
            min_samples_leaf: *min_samples_leaf,
            minimum_size: request.minimum_size,
            order: request.order.iter().map(|name| quantity(name)).collect::<Result<_, _>>()?,
            memory_limit: resources.cache_bytes(),
            options: AllTreesOptions::default(),
        })
    }
}

/// A quantity by which trees are sorted.
fn quantity(name: &str) -> Result<ListingQuantity, Refusal> {
    match name {
        "size" => Ok(ListingQuantity::Size),
        "depth" => Ok(ListingQuantity::Depth),
        "errors" => Ok(ListingQuantity::Cost),
        _ => Err(Refusal::unknown("order", name)),
    }
}

/// A number of trees, and statistics of their graph.
pub(crate) fn count_result(
    py: Python<'_>,
    count: Option<BigUint>,
    stats: &AllTreesStats,
    stopped: Option<StoppedBy>,
) -> PyResult<CountResult> {
    if count.is_none() && stopped.is_none() {
        return Err(Refusal::NoResult { of: "count" }.into());
    }
    let counts = PyDict::new(py);
    counts.set_item("states", stats.states)?;
    counts.set_item("subsets", stats.subsets)?;
    counts.set_item("size_limits", stats.size_limits)?;
    counts.set_item("lower_bounds", stats.lower_bounds)?;
    counts.set_item("tight_bounds", stats.tight_bounds)?;
    counts.set_item("interval_bound", stats.interval_bound)?;
    Ok(CountResult { count, stopped_by: stopped.map(stopped_by), stats: counts.unbind() })
}

enum Message {
    Trees(Box<Trees>),
    /// The end of the list; true if the list is complete.
    End(bool),
}

/// A lazy list of trees.
#[pyclass(module = "exactree._native", frozen)]
pub struct AllTrees {
    receiver: Mutex<Receiver<Message>>,
    switch: Arc<StopSwitch>,
    n_classes: usize,
}

impl AllTrees {
    pub(crate) fn start(
        raw: TableArguments,
        request: AllTreesRequest,
        limits: CallLimits,
    ) -> Result<Self, Refusal> {
        allocator::prepare();
        let switch = Arc::new(limits.switch());
        let (sender, receiver) = sync_channel(BATCHES_AHEAD);
        let (shared, n_classes) = (switch.clone(), raw.n_classes);
        std::thread::Builder::new()
            .name("exactree".into())
            .stack_size(STACK_BYTES)
            .spawn(move || run_list(raw, &request, limits.time_left(), &shared, &sender))
            .map_err(Refusal::NoThread)?;
        Ok(AllTrees { receiver: Mutex::new(receiver), switch, n_classes })
    }
}

/// Computes the list on its thread, until the receiver is dropped.
fn run_list(
    raw: TableArguments,
    request: &AllTreesRequest,
    time_limit: Option<Duration>,
    switch: &StopSwitch,
    sender: &SyncSender<Message>,
) {
    let clock = Clock::start(time_limit, switch);
    let table = raw.table_within(&clock);
    let complete = list_trees(&table, request, &clock, &mut |trees| {
        sender.send(Message::Trees(Box::new(trees))).is_ok() && !clock.stopped()
    });
    // A list that ends early without having been stopped is a bug; the receiver reports the missing
    // end message.
    if complete || clock.stopped() {
        let _ = sender.send(Message::End(complete));
    }
}

#[pymethods]
impl AllTrees {
    /// The next few trees as columns; at the end a bool, whether the list is complete.
    fn next_trees<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        loop {
            if interrupted(py)? {
                return Err(PyKeyboardInterrupt::new_err(()));
            }
            let received = py.detach(|| {
                self.receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(POLL)
            });
            match received {
                Ok(Message::Trees(trees)) => {
                    return self.columns(py, *trees)?.into_pyobject(py);
                }
                Ok(Message::End(complete)) => {
                    return Ok(complete.into_pyobject(py)?.to_owned().into_any());
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Refusal::NoResult { of: "list" }.into());
                }
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            }
        }
    }
}

impl AllTrees {
    /// The columns of a batch as arrays.
    fn columns(&self, py: Python<'_>, trees: Trees) -> PyResult<TreeColumns> {
        let ends: Vec<i64> = trees.ends.iter().map(|&end| end as i64).collect();
        let class_weights: Vec<i64> = trees.class_weights.iter().map(|&w| w as i64).collect();
        let shape = [trees.feature.len(), self.n_classes];
        Ok(TreeColumns {
            ends: ends.into_pyarray(py).unbind(),
            left: trees.left.into_pyarray(py).unbind(),
            right: trees.right.into_pyarray(py).unbind(),
            feature: trees.feature.into_pyarray(py).unbind(),
            low: trees.low.into_pyarray(py).unbind(),
            high: trees.high.into_pyarray(py).unbind(),
            prediction: trees.prediction.into_pyarray(py).unbind(),
            rows: trees.rows.into_pyarray(py).unbind(),
            class_weights: class_weights.into_pyarray(py).reshape(shape)?.unbind(),
        })
    }
}

impl Drop for AllTrees {
    fn drop(&mut self) {
        self.switch.stop(StoppedBy::Interrupt);
    }
}
