//! The items of a part in the order of every feature. There are at most 2^16.

use super::ground::{Ground, Set, contains};

/// Sorted items of a part: one row per feature.
#[derive(Clone, Default)]
pub struct Lists {
    pub items: usize,
    flat: Vec<u16>,
}

impl Lists {
    pub fn whole<const W: usize>(ground: &Ground<W>) -> Self {
        let flat = ground.orders.iter().flatten().map(|&item| item as u16).collect();
        Lists { items: ground.items, flat }
    }

    /// The items of a smaller part, in the same orders. Every item is written
    /// and only those of the part advance: no branch to mispredict.
    pub fn of<const W: usize>(&self, set: &Set<W>, items: usize) -> Self {
        let features = self.flat.len() / self.items.max(1);
        let mut flat = vec![0; items * features + 1];
        let mut at = 0;
        for &item in &self.flat {
            flat[at] = item;
            at += contains(set, item.into()) as usize;
        }
        flat.truncate(items * features);
        Lists { items, flat }
    }

    #[inline]
    pub fn feature(&self, feature: usize) -> &[u16] {
        &self.flat[feature * self.items..(feature + 1) * self.items]
    }
}
