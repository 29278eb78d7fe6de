//! Settings of searches, read from the attributes of Python objects of the same names; and the time
//! and memory limits of a call.

use crate::refusal::Refusal;
use exactree_model::{Errors, Limits, UNBOUNDED};
use exactree_search::{Request, StopSwitch, memory};
use num_bigint::BigUint;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Limits on time and memory, and switches by name.
#[derive(FromPyObject)]
pub(crate) struct Resources {
    time_limit: Option<f64>,
    #[pyo3(from_py_with = bytes)]
    memory_limit: Option<usize>,
    switches: BTreeMap<String, bool>,
}

/// Limits of a tree.
#[derive(FromPyObject)]
pub(crate) struct TreeLimits {
    #[pyo3(from_py_with = limit)]
    max_depth: u32,
    #[pyo3(from_py_with = limit)]
    max_size: u32,
    min_samples_leaf: u64,
}

/// Settings of a search over trees by the costs of their leaves.
#[derive(FromPyObject)]
pub(crate) struct SearchSettings {
    pub limits: TreeLimits,
    pub stop_at_gap: f64,
    pub threads: usize,
    pub resources: Resources,
}

/// Settings of the search for minimum errors plus leaf prices.
#[derive(FromPyObject)]
pub(crate) struct CostSettings {
    pub search: SearchSettings,
    error_price: u64,
    leaf_price: u64,
    upper_bound: Option<u64>,
}

impl Resources {
    /// The limits of a call that starts now. It starts before the table is copied, which counts.
    pub(crate) fn start(&self) -> CallLimits {
        CallLimits::new(self.time_limit, self.memory_limit)
    }

    /// Bytes for the caches of a search, or for the table of a dynamic programme: half of the limit
    /// on the whole search. The other half is for the prepared table and the workspaces of threads.
    pub(crate) fn cache_bytes(&self) -> Option<usize> {
        self.memory_limit.map(|bytes| bytes / 2)
    }

    /// The switches of a search; those not named keep their defaults.
    pub(crate) fn options<O: Default>(
        &self,
        set: impl Fn(&mut O, &str, bool) -> bool,
    ) -> Result<O, Refusal> {
        let mut options = O::default();
        for (name, &on) in &self.switches {
            if !set(&mut options, name, on) {
                return Err(Refusal::unknown("switch", name));
            }
        }
        Ok(options)
    }
}

impl TreeLimits {
    pub(crate) fn limits(&self) -> Limits {
        let TreeLimits { max_depth, max_size, min_samples_leaf } = *self;
        Limits { depth: max_depth, size: max_size, min_samples_leaf }
    }
}

impl CostSettings {
    /// The request of the search for minimum cost.
    pub(crate) fn request(&self) -> Request {
        let CostSettings { search, error_price, leaf_price, upper_bound } = self;
        Request {
            objective: Errors { error_price: *error_price, leaf_price: *leaf_price },
            limits: search.limits.limits(),
            below: upper_bound.unwrap_or(UNBOUNDED).min(UNBOUNDED),
            memory_limit: search.resources.cache_bytes(),
            stop_at_gap: search.stop_at_gap,
            threads: search.threads,
        }
    }
}

/// Reads a limit on depth or size; None and larger numbers become `u32::MAX`.
pub(crate) fn limit(limit: &Bound<'_, PyAny>) -> PyResult<u32> {
    let limit: Option<BigUint> = limit.extract()?;
    Ok(limit.and_then(|limit| u32::try_from(limit).ok()).unwrap_or(u32::MAX))
}

/// Reads a number of bytes; None and larger numbers than fit limit nothing.
fn bytes(limit: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let limit: Option<BigUint> = limit.extract()?;
    Ok(limit.and_then(|limit| usize::try_from(limit).ok()))
}

/// Time and memory limits of a call, from its start.
#[derive(Clone, Copy)]
pub(crate) struct CallLimits {
    /// Time from `started` on; `None` also for a limit too long for a duration.
    time: Option<Duration>,
    started: Instant,
    /// Limit on all bytes that the search holds.
    memory: Option<usize>,
    /// Bytes that the calling thread held when the call started; later allocations count for the
    /// search.
    held: isize,
}

impl CallLimits {
    pub(crate) fn new(seconds: Option<f64>, memory: Option<usize>) -> Self {
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        CallLimits { time, started: Instant::now(), memory, held: memory::held() }
    }

    /// The same without the limit on memory, and that limit.
    pub(crate) fn without_memory(self) -> (Self, Option<usize>) {
        (CallLimits { memory: None, ..self }, self.memory)
    }

    /// The remaining time, for a clock that starts now.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        self.time.map(|time| time.saturating_sub(self.started.elapsed()))
    }

    /// The stop switch of a search that begins now, charged with the memory allocated for it so
    /// far.
    pub(crate) fn switch(&self) -> StopSwitch {
        StopSwitch::within(self.memory, memory::held().wrapping_sub(self.held))
    }
}
