//! "Can trees within these caps serve the table together?"
//!
//! *Failed.* Whether trees within some caps can make up for a slack depends on
//! the caps and the slack alone, not on which trees left it. The same errors in
//! another order leave the same slack.

use super::CoverStats;
use super::errors_of::ErrorSets;
use super::room::Room;
use super::served::Served;
use super::sizes::Cap;
use super::slack::Slack;
use crate::least_size::Ground;
use crate::limits::{Clock, Stopped};
use crate::options::CoverOptions;
use crate::sets::{Set, without};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// One search; what is remembered holds for all its questions.
pub struct Placement<'a, const W: usize> {
    pub ground: &'a Ground<W>,
    pub options: &'a CoverOptions,
    pub clock: &'a Clock<'a>,
    pub served: Served<'a, W>,
    pub stats: CoverStats,
    /// Slacks that the trees to come cannot make up for, by the caps of these.
    failed: FxHashMap<Vec<Cap>, FxHashSet<Slack<W>>>,
    /// Of `failed`, and of the lists of error sets of parts.
    room_of_failed: Room,
    room_of_lists: Room,
}

impl<'a, const W: usize> Placement<'a, W> {
    pub fn new(
        ground: &'a Ground<W>,
        options: &'a CoverOptions,
        clock: &'a Clock<'a>,
        served: Served<'a, W>,
        bytes: Option<usize>,
    ) -> Self {
        let (stats, failed) = (CoverStats::default(), FxHashMap::default());
        let half = || Room::of(bytes.map(|bytes| bytes / 2));
        let (room_of_failed, room_of_lists) = (half(), half());
        Placement { ground, options, clock, served, stats, failed, room_of_failed, room_of_lists }
    }

    /// The counts, when the search is over.
    pub fn counted(self) -> CoverStats {
        let emptied = self.room_of_failed.emptied + self.room_of_lists.emptied;
        CoverStats { emptied, ..self.stats }
    }

    /// The items that each tree, in the order of the caps, has to classify; none
    /// if there is no such ensemble. Caps ascend.
    pub fn place(
        &mut self,
        caps: &[Cap],
        slack: &Slack<W>,
    ) -> Result<Option<Vec<Set<W>>>, Stopped> {
        self.stats.placed += 1;
        // What may not get one more wrong vote every tree to come has to serve; the last
        // one nothing else.
        let last = caps.len() == 1;
        if (last || self.options.within_reach)
            && !self.served.by(caps[0], slack.none(), &mut self.stats)?
        {
            self.stats.within_reach += u64::from(!last);
            return Ok(None);
        }
        if last {
            return Ok(Some(vec![*slack.none()]));
        }
        let again = self.failed.get(caps).is_some_and(|failed| failed.contains(slack));
        if self.options.failed && again {
            self.stats.failed_before += 1;
            return Ok(None);
        }
        let to_serve = *slack.to_serve(caps.len());
        let listed = self.listed(caps, slack, &to_serve)?;
        for errors in listed.iter() {
            self.clock.check()?;
            if let Some(mut sets) = self.place(&caps[1..], &slack.after(errors))? {
                sets.insert(0, without(&to_serve, errors));
                return Ok(Some(sets));
            }
        }
        if self.options.failed {
            if self.room_of_failed.exceeds(slack.bytes()) {
                self.failed.clear();
            }
            self.failed.entry(caps.to_vec()).or_default().insert(slack.clone());
        }
        Ok(None)
    }

    /// The error sets of the trees within the first cap.
    fn listed(
        &mut self,
        caps: &[Cap],
        slack: &Slack<W>,
        to_serve: &Set<W>,
    ) -> Result<Rc<[Set<W>]>, Stopped> {
        self.room_of_lists.start();
        let mut listing = ErrorSets {
            ground: self.ground,
            options: self.options,
            clock: self.clock,
            slack,
            next: caps[1],
            served: &mut self.served,
            stats: &mut self.stats,
            known: FxHashMap::default(),
            room: &mut self.room_of_lists,
        };
        listing.of(to_serve, caps[0])
    }
}
