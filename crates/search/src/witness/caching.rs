//! Subset caching: how many nodes the items of a leaf need (Witty: Staus et
//! al., AAAI 2025).
//!
//! The least size is monotone: fewer items never need more nodes. No node of a
//! witness tree separates the items of a leaf, so if these alone need more
//! nodes than there are refinements left, no refinement is a solution. With
//! errors allowed the leaf may have all of them. Small leaves are solved apart,
//! by this search without caching; of every one is remembered that it needs more
//! nodes than asked, or that it does not. A set needs what a set inside it needs.

use super::search::Search;
use super::tree::Kind;
use crate::limits::Stopped;
use crate::sets::{Set, and, count, disjoint, within};
use rustc_hash::FxHashMap;

/// Items of a leaf that is solved apart, at most; also at most a quarter of all.
const ITEMS: u32 = 30;

/// What is known about sets: bounds on the nodes they need.
pub struct Cache<const W: usize> {
    /// Sets and nodes that do not suffice for them.
    more_than: Vec<(Set<W>, u32)>,
    /// Nodes that suffice, by set.
    enough: FxHashMap<Set<W>, u32>,
    /// Sets held at most, in each of the two.
    most: usize,
    pub evicted: u64,
    /// Search nodes of the leaves.
    pub nodes: u64,
}

impl<const W: usize> Cache<W> {
    /// A cache within a soft limit of bytes.
    pub fn new(limit: Option<usize>) -> Self {
        // Going through very many sets would take longer than it saves.
        let bytes = 4 * size_of::<(Set<W>, u32)>();
        let most = limit.map_or(1 << 14, |limit| (limit / bytes).clamp(1, 1 << 14));
        let (more_than, enough) = (Vec::new(), FxHashMap::default());
        Cache { more_than, enough, most, evicted: 0, nodes: 0 }
    }

    pub fn len(&self) -> usize {
        self.more_than.len() + self.enough.len()
    }

    /// Whether a set is known to need more than `nodes`.
    fn needs_more(&self, set: &Set<W>, nodes: u32) -> bool {
        self.more_than.iter().any(|(inside, more)| *more >= nodes && within(inside, set))
    }

    fn remember_more(&mut self, set: Set<W>, nodes: u32) {
        // What the new set says, sets around it need not say.
        self.more_than.retain(|(around, more)| *more > nodes || !within(&set, around));
        if self.more_than.len() == self.most {
            self.more_than.drain(..self.most.div_ceil(2));
            self.evicted += self.most.div_ceil(2) as u64;
        }
        self.more_than.push((set, nodes));
    }

    fn remember_enough(&mut self, set: Set<W>, nodes: u32) {
        if self.enough.len() == self.most {
            self.evicted += self.enough.len() as u64;
            self.enough.clear();
        }
        let known = self.enough.entry(set).or_insert(nodes);
        *known = nodes.min(*known);
    }
}

impl<const W: usize> Search<'_, W> {
    /// Whether some leaf needs more nodes than are left.
    pub fn a_leaf_needs_more(&mut self, open: &Set<W>, left: u32) -> Result<bool, Stopped> {
        let Some(mut cache) = self.cache.take() else { return Ok(false) };
        let found = self.look_up(&mut cache, open, left);
        self.cache = Some(cache);
        found
    }

    fn look_up(&mut self, cache: &mut Cache<W>, open: &Set<W>, left: u32) -> Result<bool, Stopped> {
        let most = ITEMS.min(count(&self.part) / 4);
        for at in 0..self.tree.spots.len() {
            let spot = &self.tree.spots[at];
            let part = spot.part;
            if matches!(spot.kind, Kind::Node { .. })
                || disjoint(&part, open)
                || cache.enough.get(&part).is_some_and(|&nodes| nodes <= left)
                || self.ground.weigh(&and(&part, open)) <= self.ground.errors
            {
                continue;
            }
            if cache.needs_more(&part, left) {
                self.discards.cached_sets += 1;
                return Ok(true);
            }
            // Leaves may take as much work as the search itself.
            let affordable = count(&part) <= most && cache.nodes <= self.nodes;
            if affordable && self.solve_apart(cache, part, left)? {
                self.discards.leaves_solved += 1;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a set needs more than `left` nodes, by a search of its own.
    fn solve_apart(&self, cache: &mut Cache<W>, part: Set<W>, left: u32) -> Result<bool, Stopped> {
        let mut apart = Search::new(self.ground, self.options, self.clock, part)?;
        apart.nearest = self.nearest;
        let found = apart.decide(left);
        cache.nodes += apart.nodes;
        if found? {
            cache.remember_enough(part, apart.tree.size());
            return Ok(false);
        }
        cache.remember_more(part, left);
        Ok(true)
    }
}
