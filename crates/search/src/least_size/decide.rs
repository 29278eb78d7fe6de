//! "Is there a tree of size at most s for this part?"

use super::dominance::Dominance;
use super::ground::{Ground, Set, contains, count, within, without};
use super::lists::Lists;
use super::memo::{Known, Question, SizeMemo};
use super::one_rule::{Room, one_rule};
use super::prefix::Order;
use super::{SizeRequest, SizeStats};
use crate::limits::Clock;
use crate::options::SizeOptions;
use exactree_model::Weight;
use rustc_hash::FxHashMap;

/// The search was asked to stop.
#[derive(Debug)]
pub struct Stopped;

/// One search: the ground, what is remembered, what is counted.
pub struct Decision<'a, const W: usize> {
    pub(super) ground: &'a Ground<W>,
    pub(super) options: &'a SizeOptions,
    clock: &'a Clock<'a>,
    memo: SizeMemo<W>,
    dominance: Dominance<W>,
    pub(super) room: Room,
    stats: SizeStats,
}

/// Largest sides found so far at one part: by nodes and errors they use, the
/// feature, whether a prefix, and the items.
pub(super) type LargestSides = FxHashMap<(u32, Weight), Vec<(usize, bool, usize)>>;

/// A root rule: where the smaller side is the part, the remainder the larger.
#[derive(Clone, Copy)]
pub(super) struct Candidate<const W: usize> {
    pub feature: usize,
    /// Whether the smaller side is a prefix of the order, or a suffix.
    pub prefix: bool,
    /// Items of the smaller side.
    pub items: usize,
    pub remainder: Set<W>,
}

impl<'a, const W: usize> Decision<'a, W> {
    pub fn new(
        ground: &'a Ground<W>,
        options: &'a SizeOptions,
        clock: &'a Clock<'a>,
        memory_limit: Option<usize>,
    ) -> Self {
        let memo = SizeMemo::new(memory_limit);
        let dominance = Dominance::default();
        let (room, stats) = (Room::default(), SizeStats::default());
        Decision { ground, options, clock, memo, dominance, room, stats }
    }

    pub fn stats(self) -> SizeStats {
        SizeStats {
            memo_entries: self.memo.len() as u64,
            memo_evicted: self.memo.evicted,
            ..self.stats
        }
    }

    /// Whether a tree of at most `size` nodes serves the part.
    pub fn smallest(
        &mut self,
        set: &Set<W>,
        size: u32,
        request: &SizeRequest,
    ) -> Result<bool, Stopped> {
        let whole = Lists::whole(self.ground);
        self.fits(set, &whole, size, request.depth, request.errors)
    }

    /// Whether a tree of at most `size` nodes, `depth` deep, with at most
    /// `errors` serves the part; `above` are the sorted items of a larger part.
    pub(super) fn fits(
        &mut self,
        set: &Set<W>,
        above: &Lists,
        size: u32,
        depth: u32,
        errors: Weight,
    ) -> Result<bool, Stopped> {
        if self.leaf_fits(set, errors) {
            return Ok(true);
        }
        // A tree of depth d has less than 2^d nodes.
        let size = if depth < 32 { size.min((1 << depth) - 1) } else { size };
        if size == 0 || self.too_many_classes(set, size, errors) {
            return Ok(false);
        }
        // A tree of size s is at most s deep.
        let question =
            Question { set: *set, depth: if depth >= size { u32::MAX } else { depth }, errors };
        if size == 1 {
            return Ok(self.one_rule(set, above, errors));
        }
        self.stats.memo_lookups += 1;
        let mut known = self.memo.get(&question).unwrap_or(Known { lower: 1, upper: u32::MAX });
        if known.upper <= size || known.lower > size {
            self.stats.memo_hits += 1;
            return Ok(known.upper <= size);
        }
        if self.clock.stopped() {
            return Err(Stopped);
        }
        if self.options.dominance && self.dominance.easy_enough(&question, size) {
            known.upper = size;
            self.stats.dominance += 1;
        } else if self.options.dominance && self.dominance.too_hard(&question, size) {
            known.lower = size + 1;
            self.stats.dominance += 1;
        } else {
            self.search(&question, above, size, depth, &mut known)?;
        }
        if self.options.size_memo {
            self.memo.set(question, known);
        }
        Ok(known.upper <= size)
    }

    /// Goes up from the known lower bound until a tree is found or `size` is
    /// refuted.
    fn search(
        &mut self,
        question: &Question<W>,
        above: &Lists,
        size: u32,
        depth: u32,
        known: &mut Known,
    ) -> Result<(), Stopped> {
        self.stats.nodes += 1;
        let lists = above.of(&question.set, count(&question.set) as usize);
        let mut largest = LargestSides::default();
        let runs = match self.options.runs && question.errors == 0 {
            true => self.runs(&question.set, &lists),
            false => None,
        };
        while known.lower <= size && known.upper > size {
            let s = known.lower;
            let served = match (&runs, s) {
                (Some(runs), 1) => runs.one_rule_serves(),
                (Some(runs), 2) => runs.two_nodes_serve(),
                _ => {
                    let errors = question.errors;
                    self.root(&question.set, &lists, s, depth, errors, &mut largest)?.is_some()
                }
            };
            if served {
                known.upper = s;
                if self.options.dominance {
                    self.dominance.add_easy(question, s);
                }
            } else {
                if self.options.dominance {
                    self.dominance.add_hard(question, s);
                }
                known.lower += 1;
            }
        }
        Ok(())
    }

    /// A root rule of a tree of at most `size` nodes, if there is one.
    pub(super) fn root(
        &mut self,
        set: &Set<W>,
        lists: &Lists,
        size: u32,
        depth: u32,
        errors: Weight,
        largest: &mut LargestSides,
    ) -> Result<Option<(Candidate<W>, u32, Weight)>, Stopped> {
        for small in 0..=(size - 1) / 2 {
            for small_errors in 0..=errors {
                // Errors may be many: weights are integers on a fine scale.
                if self.clock.stopped() {
                    return Err(Stopped);
                }
                let sides = self.largest_sides(lists, small, depth - 1, small_errors, largest)?;
                let larger = (size - 1 - small, errors - small_errors);
                let mut candidates = Vec::with_capacity(sides.len());
                for (at, &(feature, prefix, items)) in sides.iter().enumerate() {
                    if self.options.even_shares && larger == (small, small_errors) {
                        // The same nodes for both sides: the largest prefix and the largest
                        // suffix of a feature serve everything, or no rule of it does.
                        let opposite = sides[at ^ 1].2;
                        if items > 0 && items + opposite >= lists.items {
                            let root = self.candidate(set, lists, feature, prefix, items);
                            return Ok(Some((root, small, small_errors)));
                        }
                    } else if items > 0 {
                        candidates.push(self.candidate(set, lists, feature, prefix, items));
                    }
                }
                if self.options.inclusion {
                    candidates = smallest_remainders(candidates, larger.0);
                }
                for candidate in candidates {
                    if self.fits(&candidate.remainder, lists, larger.0, depth - 1, larger.1)? {
                        return Ok(Some((candidate, small, small_errors)));
                    }
                }
            }
        }
        Ok(None)
    }

    fn candidate(
        &self,
        set: &Set<W>,
        lists: &Lists,
        feature: usize,
        prefix: bool,
        items: usize,
    ) -> Candidate<W> {
        let order = Order { lists, feature, prefix };
        let remainder = without(set, &order.side(items));
        Candidate { feature, prefix, items, remainder }
    }

    pub(super) fn leaf_fits(&self, set: &Set<W>, errors: Weight) -> bool {
        if errors == 0 { self.ground.pure(set) } else { self.ground.leaf_errors(set) <= errors }
    }

    /// A tree without errors has a leaf for every class.
    fn too_many_classes(&self, set: &Set<W>, size: u32, errors: Weight) -> bool {
        errors == 0 && self.ground.classes.len() > 2 && self.ground.classes_in(set) > size + 1
    }

    /// Whether one rule serves the part.
    fn one_rule(&mut self, set: &Set<W>, above: &Lists, errors: Weight) -> bool {
        if errors == 0 {
            return one_rule(self.ground, set, &mut self.room);
        }
        (0..self.ground.features).any(|feature| {
            self.least_errors_of_rule(set, above.feature(feature), feature) <= errors
        })
    }

    fn least_errors_of_rule(&self, set: &Set<W>, order: &[u16], feature: usize) -> Weight {
        let inside: Vec<u32> =
            order.iter().map(|&item| item.into()).filter(|&item| contains(set, item)).collect();
        let mut left = vec![0; self.ground.classes.len()];
        let mut right = vec![0; self.ground.classes.len()];
        for &item in &inside {
            right[self.ground.class[item as usize] as usize] += self.ground.weight[item as usize];
        }
        let errors =
            |side: &[Weight]| side.iter().sum::<Weight>() - side.iter().max().copied().unwrap_or(0);
        let mut least = errors(&right);
        for pair in inside.windows(2) {
            let item = pair[0] as usize;
            let class = self.ground.class[item] as usize;
            left[class] += self.ground.weight[item];
            right[class] -= self.ground.weight[item];
            if self.ground.rank(feature, pair[0]) != self.ground.rank(feature, pair[1]) {
                least = least.min(errors(&left) + errors(&right));
            }
        }
        least
    }
}

/// Of the candidates, those whose remainder contains no other's: by
/// monotonicity the others can only be harder. Smallest first.
fn smallest_remainders<const W: usize>(
    mut candidates: Vec<Candidate<W>>,
    larger: u32,
) -> Vec<Candidate<W>> {
    // Looking whether one rule serves is cheaper than comparing.
    if larger <= 1 {
        return candidates;
    }
    candidates.sort_unstable_by_key(|candidate| count(&candidate.remainder));
    let mut kept: Vec<Candidate<W>> = Vec::new();
    for candidate in candidates {
        if !kept.iter().any(|other| within(&other.remainder, &candidate.remainder)) {
            kept.push(candidate);
        }
    }
    kept
}
