//! The largest prefix or suffix of a part, in the order of a feature, that a
//! number of nodes can serve.

use super::decide::Decision;
use super::ground::Ground;
use super::memo::Verdict;
use super::one_rule::extremes_of;
use super::terms::TermsId;
use crate::kernels::extremes::Extremes;
use crate::limits::Stopped;
use crate::mutants::{Mutant, off};
use crate::sets::{Set, and, first_member, insert, without};
use exactree_model::{UNBOUNDED, Weight};

/// A part in the order of a feature, from the least value or from the greatest.
/// Its sides are numbered: each step adds the next rank.
#[derive(Clone, Copy)]
pub(super) struct Order {
    pub feature: usize,
    pub prefix: bool,
    low: u32,
    high: u32,
}

impl Order {
    /// The number of sides; the next one would be the whole part.
    pub fn steps(&self) -> u32 {
        self.high - self.low
    }

    /// The threshold of a rule that divides a side off.
    pub fn threshold(&self, step: u32) -> u32 {
        if self.prefix { self.low + step } else { self.high - 1 - step }
    }

    /// The first step whose side holds items of a rank.
    fn step_of(&self, rank: u32) -> u32 {
        if self.prefix { rank - self.low } else { self.high - rank }
    }

    pub fn side<const W: usize>(&self, ground: &Ground<W>, set: &Set<W>, step: u32) -> Set<W> {
        if self.prefix {
            return and(set, &ground.below(self.feature, self.low + step));
        }
        match self.high - step {
            0 => *set,
            rank => without(set, &ground.below(self.feature, rank - 1)),
        }
    }

    /// The first step whose side holds any of these items of the part.
    fn nearest<const W: usize>(&self, ground: &Ground<W>, items: &Set<W>) -> Option<u32> {
        let least = |prefix| match prefix {
            true => ground.least(self.feature, items),
            false => ground.greatest(self.feature, items),
        };
        least(self.prefix).map(|rank| self.step_of(rank))
    }

    /// The first step whose side holds all of these items of the part.
    fn farthest<const W: usize>(&self, ground: &Ground<W>, items: &Set<W>) -> Option<u32> {
        Order { prefix: !self.prefix, ..*self }
            .nearest(ground, items)
            .map(|step| self.steps() - step)
    }
}

/// The largest side that is served.
#[derive(Clone, Copy)]
pub(super) struct Side<const W: usize> {
    pub order: Order,
    /// Steps that are served: the side is that of the last; 0 for none.
    pub served: u32,
    /// Why the next side is not: the side, items of it that are refused, and the
    /// errors they need. None if the next one would be the whole part.
    pub limit: Option<Limit<W>>,
}

#[derive(Clone, Copy)]
pub(super) struct Limit<const W: usize> {
    pub side: Set<W>,
    /// None where no rule serves it, and which items prove that is not known.
    pub core: Option<Set<W>>,
    pub needs: Weight,
}

impl<const W: usize> Side<W> {
    /// Least errors with which a larger side might be served.
    pub fn needs(&self) -> Weight {
        self.limit.as_ref().map_or(UNBOUNDED, |limit| limit.needs)
    }
}

/// What one side may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Share {
    pub size: u32,
    pub terms: TermsId,
    pub errors: Weight,
}

impl<const W: usize> Decision<'_, W> {
    /// The orders of all features, from both ends: two for each.
    pub(super) fn orders(&self, extremes: &[Extremes]) -> Vec<Order> {
        let classes = 0..self.ground.classes.len();
        let mut orders = Vec::with_capacity(2 * self.ground.features);
        for feature in 0..self.ground.features {
            let (mut low, mut high) = (i32::MAX, 0);
            for class in classes.clone() {
                let of_class = extremes_of(extremes, self.ground, class, feature);
                low = low.min(of_class.0);
                high = high.max(of_class.1);
            }
            let (low, high) = (low as u32, high as u32);
            orders.extend([true, false].map(|prefix| Order { feature, prefix, low, high }));
        }
        orders
    }

    /// The largest side of an order; `from` steps are known to be served.
    pub(super) fn largest(
        &mut self,
        set: &Set<W>,
        extremes: &[Extremes],
        order: Order,
        share: Share,
        from: u32,
    ) -> Result<Side<W>, Stopped> {
        let free = share.errors == 0 && self.terms.get(share.terms).leaves.is_empty();
        if free && share.size == 0 && self.options.pure_runs {
            return Ok(self.pure_run(set, extremes, order));
        }
        if self.for_one_rule(share) && self.options.one_rule_runs {
            return Ok(self.one_rule_run(set, order));
        }
        let (mut served, mut beyond) = (from, order.steps());
        let mut limit = None;
        while served < beyond {
            let middle = (served + beyond) / 2;
            let side = order.side(self.ground, set, middle);
            match self.fits(&side, share)? {
                Verdict::Served(wide) => {
                    let outside = without(set, &wide);
                    let reached = order.nearest(self.ground, &outside).unwrap_or(beyond);
                    served = (reached + off(Mutant::Wide) as u32).clamp(middle + 1, beyond);
                    self.stats.wide += u64::from(served > middle + 1);
                }
                Verdict::Refused(core, needs) => {
                    let reached = order.farthest(self.ground, &core).unwrap_or(middle);
                    beyond = reached.clamp(served, middle);
                    self.stats.cores += u64::from(beyond < middle);
                    limit = Some((Some(core), needs));
                }
            }
        }
        Ok(self.side(set, order, served, limit))
    }

    fn side(
        &self,
        set: &Set<W>,
        order: Order,
        served: u32,
        refused: Option<(Option<Set<W>>, Weight)>,
    ) -> Side<W> {
        let limit = refused.filter(|_| served < order.steps()).map(|(core, needs)| Limit {
            side: order.side(self.ground, set, served),
            core,
            needs,
        });
        Side { order, served, limit }
    }

    /// The largest side of one class: it ends before the first rank of a second.
    pub(super) fn pure_run(
        &mut self,
        set: &Set<W>,
        extremes: &[Extremes],
        order: Order,
    ) -> Side<W> {
        self.stats.pure_runs += 1;
        let mut nearest = [(u32::MAX, 0), (u32::MAX, 0)];
        for class in 0..self.ground.classes.len() {
            let (low, high) = extremes_of(extremes, self.ground, class, order.feature);
            if low <= high {
                let step = order.step_of(if order.prefix { low } else { high } as u32);
                nearest[1] = nearest[1].min((step, class));
                nearest.sort_unstable();
            }
        }
        let served = nearest[1].0.min(order.steps());
        let side = order.side(self.ground, set, served);
        let mut core = [0; W];
        for (_, class) in nearest {
            let item = first_member(&and(&side, &self.ground.classes[class]));
            item.into_iter().for_each(|item| insert(&mut core, item));
        }
        self.side(set, order, served, Some((Some(core), 1)))
    }

    /// The largest side that one rule serves: it ends before the rank of the
    /// first item that none serves together with those before.
    fn one_rule_run(&mut self, set: &Set<W>, order: Order) -> Side<W> {
        self.stats.one_rule_runs += 1;
        let mut items = std::mem::take(&mut self.room.items);
        self.ground.in_order(order.feature, set, &mut items);
        let run = self.served_in_order(&items, order.prefix);
        let mut side = Side { order, served: order.steps(), limit: None };
        if run < items.len() {
            let place = if order.prefix { run } else { items.len() - 1 - run };
            let rank = self.ground.rank(order.feature, items[place].into());
            let served = order.step_of(rank);
            if served < order.steps() {
                side = self.side(set, order, served, Some((None, 1)));
            }
        }
        self.room.items = items;
        side
    }
}
