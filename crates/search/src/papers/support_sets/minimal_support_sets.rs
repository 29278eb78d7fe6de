//! Lists support sets of at most k features, including all minimal ones (Corollary 9).
//!
//! If an unlike pair agrees on S, every support set that contains S has one of the features in
//! which the pair differs: try each of them.
//!
//! Beyond the paper:
//!
//! `tried_features`. Let F be the features of a tree to find, and S a subset of F. The features of
//! the pair's difference are tried in order; let f be the first of them in F. Those before f are
//! not in F, so in the branch of f they can be excluded from all supersets, here and when branching
//! sets add features. So every F is reached on one branch only, and no set is listed twice. But the
//! support set on this branch need not be minimal, so with this switch all support sets are listed.
//!
//! `disjoint_differences`. Pairs that agree on S need one more feature each if their differences
//! are disjoint. If they need more than k − |S| features, no support set of at most k features
//! contains S. Only pairs found so far are used: fewer pairs give a weaker but valid bound.

use super::search::SupportSetSearch;
use crate::support::bits::Bits;
use crate::support::clock::Stopped;
use rustc_hash::FxHashSet;

/// A support set, or a set to be extended to one.
#[derive(Clone)]
pub(super) struct SupportSet {
    /// S.
    pub features: Bits,
    /// Features tried before, which are excluded from all supersets of S.
    pub tried: Bits,
}

impl SupportSet {
    pub(super) fn empty(features: usize) -> Self {
        SupportSet { features: Bits::empty(features), tried: Bits::empty(features) }
    }

    pub(super) fn len(&self) -> u32 {
        self.features.count()
    }

    /// S with each of some features. If `exclude_tried`, each set excludes the features added to
    /// the sets before it.
    pub(super) fn with_each(&self, features: &Bits, exclude_tried: bool) -> Vec<SupportSet> {
        let mut tried = self.tried.clone();
        let with = |f: u32| {
            let mut larger = SupportSet { features: self.features.clone(), tried: tried.clone() };
            larger.features.insert(f);
            if exclude_tried {
                tried.insert(f);
            }
            larger
        };
        features.iter().map(with).collect()
    }
}

/// The state of a listing.
pub(super) struct SupportSetListing {
    /// Maximum number of features of a set.
    k: u32,
    /// Sets still to be extended.
    open: Vec<SupportSet>,
    /// Sets listed so far, unless no set can be listed twice.
    listed: FxHashSet<Bits>,
}

impl SupportSetListing {
    pub(super) fn new(features: usize, k: u32) -> Self {
        SupportSetListing {
            k,
            open: vec![SupportSet::empty(features)],
            listed: FxHashSet::default(),
        }
    }
}

impl SupportSetSearch<'_> {
    /// The next support set; `None` after the last set.
    pub(super) fn next_support_set(
        &mut self,
        listing: &mut SupportSetListing,
    ) -> Result<Option<SupportSet>, Stopped> {
        while let Some(set) = listing.open.pop() {
            self.clock.check()?;
            let Some(difference) = self.missed_difference(&set) else {
                if self.options.tried_features || self.is_new_and_minimal(listing, &set) {
                    return Ok(Some(set));
                }
                continue;
            };
            if set.len() < listing.k && !self.exceeds_max_features(&set, listing.k) {
                let larger = set.with_each(&difference, self.options.tried_features);
                // The last set is popped first.
                listing.open.extend(larger.into_iter().rev());
            }
        }
        Ok(None)
    }

    /// The difference of an unlike pair that agrees on S, without features tried before; `None` if
    /// S is a support set.
    fn missed_difference(&mut self, set: &SupportSet) -> Option<Bits> {
        let difference = self.differences.missed(&self.examples.rows, &set.features)?;
        Some(difference.without(&set.tried))
    }

    /// Whether a support set is minimal and was not listed before.
    fn is_new_and_minimal(&self, listing: &mut SupportSetListing, set: &SupportSet) -> bool {
        self.examples.rows.each_needed(&set.features) && listing.listed.insert(set.features.clone())
    }

    /// Whether disjoint differences need more features than may be added to S.
    fn exceeds_max_features(&mut self, set: &SupportSet, k: u32) -> bool {
        if !self.options.disjoint_differences {
            return false;
        }
        let mut taken = set.tried.clone();
        let mut needed = set.len();
        for difference in self.differences.kept.iter().filter(|kept| kept.disjoint(&set.features)) {
            let untried = difference.without(&set.tried);
            if untried.disjoint(&taken) {
                needed += 1;
                untried.iter().for_each(|f| taken.insert(f));
            }
        }
        self.stats.disjoint_differences += u64::from(needed > k);
        needed > k
    }
}
