//! Cache of values of rows (weights, places in another order, ...), arranged in the order of a
//! feature, in blocks of lanes.

use crate::kernels::sweep::{SweepLane, SweepLanes};

/// Bytes that the cached look-ups may take; beyond that all of them are dropped.
const MAX_LOOKUP_BYTES: usize = 1 << 26;

/// Look-ups, each made when it is first needed. The caller numbers them, for example by pairs of
/// features.
#[derive(Default)]
pub(super) struct RowLookups<T> {
    blocks: Vec<SweepLanes<T>>,
    /// By number of a look-up, its first block; `NONE` if it is not cached.
    first_block: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl<T: SweepLane> RowLookups<T> {
    /// Empties the cache, for look-ups with numbers below `count`.
    pub(super) fn reset(&mut self, count: usize) {
        self.blocks.clear();
        self.first_block.clear();
        self.first_block.resize(count, NONE);
    }

    /// The blocks of a look-up, which is made on first use.
    pub(super) fn of(
        &mut self,
        number: usize,
        length: usize,
        look_up: impl FnOnce(&mut Vec<SweepLanes<T>>),
    ) -> &[SweepLanes<T>] {
        if self.first_block[number] == NONE {
            self.reserve(length);
            self.first_block[number] = self.blocks.len() as u32;
            look_up(&mut self.blocks);
        }
        &self.blocks[self.first_block[number] as usize..][..length]
    }

    /// Reserves memory for more blocks; drops all cached blocks if that is too much.
    fn reserve(&mut self, blocks: usize) {
        let maximum = MAX_LOOKUP_BYTES / size_of::<SweepLanes<T>>();
        if self.blocks.len() + blocks > maximum {
            self.blocks.clear();
            self.first_block.fill(NONE);
        }
        let needed = self.blocks.len() + blocks;
        if needed > self.blocks.capacity() {
            // Doubles like a vector, but not beyond the limit.
            let capacity = (2 * needed).min(needed.max(maximum));
            self.blocks.reserve_exact(capacity - self.blocks.len());
        }
    }
}
