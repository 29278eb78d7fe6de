//! Cache of the values looked up for the rows of features, in blocks of lanes.

use crate::kernels::sweep::{SweepLane, SweepLanes};

/// Bytes that the cached look-ups may take; beyond that all of them are dropped.
const MAX_LOOKUP_BYTES: usize = 1 << 26;

/// Look-ups of the rows of features, as far as they were needed.
#[derive(Default)]
pub(super) struct RowLookups<T> {
    blocks: Vec<SweepLanes<T>>,
    /// By table and feature, the first of its blocks; `NONE` if they are not cached.
    begins: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl<T: SweepLane> RowLookups<T> {
    pub(super) fn begin(&mut self, tables: usize) {
        self.blocks.clear();
        self.begins.clear();
        self.begins.resize(tables, NONE);
    }

    /// The blocks of a feature's rows in a table, looked up on first use.
    pub(super) fn of(
        &mut self,
        table: usize,
        length: usize,
        look_up: impl FnOnce(&mut Vec<SweepLanes<T>>),
    ) -> &[SweepLanes<T>] {
        if self.begins[table] == NONE {
            self.reserve(length);
            self.begins[table] = self.blocks.len() as u32;
            look_up(&mut self.blocks);
        }
        &self.blocks[self.begins[table] as usize..][..length]
    }

    /// Reserves memory for more blocks; drops all cached blocks if that is too much.
    fn reserve(&mut self, blocks: usize) {
        let maximum = MAX_LOOKUP_BYTES / size_of::<SweepLanes<T>>();
        if self.blocks.len() + blocks > maximum {
            self.blocks.clear();
            self.begins.fill(NONE);
        }
        let needed = self.blocks.len() + blocks;
        if needed > self.blocks.capacity() {
            // Doubles like a vector, but not beyond the limit.
            let capacity = (2 * needed).min(needed.max(maximum));
            self.blocks.reserve_exact(capacity - self.blocks.len());
        }
    }
}
