//! A subset of the examples, and its rules: all dichotomies restricted to it, packed.

use super::leaf_quotas::LeafQuotas;
use super::prepared_table::DichotomyTable;
use crate::engine::columns::ColumnRule;
use crate::engine::subset::{SearchTable, SortedOrders, Subset};
use crate::kernels::InstructionSet;
use crate::kernels::compress::compress;
use crate::kernels::pairs::{PackedColumns, Segment};
use crate::support::bits::Bits;
use exactree_model::{Limits, Weight};
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// The dichotomies of a subset; of dichotomies that are equal or opposite there only one. A column
/// *holds* the examples of one child.
pub(crate) struct SubsetDichotomies {
    pub columns: PackedColumns,
    /// By rule, the dichotomy of the whole table.
    pub ids: Arc<Vec<u32>>,
    /// By rule, whether its column is the opposite of the dichotomy.
    pub inverted: Vec<bool>,
    /// By rule, the weight that its column holds.
    pub held: Vec<Weight>,
    /// Weight of the subset.
    pub weight: Weight,
    /// Number of rules dropped because they equal another rule within the subset.
    pub equal: u64,
}

/// Totals of the examples that reach a node, and their rules.
#[derive(Clone)]
pub(crate) struct DichotomyTotals {
    pub class_weights: Vec<Weight>,
    pub unavoidable: Weight,
    /// Limits on the leaves of some classes.
    pub quotas: LeafQuotas,
    /// Dichotomies of the table that may split the subset.
    pub candidates: Arc<Vec<u32>>,
    /// The dichotomies that do split it, without and with counts of rows; computed when needed.
    dichotomies: Arc<[OnceLock<Arc<SubsetDichotomies>>; 2]>,
}

/// The examples that reach a node.
pub(super) type DichotomySubset = Subset<DichotomyTotals>;

impl SearchTable for DichotomyTable {
    type Totals = DichotomyTotals;

    fn rows(&self, slot: usize) -> u64 {
        u64::from(self.is_first_slot(slot as u32))
    }

    fn totals(&self, members: &Bits, _weighted: &Bits) -> (usize, u64, DichotomyTotals) {
        let examples = self.n_examples(members);
        let totals = DichotomyTotals {
            class_weights: self.weigh(members),
            unavoidable: self.unavoidable(members),
            quotas: Vec::new(),
            candidates: Arc::default(),
            dichotomies: Arc::default(),
        };
        (examples as usize, u64::from(examples), totals)
    }

    /// The rank of a rule is the number of its dichotomy.
    fn route(&self, slots: &[u32], _feature: u32, rank: u32) -> (Vec<u32>, Vec<u32>) {
        let column = self.column(rank);
        slots.iter().partition(|&&slot| column[slot as usize / 64] >> (slot % 64) & 1 == 1)
    }
}

impl DichotomySubset {
    pub(super) fn whole(prepared: &DichotomyTable, quotas: LeafQuotas) -> Self {
        let all = prepared.all_slots();
        let mut whole = Subset::of(prepared, all, None, SortedOrders::default());
        whole.totals.candidates = Arc::new((0..prepared.kept.len() as u32).collect());
        whole.with_quotas(quotas)
    }

    /// The subset with these quotas, without those that limit nothing: no tree has more leaves than
    /// examples.
    pub(super) fn with_quotas(mut self, mut quotas: LeafQuotas) -> Self {
        quotas.retain(|&(_, maximum)| (maximum as usize) < self.count);
        self.totals.quotas = quotas;
        self
    }

    /// The subset's rules; with the numbers of rows of their children if `with_rows`.
    pub(super) fn dichotomies(
        &self,
        prepared: &DichotomyTable,
        instructions: InstructionSet,
        with_rows: bool,
    ) -> Arc<SubsetDichotomies> {
        let (members, candidates) = (&self.members, &self.candidates);
        let make = || {
            Arc::new(SubsetDichotomies::of(prepared, members, candidates, instructions, with_rows))
        };
        self.dichotomies[usize::from(with_rows)].get_or_init(make).clone()
    }

    /// Whether its dichotomies have been computed.
    pub(super) fn has_dichotomies(&self, with_rows: bool) -> bool {
        self.dichotomies[usize::from(with_rows)].get().is_some()
    }

    /// The dichotomies of a subset that is being branched, with or without counts of rows: the columns
    /// and their order are the same.
    pub(super) fn known_dichotomies(&self) -> &SubsetDichotomies {
        let known = self.dichotomies.iter().find_map(OnceLock::get);
        known.expect("computed for its branching")
    }
}

impl SubsetDichotomies {
    /// The rule of a column: its dichotomy, as a rank of the only feature.
    pub(crate) fn rule(&self, column: usize) -> ColumnRule {
        ColumnRule { feature: 0, rank: self.ids[column], inverted: self.inverted[column] }
    }

    /// The columns that leave enough rows in both children.
    pub(crate) fn allowed(&self, limits: Limits) -> impl Iterator<Item = usize> {
        let all = 0..self.columns.count;
        all.filter(move |&column| {
            limits.min_samples_leaf == 1 || {
                // Rows are counted as the last class.
                let classes = self.columns.totals.len();
                let rows = self.columns.totals[classes - 1];
                let held = self.columns.tallies[(classes - 1) * self.columns.count + column];
                held.min(rows - held) >= limits.min_samples_leaf
            }
        })
    }

    /// The allowed columns, those of minimum Gini impurity first.
    pub(crate) fn promising(
        &self,
        n_classes: usize,
        limits: Limits,
    ) -> impl Iterator<Item = usize> {
        let columns = &self.columns;
        let purity = |column: usize| {
            let child = |weigh: &dyn Fn(usize) -> Weight| {
                let weights = (0..n_classes).map(|class| weigh(class) as f64);
                let (sum, squares) =
                    weights.fold((0.0, 0.0), |(s, q), weight| (s + weight, q + weight * weight));
                if sum > 0.0 { squares / sum } else { 0.0 }
            };
            let held = |class: usize| columns.tallies[class * columns.count + column];
            child(&held) + child(&|class| columns.totals[class] - held(class))
        };
        let mut order: Vec<(f64, usize)> =
            self.allowed(limits).map(|column| (-purity(column), column)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.into_iter().map(|(_, column)| column)
    }

    /// By column, the weight that it and the given column both hold.
    pub(crate) fn held_by_both(&self, n_classes: usize, column: usize) -> Vec<Weight> {
        let PackedColumns { count, words, segments, .. } = &self.columns;
        let mut both = vec![0; *count];
        for segment in segments.iter().filter(|segment| segment.class < n_classes) {
            for word in segment.words.clone() {
                let words = &words[word * count..(word + 1) * count];
                let mine = words[column];
                for (both, &other) in both.iter_mut().zip(words) {
                    *both += u64::from((mine & other).count_ones()) << segment.bit;
                }
            }
        }
        both
    }

    fn of(
        prepared: &DichotomyTable,
        members: &Bits,
        candidates: &[u32],
        instructions: InstructionSet,
        with_rows: bool,
    ) -> Self {
        let used: Vec<&Segment> = prepared
            .segments
            .iter()
            .filter(|segment| with_rows || segment.class < prepared.n_classes)
            .filter(|segment| members.words[segment.words.clone()].iter().any(|&word| word != 0))
            .collect();
        let (segments, width) = packed_segments(&used, members);
        let all_slots_packed: Vec<u64> = packed(&used, &members.words, members, instructions);
        let mut known: FxHashMap<u64, usize> = FxHashMap::default();
        let (mut ids, mut inverted, mut kept, mut equal) =
            (Vec::new(), Vec::new(), Vec::<u64>::new(), 0);
        for &id in candidates {
            let mut words = packed(&used, prepared.column(id), members, instructions);
            let left_is_empty = words.iter().all(|&word| word == 0);
            if left_is_empty || words == all_slots_packed {
                continue;
            }
            // Of two opposite dichotomies, the column that holds the first slot is stored.
            let flip = words[0] & 1 == 0;
            if flip {
                words.iter_mut().zip(&all_slots_packed).for_each(|(word, all)| *word ^= all);
            }
            let same = |at: usize| kept[at * width..(at + 1) * width] == words[..];
            // Different columns with equal hashes are both kept. The second is not found again, so
            // its duplicates are also kept, which costs time only.
            match known.get(&hash(&words)) {
                Some(&at) if same(at) => equal += 1,
                _ => {
                    known.insert(hash(&words), ids.len());
                    ids.push(id);
                    inverted.push(flip);
                    kept.extend(words);
                }
            }
        }
        let classes = prepared.n_classes + usize::from(with_rows);
        let columns = transposed(&kept, &all_slots_packed, ids.len(), segments, classes);
        let tally = |rule: usize, class: usize| columns.tallies[class * columns.count + rule];
        let weigh = |rule: usize| (0..prepared.n_classes).map(|class| tally(rule, class)).sum();
        let held = (0..ids.len()).map(weigh).collect();
        let weight = columns.totals[..prepared.n_classes].iter().sum();
        SubsetDichotomies { columns, ids: Arc::new(ids), inverted, held, weight, equal }
    }
}

fn hash(words: &[u64]) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    words.hash(&mut hasher);
    hasher.finish()
}

/// The segments into which the slots of a subset are packed, and their number of words.
fn packed_segments(used: &[&Segment], members: &Bits) -> (Vec<Segment>, usize) {
    let mut width = 0;
    let segments = used
        .iter()
        .map(|segment| {
            let held: u32 =
                members.words[segment.words.clone()].iter().map(|word| word.count_ones()).sum();
            let start = width;
            width += held.div_ceil(64) as usize;
            Segment { class: segment.class, bit: segment.bit, words: start..width }
        })
        .collect();
    (segments, width)
}

fn packed(
    used: &[&Segment],
    column: &[u64],
    members: &Bits,
    instructions: InstructionSet,
) -> Vec<u64> {
    let mut words = Vec::new();
    for segment in used {
        let range = segment.words.clone();
        compress(instructions, &column[range.clone()], &members.words[range], &mut words);
    }
    words
}

/// Columns word by word, with their weights by class.
fn transposed(
    kept: &[u64],
    all_slots_packed: &[u64],
    count: usize,
    segments: Vec<Segment>,
    classes: usize,
) -> PackedColumns {
    let width = all_slots_packed.len();
    let mut columns = PackedColumns {
        count,
        words: vec![0; width * count],
        totals: vec![0; classes],
        tallies: vec![0; classes * count],
        segments,
    };
    for (at, words) in kept.chunks_exact(width.max(1)).enumerate() {
        for (place, &word) in words.iter().enumerate() {
            columns.words[place * count + at] = word;
        }
    }
    for segment in &columns.segments {
        for place in segment.words.clone() {
            let weigh = |word: u64| u64::from(word.count_ones()) << segment.bit;
            columns.totals[segment.class] += weigh(all_slots_packed[place]);
            let words = &columns.words[place * count..(place + 1) * count];
            let tallies = &mut columns.tallies[segment.class * count..(segment.class + 1) * count];
            for (tally, &word) in tallies.iter_mut().zip(words) {
                *tally += weigh(word);
            }
        }
    }
    columns
}
