//! The items of a subset, and the columns that divide it, as the kernel reads them.

/// Weight times target, and weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct WeightedSum {
    pub sum: i64,
    pub weight: i64,
}

/// The same of eight columns.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct EightSums {
    pub sums: [i64; 8],
    pub weights: [i64; 8],
}

/// An item of a chain, and where its columns of later chains are listed.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChainEntry {
    pub item: u32,
    pub next: u32,
}

/// The items of a subset and the columns that divide it.
#[derive(Clone, Debug, Default)]
pub struct ChainRows {
    pub columns: usize,
    /// By column, whether the next one is of the same chain.
    pub chained: Vec<bool>,
    pub items: Vec<WeightedSum>,
    /// Item by item, the last column of each chain that holds it, and where they end.
    pub holders: Vec<u32>,
    pub ends: Vec<u32>,
    /// Column by column, the items of which it is the last, and where they end.
    pub entries: Vec<ChainEntry>,
    pub entry_ends: Vec<u32>,
    pub all: WeightedSum,
    /// By item, what it adds to the columns that are the last of a chain. Built here.
    pub(super) lanes: Vec<EightSums>,
    /// Columns whose next one is of the same chain, the last first. Built here.
    pub(super) links: Vec<u32>,
}

impl ChainRows {
    /// Spreads the items over the columns.
    pub fn spread(&mut self) {
        let blocks = blocks(self.columns);
        self.lanes.clear();
        self.lanes.resize(self.items.len() * blocks, EightSums::default());
        let mut at = 0;
        for (item, &end) in self.ends.iter().enumerate() {
            let lanes = &mut self.lanes[item * blocks..(item + 1) * blocks];
            for &column in &self.holders[at..end as usize] {
                let (lanes, lane) = (&mut lanes[column as usize / 8], column as usize % 8);
                lanes.sums[lane] = self.items[item].sum;
                lanes.weights[lane] = self.items[item].weight;
            }
            at = end as usize;
        }
        self.links.clear();
        let chained = self.chained.iter().enumerate().rev().filter(|(_, chained)| **chained);
        self.links.extend(chained.map(|(column, _)| column as u32));
    }
}

/// Eights of a row.
#[inline(always)]
pub(super) fn blocks(columns: usize) -> usize {
    columns.div_ceil(8)
}

impl std::ops::AddAssign for WeightedSum {
    #[inline(always)]
    fn add_assign(&mut self, other: WeightedSum) {
        self.sum += other.sum;
        self.weight += other.weight;
    }
}

impl std::ops::Sub for WeightedSum {
    type Output = WeightedSum;

    #[inline(always)]
    fn sub(self, other: WeightedSum) -> WeightedSum {
        WeightedSum { sum: self.sum - other.sum, weight: self.weight - other.weight }
    }
}
