//! Reading of the settings of a search from a Python dictionary, and its time and memory limits.

use crate::refusal::Refusal;
use exactree_model::{Errors, Limits, UNBOUNDED};
use exactree_search::{Request, StopSwitch, support::memory};
use num_bigint::BigUint;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::{Duration, Instant};

/// Reads the request of the search for minimum cost.
pub fn read_engine(settings: &Bound<'_, PyDict>) -> PyResult<Request> {
    let below: Option<u64> = item(settings, "upper_bound")?.extract()?;
    Ok(Request {
        objective: Errors {
            error_price: item(settings, "error_price")?.extract()?,
            leaf_price: item(settings, "leaf_price")?.extract()?,
        },
        limits: Limits {
            depth: limit(settings, "max_depth")?,
            size: limit(settings, "max_size")?,
            min_samples_leaf: item(settings, "min_samples_leaf")?.extract()?,
        },
        below: below.unwrap_or(UNBOUNDED).min(UNBOUNDED),
        memory_limit: memory_limit(settings)?,
        stop_at_gap: item(settings, "stop_at_gap")?.extract()?,
        threads: item(settings, "threads")?.extract()?,
    })
}

/// Reads the switches of a search; switches not named keep their defaults.
pub fn switches<O: Default>(
    settings: &Bound<'_, PyDict>,
    set: impl Fn(&mut O, &str, bool) -> bool,
) -> PyResult<O> {
    let mut options = O::default();
    for (name, on) in item(settings, "switches")?.cast::<PyDict>()?.iter() {
        let name: String = name.extract()?;
        if !set(&mut options, &name, on.extract()?) {
            return Err(Refusal::unknown("switch", &name).into());
        }
    }
    Ok(options)
}

/// Reads a limit on depth or size; None and larger numbers become `u32::MAX`.
pub fn limit(settings: &Bound<'_, PyDict>, key: &str) -> PyResult<u32> {
    let limit = whole(settings, key)?;
    Ok(limit.map_or(u32::MAX, |value| u32::try_from(value).unwrap_or(u32::MAX)))
}

/// Bytes for the caches of a search, or for the table of a dynamic programme: half of the limit on
/// the whole search. The other half is for the prepared table and the workspaces of threads.
pub fn memory_limit(settings: &Bound<'_, PyDict>) -> PyResult<Option<usize>> {
    Ok(Resources::read(settings)?.memory.map(|bytes| bytes / 2))
}

/// Reads a limit that is an integer of any size; a limit beyond 64 bits limits nothing.
fn whole(settings: &Bound<'_, PyDict>, key: &str) -> PyResult<Option<u64>> {
    within_64_bits(&item(settings, key)?)
}

fn within_64_bits(limit: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
    let limit: Option<BigUint> = limit.extract()?;
    Ok(limit.and_then(|limit| u64::try_from(limit).ok()))
}

/// Time and memory limits of a search. They are read first, since copying the table counts.
#[derive(Clone, Copy)]
pub struct Resources {
    /// Time from `started` on; `None` also for a limit too long for a duration.
    time: Option<Duration>,
    started: Instant,
    /// Limit on all bytes that the search holds.
    pub memory: Option<usize>,
    /// Bytes that the calling thread held when the limits were read; later allocations count for
    /// the search.
    held: isize,
}

impl Resources {
    pub fn read(settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        let seconds: Option<f64> = match settings.get_item("time_limit")? {
            Some(seconds) => seconds.extract()?,
            None => None,
        };
        let bytes = match settings.get_item("memory_limit")? {
            Some(bytes) => within_64_bits(&bytes)?,
            None => None,
        };
        Ok(Resources::new(seconds, bytes.and_then(|bytes| usize::try_from(bytes).ok())))
    }

    pub fn new(seconds: Option<f64>, memory: Option<usize>) -> Self {
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Resources { time, started: Instant::now(), memory, held: memory::held() }
    }

    /// The remaining time, for a clock that starts now.
    pub fn time_left(&self) -> Option<Duration> {
        self.time.map(|time| time.saturating_sub(self.started.elapsed()))
    }

    /// The stop switch of a search that begins now, charged with the memory allocated for it so
    /// far.
    pub fn switch(&self) -> StopSwitch {
        StopSwitch::within(self.memory, memory::held().wrapping_sub(self.held))
    }
}

/// The value of a key, which must exist.
pub fn item<'py>(settings: &Bound<'py, PyDict>, key: &str) -> PyResult<Bound<'py, PyAny>> {
    settings.as_any().get_item(key)
}
