//! The items of a subset, prepared for sweeps, feature by feature on first use.

use super::evaluator::{MAX_PAIRED_CLASSES, RootSplit};
use super::few_values::FewValues;
use super::row_lookups::RowLookups;
use crate::engine::subset::OrderEntry;
use crate::kernels::InstructionSet;
use crate::kernels::sweep::orders::Orders;
use crate::kernels::sweep::{SweepLane, weigh};
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::layout::Layout;
use exactree_model::Weight;
use std::ops::Range;

/// The items of a subset in the order of their slots, so class by class.
pub(super) struct SweepItems<T> {
    pub instructions: InstructionSet,
    pub count: usize,
    pub features: usize,
    pub classes: Vec<ClassItems>,
    /// By slot, the item; meaningless for slots outside the subset.
    item_of: Vec<T>,
    /// By item; followed by one zero.
    pub weights: Vec<T>,
    /// Every item of a class weighs one.
    pub plain: bool,
    /// By item, its rows; followed by one zero.
    pub rows: Vec<T>,
    /// Every item is one row.
    pub unit_rows: bool,
    /// The features that are prepared.
    prepared: Vec<bool>,
    /// By feature and item, the place in the feature's order; see `places_of`.
    places: Vec<T>,
    pub orders: Orders<T>,
    /// The weights and the numbers of rows of items in a feature's order, by feature.
    pub row_weights: RowLookups<T>,
    pub row_counts: RowLookups<T>,
    /// Buffer for the items of one feature, with their ranks.
    ranked: Vec<(T, u32)>,
}

pub(super) struct ClassItems {
    pub items: Range<usize>,
    pub weight: Weight,
}

impl<T: SweepLane> SweepItems<T> {
    pub(super) fn new(instructions: InstructionSet) -> Self {
        let (classes, item_of, weights, rows, prepared, places) = Default::default();
        let (orders, row_weights, row_counts, ranked) = Default::default();
        let (count, features, plain, unit_rows) = Default::default();
        SweepItems {
            instructions,
            count,
            features,
            classes,
            item_of,
            weights,
            plain,
            rows,
            unit_rows,
            prepared,
            places,
            orders,
            row_weights,
            row_counts,
            ranked,
        }
    }

    /// Loads the items of a subset with these classes; no feature is prepared yet.
    pub(super) fn begin(&mut self, layout: &Layout, subset: &ContinuousSubset, classes: &[usize]) {
        (self.count, self.features) = (subset.count, subset.sorted.features());
        self.plain = layout.plain;
        self.item_of.resize(layout.slots, T::default());
        self.weights.clear();
        self.classes.clear();
        let mut ends = vec![0; layout.n_classes];
        for slot in subset.weighted().iter().map(|slot| slot as usize) {
            self.item_of[slot] = T::from_i64(self.weights.len() as i64);
            self.weights.push(T::from_i64(layout.weight[slot] as i64));
            ends[layout.class[slot] as usize] = self.weights.len();
        }
        // Weightless items belong to no class.
        if let Some(inner) = &subset.inner {
            for slot in subset.members.without(inner).iter() {
                self.item_of[slot as usize] = T::from_i64(self.weights.len() as i64);
                self.weights.push(T::default());
            }
        }
        self.unit_rows = subset.rows == subset.count as u64;
        self.rows.clear();
        if !self.unit_rows {
            self.rows.resize(self.count + 1, T::default());
            for slot in subset.members.iter().map(|slot| slot as usize) {
                self.rows[self.item_of[slot].to_i64() as usize] =
                    T::from_i64(layout.rows[slot] as i64);
            }
        }
        let mut first = 0;
        self.classes.extend(classes.iter().map(|&class| {
            let items = std::mem::replace(&mut first, ends[class])..ends[class];
            ClassItems { items, weight: subset.class_weights[class] }
        }));
        self.weights.push(T::default());
        self.prepared.clear();
        self.prepared.resize(self.features, false);
        self.orders.begin(self.count, self.features);
        let places = (self.count + 1) * self.features;
        if self.places.len() < places {
            self.places.resize(places, T::default());
        }
        self.row_weights.reset(self.features);
        self.row_counts.reset(self.features);
    }

    /// Prepares a feature, unless it is prepared already.
    pub(super) fn prepare(&mut self, subset: &ContinuousSubset, feature: usize) {
        if std::mem::replace(&mut self.prepared[feature], true) {
            return;
        }
        let places = &mut self.places[feature * (self.count + 1)..][..self.count + 1];
        self.ranked.clear();
        for (place, row) in subset.sorted.order(feature).iter().enumerate() {
            let item = self.item_of[row.slot as usize];
            self.ranked.push((item, row.rank));
            places[item.to_i64() as usize] = T::from_i64(place as i64);
        }
        self.orders.set(feature, &self.ranked);
    }

    /// The thresholds of features with few values.
    pub(super) fn columns(&self, subset: &ContinuousSubset, few: &[usize]) -> FewValues {
        let row = |row: &OrderEntry| (self.item_of[row.slot as usize].to_i64() as usize, row.rank);
        let orders: Vec<_> = few
            .iter()
            .map(|&feature| (feature, subset.sorted.order(feature).iter().map(row).collect()))
            .collect();
        let classes = self.classes.iter().map(|class| class.items.clone()).collect();
        let weights = &self.weights[..self.count];
        let weights: Vec<Weight> = weights.iter().map(|w| w.to_i64() as Weight).collect();
        FewValues::new(&orders, classes, &weights)
    }

    /// By item, the place in a feature's order; followed by one more entry.
    pub(super) fn places_of(&self, feature: usize) -> &[T] {
        &self.places[feature * (self.count + 1)..][..self.count + 1]
    }

    /// By child of a root, the class weights.
    pub(super) fn children(
        &self,
        RootSplit { feature, left, .. }: RootSplit,
    ) -> [[Weight; MAX_PAIRED_CLASSES]; 2] {
        let places = self.places_of(feature);
        let left = T::from_i64(left as i64);
        let mut classes = [[0; MAX_PAIRED_CLASSES]; 2];
        for (at, class) in self.classes.iter().enumerate() {
            let (places, weights) =
                (&places[class.items.clone()], &self.weights[class.items.clone()]);
            let mut on_left = T::default();
            weigh(self.instructions, places, weights, left, &mut on_left);
            classes[0][at] = on_left.to_i64() as Weight;
            classes[1][at] = class.weight - classes[0][at];
        }
        classes
    }
}
