//! The table of a search, copied from Python into columns.

use crate::refusal::Refusal;
use exactree_model::Table;
use exactree_search::{Clock, Grace, memory, read_table};
use numpy::ndarray::ArrayView2;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

/// The examples of a search, as Python has them.
#[derive(FromPyObject)]
pub(crate) struct ExampleArrays<'py> {
    columns: PyReadonlyArray2<'py, f64>,
    labels: PyReadonlyArray1<'py, u32>,
    weights: PyReadonlyArray1<'py, u64>,
    n_classes: usize,
}

/// The same, copied out of Python.
pub(crate) struct TableArguments {
    pub columns: Vec<Vec<f64>>,
    pub labels: Vec<u32>,
    pub weights: Vec<u64>,
    /// The weights that constraints compare, if they are others.
    pub unscaled: Option<Vec<u64>>,
    pub n_classes: usize,
    /// Threads that rank the columns.
    pub threads: usize,
}

/// Bytes per value of the table that a search allocates before it begins: copies, ranks and orders;
/// measured with a million rows of ten features.
const BYTES_EACH: usize = 8 * size_of::<f64>();

impl ExampleArrays<'_> {
    /// Copies the examples, or refuses them if the system cannot provide the memory that a search
    /// needs: the prepared table is too large for the allocator's reserve.
    pub(crate) fn copied(&self) -> Result<TableArguments, Refusal> {
        let columns = self.columns.as_array();
        let bytes = columns.len().saturating_mul(BYTES_EACH);
        if !memory::available(bytes) {
            let (rows, columns) = columns.dim();
            return Err(Refusal::NoMemory { bytes, rows, columns });
        }
        Ok(TableArguments {
            columns: columns_of(&columns),
            labels: self.labels.as_array().to_vec(),
            weights: self.weights.as_array().to_vec(),
            unscaled: None,
            n_classes: self.n_classes,
            threads: 1,
        })
    }
}

impl TableArguments {
    /// The table; only its classes are read if the clock stops meanwhile.
    pub(crate) fn table_within(self, clock: &Clock<'_>) -> Table {
        self.table_unless(&|| clock.stopped())
    }

    /// Like `table_within`, for a search that needs the table for its first tree: the table is read
    /// completely unless the grace period after a stop is over.
    pub(crate) fn table_in_grace(self, clock: &Clock<'_>) -> Table {
        let grace = Grace::of(clock, self.labels.len(), self.columns.len());
        self.table_unless(&|| grace.is_over())
    }

    /// The table; only its classes are read if `stopped` returns true meanwhile. Frees each column
    /// as soon as it is ranked.
    fn table_unless(self, stopped: &dyn Fn() -> bool) -> Table {
        let (labels, weights) = (&self.labels, &self.weights);
        let both = (&weights[..], &self.unscaled.as_ref().unwrap_or(weights)[..]);
        read_table(self.threads, stopped, self.columns, labels, both, self.n_classes)
            .unwrap_or_else(|| Table::unread(labels, weights, self.n_classes))
    }
}

/// The columns of a table. Rows lie one after the other in memory, so a block of 16 columns is
/// copied at a time: this uses the whole of every cache line that is fetched.
pub(crate) fn columns_of(table: &ArrayView2<'_, f64>) -> Vec<Vec<f64>> {
    let (rows, width) = table.dim();
    let Some(flat) = table.as_slice() else {
        return table.columns().into_iter().map(|column| column.to_vec()).collect();
    };
    let mut columns: Vec<Vec<f64>> = (0..width).map(|_| Vec::with_capacity(rows)).collect();
    for (block, columns) in columns.chunks_mut(16).enumerate() {
        for row in flat.chunks_exact(width) {
            columns
                .iter_mut()
                .zip(&row[16 * block..])
                .for_each(|(column, &value)| column.push(value));
        }
    }
    columns
}
