//! Priority queue of open intervals.

use super::interval::Interval;
use exactree_model::Cost;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Open intervals, the most promising on top.
#[derive(Default)]
pub(super) struct RankedIntervals {
    open: BinaryHeap<Reverse<RankedInterval>>,
    intervals: Vec<Interval>,
    /// Places of closed intervals, for reuse.
    vacant: Vec<u32>,
}

/// Heap key of an interval: lowest lower bound first, then the widest, then by place, so that runs
/// are reproducible. The intervals themselves stay outside the heap, because a heap moves its
/// elements; the key is one number, because a heap compares often.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RankedInterval(u128);

impl RankedInterval {
    fn new(interval: &Interval, at: u32) -> Self {
        let narrow = u32::MAX - (interval.last - interval.first);
        RankedInterval(u128::from(interval.lower) << 64 | u128::from(narrow) << 32 | u128::from(at))
    }

    fn lower(&self) -> Cost {
        (self.0 >> 64) as Cost
    }

    /// Place of the interval.
    fn at(&self) -> u32 {
        self.0 as u32
    }
}

impl RankedIntervals {
    pub(super) fn insert(&mut self, interval: Interval) {
        let at = self.vacant.pop().unwrap_or(self.intervals.len() as u32);
        self.open.push(Reverse(RankedInterval::new(&interval, at)));
        match self.intervals.get_mut(at as usize) {
            Some(place) => *place = interval,
            None => self.intervals.push(interval),
        }
    }

    /// Removes and returns the most promising interval.
    pub(super) fn take(&mut self) -> Option<Interval> {
        let Reverse(ranked) = self.open.pop()?;
        self.vacant.push(ranked.at());
        Some(std::mem::take(&mut self.intervals[ranked.at() as usize]))
    }

    /// Removes and returns all intervals in order of place. Only valid before any was taken.
    pub(super) fn take_all(&mut self) -> Vec<Interval> {
        debug_assert!(self.vacant.is_empty());
        std::mem::take(self).intervals
    }

    /// The minimum of the lower bounds of the open intervals.
    pub(super) fn lower(&self) -> Option<Cost> {
        self.open.peek().map(|Reverse(ranked)| ranked.lower())
    }
}
