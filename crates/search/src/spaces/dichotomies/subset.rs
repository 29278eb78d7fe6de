//! A subset of the examples, and its rules: all dichotomies restricted to it, packed.

use super::prepared_table::DichotomyTable;
use crate::kernels::InstructionSet;
use crate::kernels::compress::compress;
use crate::kernels::pairs::{PackedColumns, Segment};
use crate::support::bits::Bits;
use exactree_model::{Errors, Weight};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::rc::Rc;

/// The dichotomies of a subset; of those that are equal or opposite there only one.
pub(super) struct SubsetDichotomies {
    pub columns: PackedColumns,
    /// By rule, the dichotomy of the whole table.
    pub ids: Vec<u32>,
    /// By rule, whether its column is the opposite of the dichotomy.
    pub inverted: Vec<bool>,
    /// By rule, the weight of its left child.
    pub left: Vec<Weight>,
    /// Weight of the subset.
    pub weight: Weight,
    /// Number of rules dropped because they equal another rule within the subset.
    pub equal: u64,
}

/// The examples that reach a node.
pub(super) struct DichotomySubset {
    pub members: Bits,
    pub class_weights: Vec<Weight>,
    /// Number of rows; only counted with a minimum leaf size.
    pub rows: u64,
    pub weight: Weight,
    /// Number of examples; each is one row of the prepared table, with its weight.
    pub n_examples: u32,
    pub unavoidable: Weight,
    candidates: Rc<Vec<u32>>,
    dichotomies: [OnceCell<Rc<SubsetDichotomies>>; 2],
}

impl DichotomySubset {
    pub(super) fn whole(prepared: &DichotomyTable) -> Self {
        let all = (0..prepared.kept.len() as u32).collect();
        DichotomySubset::of(prepared, prepared.all_slots(), Rc::new(all))
    }

    fn of(prepared: &DichotomyTable, members: Bits, candidates: Rc<Vec<u32>>) -> Self {
        let mut class_weights = prepared.totals(&members);
        let rows = class_weights.get(prepared.n_classes).copied().unwrap_or(0);
        class_weights.truncate(prepared.n_classes);
        let unavoidable = prepared.unavoidable(&members);
        let weight = class_weights.iter().sum();
        let n_examples = prepared.n_examples(&members);
        let dichotomies = [OnceCell::new(), OnceCell::new()];
        DichotomySubset {
            members,
            class_weights,
            rows,
            weight,
            n_examples,
            unavoidable,
            candidates,
            dichotomies,
        }
    }

    /// Both children of a split.
    pub(super) fn split(
        &self,
        prepared: &DichotomyTable,
        rule: u32,
        ids: &Rc<Vec<u32>>,
    ) -> (DichotomySubset, DichotomySubset) {
        let column = prepared.column(rule);
        let pairs = || self.members.words.iter().zip(column);
        let left = Bits { words: pairs().map(|(mine, left)| mine & left).collect() };
        let right = Bits { words: pairs().map(|(mine, left)| mine & !left).collect() };
        (
            DichotomySubset::of(prepared, left, ids.clone()),
            DichotomySubset::of(prepared, right, ids.clone()),
        )
    }

    /// Dichotomies of the table that may split the subset.
    pub(super) fn candidates(&self) -> &Rc<Vec<u32>> {
        &self.candidates
    }

    pub(super) fn leaf_errors(&self) -> Weight {
        Errors::leaf_errors(&self.class_weights)
    }

    /// The subset's rules; with the rows of their children if `with_rows`.
    pub(super) fn dichotomies(
        &self,
        prepared: &DichotomyTable,
        level: InstructionSet,
        with_rows: bool,
    ) -> Rc<SubsetDichotomies> {
        let make = || {
            Rc::new(SubsetDichotomies::of(
                prepared,
                &self.members,
                &self.candidates,
                level,
                with_rows,
            ))
        };
        self.dichotomies[usize::from(with_rows)].get_or_init(make).clone()
    }

    /// Whether its dichotomies have been computed.
    pub(super) fn has_dichotomies(&self, with_rows: bool) -> bool {
        self.dichotomies[usize::from(with_rows)].get().is_some()
    }
}

impl SubsetDichotomies {
    fn of(
        prepared: &DichotomyTable,
        members: &Bits,
        candidates: &[u32],
        level: InstructionSet,
        with_rows: bool,
    ) -> Self {
        let used: Vec<&Segment> = prepared
            .segments
            .iter()
            .filter(|segment| with_rows || segment.class < prepared.n_classes)
            .filter(|segment| members.words[segment.words.clone()].iter().any(|&word| word != 0))
            .collect();
        let (segments, width) = packed_segments(&used, members);
        let all_slots_packed: Vec<u64> = packed(&used, &members.words, members, level);
        let mut known: FxHashMap<u64, usize> = FxHashMap::default();
        let (mut ids, mut inverted, mut kept, mut equal) =
            (Vec::new(), Vec::new(), Vec::<u64>::new(), 0);
        for &id in candidates {
            let mut words = packed(&used, prepared.column(id), members, level);
            let left = words.iter().any(|&word| word != 0);
            if !left || words == all_slots_packed {
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
        let left = (0..ids.len()).map(weigh).collect();
        let weight = columns.totals[..prepared.n_classes].iter().sum();
        SubsetDichotomies { columns, ids, inverted, left, weight, equal }
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

fn packed(used: &[&Segment], column: &[u64], members: &Bits, level: InstructionSet) -> Vec<u64> {
    let mut words = Vec::new();
    for segment in used {
        let range = segment.words.clone();
        compress(level, &column[range.clone()], &members.words[range], &mut words);
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
