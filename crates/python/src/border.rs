//! Results as instances of Python classes: a struct for each class, with the same name and fields.

use crate::result::NodeRow;
use exactree_model::Cost;
use num_bigint::BigUint;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

/// A node in preorder: its dichotomy (−1 for a leaf), and the positions of its two children.
pub type DichotomyNodeRow = (i64, i64, i64);

/// The nodes of a tree, and by node the class that a leaf predicts; −1 for inner nodes.
pub type VotingTree = (Vec<NodeRow>, Vec<i64>);

/// A range of root rules: feature of the merged table, first and last rank; and lower bounds on the
/// costs of the trees with such a root, of their left children and of their right children.
pub type RootsRow = (u32, u32, u32, u64, u64, u64);

/// The nodes of a tree, by the space that was searched.
#[derive(IntoPyObject)]
pub enum TreeNodes {
    Thresholds(Vec<NodeRow>),
    Dichotomies(Vec<DichotomyNodeRow>),
}

/// Defines structs that become instances of Python classes with the same names and fields.
macro_rules! python_classes {
    ($module:literal: $(
        $(#[$about:meta])*
        pub struct $name:ident { $(pub $field:ident: $kind:ty,)* }
    )*) => {$(
        $(#[$about])*
        pub struct $name { $(pub $field: $kind,)* }

        impl<'py> IntoPyObject<'py> for $name {
            type Target = PyAny;
            type Output = Bound<'py, PyAny>;
            type Error = PyErr;

            fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
                let fields = PyDict::new(py);
                $(fields.set_item(stringify!($field), self.$field)?;)*
                let class = CLASS.get_or_try_init(py, || {
                    py.import($module)?.getattr(stringify!($name)).map(Bound::unbind)
                })?;
                class.bind(py).call((), Some(&fields))
            }
        }
    )*};
}

// Statistics are dictionaries: an open list of counts, in which every search has names of its own.
python_classes! { "exactree.engine.native.border":
    /// The result of a search for one tree.
    pub struct SearchResult {
        pub status: &'static str,
        pub cost: Option<Cost>,
        pub lower_bound: Cost,
        pub stopped_by: Option<&'static str>,
        pub nodes: Option<TreeNodes>,
        pub stats: Py<PyDict>,
    }

    /// The result of a search over some root rules; `open` are those not pruned yet.
    pub struct RootsResult {
        pub cost: Option<Cost>,
        pub stopped_by: Option<&'static str>,
        pub nodes: Option<Vec<NodeRow>>,
        pub stats: Py<PyDict>,
        pub open: Vec<RootsRow>,
    }

    /// The result of the search for minimum class costs, in units of 2 to the exponent. A tree
    /// reported optimal may cost up to `slack` units more than the optimum.
    pub struct ClassCostsResult {
        pub status: &'static str,
        pub lower_bound: Cost,
        pub slack: f64,
        pub exponent: i32,
        pub stopped_by: Option<&'static str>,
        pub nodes: Option<Vec<NodeRow>>,
        pub stats: Py<PyDict>,
    }

    /// Pairs of errors, each with the nodes of its tree and the classes of its leaves.
    pub struct ErrorPairsResult {
        pub pairs: Vec<(u64, u64, Vec<NodeRow>, Vec<i64>)>,
        pub stopped_by: Option<&'static str>,
        pub stats: Py<PyDict>,
    }

    /// The result of the search for a regression tree, in the unit of the targets.
    pub struct RegressionResult {
        pub status: &'static str,
        pub cost: Option<f64>,
        pub lower_bound: f64,
        pub stopped_by: Option<&'static str>,
        pub nodes: Option<Vec<NodeRow>>,
        pub stats: Py<PyDict>,
    }

    /// The result of a method for ensembles; the lower bound has an entry for each quantity.
    pub struct EnsembleResult {
        pub status: &'static str,
        pub lower_bound: Vec<Cost>,
        pub stopped_by: Option<&'static str>,
        pub trees: Option<Vec<VotingTree>>,
        pub stats: Py<PyDict>,
    }

    /// The trees of every ensemble, and whether these are all.
    pub struct EnsembleListResult {
        pub ensembles: Vec<Vec<VotingTree>>,
        pub complete: bool,
        pub stopped_by: Option<&'static str>,
    }

    /// The number of trees, and statistics of their graph.
    pub struct CountResult {
        pub count: Option<BigUint>,
        pub stopped_by: Option<&'static str>,
        pub stats: Py<PyDict>,
    }
}

python_classes! { "exactree.trees.arrays":
    /// The nodes of several trees as columns; `ends` has the end of every tree.
    pub struct TreeColumns {
        pub ends: Py<PyArray1<i64>>,
        pub left: Py<PyArray1<i64>>,
        pub right: Py<PyArray1<i64>>,
        pub feature: Py<PyArray1<i64>>,
        pub low: Py<PyArray1<f64>>,
        pub high: Py<PyArray1<f64>>,
        pub prediction: Py<PyArray1<i64>>,
        pub rows: Py<PyArray1<i64>>,
        pub class_weights: Py<PyArray2<i64>>,
    }
}
