//! The thresholds of a part whose sides can be cheap enough together.
//!
//! *Monotonicity.* The least cost of a part within depth and size is at most
//! that of any part around it: restrict the tree, its leaves err no more and
//! are no more. So from one threshold of a feature to the next the least cost
//! of the left side never falls and that of the right side never rises. Between
//! two thresholds whose least costs are known, those of the left sides are
//! between the two left ones, and those of the right sides likewise: where the
//! smaller left and the smaller right one exceed the cost together, there is
//! nothing between; where both ends agree, nothing between needs to be asked.
//! It does not hold with a demand on rows: then every threshold is asked.

use super::graph::Graph;
use super::parts::Divisions;
use crate::limits::Stopped;
use exactree_model::{Cost, Limits, UNBOUNDED};
use std::ops::Range;

/// A threshold, and the least costs of its two sides; zeros if not asked.
pub struct Worth {
    pub threshold: usize,
    pub left: Cost,
    pub right: Cost,
}

/// Limits and shapes of the two sides, and the cost they have together.
pub struct Share {
    pub left: Limits,
    pub right: Limits,
    pub shapes: (u32, u32),
    pub cost: Cost,
}

/// Thresholds, and what is known of the least costs of their sides: at least
/// the first number, at most the second.
struct Span {
    thresholds: Range<usize>,
    left: (Cost, Cost),
    right: (Cost, Cost),
}

impl Span {
    /// What is left on both sides of a threshold whose sides cost so much.
    fn halves(self, middle: usize, at_left: Cost, at_right: Cost) -> [Span; 2] {
        let Span { thresholds, left, right } = self;
        [
            Span {
                thresholds: middle + 1..thresholds.end,
                left: (at_left, left.1),
                right: (right.0, at_right.min(right.1)),
            },
            Span {
                thresholds: thresholds.start..middle,
                left: (left.0, at_left.min(left.1)),
                right: (at_right, right.1),
            },
        ]
    }
}

impl Graph<'_> {
    /// The thresholds whose sides can cost no more together than they may.
    pub(super) fn worth(
        &mut self,
        divisions: &Divisions<'_>,
        share: &Share,
    ) -> Result<Vec<Worth>, Stopped> {
        let thresholds = 0..divisions.count();
        if !self.request.options.bounds {
            return Ok(thresholds
                .map(|threshold| Worth { threshold, left: 0, right: 0 })
                .collect());
        }
        let monotone = self.request.min_rows == 1 && self.request.options.spans;
        let mut found = Vec::new();
        if monotone {
            self.worth_in_spans(divisions, share, &mut found)?;
            found.sort_unstable_by_key(|worth: &Worth| worth.threshold);
        } else {
            for threshold in thresholds {
                let left = self.side_cost(divisions, threshold, true, share, share.cost)?;
                if left > share.cost {
                    continue;
                }
                let rest = share.cost - left;
                let right = self.side_cost(divisions, threshold, false, share, rest)?;
                if right <= rest {
                    found.push(Worth { threshold, left, right });
                }
            }
        }
        Ok(found)
    }

    fn worth_in_spans(
        &mut self,
        divisions: &Divisions<'_>,
        share: &Share,
        found: &mut Vec<Worth>,
    ) -> Result<(), Stopped> {
        let mut open = vec![self.cheap_side_first(divisions, share)?];
        while let Some(span) = open.pop() {
            let Span { thresholds, left, right } = &span;
            if thresholds.is_empty() || left.0 + right.0 > share.cost {
                self.stats.spans += thresholds.len() as u64;
                continue;
            }
            if left.0 == left.1 && right.0 == right.1 {
                self.stats.spans += thresholds.len() as u64;
                let same = |threshold| Worth { threshold, left: left.0, right: right.0 };
                found.extend(thresholds.clone().map(same));
                continue;
            }
            let middle = thresholds.start + thresholds.len() / 2;
            let (left_most, right_most) = (share.cost - right.0, share.cost - left.0);
            let at_left = match left.0 == left.1 {
                true => left.0,
                false => self.side_cost(divisions, middle, true, share, left_most)?,
            };
            let at_right = match right.0 == right.1 {
                true => right.0,
                // Nothing is sought above a left side that is too costly, and what is
                // below has its right sides bounded as before.
                false if at_left > left_most => right.0,
                false => self.side_cost(divisions, middle, false, share, right_most)?,
            };
            if at_left + at_right <= share.cost {
                found.push(Worth { threshold: middle, left: at_left, right: at_right });
            }
            open.extend(span.halves(middle, at_left, at_right));
        }
        Ok(())
    }

    /// All thresholds where the side of fewer nodes is cheap enough. The other
    /// side is asked where it is smallest only: if it is too costly there, it is
    /// everywhere, and that is harder to find out where it is larger.
    fn cheap_side_first(
        &mut self,
        divisions: &Divisions<'_>,
        share: &Share,
    ) -> Result<Span, Stopped> {
        let count = divisions.count();
        let nothing = Span { thresholds: 0..0, left: (0, UNBOUNDED), right: (0, UNBOUNDED) };
        let left_first = share.left.size <= share.right.size;
        // Counted from the end where the first side is smallest.
        let place = |number: usize| if left_first { number } else { count - 1 - number };
        let (mut cheap, mut beyond, mut greatest) = (0, count, 0);
        while cheap < beyond {
            let middle = (cheap + beyond) / 2;
            let cost = self.side_cost(divisions, place(middle), left_first, share, share.cost)?;
            if cost <= share.cost {
                (cheap, greatest) = (middle + 1, cost);
            } else {
                beyond = middle;
            }
        }
        if cheap == 0 {
            self.stats.spans += count as u64;
            return Ok(nothing);
        }
        let least = self.side_cost(divisions, place(cheap - 1), !left_first, share, share.cost)?;
        self.stats.spans += (count - cheap) as u64;
        Ok(match left_first {
            true => Span { thresholds: 0..cheap, left: (0, greatest), right: (least, UNBOUNDED) },
            false => Span {
                thresholds: count - cheap..count,
                left: (least, UNBOUNDED),
                right: (0, greatest),
            },
        })
    }

    /// The least cost of one side of a threshold; `UNBOUNDED` if it is above
    /// `most`.
    fn side_cost(
        &mut self,
        divisions: &Divisions<'_>,
        threshold: usize,
        left: bool,
        share: &Share,
        most: Cost,
    ) -> Result<Cost, Stopped> {
        let limits = if left { share.left } else { share.right };
        let members = divisions.side(threshold, left);
        let cost = self.least_cost.least_cost(&members, limits, most)?;
        if cost.is_none() {
            self.stats.bounds += 1;
        }
        Ok(cost.unwrap_or(UNBOUNDED))
    }
}
