//! Results as instances of Python classes: a struct for each class, with the same name and fields.

use crate::result::NodeRow;
use exactree_model::Cost;
use num_bigint::BigUint;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict};

/// A node in preorder: its dichotomy (−1 for a leaf), and the positions of its two children.
pub(crate) type DichotomyNodeRow = (i64, i64, i64);

/// The nodes of a tree, and by node the class that a leaf predicts; −1 for inner nodes.
pub(crate) type VotingTree = (Vec<NodeRow>, Vec<i64>);

/// A range of root rules: column, first and last rank (over dichotomies: 0, and numbers of these);
/// and lower bounds on the costs of the trees with such a root, of their left children and of their
/// right children.
pub(crate) type RootsRow = (u32, u32, u32, u64, u64, u64);

/// The nodes of a tree, by the space that was searched.
#[derive(IntoPyObject, FromPyObject)]
pub(crate) enum TreeNodes {
    Thresholds(Vec<NodeRow>),
    Dichotomies(Vec<DichotomyNodeRow>),
}

/// What the results for all root rules prove, by what leaves cost.
#[derive(IntoPyObject)]
pub(crate) enum RootsConclusion {
    CostOutcome(RegressionConclusion),
    ClassCosts(ClassCostsConclusion),
}

/// Defines structs that become instances of Python classes with the same names and fields.
macro_rules! python_classes {
    ($module:literal: $(
        $(#[$about:meta])*
        pub(crate) struct $name:ident { $(pub(crate) $field:ident: $kind:ty,)* }
    )*) => {$(
        $(#[$about])*
        pub(crate) struct $name { $(pub(crate) $field: $kind,)* }

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
    pub(crate) struct SearchResult {
        pub(crate) status: &'static str,
        pub(crate) cost: Option<Cost>,
        pub(crate) lower_bound: Cost,
        pub(crate) stopped_by: Option<&'static str>,
        pub(crate) nodes: Option<TreeNodes>,
        pub(crate) stats: Py<PyDict>,
    }

    /// The best split by one surface; `left` says for each point whether it goes left.
    pub(crate) struct OneSurfaceResult {
        pub(crate) cost: Option<Cost>,
        pub(crate) left: Option<Vec<bool>>,
        pub(crate) lower_bound: Cost,
        pub(crate) stopped_by: Option<&'static str>,
        pub(crate) stats: Py<PyDict>,
    }

    /// The result of a search over some root rules; `open` are those not pruned yet.
    pub(crate) struct RootsResult {
        pub(crate) cost: Option<Cost>,
        pub(crate) stopped_by: Option<&'static str>,
        pub(crate) nodes: Option<TreeNodes>,
        pub(crate) stats: Py<PyDict>,
        pub(crate) open: Vec<RootsRow>,
    }

    /// The result of the search for minimum class costs, in units of 2 to the exponent. A tree
    /// reported optimal may cost up to `rounding_units` units more than the optimum.
    pub(crate) struct ClassCostsResult {
        pub(crate) status: &'static str,
        pub(crate) lower_bound: Cost,
        pub(crate) rounding_units: f64,
        pub(crate) exponent: i32,
        pub(crate) stopped_by: Option<&'static str>,
        pub(crate) nodes: Option<Vec<NodeRow>>,
        pub(crate) stats: Py<PyDict>,
    }

    /// What the results for all root rules prove about a regression, in the unit of the targets;
    /// with `too_coarse`, fine units would reduce the rounding error of the proof.
    pub(crate) struct RegressionConclusion {
        pub(crate) status: &'static str,
        pub(crate) cost: Option<f64>,
        pub(crate) lower_bound: f64,
        pub(crate) stopped_by: Option<&'static str>,
        pub(crate) nodes: Option<Vec<NodeRow>>,
        pub(crate) rounding: f64,
        pub(crate) too_coarse: bool,
    }

    /// The same about costs of classes, in units of 2 to the exponent.
    pub(crate) struct ClassCostsConclusion {
        pub(crate) status: &'static str,
        pub(crate) lower_bound: Cost,
        pub(crate) rounding_units: f64,
        pub(crate) exponent: i32,
        pub(crate) stopped_by: Option<&'static str>,
        pub(crate) nodes: Option<Vec<NodeRow>>,
    }

    /// Pairs of errors, each with the nodes of its tree and the classes of its leaves.
    pub(crate) struct ErrorPairsResult {
        pub(crate) pairs: Vec<(u64, u64, Vec<NodeRow>, Vec<i64>)>,
        pub(crate) stopped_by: Option<&'static str>,
        pub(crate) stats: Py<PyDict>,
    }

    /// The result of the search for a regression tree, in the unit of the targets.
    pub(crate) struct RegressionResult {
        pub(crate) status: &'static str,
        pub(crate) cost: Option<f64>,
        pub(crate) lower_bound: f64,
        pub(crate) stopped_by: Option<&'static str>,
        pub(crate) nodes: Option<Vec<NodeRow>>,
        pub(crate) stats: Py<PyDict>,
    }

    /// The result of a method for ensembles; the lower bound has an entry for each quantity.
    pub(crate) struct EnsembleResult {
        pub(crate) status: &'static str,
        pub(crate) lower_bound: Vec<Cost>,
        pub(crate) stopped_by: Option<&'static str>,
        pub(crate) trees: Option<Vec<VotingTree>>,
        pub(crate) stats: Py<PyDict>,
    }

    /// The trees of every ensemble, and whether these are all.
    pub(crate) struct EnsembleListResult {
        pub(crate) ensembles: Vec<Vec<VotingTree>>,
        pub(crate) complete: bool,
        pub(crate) stopped_by: Option<&'static str>,
    }

    /// The proof of a lower bound: the numbers of a certificate after its header.
    pub(crate) struct CertificateProof {
        pub(crate) proved: Vec<usize>,
        pub(crate) sets: usize,
        pub(crate) claims: usize,
        pub(crate) body: Py<PyBytes>,
        pub(crate) stopped_by: Option<&'static str>,
    }

    /// The number of trees, and statistics of their graph.
    pub(crate) struct CountResult {
        pub(crate) count: Option<BigUint>,
        pub(crate) stopped_by: Option<&'static str>,
        pub(crate) stats: Py<PyDict>,
    }
}

python_classes! { "exactree.trees.arrays":
    /// The nodes of several trees as columns; `ends` has the end of every tree.
    pub(crate) struct TreeColumns {
        pub(crate) ends: Py<PyArray1<i64>>,
        pub(crate) left: Py<PyArray1<i64>>,
        pub(crate) right: Py<PyArray1<i64>>,
        pub(crate) feature: Py<PyArray1<i64>>,
        pub(crate) low: Py<PyArray1<f64>>,
        pub(crate) high: Py<PyArray1<f64>>,
        pub(crate) prediction: Py<PyArray1<i64>>,
        pub(crate) rows: Py<PyArray1<i64>>,
        pub(crate) class_weights: Py<PyArray2<i64>>,
    }
}
