//! The largest prefix or suffix of a part, in the order of a feature, that a
//! number of nodes can serve.

use super::decide::{Decision, LargestSides, Stopped};
use super::ground::{Set, insert};
use super::lists::Lists;
use super::one_rule::served_in_order;
use exactree_model::Weight;

impl<const W: usize> Decision<'_, W> {
    /// The largest sides of all features, from both ends, that a tree of `size`
    /// nodes serves; what was found before at this part is not sought again.
    pub(super) fn largest_sides(
        &mut self,
        lists: &Lists,
        size: u32,
        depth: u32,
        errors: Weight,
        found: &mut LargestSides,
    ) -> Result<Vec<(usize, bool, usize)>, Stopped> {
        if let Some(sides) = found.get(&(size, errors)) {
            return Ok(sides.clone());
        }
        let less = size.checked_sub(1).and_then(|less| found.get(&(less, errors)).cloned());
        let mut sides = Vec::with_capacity(2 * self.ground.features);
        for feature in 0..self.ground.features {
            for prefix in [true, false] {
                // More nodes serve at least as many items.
                let least = less.as_ref().map_or(0, |less| less[sides.len()].2);
                let order = Order { lists, feature, prefix };
                let items = self.largest(&order, size, depth, errors, least)?;
                sides.push((feature, prefix, items));
            }
        }
        found.insert((size, errors), sides.clone());
        Ok(sides)
    }

    /// Items of the largest proper prefix (or suffix) that ends between two
    /// values and that a tree of `size` nodes serves; 0 if there is none.
    /// `least` items are known to be served.
    fn largest(
        &mut self,
        order: &Order<'_>,
        size: u32,
        depth: u32,
        errors: Weight,
        least: usize,
    ) -> Result<usize, Stopped> {
        if errors == 0 && (size == 0 || depth == 0) {
            return Ok(self.pure_run(order));
        }
        if errors == 0 && size == 1 && self.options.one_rule_runs {
            return Ok(self.one_rule_run(order));
        }
        let ends = self.ends(order);
        // The first `served` ends are known to be served, those from `beyond` on not.
        let (mut served, mut beyond) = (ends.partition_point(|&end| end <= least), ends.len());
        while served < beyond {
            let middle = (served + beyond) / 2;
            let side = order.side(ends[middle]);
            if self.fits(&side, order.lists, size, depth, errors)? {
                served = middle + 1;
            } else {
                beyond = middle;
            }
        }
        Ok(if served == 0 { 0 } else { ends[served - 1] })
    }

    /// Numbers of items after which a threshold may stand.
    fn ends(&self, order: &Order<'_>) -> Vec<usize> {
        (1..order.len()).filter(|&items| self.ends_at(order, items)).collect()
    }

    /// Whether a threshold may stand after so many items.
    #[inline]
    fn ends_at(&self, order: &Order<'_>, items: usize) -> bool {
        let rank = |place: usize| self.ground.rank(order.feature, order.at(place));
        items < order.len() && rank(items - 1) != rank(items)
    }

    /// The largest prefix (or suffix) of one class.
    pub(super) fn pure_run(&self, order: &Order<'_>) -> usize {
        let class = |place: usize| self.ground.class[order.at(place) as usize];
        let run = (1..order.len()).find(|&place| class(place) != class(0)).unwrap_or(order.len());
        (1..=run).rev().find(|&items| self.ends_at(order, items)).unwrap_or(0)
    }

    /// The largest prefix (or suffix) that one rule serves.
    fn one_rule_run(&mut self, order: &Order<'_>) -> usize {
        let (lists, feature) = (order.lists, order.feature);
        let items = lists.feature(feature);
        let served = served_in_order(self.ground, items, order.prefix, &mut self.room);
        (1..=served).rev().find(|&items| self.ends_at(order, items)).unwrap_or(0)
    }
}

/// A part in the order of a feature, from the least value or from the greatest.
pub(super) struct Order<'a> {
    pub lists: &'a Lists,
    pub feature: usize,
    pub prefix: bool,
}

impl Order<'_> {
    fn len(&self) -> usize {
        self.lists.items
    }

    #[inline]
    pub fn at(&self, place: usize) -> u32 {
        let order = self.lists.feature(self.feature);
        let item = if self.prefix { order[place] } else { order[order.len() - 1 - place] };
        item.into()
    }

    /// The first items of the order, as a set.
    pub fn side<const W: usize>(&self, items: usize) -> Set<W> {
        let order = self.lists.feature(self.feature);
        let side = if self.prefix { &order[..items] } else { &order[order.len() - items..] };
        let mut set = [0; W];
        side.iter().for_each(|&item| insert(&mut set, item.into()));
        set
    }
}
