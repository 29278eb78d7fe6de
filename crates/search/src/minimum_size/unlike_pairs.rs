//! The unlike-pairs bound, for tables with few rules: a lower bound by the number of rules that
//! separate unlike pairs.
//!
//! The rules of a tree without errors separate any two unlike items. So a tree has at least as many
//! nodes as the fewest rules that separate some pairs of its subset, and the items of these pairs
//! are a core: the bound holds for every subset that contains them. If all values are 0 or 1, these
//! rules are features.
//!
//! Rules are bits of a number, and a pair is the set of rules that separate it: the problem is a
//! hitting set. Pairs without common rules need one rule each; otherwise the search branches on the
//! rules of one pair, until too many sets of rules have been tried.

use super::prepared_table::SizeTable;
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, contains, insert};

/// Two unlike items, and the rules that separate them.
#[derive(Clone, Copy)]
struct UnlikePair {
    rules: u64,
    items: [u16; 2],
}

/// Tables with more rules are skipped: if features have many values, trying the roots is usually
/// faster than this bound.
const MAX_RULES: u32 = u64::BITS;
/// Tables with more items are skipped.
const MAX_ITEMS: usize = 1 << 10;
/// Maximum number of pairs of a table that are kept, those with the fewest rules first.
const MAX_KEPT_PAIRS: usize = 1 << 14;
/// Maximum number of pairs of a subset that are examined.
const MAX_EXAMINED_PAIRS: usize = 1 << 8;
/// Maximum number of sets of rules tried for a subset and a size.
const MAX_TRIALS: u32 = 100;

/// The unlike pairs of a table with few rules, those with the fewest rules first.
pub(super) struct ClosestPairs(Vec<UnlikePair>);

impl ClosestPairs {
    /// No pairs, for tables that are skipped.
    pub(super) fn none() -> Self {
        ClosestPairs(Vec::new())
    }

    pub(super) fn of<const W: usize>(prepared: &SizeTable<W>) -> Self {
        let rules_of = |feature| prepared.max_rank(feature, &prepared.all).unwrap_or(0);
        let rules: Vec<u32> = (0..prepared.features).map(rules_of).collect();
        if prepared.items > MAX_ITEMS || rules.iter().sum::<u32>() > MAX_RULES {
            return ClosestPairs::none();
        }
        let items = 0..prepared.items as u16;
        let all = items.flat_map(|a| (a + 1..prepared.items as u16).map(move |b| [a, b]));
        let unlike = all.filter(|&[a, b]| prepared.class[a as usize] != prepared.class[b as usize]);
        let pairs =
            unlike.map(|items| UnlikePair { rules: rules_between(prepared, &rules, items), items });
        let mut pairs: Vec<UnlikePair> = pairs.collect();
        pairs.sort_by_key(|pair| pair.rules.count_ones());
        pairs.truncate(MAX_KEPT_PAIRS);
        ClosestPairs(pairs)
    }

    /// The pairs of a subset.
    pub(super) fn within<const W: usize>(&self, set: &Set<W>) -> UnlikePairs {
        let both = |pair: &&UnlikePair| pair.items.iter().all(|&item| contains(set, item.into()));
        UnlikePairs(self.0.iter().filter(both).take(MAX_EXAMINED_PAIRS).copied().collect())
    }
}

/// The rules that separate two items; `rules` has the number of rules per feature.
fn rules_between<const W: usize>(prepared: &SizeTable<W>, rules: &[u32], items: [u16; 2]) -> u64 {
    let mut between = 0;
    let mut first = 0;
    for (feature, count) in rules.iter().enumerate() {
        let [a, b] = items.map(|item| prepared.rank(feature, item.into()));
        for rank in a.min(b)..a.max(b) {
            between |= 1 << (first + rank);
        }
        first += count;
    }
    between
}

/// The pairs of a subset.
pub(super) struct UnlikePairs(Vec<UnlikePair>);

impl UnlikePairs {
    /// Items that cannot be separated by `size` rules, if that is proved quickly.
    ///
    /// If it is not proved, it cannot be proved for more rules, and the pairs are dropped.
    pub(super) fn inseparable_items<const W: usize>(&mut self, size: u32) -> Option<Set<W>> {
        let mut search = HittingSet { pairs: &self.0, core: [0; W], trials_left: MAX_TRIALS };
        let size = size - offset(Mutant::UnlikePairs) as u32;
        if search.needs_more_than(size, 0, u64::MAX) == Some(true) {
            return Some(search.core);
        }
        self.0.clear();
        None
    }
}

/// A search for rules that separate all pairs.
struct HittingSet<'a, const W: usize> {
    pairs: &'a [UnlikePair],
    /// Items of the pairs used in the proof.
    core: Set<W>,
    /// Number of sets of rules that may still be tried.
    trials_left: u32,
}

impl<const W: usize> HittingSet<'_, W> {
    /// Whether more than `size` rules of `among` are needed to separate all pairs that the chosen
    /// rules do not; `None` if too many sets of rules have been tried.
    fn needs_more_than(&mut self, size: u32, chosen: u64, mut among: u64) -> Option<bool> {
        let open = |pair: &&UnlikePair| pair.rules & chosen == 0;
        let Some(&first) = self.pairs.iter().find(open) else {
            return Some(false);
        };
        if self.has_disjoint_pairs(size, chosen, among) {
            return Some(true);
        }
        self.trials_left = self.trials_left.checked_sub(1)?;
        self.add(&first);
        let mut rules = first.rules & among;
        while rules != 0 {
            let rule = rules & rules.wrapping_neg();
            if !self.needs_more_than(size - 1, chosen | rule, among)? {
                return Some(false);
            }
            // Sets with this rule need not be tried again.
            among &= !rule;
            rules &= !rule;
        }
        Some(true)
    }

    /// Whether there are more than `size` pairs that `chosen` does not separate and that share no
    /// rule of `among`. If so, adds their items to the core.
    fn has_disjoint_pairs(&mut self, size: u32, chosen: u64, among: u64) -> bool {
        let (mut seen, mut found) = (0, Vec::new());
        for pair in self.pairs.iter().filter(|pair| pair.rules & chosen == 0) {
            if pair.rules & among & seen == 0 {
                seen |= pair.rules & among;
                found.push(*pair);
                if found.len() as u32 > size {
                    found.iter().for_each(|pair| self.add(pair));
                    return true;
                }
            }
        }
        false
    }

    fn add(&mut self, pair: &UnlikePair) {
        pair.items.iter().for_each(|&item| insert(&mut self.core, item.into()));
    }
}
