//! Up from a lower bound: the least size that has a tree.

use super::caching::Cache;
use super::ground::Ground;
use super::pairs::{Nearest, pair_bound};
use super::reductions::LeftOut;
use super::search::Search;
use super::{WitnessDiscards, WitnessRequest, WitnessStats};
use crate::entries::refuse_large_table;
use crate::first_tree::Sized;
use crate::limits::Clock;
use crate::tracer::Progress;
use exactree_model::{Outcome, Table, UNBOUNDED};
use std::thread;

/// Bytes of stack that may be used without asking for more.
const STACK: u128 = 256 << 10;

/// What a search works with, besides the tree known.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub table: &'a Table,
    pub request: &'a WitnessRequest,
    pub clock: &'a Clock<'a>,
    pub progress: &'a Progress,
}

/// What is found and how, or why the table is refused.
pub type Climbed = Result<(Outcome, WitnessStats), String>;

impl Task<'_> {
    /// The greatest size worth asking for, if there is any. Every leaf of a
    /// smallest tree holds an item, and equal items share a leaf; a tree that
    /// is there needs no search at its own size.
    fn most(&self, known: &Option<Sized>) -> Option<u32> {
        let useful = self.request.size.min(self.table.groups as u32 - 1);
        known.as_ref().map_or(Some(useful), |(size, _)| (*size as u32).checked_sub(1))
    }

    /// Climbs on a stack that is deep enough: a search node has a witness tree
    /// of one node more than the one above it, and a leaf that is solved apart
    /// has no more nodes than are left.
    pub fn on_deep_stack<const W: usize>(self, known: Option<Sized>) -> Climbed {
        let limit = self.request.memory_limit;
        let values = self.table.features.iter().map(|feature| feature.values.len() as u128 - 1);
        refuse_large_table("rules by items", values.sum(), W * size_of::<u64>(), limit)?;
        let levels = 2 * u128::from(self.most(&known).unwrap_or(0)) + 1;
        let bytes_each = 64 * W * size_of::<u64>() + (4 << 10);
        refuse_large_table("nested search nodes", levels, bytes_each, limit)?;
        let stack = levels * bytes_each as u128;
        if stack <= STACK {
            return Ok(self.climb::<W>(known));
        }
        thread::scope(|scope| {
            let builder = thread::Builder::new().stack_size(stack as usize + (1 << 20));
            let climbing = builder
                .spawn_scoped(scope, || self.climb::<W>(known))
                .map_err(|why| format!("There is no thread with {stack} bytes of stack: {why}."))?;
            Ok(climbing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }

    fn climb<const W: usize>(&self, mut known: Option<Sized>) -> (Outcome, WitnessStats) {
        let Task { request, clock, .. } = *self;
        let ground = Ground::<W>::new(self.table, request.errors, &request.options);
        let cache = request.options.subset_caching.then(|| Cache::new(request.memory_limit));
        let first_incumbent = known.as_ref().map(|(size, _)| *size as u32);
        let first_size = if request.options.pair_bound { pair_bound(&ground, clock) } else { 0 };
        let mut lower = first_size;
        let mut stats = WitnessStats::default();
        let LeftOut { pure_borders, equal_rules, mergeable_features } = ground.left_out;
        let everything = ground.everything();
        let wanted = request.options.leaf_pairs || request.options.dirty_priority;
        let nearest = if wanted { Nearest::new(&ground) } else { None };
        let search = Search::new(&ground, &request.options, clock, nearest.as_ref(), everything);
        if let Ok(mut search) = search {
            search.cache = cache;
            let mut by_size = Vec::new();
            while self.most(&known).is_some_and(|most| lower <= most) {
                let cost = known.as_ref().map_or(UNBOUNDED, |(size, _)| *size);
                self.progress.report(cost, u64::from(lower));
                let before = search.nodes;
                let found = search.decide(lower);
                by_size.push((lower, search.nodes - before));
                match found {
                    Ok(true) => {
                        let tree = search.tree.build(search.tree.root);
                        known = Some((u64::from(search.tree.size()), tree));
                    }
                    Ok(false) => lower += 1,
                    Err(_) => break,
                }
            }
            stats = WitnessStats { search_nodes_by_size: by_size, ..search.stats() };
        }
        let discards = WitnessDiscards {
            pair_bound: first_size.into(),
            pure_borders,
            equal_rules,
            mergeable_features,
            ..stats.discards
        };
        let upper = u64::from(request.size).saturating_add(1);
        let outcome = Outcome::of(known, u64::from(lower), upper, clock.stopped_by());
        let seconds = clock.seconds();
        (outcome, WitnessStats { first_size, first_incumbent, seconds, discards, ..stats })
    }
}
