//! δ(e, e') of unlike pairs: a set of features is a support set if it meets every
//! one of them (Observation 1).
//!
//! A table of n rows has up to n² / 4 unlike pairs, and Corollary 9 needs few of
//! them: for every set S that it meets, one that agrees on S. So they are not all
//! listed. Those met so far are kept, and compared first; where none of them agrees on
//! S, the table is searched for one, in O(n |S|) time.
//!
//! Beyond the paper, `minimal_differences`: up to `MAX_PAIRS` pairs, or one for every row where
//! there are more rows, are compared before the search begins, and the smallest differences are
//! kept. A set that meets a difference meets all that contain it, so those that contain another one
//! are left out, and the support sets, and among them the minimal ones, are the same. What branches
//! on a pair that is left out is branched on for the pair inside it. Where all pairs were compared
//! and none was dropped to save memory, the table need not be searched.

use super::SupportSetsRequest;
use crate::feature_sets::rows::CodedRows;
use crate::support::bits::Bits;
use crate::support::clock::{Clock, Stopped};
use rustc_hash::FxHashSet;

/// Pairs that are compared beforehand: all of 2048 rows.
const MAX_PAIRS: usize = 1 << 21;

/// Maximum number of differences that are kept: each of them is compared with every set.
const MAX_KEPT: usize = 1 << 12;

/// Bytes of the differences, where no limit on memory is given.
const DEFAULT_MAX_BYTES: usize = 1 << 30;

/// Differences that are known, smaller ones first; none of them contains another.
pub struct Differences {
    pub kept: Vec<Bits>,
    /// Whether a set that meets all that are kept is a support set.
    complete: bool,
}

impl Differences {
    pub fn new(
        rows: &CodedRows,
        request: &SupportSetsRequest,
        clock: &Clock<'_>,
    ) -> Result<Self, Stopped> {
        if !request.options.minimal_differences {
            return Ok(Differences { kept: Vec::new(), complete: false });
        }
        // What a hash table needs for itself counts, too.
        let bytes = size_of::<Bits>() + 16 + 8 * rows.features().div_ceil(64);
        let room = request.memory_limit.unwrap_or(DEFAULT_MAX_BYTES) / bytes;
        let (found, mut complete) = compared(rows, room, clock)?;
        let mut all: Vec<Bits> = found.into_iter().collect();
        all.sort_unstable_by(|a, b| (a.count(), &a.words).cmp(&(b.count(), &b.words)));
        let mut kept: Vec<Bits> = Vec::new();
        for difference in all {
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

    /// The difference of a pair that agrees on S, None if S is a support set.
    pub fn missed(&mut self, rows: &CodedRows, set: &Bits) -> Option<Bits> {
        if let Some(known) = self.kept.iter().find(|one| one.disjoint(set)) {
            return Some(known.clone());
        }
        let (e, other) = if self.complete { None } else { rows.agreeing_pair(set) }?;
        let found = rows.difference(e, other);
        // It is none of those that are kept, and contains none: these meet S.
        self.kept.retain(|one| !found.within(one));
        if self.kept.len() < MAX_KEPT {
            let place = self.kept.partition_point(|one| one.count() <= found.count());
            self.kept.insert(place, found.clone());
        }
        Some(found)
    }
}

/// Differences of pairs of rows some places apart, as many as memory allows, and whether these
/// cover all unlike pairs.
fn compared(
    rows: &CodedRows,
    room: usize,
    clock: &Clock<'_>,
) -> Result<(FxHashSet<Bits>, bool), Stopped> {
    let n = rows.rows();
    let mut found = FxHashSet::default();
    let (all, maximum) = (n / 2, (MAX_PAIRS / n.max(1)).max(1));
    // Items are ordered by class: far ones are unlike more often.
    for apart in (1..=all).rev().step_by(all.div_ceil(maximum).max(1)) {
        for e in 0..n {
            if e % 256 == 0 {
                clock.check()?;
            }
            let (e, other) = (e as u32, ((e + apart) % n) as u32);
            if rows.class(e) != rows.class(other) {
                let difference = rows.difference(e, other);
                if found.len() >= room && !found.contains(&difference) {
                    return Ok((found, false));
                }
                found.insert(difference);
            }
        }
    }
    Ok((found, all <= maximum))
}
