//! The rules at the root of a tree of at most s nodes for a part.
//!
//! Sizes of the smaller side go up, and within them the ways to share leaves and
//! errors; each is a *level*. At a level the largest sides of all orders are
//! found, and the remainders are what a larger tree must serve.

use super::decide::Decision;
use super::memo::{Question, Verdict};
use super::sides::{Order, Share, Side};
use crate::kernels::extremes::Extremes;
use crate::limits::Stopped;
use crate::mutants::{Mutant, off};
use crate::sets::{Set, and, count, or, within, without};
use exactree_model::{UNBOUNDED, Weight};

/// A part whose root rules are tried, and what was found for smaller trees.
pub(super) struct Node<const W: usize> {
    question: Question<W>,
    extremes: Vec<Extremes>,
    orders: Vec<Order>,
    /// Always met in the same order: larger trees only add to them.
    levels: Vec<RootLevel<W>>,
}

/// What the smaller side may have, and what that leads to.
struct RootLevel<const W: usize> {
    small: Share,
    /// Which share of the leaves: numbers of different levels compare alike.
    leaves: usize,
    sides: Vec<Side<W>>,
    /// None until they are asked for.
    candidates: Option<Vec<Candidate<W>>>,
}

/// A root rule: where the smaller side is the part, the remainder the larger.
#[derive(Clone, Copy)]
struct Candidate<const W: usize> {
    order: Order,
    step: u32,
    remainder: Set<W>,
}

/// The root of a tree that serves a part, and what its sides may have.
pub(super) struct Root<const W: usize> {
    pub feature: usize,
    pub rank: u32,
    pub left: (Set<W>, Share),
    pub right: (Set<W>, Share),
    /// All items that the tree serves.
    wide: Set<W>,
}

/// A root, or the items that no root serves and the errors they need.
pub(super) enum Roots<const W: usize> {
    Found(Root<W>),
    Refused(Set<W>, Weight),
}

impl<const W: usize> Roots<W> {
    pub fn verdict(self) -> Verdict<W> {
        match self {
            Roots::Found(root) => Verdict::Served(root.wide),
            Roots::Refused(core, needs) => Verdict::Refused(core, needs),
        }
    }
}

impl<const W: usize> Decision<'_, W> {
    pub(super) fn node(&mut self, question: &Question<W>) -> Node<W> {
        let extremes = self.extremes(&question.set);
        let orders = self.orders(&extremes);
        Node { question: *question, extremes, orders, levels: Vec::new() }
    }

    /// A root rule of a tree of at most `size` nodes, if there is one.
    ///
    /// Where there is none, the items that prove it for each rule together prove
    /// it for all: a tree that serves them divides them at some threshold of some
    /// feature. Its smaller side cannot reach beyond a limit, or it would hold the
    /// items refused there. So the other side holds all items of the remainder,
    /// among them those refused there. A leaf divides nothing: items that refuse
    /// it are added.
    pub(super) fn root(&mut self, node: &mut Node<W>, size: u32) -> Result<Roots<W>, Stopped> {
        let mut refused = ([0; W], UNBOUNDED);
        let mut at = 0;
        for small in 0..=(size - 1) / 2 {
            let shares = self.terms.shares(node.question.terms);
            for (leaves, &(terms, large_terms)) in shares.iter().enumerate() {
                let mut errors = 0;
                while errors <= node.question.errors {
                    let small = Share { size: small, terms, errors };
                    let large = Share {
                        size: size - 1 - small.size,
                        terms: large_terms,
                        errors: node.question.errors - errors,
                    };
                    if at == node.levels.len() {
                        let level = self.level(node, small, leaves)?;
                        node.levels.push(level);
                    }
                    if let Some(root) = self.try_level(node, at, large, &mut refused)? {
                        return Ok(Roots::Found(root));
                    }
                    // Between these numbers of errors no side gets larger.
                    let sides = node.levels[at].sides.iter();
                    let next = sides.map(Side::needs).min().unwrap_or(UNBOUNDED);
                    errors = next + off(Mutant::NextErrors);
                    at += 1;
                }
                refused.1 = refused.1.min(errors);
            }
        }
        let (core, needs) = self.refused_by_leaf_too(node, refused);
        Ok(Roots::Refused(core, needs))
    }

    fn refused_by_leaf_too(
        &self,
        node: &Node<W>,
        (core, needs): (Set<W>, Weight),
    ) -> (Set<W>, Weight) {
        let Question { set, terms, errors } = node.question;
        let Verdict::Refused(unlike, more) = self.leaf(&set, terms, errors) else {
            return (core, needs);
        };
        let served = matches!(self.leaf(&core, terms, errors), Verdict::Served(_));
        let core = if served && off(Mutant::LeafOfCore) == 0 { or(&core, &unlike) } else { core };
        (core, needs.min(more))
    }

    /// The largest sides of a level; those of an earlier one with less are a
    /// beginning.
    fn level(
        &mut self,
        node: &Node<W>,
        small: Share,
        leaves: usize,
    ) -> Result<RootLevel<W>, Stopped> {
        self.clock.check()?;
        let less = node.levels.iter().filter(|level| level.less(&small, leaves));
        let less: Vec<&RootLevel<W>> = less.collect();
        let mut sides = Vec::with_capacity(node.orders.len());
        for (at, &order) in node.orders.iter().enumerate() {
            let from = less.iter().map(|level| level.sides[at].served).max().unwrap_or(0);
            let set = &node.question.set;
            sides.push(self.largest(set, &node.extremes, order, small, from)?);
        }
        Ok(RootLevel { small, leaves, sides, candidates: None })
    }

    /// Tries the roots of a level; refused items are added.
    fn try_level(
        &mut self,
        node: &mut Node<W>,
        at: usize,
        large: Share,
        refused: &mut (Set<W>, Weight),
    ) -> Result<Option<Root<W>>, Stopped> {
        let small = node.levels[at].small;
        let free = self.terms.get(node.question.terms).leaves.is_empty();
        let even = small == large && free && node.question.errors == 0;
        if even && self.options.even_shares {
            self.stats.even_shares += 1;
            if let Some((order, served)) = node.levels[at].covering() {
                let root = self.rooted(&node.question.set, order, served - 1, small, large)?;
                return Ok(Some(root));
            }
        } else if let Some(root) = self.try_remainders(node, at, large, refused)? {
            return Ok(Some(root));
        }
        self.add_limits(&node.levels[at], &mut refused.0);
        Ok(None)
    }

    fn try_remainders(
        &mut self,
        node: &mut Node<W>,
        at: usize,
        large: Share,
        refused: &mut (Set<W>, Weight),
    ) -> Result<Option<Root<W>>, Stopped> {
        if node.levels[at].candidates.is_none() {
            node.levels[at].candidates = Some(self.candidates(node, at));
        }
        let level = &node.levels[at];
        let one_rule = self.for_one_rule(large) && self.options.cores;
        for candidate in level.candidates.iter().flatten() {
            let served = if one_rule {
                refused.1 = refused.1.min(node.question.errors + 1);
                self.one_rule_beyond(&candidate.remainder, &mut refused.0)
            } else {
                match self.fits(&candidate.remainder, large)? {
                    Verdict::Served(_) => true,
                    Verdict::Refused(core, needs) => {
                        refused.0 = or(&refused.0, &core);
                        refused.1 = refused.1.min(level.small.errors + needs);
                        false
                    }
                }
            };
            if served {
                let &Candidate { order, step, .. } = candidate;
                let root = self.rooted(&node.question.set, order, step, level.small, large)?;
                return Ok(Some(root));
            }
        }
        Ok(None)
    }

    /// The roots of a level that have to be tried, smallest remainder first.
    ///
    /// By monotonicity a remainder around another is no easier, and it cannot
    /// have more nodes or errors than the other at an earlier level.
    fn candidates(&mut self, node: &Node<W>, at: usize) -> Vec<Candidate<W>> {
        let level = &node.levels[at];
        let served = level.sides.iter().filter(|side| side.served > 0);
        let mut candidates: Vec<Candidate<W>> = served
            .map(|side| {
                let step = side.served - 1;
                let small = side.order.side(self.ground, &node.question.set, step);
                let remainder = without(&node.question.set, &small);
                Candidate { order: side.order, step, remainder }
            })
            .collect();
        candidates.sort_by_key(|candidate| count(&candidate.remainder));
        if !self.options.inclusion {
            return candidates;
        }
        let earlier = node.levels[..at]
            .iter()
            .filter(|level_before| level_before.less(&level.small, level.leaves));
        let earlier: Vec<&Candidate<W>> =
            earlier.flat_map(|level| level.candidates.iter().flatten()).collect();
        let all = candidates.len();
        let mut kept: Vec<Candidate<W>> = Vec::with_capacity(all);
        for candidate in candidates {
            let inside = |other: &&Candidate<W>| within(&other.remainder, &candidate.remainder);
            if !earlier.iter().any(&inside) && !kept.iter().any(|other| inside(&other)) {
                kept.push(candidate);
            }
        }
        self.stats.inclusion += (all - kept.len()) as u64;
        kept
    }

    /// Adds items that keep the sides of a level from being larger; none where
    /// those there already do.
    fn add_limits(&mut self, level: &RootLevel<W>, refused: &mut Set<W>) {
        let Share { size, errors, .. } = level.small;
        for limit in level.sides.iter().filter_map(|side| side.limit.as_ref()) {
            match limit.core {
                Some(core) => {
                    let already =
                        size == 0 && errors == 0 && !self.ground.pure(&and(refused, &limit.side));
                    if !already {
                        *refused = or(refused, &core);
                    }
                }
                None => {
                    self.one_rule_beyond(&limit.side, refused);
                }
            }
        }
    }

    /// The root that divides a side off.
    fn rooted(
        &mut self,
        set: &Set<W>,
        order: Order,
        step: u32,
        small: Share,
        large: Share,
    ) -> Result<Root<W>, Stopped> {
        let side = order.side(self.ground, set, step);
        let remainder = without(set, &side);
        let rank = order.threshold(step);
        let (left, right) = match order.prefix {
            true => ((side, small), (remainder, large)),
            false => ((remainder, large), (side, small)),
        };
        let mut wide = *set;
        if self.options.wide {
            let below = self.ground.below(order.feature, rank);
            if let Verdict::Served(left_wide) = self.fits(&left.0, left.1)?
                && let Verdict::Served(right_wide) = self.fits(&right.0, right.1)?
            {
                wide = or(&and(&left_wide, &below), &without(&right_wide, &below));
            }
        }
        Ok(Root { feature: order.feature, rank, left, right, wide })
    }
}

impl<const W: usize> RootLevel<W> {
    /// Whether trees of this level have no more than those of another.
    fn less(&self, small: &Share, leaves: usize) -> bool {
        self.leaves == leaves && self.small.size <= small.size && self.small.errors <= small.errors
    }

    /// An order whose largest sides from both ends hold everything.
    ///
    /// The same nodes for both sides: if a rule of a feature serves, it divides
    /// at the end of its largest prefix too, and the rest lies in the largest suffix.
    fn covering(&self) -> Option<(Order, u32)> {
        self.sides.chunks(2).find_map(|pair| {
            let steps = pair[0].order.steps();
            let covered = pair[0].served + pair[1].served + off(Mutant::EvenShares) as u32;
            (pair[0].served > 0 && covered > steps).then(|| (pair[0].order, pair[0].served))
        })
    }
}
