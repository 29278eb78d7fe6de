//! The bytes that a table of what is remembered may take.
//!
//! Nothing that is remembered is needed: it can be found out again. So a table
//! that has used up its bytes begins anew.

/// How much room there is, and how much is used.
pub struct Room {
    most: usize,
    used: usize,
    /// How often a table began anew.
    pub emptied: u64,
}

impl Room {
    /// So many bytes; none for no limit.
    pub fn of(most: Option<usize>) -> Self {
        Room { most: most.unwrap_or(usize::MAX), used: 0, emptied: 0 }
    }

    /// Nothing is used: the table is new.
    pub fn start(&mut self) {
        self.used = 0;
    }

    /// Counts some bytes in; whether the table has to begin anew with them.
    pub fn exceeds(&mut self, bytes: usize) -> bool {
        self.used = self.used.saturating_add(bytes);
        let full = self.used > self.most;
        if full {
            self.used = bytes;
            self.emptied += 1;
        }
        full
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_begins_anew_when_its_bytes_are_used_up() {
        let mut room = Room::of(Some(10));
        assert_eq!(
            [4, 6, 1, 9, 1].map(|bytes| room.exceeds(bytes)),
            [false, false, true, false, true]
        );
        assert_eq!(room.emptied, 2);
        let mut room = Room::of(None);
        assert!(!room.exceeds(usize::MAX) && !room.exceeds(usize::MAX));
    }
}
