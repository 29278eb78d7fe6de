//! Support sets of at most k features, all minimal ones among them (Corollary 9).
//!
//! If an unlike pair agrees on S, every superset of S that is a support set has one of the features
//! in which the pair differs: try each of them.
//!
//! Beyond the paper:
//!
//! `tried_features`. Let F be the features of a tree that is sought, and S inside
//! F. Of the features of the pair's difference in the order they are tried, let f
//! be the first in F: those before it are not in F, so in the branch of f they
//! can be left out of everything that follows, here and where branching sets add
//! features. So every F is reached along one branch only, and no set is listed
//! twice. But the support set on this branch need not be minimal, so all are
//! listed then.
//!
//! `disjoint_differences`. Pairs that agree on S need one more feature each if their differences
//! share no feature. If they need more than k − |S|, nothing around S has at most k features. Only
//! pairs known so far are used: fewer pairs give a weaker but valid bound.

use super::algorithms::SupportSetSearch;
use crate::support::bits::Bits;
use crate::support::clock::Stopped;
use rustc_hash::FxHashSet;

/// A support set, or a set to be extended to one.
#[derive(Clone)]
pub struct SupportSet {
    /// S.
    pub features: Bits,
    /// Features that are left out of everything around S.
    pub tried: Bits,
}

impl SupportSet {
    pub fn empty(features: usize) -> Self {
        SupportSet { features: Bits::empty(features), tried: Bits::empty(features) }
    }

    pub fn len(&self) -> u32 {
        self.features.count()
    }

    /// S with each of some features, without those tried before it if so wished.
    pub fn with_each(&self, features: &Bits, leave_out: bool) -> Vec<SupportSet> {
        let mut tried = self.tried.clone();
        let with = |f: u32| {
            let mut larger = SupportSet { features: self.features.clone(), tried: tried.clone() };
            larger.features.insert(f);
            if leave_out {
                tried.insert(f);
            }
            larger
        };
        features.iter().map(with).collect()
    }
}

/// What is still to be listed.
pub struct SupportSetListing {
    /// The most features of a set.
    k: u32,
    open: Vec<SupportSet>,
    /// Sets that were listed, where they may be met again.
    listed: FxHashSet<Bits>,
}

impl SupportSetListing {
    pub fn new(features: usize, k: u32) -> Self {
        SupportSetListing {
            k,
            open: vec![SupportSet::empty(features)],
            listed: FxHashSet::default(),
        }
    }
}

impl SupportSetSearch<'_> {
    /// One more support set, None after the last one.
    pub fn list_one(
        &mut self,
        listing: &mut SupportSetListing,
    ) -> Result<Option<SupportSet>, Stopped> {
        while let Some(set) = listing.open.pop() {
            self.clock.check()?;
            let Some(pair) = self.agreeing_pair(&set) else {
                if self.options.tried_features || self.is_new_and_minimal(listing, &set) {
                    return Ok(Some(set));
                }
                continue;
            };
            if set.len() < listing.k && !self.too_many_needed(&set, listing.k) {
                let larger = set.with_each(&pair, self.options.tried_features);
                // The last one is taken first.
                listing.open.extend(larger.into_iter().rev());
            }
        }
        Ok(None)
    }

    /// Of an unlike pair that agrees on S, the features that may be added to S;
    /// None if S is a support set.
    fn agreeing_pair(&mut self, set: &SupportSet) -> Option<Bits> {
        let pair = self.differences.missed(&self.examples.rows, &set.features)?;
        Some(pair.without(&set.tried))
    }

    /// Whether a support set is listed for the first time and stops being one
    /// without any of its features.
    fn is_new_and_minimal(&self, listing: &mut SupportSetListing, set: &SupportSet) -> bool {
        self.examples.rows.each_needed(&set.features) && listing.listed.insert(set.features.clone())
    }

    /// Whether unlike pairs need more features than may be added to S.
    fn too_many_needed(&mut self, set: &SupportSet, k: u32) -> bool {
        if !self.options.disjoint_differences {
            return false;
        }
        let mut taken = set.tried.clone();
        let mut needed = set.len();
        for pair in self.differences.kept.iter().filter(|pair| pair.disjoint(&set.features)) {
            let left = pair.without(&set.tried);
            if left.disjoint(&taken) {
                needed += 1;
                left.iter().for_each(|f| taken.insert(f));
            }
        }
        self.stats.disjoint_differences += u64::from(needed > k);
        needed > k
    }
}
