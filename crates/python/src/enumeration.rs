//! Enumeration of all optimal trees: their number, and a lazy list. A thread computes a few batches
//! of trees ahead of Python; it ends when Python drops the list.

use crate::allocator;
use crate::refusal::Refusal;
use crate::request::{Resources, item, limit, memory_limit};
use crate::result::stopped_by;
use crate::table::TableArguments;
use crate::watch::{POLL, STACK_BYTES, interrupted};
use exactree_model::{Errors, StoppedBy};
use exactree_search::enumeration::{AllTreesOptions, AllTreesStats, ListingQuantity, Shapes};
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

pub fn read(settings: &Bound<'_, PyDict>) -> PyResult<AllTreesRequest> {
    let sizes: Option<(u64, u64)> = item(settings, "sizes")?.extract()?;
    let shapes: Option<Vec<Option<(u32, u32)>>> = item(settings, "shapes")?.extract()?;
    let read = |children: Vec<_>| Shapes::new(&children).ok_or(Refusal::UnorderedShapes);
    let shapes = shapes.map(read).transpose()?;
    Ok(AllTreesRequest {
        objective: Errors {
            error_price: item(settings, "error_price")?.extract()?,
            leaf_price: item(settings, "leaf_price")?.extract()?,
        },
        depth: limit(settings, "max_depth")?,
        shapes,
        // The sizes are below the number of rows, which fits into 32 bits.
        sizes: sizes.map(|(from, to)| (from as u32, to as u32)),
        costs: item(settings, "costs")?.extract()?,
        min_samples_leaf: item(settings, "min_samples_leaf")?.extract()?,
        minimum_size: item(settings, "minimum_size")?.extract()?,
        order: order(settings)?,
        memory_limit: memory_limit(settings)?,
        options: AllTreesOptions::default(),
    })
}

/// The quantities by which trees are sorted.
fn order(settings: &Bound<'_, PyDict>) -> PyResult<Vec<ListingQuantity>> {
    let names: Vec<String> = item(settings, "order")?.extract()?;
    let read = |name: &String| match name.as_str() {
        "size" => Ok(ListingQuantity::Size),
        "depth" => Ok(ListingQuantity::Depth),
        "errors" => Ok(ListingQuantity::Cost),
        _ => Err(Refusal::unknown("order", name).into()),
    };
    names.iter().map(read).collect()
}

/// Writes a number of trees, and statistics of their graph.
pub fn counted<'py>(
    py: Python<'py>,
    count: Option<BigUint>,
    stats: &AllTreesStats,
    stopped: Option<StoppedBy>,
) -> PyResult<Bound<'py, PyDict>> {
    if count.is_none() && stopped.is_none() {
        return Err(Refusal::NoResult { of: "count" }.into());
    }
    let result = PyDict::new(py);
    result.set_item("count", count)?;
    result.set_item("stopped_by", stopped.map(stopped_by))?;
    let counts = PyDict::new(py);
    counts.set_item("states", stats.states)?;
    counts.set_item("subsets", stats.subsets)?;
    counts.set_item("size_limits", stats.size_limits)?;
    counts.set_item("lower_bounds", stats.lower_bounds)?;
    counts.set_item("tight_bounds", stats.tight_bounds)?;
    counts.set_item("interval_bound", stats.interval_bound)?;
    result.set_item("stats", counts)?;
    Ok(result)
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
        resources: Resources,
    ) -> PyResult<Self> {
        allocator::prepare();
        let switch = Arc::new(resources.switch());
        let (sender, receiver) = sync_channel(BATCHES_AHEAD);
        let (shared, n_classes) = (switch.clone(), raw.n_classes);
        std::thread::Builder::new()
            .name("exactree".into())
            .stack_size(STACK_BYTES)
            .spawn(move || run_list(raw, &request, resources.time_left(), &shared, &sender))
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
                Ok(Message::Trees(trees)) => return self.columns(py, *trees),
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
    fn columns<'py>(&self, py: Python<'py>, trees: Trees) -> PyResult<Bound<'py, PyAny>> {
        let columns = PyDict::new(py);
        let ends: Vec<i64> = trees.ends.iter().map(|&end| end as i64).collect();
        let class_weights: Vec<i64> = trees.class_weights.iter().map(|&w| w as i64).collect();
        let nodes = trees.feature.len();
        columns.set_item("ends", ends.into_pyarray(py))?;
        columns.set_item("left", trees.left.into_pyarray(py))?;
        columns.set_item("right", trees.right.into_pyarray(py))?;
        columns.set_item("feature", trees.feature.into_pyarray(py))?;
        columns.set_item("low", trees.low.into_pyarray(py))?;
        columns.set_item("high", trees.high.into_pyarray(py))?;
        columns.set_item("prediction", trees.prediction.into_pyarray(py))?;
        columns.set_item("rows", trees.rows.into_pyarray(py))?;
        let class_weights = class_weights.into_pyarray(py).reshape([nodes, self.n_classes])?;
        columns.set_item("class_weights", class_weights)?;
        Ok(columns.into_any())
    }
}

impl Drop for AllTrees {
    fn drop(&mut self) {
        self.switch.stop(StoppedBy::Interrupt);
    }
}
