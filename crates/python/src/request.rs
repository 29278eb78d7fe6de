//! Reads the settings of a search from a Python dictionary.

use exactree_model::{Errors, Limits, UNBOUNDED};
use exactree_search::{Options, Request, SizeOptions, SizeRequest};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::Duration;

/// A request, the switches it runs with and the time it may take.
pub struct Settings {
    pub request: Request,
    pub options: Options,
    pub time_limit: Option<Duration>,
}

/// Reads settings that `exactree.engine` has checked; a missing key is a bug
/// there and raises `KeyError`.
pub fn read(settings: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let number = |key: &str| count(settings, key);
    let limit = |key: &str| size_limit(settings, key);
    let below: Option<u64> = number("below")?;
    let request = Request {
        objective: Errors {
            error_price: item(settings, "error_price")?.extract()?,
            leaf_price: item(settings, "leaf_price")?.extract()?,
        },
        limits: Limits {
            depth: limit("max_depth")?,
            size: limit("max_size")?,
            min_rows: item(settings, "min_rows")?.extract()?,
        },
        below: below.unwrap_or(UNBOUNDED).min(UNBOUNDED),
        memory_limit: number("memory_limit")?.map(|bytes| bytes as usize),
        stop_at_gap: item(settings, "stop_at_gap")?.extract()?,
    };
    let mut options = Options::default();
    turn(settings, |name, on| options.set(name, on))?;
    let time_limit = seconds(item(settings, "time_limit")?.extract()?);
    Ok(Settings { request, options, time_limit })
}

/// Reads the settings of a search for the least size, and its time limit.
pub fn read_size(settings: &Bound<'_, PyDict>) -> PyResult<(SizeRequest, Option<Duration>)> {
    let number = |key: &str| count(settings, key);
    let limit = |key: &str| size_limit(settings, key);
    let mut options = SizeOptions::default();
    turn(settings, |name, on| options.set(name, on))?;
    let request = SizeRequest {
        depth: limit("max_depth")?,
        errors: item(settings, "errors")?.extract()?,
        size: limit("max_size")?,
        memory_limit: number("memory_limit")?.map(|bytes| bytes as usize),
        options,
    };
    Ok((request, seconds(item(settings, "time_limit")?.extract()?)))
}

/// Turns switches on or off; `set` says whether there is one of the name.
pub fn turn(settings: &Bound<'_, PyDict>, mut set: impl FnMut(&str, bool) -> bool) -> PyResult<()> {
    for (name, on) in item(settings, "switches")?.cast::<PyDict>()?.iter() {
        let name: String = name.extract()?;
        if !set(&name, on.extract()?) {
            return Err(PyValueError::new_err(format!("there is no switch named {name:?}")));
        }
    }
    Ok(())
}

/// A number or none.
pub fn count(settings: &Bound<'_, PyDict>, key: &str) -> PyResult<Option<u64>> {
    item(settings, key)?.extract()
}

/// A limit on depth or size; none is `u32::MAX`, and so is what is beyond it.
pub fn size_limit(settings: &Bound<'_, PyDict>, key: &str) -> PyResult<u32> {
    Ok(count(settings, key)?.map_or(u32::MAX, |value| value.min(u32::MAX as u64) as u32))
}

/// A limit too long for a duration is no limit.
pub fn seconds(limit: Option<f64>) -> Option<Duration> {
    limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
}

pub fn item<'py>(settings: &Bound<'py, PyDict>, key: &str) -> PyResult<Bound<'py, PyAny>> {
    settings.as_any().get_item(key)
}
