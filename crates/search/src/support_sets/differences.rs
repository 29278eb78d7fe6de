//! δ(e, e') for all unlike pairs: a set of features is a support set if it meets
//! every one of them (Observation 1).
//!
//! Beyond the paper, `minimal_differences`: a set that meets a difference meets
//! all that contain it. So those that contain another one can be left out, and
//! the support sets, and among them the minimal ones, are the same. What
//! branches on a pair that is left out is branched on for the pair inside it.

use super::SupportSetsOptions;
use crate::bits::Bits;
use crate::entries::refuse_large_table;
use crate::examples::Examples;
use crate::limits::{Clock, Stopped};
use exactree_model::Table;
use rustc_hash::FxHashSet;

/// By unlike pair, the features in which it differs.
pub struct Differences(pub Vec<Bits>);

impl Differences {
    /// Refuses a table whose unlike pairs would not fit memory.
    pub fn refuse_large(table: &Table, memory_limit: Option<usize>) -> Result<(), String> {
        let mut of_class = vec![0u128; table.n_classes];
        table.items.iter().for_each(|item| of_class[item.class as usize] += 1);
        let items = table.items.len() as u128;
        let alike: u128 = of_class.iter().map(|items| items * items).sum();
        // What the heap needs for itself counts, too.
        let bytes = size_of::<Bits>() + 16 + 8 * table.features.len().div_ceil(64);
        refuse_large_table("unlike pairs", (items * items - alike) / 2, bytes, memory_limit)
    }

    pub fn new(
        examples: &Examples,
        options: &SupportSetsOptions,
        clock: &Clock<'_>,
    ) -> Result<Self, Stopped> {
        let items = examples.items as u32;
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        for e in 0..items {
            clock.check()?;
            let unlike = |&other: &u32| examples.class(other) != examples.class(e);
            for other in (e + 1..items).filter(unlike) {
                let difference = delta(examples, e, other);
                if !options.minimal_differences || seen.insert(difference.clone()) {
                    found.push(difference);
                }
            }
        }
        let kept = if options.minimal_differences { minimal(found, clock)? } else { found };
        Ok(Differences(kept))
    }

    /// Whether every unlike pair differs in some feature of a set.
    pub fn all_meet(&self, set: &Bits) -> bool {
        !self.0.iter().any(|difference| difference.disjoint(set))
    }
}

/// δ(e, e').
pub fn delta(examples: &Examples, e: u32, other: u32) -> Bits {
    let mut found = Bits::empty(examples.features);
    let differ = |&f: &usize| examples.rank(f, e) != examples.rank(f, other);
    (0..examples.features).filter(differ).for_each(|f| found.insert(f as u32));
    found
}

/// Of different sets those that contain no other, smaller ones first.
fn minimal(mut all: Vec<Bits>, clock: &Clock<'_>) -> Result<Vec<Bits>, Stopped> {
    all.sort_unstable_by(|a, b| (a.count(), &a.words).cmp(&(b.count(), &b.words)));
    let mut kept: Vec<Bits> = Vec::new();
    for difference in all {
        clock.check()?;
        if !kept.iter().any(|inside| inside.within(&difference)) {
            kept.push(difference);
        }
    }
    Ok(kept)
}
