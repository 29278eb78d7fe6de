//! The rules of a feature that split a subset, stored compactly: there is one for nearly every item
//! of every subset.

use exactree_model::Weight;
use std::ops::Range;

/// A rule of a subset: items of rank at most `rank` go left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub feature: usize,
    pub rank: u32,
    /// Items, rows and weight of the left child.
    pub items: usize,
    pub rows: u64,
    pub weight: Weight,
}

/// The rules of a subset on one feature, each once, by rank.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    feature: usize,
    pub ends: Vec<RuleEnd>,
    /// Rows and weight of the left children; empty where both equal their number of items.
    pub totals: Vec<(u64, Weight)>,
}

/// The last rank in the left child of a rule, and the number of items there.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RuleEnd {
    pub rank: u32,
    pub items: u32,
}

impl Rules {
    /// Space for `rules` rules; `plain` if every item is one row of weight one.
    pub(crate) fn blank(feature: usize, rules: usize, plain: bool) -> Self {
        let totals = vec![(0, 0); if plain { 0 } else { rules }];
        Rules { feature, ends: vec![RuleEnd::default(); rules], totals }
    }

    /// Keeps the first rules only.
    pub(crate) fn truncate(&mut self, rules: usize) {
        self.ends.truncate(rules);
        self.totals.truncate(rules);
    }

    /// The given rules of a feature.
    pub(crate) fn new(feature: usize, rules: &[Rule]) -> Self {
        let end = |rule: &Rule| RuleEnd { rank: rule.rank, items: rule.items as u32 };
        let ends = rules.iter().map(end).collect();
        Rules { feature, ends, totals: rules.iter().map(|rule| (rule.rows, rule.weight)).collect() }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, at: usize) -> Rule {
        let RuleEnd { rank, items } = self.ends[at];
        let (rows, weight) = self.totals.get(at).copied().unwrap_or((items.into(), items.into()));
        Rule { feature: self.feature, rank, items: items as usize, rows, weight }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Rule> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// The first rule of a range for which `holds` is false, if it is true before that rule and
    /// false from it on; the end of the range if it is true for all.
    pub(crate) fn partition_point(
        &self,
        range: Range<usize>,
        holds: impl Fn(&Rule) -> bool,
    ) -> usize {
        let (mut first, mut end) = (range.start, range.end);
        while first < end {
            let middle = (first + end) / 2;
            if holds(&self.get(middle)) {
                first = middle + 1;
            } else {
                end = middle;
            }
        }
        first
    }
}
