//! Refusals of the native module: their texts, and the Python exception of each, in one place.

use exactree_search::Refusal as SearchRefusal;
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use std::fmt::{self, Display, Formatter};

pyo3::create_exception!(exactree._native, CoreError, PyRuntimeError, "A bug in the native module.");

pyo3::create_exception!(
    exactree._native,
    TableTooLarge,
    PyRuntimeError,
    "A method does not accept a table, mostly for its size."
);

/// Why the native module does not return a result.
#[derive(Debug)]
pub enum Refusal {
    /// A request names a search, a switch or the like that does not exist.
    UnknownName { kind: &'static str, name: String },
    /// There is not one label for each row of the table.
    LabelsNotOfRows { labels: usize, rows: usize },
    /// A set contains a feature that the table does not have.
    UnknownFeature { feature: u32, features: usize },
    /// The shapes of a list of trees do not build on each other.
    UnorderedShapes,
    /// Two threads read a list of feature sets at the same time.
    ListInUse,
    /// A method does not accept the table.
    Search(SearchRefusal),
    /// The system does not provide the memory that the table needs.
    NoMemory { bytes: usize, rows: usize, columns: usize },
    /// The system cannot create the thread of a search, for lack of address space for its stack.
    NoThread(std::io::Error),
    /// A search ended without a result, which is a bug.
    NoResult { of: &'static str },
}

impl Display for Refusal {
    fn fmt(&self, text: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::UnknownName { kind, name } => {
                write!(text, "There is no {kind} named {name:?}.")
            }
            Refusal::LabelsNotOfRows { labels, rows } => write!(
                text,
                "`labels` must have one label per row, but there are {labels} for {rows} rows."
            ),
            Refusal::UnknownFeature { feature, features } => {
                write!(text, "There is no feature {feature} in a table of {features} features.")
            }
            Refusal::UnorderedShapes => text.write_str(
                "`shapes` repeats a shape, or has one before the shapes of its subtrees.",
            ),
            Refusal::ListInUse => {
                text.write_str("Another thread is reading this list of feature sets.")
            }
            Refusal::Search(refusal) => refusal.fmt(text),
            Refusal::NoMemory { bytes, rows, columns } => write!(
                text,
                "The system cannot provide the {} MB that the search needs for a table of {rows} \
                 rows and {columns} columns.",
                bytes >> 20,
            ),
            Refusal::NoThread(error) => {
                write!(text, "The system cannot create a thread for the search: {error}.")
            }
            Refusal::NoResult { of } => write!(text, "The {of} ended without a result."),
        }
    }
}

impl Refusal {
    /// A refusal unless there is one label for each row.
    pub fn unless_one_label_per_row(labels: usize, rows: usize) -> Result<(), Refusal> {
        if labels == rows { Ok(()) } else { Err(Refusal::LabelsNotOfRows { labels, rows }) }
    }

    /// A name that stands for nothing of its kind.
    pub fn unknown(kind: &'static str, name: &str) -> Refusal {
        Refusal::UnknownName { kind, name: name.to_string() }
    }
}

impl From<Refusal> for PyErr {
    fn from(refusal: Refusal) -> Self {
        let text = refusal.to_string();
        match refusal {
            Refusal::UnknownName { .. }
            | Refusal::LabelsNotOfRows { .. }
            | Refusal::UnknownFeature { .. }
            | Refusal::UnorderedShapes
            | Refusal::ListInUse => PyValueError::new_err(text),
            Refusal::Search(_) => TableTooLarge::new_err(text),
            Refusal::NoMemory { .. } | Refusal::NoThread(_) => PyMemoryError::new_err(text),
            Refusal::NoResult { .. } => CoreError::new_err(text),
        }
    }
}
