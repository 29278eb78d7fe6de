//! One rule for a part or for a run of items; the loops are in `kernels`.

use super::decide::Decision;
use super::ground::Ground;
use super::memo::Verdict;
use super::sides::Share;
use crate::kernels::extremes::{Extremes, NOTHING, widen};
use crate::kernels::run::{Items, LANES, Ranges, serve};
use crate::mutants::{Mutant, off};
use crate::sets::{Set, and, contains, insert, members, or, without};
use exactree_model::Weight;

/// Room that is used again from call to call.
#[derive(Default)]
pub struct Room {
    ranges: Vec<Ranges>,
    pub items: Vec<u16>,
    pub extremes: Vec<Extremes>,
}

/// Least and greatest rank of a class in a feature, moved down to fit a lane.
#[inline]
pub(super) fn extremes_of<const W: usize>(
    extremes: &[Extremes],
    ground: &Ground<W>,
    class: usize,
    feature: usize,
) -> (i32, i32) {
    let at = &extremes[class * ground.chunks + feature / LANES];
    let rank = |lane: i16| i32::from(lane) - i32::from(i16::MIN);
    (rank(at.low[feature % LANES]), rank(at.high[feature % LANES]))
}

impl<const W: usize> Decision<'_, W> {
    /// How many items, one after the other, one rule serves.
    pub(super) fn served_in_order(&mut self, order: &[u16], prefix: bool) -> usize {
        let ground = self.ground;
        let items = Items { lanes: &ground.lanes, class: &ground.class, chunks: ground.chunks };
        let mut served = 0;
        serve(ground.level, &items, order, prefix, &mut self.room.ranges, &mut served);
        served
    }

    /// The extremes of every class in a part.
    pub(super) fn extremes(&mut self, set: &Set<W>) -> Vec<Extremes> {
        let ground = self.ground;
        let items = Items { lanes: &ground.lanes, class: &ground.class, chunks: ground.chunks };
        let mut extremes = std::mem::take(&mut self.room.extremes);
        extremes.clear();
        extremes.resize(ground.classes.len() * ground.chunks, NOTHING);
        self.room.items.clear();
        self.room.items.extend(members(set).map(|item| item as u16));
        widen(ground.level, &items, &self.room.items, &mut extremes);
        extremes
    }

    /// Whether a share is for one rule without errors, whatever its leaves.
    pub(super) fn for_one_rule(&self, share: Share) -> bool {
        let terms = self.terms.get(share.terms);
        share.size == 1 && share.errors == 0 && terms.depth > 0 && terms.leaves.is_empty()
    }

    /// Whether one rule serves a part of two or more classes without errors.
    pub(super) fn one_rule(&mut self, set: &Set<W>) -> Verdict<W> {
        let mut core = [0; W];
        match self.one_rule_beyond(set, &mut core) {
            true => Verdict::Served(self.served_by_one_rule(set)),
            false => Verdict::Refused(core, 1),
        }
    }

    /// The same; where none does, `core` grows by items of the part so that
    /// none serves those of `core` either.
    pub(super) fn one_rule_beyond(&mut self, set: &Set<W>, core: &mut Set<W>) -> bool {
        let mut order = std::mem::take(&mut self.room.items);
        order.clear();
        order.extend(members(&and(set, core)).map(|item| item as u16));
        let given = order.len();
        order.extend(members(&without(set, core)).map(|item| item as u16));
        let served = self.served_in_order(&order, true);
        let all = served == order.len();
        if !all {
            *core = or(core, &self.narrowed(&mut order, served, given));
        }
        self.room.items = order;
        all
    }

    /// Of items that one rule serves up to the place `served` only: some that are
    /// not served together with the first `given`, and none of which can be
    /// left out. Each pass finds one: the item at which service ends.
    pub(super) fn narrowed(
        &mut self,
        order: &mut Vec<u16>,
        mut served: usize,
        given: usize,
    ) -> Set<W> {
        let mut front = given;
        while served >= front {
            order.truncate(served + 1);
            order[front..].rotate_right(1);
            order[given..=front].rotate_right(1);
            front += 1;
            served = self.served_in_order(order, true);
        }
        let mut core = [0; W];
        let needed = order[given..front].iter().skip(off(Mutant::Core) as usize);
        needed.for_each(|&item| insert(&mut core, item.into()));
        core
    }

    /// All items that a rule serves which serves the part.
    fn served_by_one_rule(&mut self, set: &Set<W>) -> Set<W> {
        let extremes = self.extremes(set);
        let classes: Vec<usize> = self.ground.classes_in(set).collect();
        let mut wide = *set;
        if let &[one, other] = &classes[..] {
            for feature in 0..self.ground.features {
                let (low, high) = extremes_of(&extremes, self.ground, one, feature);
                let (other_low, other_high) = extremes_of(&extremes, self.ground, other, feature);
                let (left, right, rank) = if high < other_low {
                    (one, other, high)
                } else if other_high < low {
                    (other, one, other_high)
                } else {
                    continue;
                };
                let below = self.ground.below(feature, rank as u32);
                let left = and(&self.ground.classes[left], &below);
                wide = or(&left, &without(&self.ground.classes[right], &below));
                break;
            }
        }
        self.room.extremes = extremes;
        wide
    }

    /// Whether one rule serves a part with some errors, whatever its leaves.
    pub(super) fn one_rule_with_errors(&mut self, set: &Set<W>, errors: Weight) -> Verdict<W> {
        let mut least = Weight::MAX;
        for feature in 0..self.ground.features {
            least = least.min(self.least_errors_of_rule(set, feature));
            if least <= errors {
                return Verdict::Served(*set);
            }
        }
        Verdict::Refused(*set, least)
    }

    fn least_errors_of_rule(&self, set: &Set<W>, feature: usize) -> Weight {
        let order = self.ground.orders[feature].iter().map(|&item| u32::from(item));
        let inside: Vec<u32> = order.filter(|&item| contains(set, item)).collect();
        let mut left = vec![0; self.ground.classes.len()];
        let mut right = self.ground.class_weights(set);
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
