//! Searches of some roots: which thresholds stay open, and what is left of them.

use super::{Edge, Interval, OpenIntervals};
use crate::roots::Roots;
use crate::tracer::Discards;
use exactree_model::Cost;
use std::collections::BTreeMap;

/// What is known of the left and the right sides of thresholds, by feature and rank.
pub(crate) type Evaluated = BTreeMap<(u32, u32), [Edge; 2]>;

/// What is known at the evaluated thresholds next to a set, and of its own sides.
fn edges(evaluated: &Evaluated, roots: &Roots) -> (Edge, Edge) {
    let Roots { feature, first, last, left, right, .. } = *roots;
    let before = evaluated.range((feature, 0)..(feature, first)).next_back();
    let after = evaluated.range((feature, last + 1)..=(feature, u32::MAX)).next();
    let before = before.map_or_else(Edge::default, |(_, [edge, _])| edge.clone());
    let after = after.map_or_else(Edge::default, |(_, [_, edge])| edge.clone());
    let (left, right) = (left.max(before.side), right.max(after.side));
    (Edge { side: left, ..before }, Edge { side: right, ..after })
}

impl OpenIntervals {
    /// Keeps open what is in one of these sets, and remembers what is shown of it. Each
    /// interval is told what was `evaluated` next to it, unless sizes are shared in several ways:
    /// then what is known of sides is of one of them.
    pub(crate) fn keep(&mut self, roots: &[Roots], evaluated: Option<&Evaluated>) {
        self.shown = Some(Vec::new());
        for interval in &self.open.take_all() {
            for roots in roots.iter().filter(|roots| roots.feature == interval.feature) {
                let rules = &self.rules[interval.feature as usize];
                let whole = interval.first as usize..interval.last as usize + 1;
                let first = rules.first_without(whole.clone(), |rule| rule.rank < roots.first);
                let end = rules.first_without(whole, |rule| rule.rank <= roots.last);
                if first >= end {
                    continue;
                }
                let (first, last) = (first as u32, end as u32 - 1);
                let (before, after) = evaluated.map_or_else(Default::default, |e| edges(e, roots));
                let lower = interval.lower.max(roots.lower);
                let Interval { feature, share, .. } = *interval;
                let whole = Interval { lower, feature, share, ..Interval::default() };
                self.push_between(&whole, (first, last), before, after);
            }
        }
    }

    /// Closes all that is open; returns what is not shown to cost `upper`, and remembers what
    /// was `evaluated`. Sets of one feature overlap where sizes are shared in several ways.
    pub(crate) fn left(
        &mut self,
        upper: Cost,
        mut evaluated: Option<&mut Evaluated>,
        discards: &mut Discards,
    ) -> Vec<Roots> {
        let mut left = Vec::new();
        for (mut roots, edges) in self.shown.take().unwrap_or_default() {
            if let Some(evaluated) = &mut evaluated {
                [roots.left, roots.right] = [edges[0].side, edges[1].side];
                evaluated.insert((roots.feature, roots.first), edges);
            }
            if roots.lower < upper {
                left.push(roots);
            }
        }
        while let Some(interval) = self.most_promising(upper, discards) {
            let rank = |at: u32| self.rule(&interval, at).rank;
            let (first, last) = (rank(interval.first), rank(interval.last));
            let Interval { feature, lower, before, after, .. } = interval;
            let mut roots = Roots { lower, ..Roots::new(feature, first, last) };
            if evaluated.is_some() {
                [roots.left, roots.right] = [before.side, after.side];
            }
            left.push(roots);
        }
        left
    }
}
