//! Open intervals in the order in which they are taken.

use super::Interval;
use exactree_model::Cost;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Open intervals, the most promising on top.
#[derive(Default)]
pub(super) struct RankedIntervals {
    open: BinaryHeap<Reverse<RankedInterval>>,
    intervals: Vec<Interval>,
    /// Places of closed intervals, to be used again.
    vacant: Vec<u32>,
}

/// An interval in its place: least lower bound first, then the widest, then as
/// they stand, so that equal runs are equal. It stands apart, because a heap
/// moves what it holds; and in one number, because a heap compares.
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

    /// Where the interval stands.
    fn at(&self) -> u32 {
        self.0 as u32
    }
}

impl RankedIntervals {
    pub fn insert(&mut self, interval: Interval) {
        let at = self.vacant.pop().unwrap_or(self.intervals.len() as u32);
        self.open.push(Reverse(RankedInterval::new(&interval, at)));
        match self.intervals.get_mut(at as usize) {
            Some(place) => *place = interval,
            None => self.intervals.push(interval),
        }
    }

    /// The most promising one, which is open no more.
    pub fn take(&mut self) -> Option<Interval> {
        let Reverse(ranked) = self.open.pop()?;
        self.vacant.push(ranked.at());
        Some(std::mem::take(&mut self.intervals[ranked.at() as usize]))
    }

    /// All of them, as they stand; none is open then. None was taken before.
    pub fn take_all(&mut self) -> Vec<Interval> {
        debug_assert!(self.vacant.is_empty());
        std::mem::take(self).intervals
    }

    /// The least lower bound of those that are open.
    pub fn lower(&self) -> Option<Cost> {
        self.open.peek().map(|Reverse(ranked)| ranked.lower())
    }
}
