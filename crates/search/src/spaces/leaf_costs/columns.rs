//! Rules as columns of bits, for tables whose features have two values.
//!
//! Of a rule and its opposite only one column is kept, since costs and limits are symmetric in left
//! and right; the column holds the child with fewer items. Columns form chains in which each column
//! holds all items of the next, because the columns of a chain are summed together; see
//! `kernels/sums.rs`.

use super::options::CostOptions;
use crate::costs::items::CostFeature;
use crate::support::bits::Bits;
use exactree_model::Limits;
use rustc_hash::FxHashSet;

/// Maximum number of levels that are counted.
pub(super) const MAX_LEVELS: u32 = 3;

/// Maximum number of columns whose triples are counted.
const MAX_COLUMNS: usize = 512;

/// The rules of a table, chain by chain.
pub(crate) struct CostColumns {
    /// Feature and rank of each rule.
    pub rules: Vec<(u32, u32)>,
    /// The items in one child of each rule.
    pub held: Vec<Bits>,
    /// Whether the column holds the left child.
    pub on_left: Vec<bool>,
    /// Factor from a squared sum over a weight to the savings of a leaf.
    pub(super) gain_scale: f64,
    pub(super) chains: Vec<u32>,
    /// Item by item, the last column of each chain that holds it.
    holders: Vec<u32>,
    /// By item, the end of its list in `holders`.
    ends: Vec<u32>,
}

impl CostColumns {
    /// All rules of some features; of rules that split the items alike only the first if `distinct`.
    pub(crate) fn new(
        features: &[CostFeature],
        items: usize,
        distinct: bool,
        gain_scale: f64,
    ) -> CostColumns {
        let mut seen: FxHashSet<Bits> = FxHashSet::default();
        let mut all: Vec<((u32, u32), Bits, bool)> = Vec::new();
        for (at, feature) in features.iter().enumerate() {
            let maximum = feature.ranks.iter().max().map_or(0, |&rank| rank);
            for rank in 0..maximum {
                let child = |left: bool| {
                    let mut child = Bits::empty(items);
                    let of = (0..items).filter(|&item| (feature.ranks[item] <= rank) == left);
                    of.for_each(|item| child.insert(item as u32));
                    child
                };
                let left = child(true);
                let held_items = left.count() as usize;
                let on_left =
                    2 * held_items < items || (2 * held_items == items && left.contains(0));
                let held = if on_left { left } else { child(false) };
                if !distinct || seen.insert(held.clone()) {
                    all.push(((at as u32, rank), held, on_left));
                }
            }
        }
        all.sort_by_key(|(_, held, _)| std::cmp::Reverse(held.count()));
        let chains = chains(&all.iter().map(|(_, held, _)| held).collect::<Vec<&Bits>>());
        let mut columns = CostColumns {
            gain_scale,
            rules: Vec::new(),
            held: Vec::new(),
            on_left: Vec::new(),
            chains: Vec::new(),
            holders: Vec::new(),
            ends: Vec::new(),
        };
        for (number, chain) in chains.iter().enumerate() {
            for &at in chain {
                let (rule, held, on_left) = &all[at];
                columns.rules.push(*rule);
                columns.held.push(held.clone());
                columns.on_left.push(*on_left);
                columns.chains.push(number as u32);
            }
        }
        columns.list_holders(items);
        columns
    }

    /// Whether subproblems with these limits are solved by counts.
    pub(super) fn are_counted(&self, options: &CostOptions, limits: Limits) -> bool {
        let triples = options.depth_three && self.rules.len() <= MAX_COLUMNS;
        limits.depth <= if triples { MAX_LEVELS } else { MAX_LEVELS - 1 }
    }

    fn list_holders(&mut self, items: usize) {
        for item in 0..items as u32 {
            for column in 0..self.held.len() {
                let next = column + 1;
                let deeper = next < self.held.len()
                    && self.chains[next] == self.chains[column]
                    && self.held[next].contains(item);
                if self.held[column].contains(item) && !deeper {
                    self.holders.push(column as u32);
                }
            }
            self.ends.push(self.holders.len() as u32);
        }
    }

    pub(super) fn holders(&self, item: usize) -> &[u32] {
        let first = if item == 0 { 0 } else { self.ends[item - 1] };
        &self.holders[first as usize..self.ends[item] as usize]
    }
}

/// Chains of columns, which are given in decreasing order of their numbers of items: each column
/// continues the chain whose last column is its smallest superset, or begins a chain.
fn chains(held: &[&Bits]) -> Vec<Vec<usize>> {
    let mut chains: Vec<Vec<usize>> = Vec::new();
    for (at, column) in held.iter().enumerate() {
        let around = |chain: &&mut Vec<usize>| {
            let last = held[chain[chain.len() - 1]];
            column.within(last)
        };
        // The smallest superset, so that larger supersets remain for other columns.
        let smallest = |chain: &&mut Vec<usize>| held[chain[chain.len() - 1]].count();
        match chains.iter_mut().filter(around).min_by_key(smallest) {
            Some(chain) => chain.push(at),
            None => chains.push(vec![at]),
        }
    }
    chains
}
