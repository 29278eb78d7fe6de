//! What was looked up of the rows of features, block by block, to be looked up once.

use crate::kernels::sweep::{SweepLane, SweepLanes};

/// Bytes that what was looked up may take; it is forgotten beyond that.
const MOST_FOUND: usize = 1 << 26;

/// What was looked up of the rows of a feature, as far as it was needed.
#[derive(Default)]
pub struct RowLookups<T> {
    blocks: Vec<SweepLanes<T>>,
    /// By table and feature, the first of its blocks; `NONE` if they are not there.
    begins: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl<T: SweepLane> RowLookups<T> {
    pub fn begin(&mut self, tables: usize) {
        self.blocks.clear();
        self.begins.clear();
        self.begins.resize(tables, NONE);
    }

    /// What a table says of the rows of a feature: so many blocks, looked up when
    /// they are first requested.
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

    /// Room for so many blocks more; what is there is forgotten where it is too much.
    fn make_room(&mut self, blocks: usize) {
        let most = MOST_FOUND / size_of::<SweepLanes<T>>();
        if self.blocks.len() + blocks > most {
            self.blocks.clear();
            self.begins.fill(NONE);
        }
        let needed = self.blocks.len() + blocks;
        if needed > self.blocks.capacity() {
            // As vectors grow, but not beyond what is allowed.
            let room = (2 * needed).min(needed.max(most));
            self.blocks.reserve_exact(room - self.blocks.len());
        }
    }
}
