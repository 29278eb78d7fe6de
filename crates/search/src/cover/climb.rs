//! From "is there an ensemble of this value?" to the least value, from below.

use super::place::Placement;
use super::served::Served;
use super::sizes::{Cap, caps_of};
use super::slack::Slack;
use super::{CoverRequest, CoverStats, Found, Together};
use crate::least_size::{Decision, Ground, Stopped};
use crate::limits::Clock;
use crate::solve::greedy_tree;
use crate::tracer::Progress;
use exactree_model::{Cost, Table, Tree, UNBOUNDED};
use std::sync::Arc;

/// One search for the least value.
pub struct Climb<'a, const W: usize> {
    table: &'a Table,
    ground: &'a Ground<W>,
    request: &'a CoverRequest,
    clock: &'a Clock<'a>,
    placement: Placement<'a, W>,
}

impl<'a, const W: usize> Climb<'a, W> {
    pub fn new(
        table: &'a Table,
        ground: &'a Ground<W>,
        request: &'a CoverRequest,
        clock: &'a Clock<'a>,
    ) -> Self {
        let decision = Decision::new(ground, &request.size_options, clock, request.memory_limit);
        let served = Served::new(decision, &request.options);
        let placement = Placement::new(ground, &request.options, clock, served);
        Climb { table, ground, request, clock, placement }
    }

    /// The best ensemble, if one was found, and a lower bound; a bound beyond
    /// every limit when nothing is within the limits.
    pub fn run(mut self, progress: &Progress) -> (Option<Found>, Cost, CoverStats) {
        let contradictory = self.table.contradictory_groups > 0;
        let most = if contradictory { None } else { Some(self.most()) };
        let mut found = if contradictory { None } else { self.one_decides() };
        let mut lower = UNBOUNDED;
        for value in 0..most.map_or(0, |most| most.saturating_add(1)) {
            let known = found.as_ref().map_or(UNBOUNDED, |(cost, _)| *cost);
            progress.report(known, value.into());
            if known <= value.into() {
                lower = known;
                break;
            }
            match self.ensemble(value) {
                Ok(None) => continue,
                Ok(Some(trees)) => {
                    lower = self.cost(&trees);
                    found = Some((lower, trees));
                }
                Err(Stopped) => lower = value.into(),
            }
            break;
        }
        let seconds = self.clock.seconds();
        (found, lower, CoverStats { seconds, ..self.placement.stats })
    }

    /// One greedy tree that decides alone because the others cancel out, if it is
    /// within the limits. With a tie the earlier class wins, so that of an odd
    /// number of others one more votes for the later.
    fn one_decides(&self) -> Option<Found> {
        let limits = Cap { depth: self.request.depth, size: u32::MAX, min_rows: 1 };
        let (errors, tree) = greedy_tree(self.table, limits, self.clock);
        if errors > 0 || tree.size() > self.request.size {
            return None;
        }
        let mut trees: Vec<Arc<Tree>> =
            (1..self.request.trees).map(|at| Tree::leaf(at % 2)).collect();
        trees.push(tree);
        let total: u32 = trees.iter().map(|tree| self.request.minimize.nodes(tree)).sum();
        (total <= self.request.total).then(|| (self.cost(&trees), trees))
    }

    /// No ensemble within the limits needs more: one tree alone, the others
    /// cancelling out, has at most a node for every group of rows but one.
    fn most(&self) -> u32 {
        let rules = self.table.groups.saturating_sub(1).min(u32::MAX as usize / 2) as u32;
        let trees = self.request.trees;
        let alone = Cap { depth: self.request.depth, size: self.request.size, min_rows: 1 };
        let Cap { size, depth, .. } = alone.normalised();
        let all = |each: u32| each.min(rules).saturating_mul(trees).min(self.request.total);
        match self.request.minimize {
            Together::TotalSize => all(size),
            Together::TotalDepth => all(depth),
            Together::LargestSize => size.min(rules),
            Together::LargestDepth => depth.min(rules),
        }
    }

    /// An ensemble of at most this value, if there is one.
    fn ensemble(&mut self, value: u32) -> Result<Option<Vec<Arc<Tree>>>, Stopped> {
        let slack = Slack::new(self.ground, self.request.trees);
        for caps in caps_of(self.request, value) {
            if let Some(sets) = self.placement.place(&caps, &slack)? {
                return self.placement.trees(&caps, &sets).map(Some);
            }
        }
        Ok(None)
    }

    fn cost(&self, trees: &[Arc<Tree>]) -> Cost {
        let minimize = self.request.minimize;
        let nodes = trees.iter().map(|tree| u64::from(minimize.nodes(tree)));
        if minimize.total() { nodes.sum() } else { nodes.max().unwrap_or(0) }
    }
}
