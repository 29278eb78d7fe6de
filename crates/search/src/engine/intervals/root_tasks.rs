//! Intervals of a search restricted to some roots: opening these roots, and returning those that
//! remain open.

use super::OpenIntervals;
use super::interval::{EvaluatedThresholds, Interval, IntervalEdge};
use crate::engine::open_splits::RootSplits;
use crate::engine::root_range::RootRange;
use crate::support::statistics::PruneCounts;
use exactree_model::Cost;

/// The two edges of a range: bounds at the evaluated thresholds next to it, raised by the bounds on
/// its own children.
fn edges(evaluated: &EvaluatedThresholds, roots: &RootRange) -> (IntervalEdge, IntervalEdge) {
    let RootRange { feature, first, last, left, right, .. } = *roots;
    let before = evaluated.range((feature, 0)..(feature, first)).next_back();
    let after = evaluated.range((feature, last + 1)..=(feature, u32::MAX)).next();
    let before = before.filter(|(_, at)| last <= at.within.1).map(|(_, at)| at.edges[0].clone());
    let after = after.filter(|(_, at)| at.within.0 <= first).map(|(_, at)| at.edges[1].clone());
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    let (left, right) = (left.max(before.child), right.max(after.child));
    (IntervalEdge { child: left, ..before }, IntervalEdge { child: right, ..after })
}

impl RootSplits for OpenIntervals {
    type Evaluated = EvaluatedThresholds;

    /// Also starts to record the bounds of evaluated thresholds. If there are several ways to
    /// divide the size, bounds on children hold for one of these ways only.
    fn keep(&mut self, roots: &[RootRange], evaluated: Option<&EvaluatedThresholds>) {
        self.evaluated = Some(Vec::new());
        for interval in &self.open.take_all() {
            for roots in roots.iter().filter(|roots| roots.feature == interval.feature) {
                let rules = &self.rules[interval.feature as usize];
                let whole = interval.first as usize..interval.last as usize + 1;
                let first = rules.partition_point(whole.clone(), |rule| rule.rank < roots.first);
                let end = rules.partition_point(whole, |rule| rule.rank <= roots.last);
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

    /// The ranges of one feature overlap if there are several ways to divide the size.
    fn close_all(
        &mut self,
        upper: Cost,
        mut evaluated: Option<&mut EvaluatedThresholds>,
        pruned: &mut PruneCounts,
    ) -> Vec<RootRange> {
        let mut open_roots = Vec::new();
        for (mut roots, threshold) in self.evaluated.take().unwrap_or_default() {
            if let Some(evaluated) = &mut evaluated {
                [roots.left, roots.right] = threshold.edges.each_ref().map(|edge| edge.child);
                evaluated.insert((roots.feature, roots.first), threshold);
            }
            if roots.lower < upper {
                open_roots.push(roots);
            }
        }
        while let Some(interval) = self.most_promising(upper, pruned) {
            let (first, last) = self.ranks(&interval);
            let Interval { feature, lower, before, after, .. } = interval;
            let mut roots = RootRange { lower, ..RootRange::new(feature, first, last) };
            if evaluated.is_some() {
                [roots.left, roots.right] = [before.child, after.child];
            }
            open_roots.push(roots);
        }
        open_roots
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::intervals::EvaluatedThreshold;

    #[test]
    fn an_evaluated_threshold_bounds_only_ranges_inside_its_interval() {
        let edge = |child| IntervalEdge { child, total: 9, ..IntervalEdge::default() };
        let edges_of = |rank: u32, within: (u32, u32)| {
            let evaluated = EvaluatedThreshold { edges: [edge(5), edge(7)], within };
            edges(&EvaluatedThresholds::from([((0, rank), evaluated)]), &RootRange::new(0, 6, 8))
        };
        let none = IntervalEdge::default();
        assert_eq!(edges_of(4, (0, 8)), (edge(5), none.clone()));
        assert_eq!(edges_of(4, (0, 7)), (none.clone(), none.clone()));
        assert_eq!(edges_of(9, (6, 20)), (none.clone(), edge(7)));
        assert_eq!(edges_of(9, (7, 20)), (none.clone(), none));
    }
}
