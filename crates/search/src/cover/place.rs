//! "Can trees within these caps serve the table together?"

use super::CoverStats;
use super::errors_of::ErrorSets;
use super::served::Served;
use super::sizes::Cap;
use super::slack::Slack;
use crate::least_size::Ground;
use crate::limits::{Clock, Stopped};
use crate::options::CoverOptions;
use crate::sets::{Set, without};
use rustc_hash::{FxHashMap, FxHashSet};

/// One search; what is remembered holds for all its questions.
pub struct Placement<'a, const W: usize> {
    pub ground: &'a Ground<W>,
    pub options: &'a CoverOptions,
    pub clock: &'a Clock<'a>,
    pub served: Served<'a, W>,
    pub stats: CoverStats,
    /// Slacks that the trees to come cannot make up for, by the caps of these.
    failed: FxHashMap<Vec<Cap>, FxHashSet<Slack<W>>>,
}

impl<'a, const W: usize> Placement<'a, W> {
    pub fn new(
        ground: &'a Ground<W>,
        options: &'a CoverOptions,
        clock: &'a Clock<'a>,
        served: Served<'a, W>,
    ) -> Self {
        let (stats, failed) = (CoverStats::default(), FxHashMap::default());
        Placement { ground, options, clock, served, stats, failed }
    }

    /// The items that each tree, in the order of the caps, has to classify; none
    /// if there is no such ensemble. Caps ascend.
    pub fn place(
        &mut self,
        caps: &[Cap],
        slack: &Slack<W>,
    ) -> Result<Option<Vec<Set<W>>>, Stopped> {
        self.stats.placed += 1;
        // What may not get one more wrong vote every tree to come has to serve.
        if !self.served.by(caps[0], slack.none(), &mut self.stats)? {
            return Ok(None);
        }
        if caps.len() == 1 {
            return Ok(Some(vec![*slack.none()]));
        }
        // The same errors in another order leave the same slack.
        let again = self.failed.get(caps).is_some_and(|failed| failed.contains(slack));
        if self.options.failed && again {
            self.stats.failed_before += 1;
            return Ok(None);
        }
        let to_serve = *slack.to_serve(caps.len());
        let mut listing = ErrorSets {
            ground: self.ground,
            options: self.options,
            clock: self.clock,
            slack,
            next: caps[1],
            served: &mut self.served,
            stats: &mut self.stats,
            known: FxHashMap::default(),
        };
        for errors in listing.of(&to_serve, caps[0])?.iter() {
            self.clock.check()?;
            if let Some(mut sets) = self.place(&caps[1..], &slack.after(errors))? {
                sets.insert(0, without(&to_serve, errors));
                return Ok(Some(sets));
            }
        }
        if self.options.failed {
            self.failed.entry(caps.to_vec()).or_default().insert(slack.clone());
        }
        Ok(None)
    }
}
