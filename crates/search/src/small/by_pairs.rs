//! Best stumps by one sweep over every feature for each pair of classes.
//!
//! A stump with leaves of classes a and b gets no more right than a and b weigh
//! together, so a pair that weighs no more than what is right already on both
//! sides of the root is left out.
//!
//! *Stump bounds.* What the best stump of one kind, a pair of classes and a
//! feature, misclassifies does not fall when items are added (it classifies the
//! fewer items no worse). So what a kind misclassified on a side inside this one
//! bounds it from below, and it need not be swept where that is no less than
//! what another kind misclassifies, or so much that it is useless on both sides.
//! What is noted for it then is the bound. Left of a root in an open interval
//! with evaluated ends a and b, a stump of cost c is useless if c + R(b) is no
//! better than the incumbent; likewise on the right with L(a). If both sides'
//! minima were useless ones, their sum would be at least twice the incumbent less
//! L(a) + R(b), which is more than the incumbent while the interval is open; so
//! a cost below the incumbent is exact.
//!
//! Parts are many and often small. So what one part needed serves the next, and
//! a feature is laid out when it is first swept or asked at a root.

use super::evaluator::{Between, Evaluated, Evaluator, MOST_PAIRED, Right, Root};
use super::few_values::{FewValues, MOST_VALUES};
use crate::kernels::Level;
use crate::kernels::sweep::{Extremes, Lane, Lanes, Orders, sweep, weigh};
use crate::layout::Layout;
use crate::part::{Entry, Part};
use exactree_model::Weight;
use std::cmp::Reverse;
use std::ops::Range;

/// Bytes that what was looked up may take; it is forgotten beyond that.
const MOST_FOUND: usize = 1 << 26;

/// See above.
pub struct ByPairs<T> {
    items: Items<T>,
    /// Whether features with few values are counted by columns of bits.
    few_values: bool,
    /// These features; they are not swept, and their notes say that none matters.
    few: Vec<usize>,
    columns: Option<FewValues>,
    /// Every two classes.
    pairs: Vec<[usize; 2]>,
    /// What rows add to the difference of a pair, by pair and feature.
    steps: Found<T>,
    /// Where rows stand in the order of a root feature, by that and feature.
    places: Found<T>,
    /// For every root evaluated, by side, pair and feature: what the best stump
    /// misclassifies, or a lower bound on it.
    notes: Vec<T>,
    swept: u64,
}

/// The items of a part in the order of their slots, so class by class.
struct Items<T> {
    level: Level,
    count: usize,
    features: usize,
    classes: Vec<Class>,
    /// By slot, the item; meaningless for slots outside the part.
    item_of: Vec<T>,
    /// By item; and nothing for one item more.
    weights: Vec<T>,
    /// Every item weighs one.
    plain: bool,
    /// The features that are laid out.
    laid: Vec<bool>,
    /// By feature and item, the place in the feature's order; see `places`.
    places: Vec<T>,
    orders: Orders<T>,
    /// The weights of rows, by feature.
    held: Found<T>,
    /// Room for the rows of one feature.
    rows: Vec<(T, u32)>,
}

struct Class {
    items: Range<usize>,
    weight: Weight,
}

/// What was looked up of the rows of a feature, as far as it was needed.
#[derive(Default)]
struct Found<T> {
    blocks: Vec<Lanes<T>>,
    /// By table and feature, the first of its blocks; `NONE` if they are not there.
    begins: Vec<u32>,
}

const NONE: u32 = u32::MAX;

/// What both sides of a root hold, and what is right there so far.
struct Sides {
    /// By side, the weights of the classes and of all.
    classes: [[Weight; MOST_PAIRED]; 2],
    weights: [Weight; 2],
    right: [Right; 2],
    /// The features of the best stumps.
    best: [usize; 2],
    /// Stumps that misclassify as much need not be told apart.
    useless: [Weight; 2],
}

/// What is noted of one root, pair by pair.
struct Notes<'n, T>([&'n mut [T]; 2]);

impl<T: Lane> ByPairs<T> {
    pub fn new(level: Level, few_values: bool) -> Self {
        let (few, pairs, steps, places, notes) = Default::default();
        let items = Items::new(level);
        ByPairs { items, few_values, few, columns: None, pairs, steps, places, notes, swept: 0 }
    }

    /// Turns to a part with these classes, at most `MOST_PAIRED`.
    pub fn begin(&mut self, layout: &Layout, part: &Part, classes: &[usize]) {
        self.items.begin(layout, part, classes);
        let (count, features) = (classes.len(), part.sorted.features());
        self.pairs.clear();
        self.pairs.extend((0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b])));
        // Heavy classes first: what they get right lets others be left out.
        let weight = |class: usize| self.items.classes[class].weight;
        self.pairs.sort_by_key(|&[a, b]| Reverse(weight(a) + weight(b)));
        let few_values = self.few_values && part.weight <= Weight::from(u32::MAX);
        self.few.clear();
        self.few.extend(
            (0..features).filter(|&at| few_values && layout.features[at].values() <= MOST_VALUES),
        );
        self.columns = (!self.few.is_empty()).then(|| self.items.columns(part, &self.few));
        self.steps.begin(self.pairs.len() * features);
        self.places.begin(features * features);
        self.notes.clear();
        self.swept = 0;
    }

    /// Notes for one root more: what is known of it beforehand. Returns where
    /// they begin.
    fn begin_notes(&mut self, between: &Between) -> usize {
        let kinds = self.pairs.len() * self.items.features;
        let first = self.notes.len();
        self.notes.resize(first + 2 * kinds, T::default());
        for notes in self.notes[first..].chunks_exact_mut(self.items.features) {
            self.few.iter().for_each(|&feature| notes[feature] = T::GREATEST);
        }
        for (side, from) in between.notes.iter().enumerate() {
            if let Some(from) = from {
                let from = *from as usize + side * kinds;
                self.notes.copy_within(from..from + kinds, first + side * kinds);
            }
        }
        first
    }

    /// What the best stump of a feature with leaves of the two classes of a pair
    /// gets right on both sides of a root, which hold so much of them.
    fn sweep(
        &mut self,
        part: &Part,
        root: Root,
        pair: usize,
        feature: usize,
        held: [[Weight; 2]; 2],
    ) -> [Weight; 2] {
        self.swept += 1;
        let items = &mut self.items;
        items.lay(part, feature);
        let weights = match items.plain {
            true => None,
            false => Some(items.held.of(feature, items.orders.length(), |blocks| {
                items.orders.look_up(feature, &items.weights, blocks);
            })),
        };
        let (orders, features) = (&items.orders, items.features);
        let classes = self.pairs[pair].map(|class| {
            let items = &items.classes[class].items;
            T::from_i64(items.start as i64)..T::from_i64(items.end as i64)
        });
        let steps = self.steps.of(pair * features + feature, orders.length(), |blocks| {
            orders.steps(items.level, feature, weights, &classes, blocks);
        });
        let table = &items.places[root.feature * (items.count + 1)..][..items.count + 1];
        let places = self.places.of(root.feature * features + feature, orders.length(), |blocks| {
            orders.look_up(feature, table, blocks);
        });
        let mut extremes = Extremes::default();
        let order = orders.order(feature, steps, places);
        sweep(items.level, &order, T::from_i64(root.left as i64), &mut extremes);
        [0, 1].map(|side| {
            let [a, b] = held[side].map(|weight| weight as i64);
            (b + extremes.greatest[side]).max(a - extremes.least[side]) as Weight
        })
    }
}

impl<T: Lane> Evaluator for ByPairs<T> {
    fn evaluate(&mut self, part: &Part, root: Root, between: &Between) -> Evaluated {
        self.items.lay(part, root.feature);
        let mut sides = self.items.sides(root, between.useless);
        if let Some(columns) = &mut self.columns {
            self.items.count_few(columns, root, &mut sides);
        }
        let first = self.begin_notes(between);
        let features = self.items.features;
        let kinds = self.pairs.len() * features;
        for pair in 0..self.pairs.len() {
            let classes = self.pairs[pair];
            let mut notes = Notes::of(&mut self.notes[first..], kinds, pair * features, features);
            let held = notes.raise(&sides, classes);
            if !notes.any_below(sides.limits()) {
                continue;
            }
            // The most promising first: what they get right lets others be left out.
            let promising = notes.least();
            for feature in promising.into_iter().chain(0..features) {
                let kind = first + pair * features + feature;
                let noted = [kind, kind + kinds].map(|at| self.notes[at]);
                if below(noted, sides.limits()) {
                    let right = self.sweep(part, root, pair, feature, held);
                    let wrong = sides.note(feature, right);
                    self.notes[kind] = T::from_i64(wrong[0] as i64);
                    self.notes[kind + kinds] = T::from_i64(wrong[1] as i64);
                }
            }
        }
        for side in 0..2 {
            let notes = &self.notes[first + side * kinds..][..kinds];
            let least = notes.iter().copied().fold(T::GREATEST, T::min).to_i64() as Weight;
            let (weight, right) = (sides.weights[side], &mut sides.right[side]);
            right.stump = right.stump.max(weight - least.min(weight));
        }
        let notes = u32::try_from(first).ok();
        Evaluated { sides: sides.right, features: Some(sides.best), notes }
    }

    fn left_out(&self) -> u64 {
        let features = self.items.features;
        let kinds = self.notes.len() / 2 / features.max(1) * (features - self.few.len());
        kinds as u64 - self.swept
    }
}

/// Whether a kind noted so would matter on some side.
fn below<T: Lane>(noted: [T; 2], limits: [T; 2]) -> bool {
    (noted[0] < limits[0]) | (noted[1] < limits[1])
}

impl<'n, T: Lane> Notes<'n, T> {
    /// What is noted of some kinds, from all that is noted of a root.
    fn of(notes: &'n mut [T], kinds: usize, first: usize, count: usize) -> Self {
        let (left, right) = notes.split_at_mut(kinds);
        Notes([&mut left[first..first + count], &mut right[first..first + count]])
    }

    /// Raises what stumps of two classes misclassify at least by what the other
    /// classes weigh; the weights of the two by side.
    fn raise(&mut self, sides: &Sides, [a, b]: [usize; 2]) -> [[Weight; 2]; 2] {
        [0, 1].map(|side| {
            let held = [sides.classes[side][a], sides.classes[side][b]];
            let others = T::from_i64((sides.weights[side] - held[0] - held[1]) as i64);
            self.0[side].iter_mut().for_each(|noted| *noted = others.max(*noted));
            held
        })
    }

    /// Whether some kind matters. Without a branch for each: most do not.
    fn any_below(&self, limits: [T; 2]) -> bool {
        let pairs = self.0[0].iter().zip(&*self.0[1]);
        pairs.fold(false, |any, (&left, &right)| any | below([left, right], limits))
    }

    /// By side, the feature with the least.
    fn least(&self) -> [usize; 2] {
        [0, 1].map(|side| {
            (0..self.0[side].len()).min_by_key(|&feature| self.0[side][feature]).unwrap_or(0)
        })
    }
}

impl Sides {
    /// What is noted of a stump that matters is less on some side.
    fn limits<T: Lane>(&self) -> [T; 2] {
        [0, 1].map(|side| {
            let least = self.weights[side] - self.right[side].stump;
            T::from_i64(least.min(self.useless[side]) as i64)
        })
    }

    /// Takes in what the best stump of a feature gets right; what it misclassifies.
    fn note(&mut self, feature: usize, right: [Weight; 2]) -> [Weight; 2] {
        [0, 1].map(|side| {
            self.improve(side, right[side], feature);
            self.weights[side] - right[side]
        })
    }

    fn improve(&mut self, side: usize, right: Weight, feature: usize) {
        if right > self.right[side].stump {
            self.right[side].stump = right;
            self.best[side] = feature;
        }
    }
}

impl<T: Lane> Items<T> {
    fn new(level: Level) -> Self {
        let (classes, item_of, weights, laid, places) = Default::default();
        let (orders, held, rows) = Default::default();
        let (count, features, plain) = Default::default();
        Items {
            level,
            count,
            features,
            classes,
            item_of,
            weights,
            plain,
            laid,
            places,
            orders,
            held,
            rows,
        }
    }

    fn begin(&mut self, layout: &Layout, part: &Part, classes: &[usize]) {
        (self.count, self.features) = (part.count, part.sorted.features());
        self.plain = layout.plain;
        self.item_of.resize(layout.slots, T::default());
        self.weights.clear();
        self.classes.clear();
        let mut ends = vec![0; layout.n_classes];
        for slot in part.members.iter().map(|slot| slot as usize) {
            self.item_of[slot] = T::from_i64(self.weights.len() as i64);
            self.weights.push(T::from_i64(layout.weight[slot] as i64));
            ends[layout.class[slot] as usize] = self.weights.len();
        }
        let mut first = 0;
        self.classes.extend(classes.iter().map(|&class| {
            let items = std::mem::replace(&mut first, ends[class])..ends[class];
            Class { items, weight: part.class_weights[class] }
        }));
        self.weights.push(T::default());
        self.laid.clear();
        self.laid.resize(self.features, false);
        self.orders.begin(self.count, self.features);
        let places = (self.count + 1) * self.features;
        if self.places.len() < places {
            self.places.resize(places, T::default());
        }
        self.held.begin(self.features);
    }

    /// Lays a feature out, if that was not done before.
    fn lay(&mut self, part: &Part, feature: usize) {
        if std::mem::replace(&mut self.laid[feature], true) {
            return;
        }
        let places = &mut self.places[feature * (self.count + 1)..][..self.count + 1];
        self.rows.clear();
        for (place, row) in part.sorted.order(feature).iter().enumerate() {
            let item = self.item_of[row.slot as usize];
            self.rows.push((item, row.rank));
            places[item.to_i64() as usize] = T::from_i64(place as i64);
        }
        self.orders.set(feature, &self.rows);
    }

    /// The thresholds of features with few values.
    fn columns(&self, part: &Part, few: &[usize]) -> FewValues {
        let row = |row: &Entry| (self.item_of[row.slot as usize].to_i64() as usize, row.rank);
        let orders: Vec<_> = few
            .iter()
            .map(|&feature| (feature, part.sorted.order(feature).iter().map(row).collect()))
            .collect();
        let classes = self.classes.iter().map(|class| class.items.clone()).collect();
        let weights = &self.weights[..self.count];
        let weights: Vec<Weight> = weights.iter().map(|w| w.to_i64() as Weight).collect();
        FewValues::new(&orders, classes, &weights)
    }

    /// Raises what is right on both sides of a root by the stumps that are not swept.
    fn count_few(&self, few: &mut FewValues, root: Root, sides: &mut Sides) {
        let left = T::from_i64(root.left as i64);
        let on_left = &sides.classes[0][..self.classes.len()];
        let places = &self.places[root.feature * (self.count + 1)..][..self.count + 1];
        let best = few.best(self.level, places, left, on_left);
        for (side, (right, feature)) in best.into_iter().enumerate() {
            sides.improve(side, right, feature);
        }
    }

    /// What the two sides of a root hold.
    fn sides(&self, Root { feature, left }: Root, useless: [Weight; 2]) -> Sides {
        let places = &self.places[feature * (self.count + 1)..];
        let left = T::from_i64(left as i64);
        let mut classes = [[0; MOST_PAIRED]; 2];
        for (at, class) in self.classes.iter().enumerate() {
            let (places, weights) =
                (&places[class.items.clone()], &self.weights[class.items.clone()]);
            let mut on_left = T::default();
            weigh(self.level, places, weights, left, &mut on_left);
            classes[0][at] = on_left.to_i64() as Weight;
            classes[1][at] = class.weight - classes[0][at];
        }
        let right = classes.map(|weights| {
            let leaf = weights.into_iter().max().unwrap_or(0);
            Right { leaf, stump: leaf }
        });
        let weights = classes.map(|weights| weights.iter().sum());
        Sides { classes, weights, right, best: [0; 2], useless }
    }
}

impl<T: Lane> Found<T> {
    fn begin(&mut self, tables: usize) {
        self.blocks.clear();
        self.begins.clear();
        self.begins.resize(tables, NONE);
    }

    /// What a table says of the rows of a feature: so many blocks, looked up when
    /// they are first asked for.
    fn of(
        &mut self,
        table: usize,
        length: usize,
        look_up: impl FnOnce(&mut Vec<Lanes<T>>),
    ) -> &[Lanes<T>] {
        if self.begins[table] == NONE {
            self.make_room(length);
            self.begins[table] = self.blocks.len() as u32;
            look_up(&mut self.blocks);
        }
        &self.blocks[self.begins[table] as usize..][..length]
    }

    /// Room for so many blocks more; what is there is forgotten where it is too much.
    fn make_room(&mut self, blocks: usize) {
        let most = MOST_FOUND / size_of::<Lanes<T>>();
        if self.blocks.len() + blocks > most {
            self.blocks.clear();
            self.begins.fill(NONE);
        }
        let needed = self.blocks.len() + blocks;
        if needed > self.blocks.capacity() {
            // As vectors grow, but not beyond what is allowed.
            let room = (2 * needed).min(needed.max(most));
            self.blocks.reserve_exact(room - self.blocks.len());
        }
    }
}
