//! Lazy lists of support sets, hitting sets and branching sets.

use crate::refusal::Refusal;
use crate::request::CallLimits;
use crate::{result, watch};
use exactree_search::Bits;
use exactree_search::Clock;
use exactree_search::CodedRows;
use exactree_search::{FeatureSets as List, SetsToHit};
use num_bigint::BigUint;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, TryLockError};

/// Maximum number of sets that one call returns.
const MAX_SETS: usize = 1024;

/// Seconds after which a call returns the sets found so far.
const MAX_SECONDS: f64 = 0.05;

fn rows(codes: &PyReadonlyArray2<'_, u32>, labels: Vec<u32>) -> Result<CodedRows, Refusal> {
    let codes = codes.as_array();
    Refusal::unless_one_label_per_row(labels.len(), codes.nrows())?;
    Ok(CodedRows::new(labels, codes.columns().into_iter().map(|column| column.to_vec()).collect()))
}

fn bits(features: usize, members: &[u32]) -> Result<Bits, Refusal> {
    let mut set = Bits::empty(features);
    for &feature in members {
        if feature as usize >= features {
            return Err(Refusal::UnknownFeature { feature, features });
        }
        set.insert(feature);
    }
    Ok(set)
}

/// The branching set of the support set `set`, which is given by its features.
///
/// `codes` has one row per example; two values of a feature are equal iff their codes are equal.
#[pyfunction]
pub(crate) fn branching_set(codes: PyReadonlyArray2<'_, u32>, set: Vec<u32>) -> PyResult<Vec<u32>> {
    let set = bits(codes.as_array().ncols(), &set)?;
    let unlabelled = vec![0; codes.as_array().nrows()];
    Ok(rows(&codes, unlabelled)?.branching_set(&set).iter().collect())
}

/// The largest number of features in which two rows of different labels differ, and the reason of a
/// stop, if any; then the number is the largest found so far.
///
/// `ranks` has one row per example.
#[pyfunction]
#[pyo3(signature = (ranks, labels, time_limit=None))]
pub(crate) fn largest_difference<'py>(
    py: Python<'py>,
    ranks: PyReadonlyArray2<'py, u32>,
    labels: PyReadonlyArray1<'py, u32>,
    time_limit: Option<f64>,
) -> PyResult<(u32, Option<&'static str>)> {
    let limits = CallLimits::new(time_limit, None);
    let codes: Vec<u32> = ranks.as_array().iter().copied().collect();
    let labels = labels.as_array().to_vec();
    Refusal::unless_one_label_per_row(labels.len(), ranks.as_array().nrows())?;
    watch::run(py, None, limits, |clock, _| {
        let (found, ended) = exactree_search::largest_difference(&codes, &labels, || clock.check());
        (found, ended.err().and_then(|_| stopped_by(clock)))
    })
}

/// Sets, whether the list has ended, the reason of a stop, and seconds.
type SetBatch = (Vec<Vec<u32>>, bool, Option<&'static str>, f64);

/// A lazy list of sets of features.
#[pyclass(module = "exactree._native", frozen)]
pub struct FeatureSets(Mutex<List>);

#[pymethods]
impl FeatureSets {
    /// Lists the support sets: sets of features in which any two rows of different labels differ.
    #[staticmethod]
    fn of_rows(
        codes: PyReadonlyArray2<'_, u32>,
        labels: PyReadonlyArray1<'_, u32>,
        max_size: u32,
        minimal: bool,
    ) -> PyResult<Self> {
        let rows = rows(&codes, labels.as_array().to_vec())?;
        Ok(FeatureSets(Mutex::new(List::new(SetsToHit::Differences(rows), max_size, minimal))))
    }

    /// Lists the hitting sets: sets that meet all given sets; `features` is the number of features.
    #[staticmethod]
    fn of_sets(
        features: usize,
        sets: Vec<Vec<u32>>,
        max_size: u32,
        minimal: bool,
    ) -> PyResult<Self> {
        let sets = sets.iter().map(|set| bits(features, set)).collect::<Result<_, _>>()?;
        let to_meet = SetsToHit::Sets { features, sets };
        Ok(FeatureSets(Mutex::new(List::new(to_meet, max_size, minimal))))
    }

    /// Lists the branching sets of a support set: sets outside it that meet every useful set for
    /// it.
    #[staticmethod]
    fn of_support_set(
        codes: PyReadonlyArray2<'_, u32>,
        support: Vec<u32>,
        max_size: u32,
        minimal: bool,
    ) -> PyResult<Self> {
        let support = bits(codes.as_array().ncols(), &support)?;
        let unlabelled = vec![0; codes.as_array().nrows()];
        let to_meet = SetsToHit::UsefulSets { rows: rows(&codes, unlabelled)?, support };
        Ok(FeatureSets(Mutex::new(List::new(to_meet, max_size, minimal))))
    }

    /// The next few sets, whether the list has ended, the reason of a stop if any, and the seconds
    /// that the call took. After a stop the list continues where it was.
    fn next_sets(&self, py: Python<'_>, time_limit: Option<f64>) -> PyResult<SetBatch> {
        let mut list = self.list()?;
        let list = &mut *list;
        watch::run(py, None, CallLimits::new(time_limit, None), |clock, _| {
            let mut found = Vec::new();
            let ended = loop {
                match list.next_set(clock) {
                    Ok(Some(set)) => found.push(set.iter().collect()),
                    ended => break ended.is_ok(),
                }
                if found.len() == MAX_SETS || clock.seconds() > MAX_SECONDS {
                    break false;
                }
            };
            (found, ended, stopped_by(clock), clock.seconds())
        })
    }

    /// The number of sets not listed yet (None if stopped), the reason of a stop if any, and the
    /// seconds that the call took. The list does not advance.
    fn count(
        &self,
        py: Python<'_>,
        time_limit: Option<f64>,
    ) -> PyResult<(Option<BigUint>, Option<&'static str>, f64)> {
        let mut rest = self.list()?.clone();
        watch::run(py, None, CallLimits::new(time_limit, None), |clock, _| {
            let count = rest.count_rest(clock).ok();
            (count, stopped_by(clock), clock.seconds())
        })
    }

    /// Number of sets examined so far.
    #[getter]
    fn nodes(&self) -> PyResult<u64> {
        Ok(self.list()?.nodes)
    }
}

impl FeatureSets {
    /// The list, unless another thread is reading it: waiting for that thread, which waits for
    /// Python, would be a deadlock.
    fn list(&self) -> Result<MutexGuard<'_, List>, Refusal> {
        match self.0.try_lock() {
            Ok(list) => Ok(list),
            Err(TryLockError::Poisoned(list)) => Ok(list.into_inner()),
            Err(TryLockError::WouldBlock) => Err(Refusal::ListInUse),
        }
    }
}

fn stopped_by(clock: &Clock<'_>) -> Option<&'static str> {
    clock.stopped_by().map(result::stopped_by)
}
