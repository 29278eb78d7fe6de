//! Limit on the bytes of one table of the cache.
//!
//! Cached results can be recomputed, so a table that has used up its bytes is cleared.

/// The limit in bytes, and the bytes used.
pub(super) struct MemoryBudget {
    maximum: usize,
    used: usize,
    /// Number of times a table was cleared.
    pub cache_resets: u64,
}

impl MemoryBudget {
    /// A budget of `maximum` bytes; `None` for no limit.
    pub(super) fn new(maximum: Option<usize>) -> Self {
        MemoryBudget { maximum: maximum.unwrap_or(usize::MAX), used: 0, cache_resets: 0 }
    }

    /// Sets the bytes used to 0, for a new table.
    pub(super) fn reset(&mut self) {
        self.used = 0;
    }

    /// Counts further bytes; returns whether the table must be cleared.
    pub(super) fn exceeds(&mut self, bytes: usize) -> bool {
        self.used = self.used.saturating_add(bytes);
        let full = self.used > self.maximum;
        if full {
            self.used = bytes;
            self.cache_resets += 1;
        }
        full
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_cleared_when_its_bytes_are_used_up() {
        let mut budget = MemoryBudget::new(Some(10));
        assert_eq!(
            [4, 6, 1, 9, 1].map(|bytes| budget.exceeds(bytes)),
            [false, false, true, false, true]
        );
        assert_eq!(budget.cache_resets, 2);
        let mut budget = MemoryBudget::new(None);
        assert!(!budget.exceeds(usize::MAX) && !budget.exceeds(usize::MAX));
    }
}
