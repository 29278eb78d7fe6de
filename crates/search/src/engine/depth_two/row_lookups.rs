//! Cached look-ups of the rows of features, in blocks.

use crate::kernels::sweep::{SweepLane, SweepLanes};

/// Bytes that the look-ups may take; beyond that they are dropped.
const MOST_FOUND: usize = 1 << 26;

/// Look-ups of the rows of features, as far as they were needed.
#[derive(Default)]
pub struct RowLookups<T> {
    blocks: Vec<SweepLanes<T>>,
    /// By table and feature, the first of its blocks; `NONE` if they are not cached.
    begins: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl<T: SweepLane> RowLookups<T> {
    pub fn begin(&mut self, tables: usize) {
        self.blocks.clear();
        self.begins.clear();
        self.begins.resize(tables, NONE);
    }

    /// The blocks of a feature's rows in a table, looked up on first use.
    pub fn of(
        &mut self,
        table: usize,
        length: usize,
        look_up: impl FnOnce(&mut Vec<SweepLanes<T>>),
    ) -> &[SweepLanes<T>] {
        if self.begins[table] == NONE {
            self.make_room(length);
            self.begins[table] = self.blocks.len() as u32;
            look_up(&mut self.blocks);
        }
        &self.blocks[self.begins[table] as usize..][..length]
    }

    /// Reserves memory for more blocks; drops all cached blocks if that is too much.
    fn make_room(&mut self, blocks: usize) {
        let most = MOST_FOUND / size_of::<SweepLanes<T>>();
        if self.blocks.len() + blocks > most {
            self.blocks.clear();
            self.begins.fill(NONE);
        }
        let needed = self.blocks.len() + blocks;
        if needed > self.blocks.capacity() {
            // Doubles like a vector, but not beyond the limit.
            let room = (2 * needed).min(needed.max(most));
            self.blocks.reserve_exact(room - self.blocks.len());
        }
    }
}
