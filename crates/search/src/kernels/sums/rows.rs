//! The items of a subset and the columns that split it, in the form that the kernel reads.

/// Weight times target, and weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(16))]
pub(crate) struct WeightedSum {
    pub sum: i64,
    pub weight: i64,
}

/// Sums and weights of eight columns.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct EightSums {
    pub sums: [i64; 8],
    pub weights: [i64; 8],
}

/// An item of a chain, and the start of its list of columns in later chains.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChainEntry {
    pub item: u32,
    pub next: u32,
}

/// The items of a subset and the columns that split it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChainRows {
    pub columns: usize,
    /// By column, whether the next column is of the same chain.
    pub chained: Vec<bool>,
    pub items: Vec<WeightedSum>,
    /// Item by item, the last column of each chain that holds it.
    pub holders: Vec<u32>,
    /// By item, the end of its list in `holders`.
    pub ends: Vec<u32>,
    /// Column by column, the items listed with it.
    pub entries: Vec<ChainEntry>,
    /// By column, the end of its list in `entries`.
    pub entry_ends: Vec<u32>,
    pub all: WeightedSum,
    /// By item, its contribution to the columns with which it is listed. Filled by `spread`.
    pub(super) lanes: Vec<EightSums>,
    /// The columns whose next column is of the same chain, in decreasing order. Filled by `spread`.
    pub(super) links: Vec<u32>,
}

impl ChainRows {
    /// Spreads the items over the columns, which only sums of triples need.
    pub(crate) fn spread(&mut self) {
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

/// Number of blocks of eight columns.
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
