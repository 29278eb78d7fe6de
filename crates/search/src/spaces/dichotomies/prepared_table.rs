//! The prepared table: examples as slots, and the left child of every dichotomy as words of bits.

use super::request::ProperRequest;
use crate::kernels::pairs::Segment;
use crate::support::bits::Bits;
use crate::support::clock::Clock;
use exactree_model::{Tree, Weight};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Number of dichotomies between two polls of the clock.
const DICHOTOMIES_PER_POLL: u32 = 1024;

/// Ways to split the rows of a table: for each, the rows that go left.
#[derive(Clone, Debug)]
pub struct Dichotomies {
    /// Bit r of `bits[k * stride ..]` is row r of dichotomy k, lowest bits first.
    pub bits: Vec<u8>,
    /// Bytes of one dichotomy.
    pub stride: usize,
}

impl Dichotomies {
    pub fn count(&self) -> usize {
        self.bits.len().checked_div(self.stride).unwrap_or(0)
    }

    pub fn goes_left(&self, dichotomy: usize, row: usize) -> bool {
        self.bits[dichotomy * self.stride + row / 8] >> (row % 8) & 1 == 1
    }
}

/// The rows of a table.
#[derive(Clone, Debug)]
pub struct DichotomyExamples {
    /// Class of every row, below `n_classes`.
    pub labels: Vec<u32>,
    /// Weight of every row, positive.
    pub weights: Vec<Weight>,
    pub n_classes: usize,
}

/// Examples and dichotomies in slots. A row has one slot for every power of two in its weight,
/// sorted by class and power, so that counting bits gives the weight of a class. With a minimum
/// leaf size each row has one more slot, in an extra class that comes last.
pub(crate) struct DichotomyTable {
    pub segments: Vec<Segment>,
    pub n_classes: usize,
    /// Row of every slot; `None` for unused slots at the end of a segment.
    pub rows: Vec<Option<u32>>,
    pub words: usize,
    /// The first slot of every row.
    first_slots: Bits,
    /// The dichotomies that are kept: not equal or opposite to an earlier dichotomy.
    pub kept: Vec<u32>,
    columns: Vec<u64>,
    /// Groups of rows that no dichotomy distinguishes, with several classes.
    contradictions: Vec<Contradiction>,
}

/// Rows that no dichotomy distinguishes and that have several classes.
struct Contradiction {
    /// Any slot of the group: its rows are in the same subset of every tree.
    slot: u32,
    /// Weight of all classes but the heaviest.
    unavoidable: Weight,
}

impl DichotomyTable {
    /// The table for a request; `None` if stopped.
    pub(super) fn of(
        dichotomies: &Dichotomies,
        examples: &DichotomyExamples,
        request: &ProperRequest,
        clock: &Clock<'_>,
    ) -> Option<Self> {
        Self::new(dichotomies, examples, request.limits.min_samples_leaf > 1, clock)
    }

    /// The table, with slots that count rows if `with_rows`; `None` if stopped.
    pub(super) fn new(
        dichotomies: &Dichotomies,
        examples: &DichotomyExamples,
        with_rows: bool,
        clock: &Clock<'_>,
    ) -> Option<Self> {
        let kept = distinct_dichotomies(dichotomies, examples.labels.len(), clock)?;
        let (segments, rows) = slots(examples, with_rows);
        let words = rows.len() / 64;
        let mut columns = vec![0; words * kept.len()];
        for (column, &dichotomy) in columns.chunks_exact_mut(words.max(1)).zip(&kept) {
            if dichotomy.is_multiple_of(DICHOTOMIES_PER_POLL) && clock.stopped() {
                return None;
            }
            for (slot, row) in rows.iter().enumerate() {
                let left =
                    row.is_some_and(|r| dichotomies.goes_left(dichotomy as usize, r as usize));
                column[slot / 64] |= u64::from(left) << (slot % 64);
            }
        }
        let n_classes = examples.n_classes;
        let slot_of = first_slot_of_rows(&rows, examples.labels.len());
        let mut first_slots = Bits::empty(rows.len());
        slot_of.iter().for_each(|&slot| first_slots.insert(slot));
        let contradictions = contradictions(dichotomies, examples, &kept, &slot_of);
        Some(DichotomyTable {
            segments,
            n_classes,
            rows,
            words,
            first_slots,
            kept,
            columns,
            contradictions,
        })
    }

    /// The slots that a kept dichotomy sends left.
    pub(super) fn column(&self, kept: u32) -> &[u64] {
        &self.columns[kept as usize * self.words..(kept as usize + 1) * self.words]
    }

    /// The same tree with the dichotomies numbered as they are listed.
    pub(super) fn in_listed_dichotomies(&self, tree: &Arc<Tree>) -> Arc<Tree> {
        let listed = |feature, kept: u32| Some((feature, self.kept[kept as usize]));
        tree.with_rules(&listed).unwrap_or_else(|| tree.clone())
    }

    /// The same tree with the numbers of kept dichotomies; `None` if it has any other dichotomy.
    pub(super) fn in_kept_dichotomies(&self, tree: &Arc<Tree>) -> Option<Arc<Tree>> {
        let kept = |listed: u32| self.kept.binary_search(&listed).ok().map(|at| at as u32);
        tree.with_rules(&|feature, listed| Some((feature, kept(listed)?)))
    }

    pub(super) fn all_slots(&self) -> Bits {
        let mut all = Bits::empty(self.rows.len());
        for (slot, _) in self.rows.iter().enumerate().filter(|(_, row)| row.is_some()) {
            all.insert(slot as u32);
        }
        all
    }

    /// Weight of each class in a set of slots.
    pub(super) fn weigh(&self, members: &Bits) -> Vec<Weight> {
        let mut totals = vec![0; self.n_classes];
        for segment in self.segments.iter().filter(|segment| segment.class < self.n_classes) {
            let held = &members.words[segment.words.clone()];
            let count: u64 = held.iter().map(|word| u64::from(word.count_ones())).sum();
            totals[segment.class] += count << segment.bit;
        }
        totals
    }

    /// Weight of each class in a list of slots.
    pub(super) fn class_weights(&self, slots: &[u32]) -> Vec<Weight> {
        let mut members = Bits::empty(self.rows.len());
        slots.iter().for_each(|&slot| members.insert(slot));
        self.weigh(&members)
    }

    /// Whether a slot is the first of its row.
    pub(super) fn is_first_slot(&self, slot: u32) -> bool {
        self.first_slots.contains(slot)
    }

    /// Weight that every tree for a subset misclassifies.
    pub(super) fn unavoidable(&self, members: &Bits) -> Weight {
        let held = self.contradictions.iter().filter(|group| members.contains(group.slot));
        held.map(|group| group.unavoidable).sum()
    }

    /// Number of examples in a subset, however many slots they have.
    pub(super) fn n_examples(&self, members: &Bits) -> u32 {
        let pairs = members.words.iter().zip(&self.first_slots.words);
        pairs.map(|(member, first)| (member & first).count_ones()).sum()
    }
}

fn first_slot_of_rows(rows: &[Option<u32>], n_rows: usize) -> Vec<u32> {
    let mut first = vec![0; n_rows];
    for (slot, row) in rows.iter().enumerate().rev() {
        if let Some(row) = row {
            first[*row as usize] = slot as u32;
        }
    }
    first
}

fn contradictions(
    dichotomies: &Dichotomies,
    examples: &DichotomyExamples,
    kept: &[u32],
    first_slots: &[u32],
) -> Vec<Contradiction> {
    let mut found = Vec::new();
    for group in equivalent_points(dichotomies, kept, examples.labels.len()) {
        let mut weights = vec![0; examples.n_classes];
        for &row in &group {
            weights[examples.labels[row as usize] as usize] += examples.weights[row as usize];
        }
        let heaviest = weights.iter().max().copied().unwrap_or(0);
        let unavoidable = weights.iter().sum::<Weight>() - heaviest;
        if unavoidable > 0 {
            found.push(Contradiction { slot: first_slots[group[0] as usize], unavoidable });
        }
    }
    found
}

/// The dichotomies with two non-empty children; of equal and opposite dichotomies only the first.
fn distinct_dichotomies(
    dichotomies: &Dichotomies,
    rows: usize,
    clock: &Clock<'_>,
) -> Option<Vec<u32>> {
    let stride = dichotomies.stride;
    let mut known: FxHashMap<Vec<u8>, ()> = FxHashMap::default();
    let mut kept = Vec::new();
    for (at, bits) in dichotomies.bits.chunks_exact(stride.max(1)).enumerate() {
        if (at as u32).is_multiple_of(DICHOTOMIES_PER_POLL) && clock.stopped() {
            return None;
        }
        let flip = if bits[0] & 1 == 1 { 0 } else { 0xff };
        let mut key: Vec<u8> = bits.iter().map(|byte| byte ^ flip).collect();
        if !rows.is_multiple_of(8) {
            key[stride - 1] &= (1 << (rows % 8)) - 1;
        }
        let left: u32 = key.iter().map(|byte| byte.count_ones()).sum();
        if (left as usize) < rows && known.insert(key, ()).is_none() {
            kept.push(at as u32);
        }
    }
    Some(kept)
}

/// Segments and slots, by class and power of two; every segment begins a word.
fn slots(examples: &DichotomyExamples, with_rows: bool) -> (Vec<Segment>, Vec<Option<u32>>) {
    let (mut segments, mut slots): (Vec<Segment>, Vec<Option<u32>>) = (Vec::new(), Vec::new());
    let mut add = |class: usize, bit: u32, held: Vec<u32>| {
        if !held.is_empty() {
            let start = slots.len() / 64;
            slots.extend(held.into_iter().map(Some));
            slots.resize(slots.len().next_multiple_of(64), None);
            segments.push(Segment { class, bit, words: start..slots.len() / 64 });
        }
    };
    let rows = || 0..examples.labels.len();
    for class in 0..examples.n_classes {
        for bit in 0..Weight::BITS {
            let weighs = |row: &usize| {
                examples.labels[*row] as usize == class && examples.weights[*row] >> bit & 1 == 1
            };
            add(class, bit, rows().filter(weighs).map(|row| row as u32).collect());
        }
    }
    if with_rows {
        add(examples.n_classes, 0, rows().map(|row| row as u32).collect());
    }
    (segments, slots)
}

/// Groups of two or more rows that no dichotomy distinguishes.
fn equivalent_points(dichotomies: &Dichotomies, kept: &[u32], rows: usize) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = vec![(0..rows as u32).collect()];
    for &dichotomy in kept {
        if groups.is_empty() {
            break;
        }
        let halves = groups.into_iter().flat_map(|group| {
            let (left, right): (Vec<u32>, Vec<u32>) = group
                .into_iter()
                .partition(|&row| dichotomies.goes_left(dichotomy as usize, row as usize));
            [left, right]
        });
        groups = halves.filter(|half| half.len() > 1).collect();
    }
    groups
}
