//! Rows of coded values with classes, grouped by their values of a set of features: the basis of
//! the searches for support sets and of their lists.

use crate::support::bits::Bits;
use rustc_hash::{FxHashMap, FxHashSet};

/// Rows with classes and codes. Values of a feature are equal if and only if their codes are.
#[derive(Clone, Debug)]
pub struct CodedRows {
    class: Vec<u32>,
    /// By feature, the code of every row.
    codes: Vec<Vec<u32>>,
}

impl CodedRows {
    /// From the classes of all rows and, by feature, the codes of all rows.
    pub fn new(class: Vec<u32>, codes: Vec<Vec<u32>>) -> Self {
        CodedRows { class, codes }
    }

    pub(crate) fn rows(&self) -> usize {
        self.class.len()
    }

    pub fn features(&self) -> usize {
        self.codes.len()
    }

    #[inline]
    pub(crate) fn class(&self, row: u32) -> u32 {
        self.class[row as usize]
    }

    #[inline]
    pub(crate) fn code(&self, feature: usize, row: u32) -> u32 {
        self.codes[feature][row as usize]
    }

    /// δ(e, e'): the features in which two rows differ.
    pub(crate) fn difference(&self, row: u32, other: u32) -> Bits {
        let mut found = Bits::empty(self.features());
        let differ = |&f: &usize| self.code(f, row) != self.code(f, other);
        (0..self.features()).filter(differ).for_each(|f| found.insert(f as u32));
        found
    }

    /// Two rows of different classes that agree on S, `None` if S is a support set. The rows of a
    /// group agree on S. The pair is the first row whose class differs from that of the first row
    /// of its group, and that first row of the group. This takes O(n |S|) time, because pairs are
    /// not compared.
    pub(crate) fn agreeing_pair(&self, set: &Bits) -> Option<(u32, u32)> {
        let (groups, number) = self.groups(set.iter());
        let mut first = vec![u32::MAX; number];
        for (row, &group) in (0..).zip(&groups) {
            match first[group as usize] {
                u32::MAX => first[group as usize] = row,
                other if self.class(other) != self.class(row) => return Some((other, row)),
                _ => {}
            }
        }
        None
    }

    /// Whether every feature of S separates two rows of different classes that agree on the rest of
    /// S.
    ///
    /// If a feature f of S separates no such rows, the same holds in every superset of S, since
    /// groups only become smaller. So no superset of S is minimal. Two rows of a group differ both
    /// in class and in f if and only if the group has at least two classes and two codes of f,
    /// because rows that pairwise share the class or the code all have the same class or all the
    /// same code.
    pub(crate) fn each_needed(&self, set: &Bits) -> bool {
        set.iter().all(|f| {
            let (groups, number) = self.groups(set.iter().filter(|&other| other != f));
            let mut first = vec![u32::MAX; number];
            // By group, whether it has several classes, and several codes of f.
            let mut several = vec![(false, false); number];
            (0..).zip(&groups).any(|(row, &group)| {
                let group = group as usize;
                if first[group] == u32::MAX {
                    first[group] = row;
                }
                let (classes_differ, codes_differ) = &mut several[group];
                *classes_differ |= self.class(row) != self.class(first[group]);
                *codes_differ |= self.code(f as usize, row) != self.code(f as usize, first[group]);
                *classes_differ && *codes_differ
            })
        })
    }

    /// R_0 of Lemma 14: the features outside S in which the first row of some group of rows that
    /// agree on S differs from the first row of all.
    pub fn branching_set(&self, set: &Bits) -> Bits {
        let (groups, number) = self.groups(set.iter());
        let mut seen = vec![false; number];
        let mut found = Bits::empty(self.features());
        for (row, &group) in (0..).zip(&groups) {
            if !std::mem::replace(&mut seen[group as usize], true) {
                self.difference(row, 0).iter().for_each(|f| found.insert(f));
            }
        }
        found.without(set)
    }

    /// Whether the features R (`set`) are useful for S (`support`): for every assignment of values
    /// to R there is a group of rows that agree on S without a row of these values (Lemma 11).
    ///
    /// Values that no row has occur in no group. So R is not useful if and only if the values of
    /// some row in R occur in every group.
    pub(crate) fn useful(&self, support: &Bits, set: &Bits) -> bool {
        let (groups, number) = self.groups(support.iter());
        let (values, number_of_values) = self.groups(set.iter());
        let mut seen: FxHashSet<(u32, u32)> = FxHashSet::default();
        let mut groups_with = vec![0; number_of_values];
        for (&group, &value) in groups.iter().zip(&values) {
            groups_with[value as usize] += usize::from(seen.insert((group, value)));
        }
        groups_with.iter().all(|&with| with < number)
    }

    /// By row, the index of its group; and the number of groups. The rows of a group agree on the
    /// features. Groups are numbered in the order of their first rows.
    fn groups(&self, features: impl Iterator<Item = u32>) -> (Vec<u32>, usize) {
        let rows = self.class.len();
        let (mut groups, mut number) = (vec![0u32; rows], rows.min(1));
        let mut refined: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for f in features {
            if number == rows {
                break;
            }
            refined.clear();
            for (group, &code) in groups.iter_mut().zip(&self.codes[f as usize]) {
                let next = refined.len() as u32;
                *group = *refined.entry((*group, code)).or_insert(next);
            }
            number = refined.len();
        }
        (groups, number)
    }
}
