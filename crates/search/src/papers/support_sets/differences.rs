//! The differences δ(e, e') of unlike pairs: a set of features is a support set if it meets every
//! difference (Observation 1).
//!
//! A table of n rows has up to n² / 4 unlike pairs, but Corollary 9 needs few of them: for every
//! set S that it visits, one pair that agrees on S. So differences are not all listed. Those found
//! so far are kept and tried first; if S meets all of them, the table is searched for a pair that
//! agrees on S, in O(n |S|) time.
//!
//! Beyond the paper, `minimal_differences`: up to `MAX_PAIRS` pairs, or one per row if there are
//! more rows, are compared before the search begins, and the smallest differences are kept. A set
//! that meets a difference also meets its supersets, so differences that contain another one can be
//! left out: the support sets, and so the minimal ones, are the same. If all pairs were compared
//! and no difference was dropped to save memory, the table need not be searched.

use super::request::SupportSetsRequest;
use crate::feature_sets::rows::CodedRows;
use crate::support::bits::Bits;
use crate::support::clock::{Clock, Stopped};
use rustc_hash::FxHashSet;

/// Maximum number of pairs compared beforehand: all pairs of 2048 rows.
const MAX_PAIRS: usize = 1 << 21;

/// Maximum number of differences kept: each of them is compared with every set.
const MAX_KEPT: usize = 1 << 12;

/// Maximum bytes of the differences if there is no memory limit.
const DEFAULT_MAX_BYTES: usize = 1 << 30;

/// The differences found so far, smaller ones first; none of them contains another.
pub(super) struct Differences {
    pub kept: Vec<Bits>,
    /// Whether every set that meets all kept differences is a support set.
    complete: bool,
}

impl Differences {
    pub(super) fn new(
        rows: &CodedRows,
        request: &SupportSetsRequest,
        clock: &Clock<'_>,
    ) -> Result<Self, Stopped> {
        if !request.options.minimal_differences {
            return Ok(Differences { kept: Vec::new(), complete: false });
        }
        // Including the overhead of the hash set.
        let bytes = size_of::<Bits>() + 16 + 8 * rows.features().div_ceil(64);
        let max_differences = request.memory_limit.unwrap_or(DEFAULT_MAX_BYTES) / bytes;
        let (found, mut complete) = compare_pairs(rows, max_differences, clock)?;
        let mut by_size: Vec<Bits> = found.into_iter().collect();
        by_size.sort_unstable_by(|a, b| (a.count(), &a.words).cmp(&(b.count(), &b.words)));
        let mut kept: Vec<Bits> = Vec::new();
        for difference in by_size {
            clock.check()?;
            if !kept.iter().any(|inside| inside.within(&difference)) {
                if kept.len() == MAX_KEPT {
                    complete = false;
                    break;
                }
                kept.push(difference);
            }
        }
        Ok(Differences { kept, complete })
    }

    /// A difference that S does not meet; `None` if S is a support set.
    pub(super) fn missed(&mut self, rows: &CodedRows, set: &Bits) -> Option<Bits> {
        if let Some(difference) = self.kept.iter().find(|kept| kept.disjoint(set)) {
            return Some(difference.clone());
        }
        let (e, other) = if self.complete { None } else { rows.agreeing_pair(set) }?;
        let found = rows.difference(e, other);
        // It contains no kept difference, since S meets all of these.
        self.kept.retain(|kept| !found.within(kept));
        if self.kept.len() < MAX_KEPT {
            let place = self.kept.partition_point(|kept| kept.count() <= found.count());
            self.kept.insert(place, found.clone());
        }
        Some(found)
    }
}

/// The distinct differences of unlike pairs, and whether all pairs were compared. Compares about
/// `MAX_PAIRS` pairs, and ends when there are more than `max_differences` differences.
fn compare_pairs(
    rows: &CodedRows,
    max_differences: usize,
    clock: &Clock<'_>,
) -> Result<(FxHashSet<Bits>, bool), Stopped> {
    let n = rows.rows();
    let mut found = FxHashSet::default();
    // The pairs of items at each distance, taken cyclically, are all pairs.
    let (distances, max_distances) = (n / 2, (MAX_PAIRS / n.max(1)).max(1));
    let step = distances.div_ceil(max_distances).max(1);
    // Items are ordered by class, so distant items are more often unlike.
    for distance in (1..=distances).rev().step_by(step) {
        for e in 0..n {
            if e % 256 == 0 {
                clock.check()?;
            }
            let (e, other) = (e as u32, ((e + distance) % n) as u32);
            if rows.class(e) != rows.class(other) {
                let difference = rows.difference(e, other);
                if found.len() >= max_differences && !found.contains(&difference) {
                    return Ok((found, false));
                }
                found.insert(difference);
            }
        }
    }
    Ok((found, distances <= max_distances))
}
