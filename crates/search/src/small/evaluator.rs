//! Best stumps on both sides of a root rule, over all features at once.
//!
//! An evaluator holds what one part needs, in the order of its features. Which
//! one serves a part depends on how many classes are left in it and how wide
//! its counts are; all give the same numbers.

use crate::kernels::Level;
use crate::kernels::sweep::{Extremes, Lane, Lanes, Order, Row, sweep};
use crate::kernels::tally::{self, TallyRoom, tally};
use crate::layout::Layout;
use crate::part::{Entry, Part};
use exactree_model::Weight;

/// Classes above which two passes over all rows are cheaper than one pass for
/// each pair of classes.
const MOST_PAIRED: usize = 12;

/// Rows between two places where the weights of the classes are noted.
const STRIDE: usize = 16;

/// Weight that is right on one side of a root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Right {
    pub leaf: Weight,
    /// The best stump or the leaf.
    pub stump: Weight,
}

/// Best stumps of a part on both sides of its rules.
pub trait Evaluator {
    /// What is right on the left and on the right side of a root that sends the
    /// first `left` items of a feature's order left.
    fn evaluate(&mut self, feature: usize, left: usize) -> [Right; 2];
}

/// The evaluator for a part.
pub fn evaluator<'p>(layout: &'p Layout, part: &'p Part, level: Level) -> Box<dyn Evaluator + 'p> {
    let census = Census::new(layout, part);
    if census.classes() > MOST_PAIRED {
        return Box::new(ByTally::new(census));
    }
    match part.weight.max(part.count as u64) {
        0..0x7fff => Box::new(ByPairs::<i16>::new(census, level)),
        0x7fff..0x7fff_ffff => Box::new(ByPairs::<i32>::new(census, level)),
        _ => Box::new(ByPairs::<i64>::new(census, level)),
    }
}

/// The classes of a part, and how much of each lies left of any rule.
struct Census<'p> {
    layout: &'p Layout,
    part: &'p Part,
    /// By class of the table, its index among those of the part.
    local: Vec<usize>,
    all: Vec<Weight>,
    /// By feature, the weights of the classes before every `STRIDE`-th row.
    noted: Vec<Vec<Weight>>,
}

impl<'p> Census<'p> {
    fn new(layout: &'p Layout, part: &'p Part) -> Self {
        let mut local = vec![0; layout.n_classes];
        let mut all = Vec::new();
        for (class, &weight) in part.class_weights.iter().enumerate().filter(|(_, w)| **w > 0) {
            local[class] = all.len();
            all.push(weight);
        }
        let mut census = Census { layout, part, local, all, noted: Vec::new() };
        census.noted = part.sorted.iter().map(|order| census.notes(order)).collect();
        census
    }

    fn notes(&self, order: &[Entry]) -> Vec<Weight> {
        let mut now = vec![0; self.classes()];
        let mut noted = Vec::new();
        for rows in order.chunks(STRIDE) {
            noted.extend(&now);
            self.add(rows, &mut now);
        }
        noted
    }

    fn add(&self, rows: &[Entry], weights: &mut [Weight]) {
        for row in rows {
            weights[self.class(row)] += self.weight(row);
        }
    }

    fn classes(&self) -> usize {
        self.all.len()
    }

    fn class(&self, row: &Entry) -> usize {
        self.local[self.layout.class[row.slot as usize] as usize]
    }

    fn weight(&self, row: &Entry) -> Weight {
        self.layout.weight[row.slot as usize]
    }

    /// The weights of the classes on the left and on the right side of a root.
    fn sides(&self, feature: usize, left: usize) -> [Vec<Weight>; 2] {
        let note = left / STRIDE * self.classes();
        let mut on_left = self.noted[feature][note..note + self.classes()].to_vec();
        self.add(&self.part.sorted[feature][left / STRIDE * STRIDE..left], &mut on_left);
        let on_right = self.all.iter().zip(&on_left).map(|(all, left)| all - left).collect();
        [on_left, on_right]
    }
}

fn leaves(sides: &[Vec<Weight>; 2]) -> [Right; 2] {
    [0, 1].map(|side| {
        let leaf = sides[side].iter().max().copied().unwrap_or(0);
        Right { leaf, stump: leaf }
    })
}

/// One sweep over every feature for each pair of classes, of their rows alone.
struct ByPairs<'p, T> {
    census: Census<'p>,
    level: Level,
    /// By feature and item, the item's place in the feature's order.
    places: Vec<Vec<T>>,
    pairs: Vec<Pair<T>>,
}

/// The rows of two classes.
struct Pair<T> {
    classes: [usize; 2],
    orders: Vec<Order<T>>,
    /// By root feature, once it is needed, and by feature, where the rows stand
    /// in the order of the root feature.
    places: Vec<Vec<Vec<Lanes<T>>>>,
}

impl<'p, T: Lane> ByPairs<'p, T> {
    fn new(census: Census<'p>, level: Level) -> Self {
        let part = census.part;
        let mut item_of = vec![0u32; census.layout.slots];
        for (item, slot) in part.members.iter().enumerate() {
            item_of[slot as usize] = item as u32;
        }
        let places = part.sorted.iter().map(|order| {
            let mut places = vec![T::default(); order.len()];
            for (place, row) in order.iter().enumerate() {
                places[item_of[row.slot as usize] as usize] = T::from_i64(place as i64);
            }
            places
        });
        let places = places.collect();
        let count = census.classes();
        let mut pairs: Vec<[usize; 2]> =
            (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b])).collect();
        // Heavy classes first: what they get right lets others be left out.
        pairs.sort_by_key(|pair| std::cmp::Reverse(census.all[pair[0]] + census.all[pair[1]]));
        let pairs = pairs.into_iter().map(|classes| Pair::new(&census, &item_of, classes));
        let pairs = pairs.collect();
        ByPairs { pairs, census, level, places }
    }
}

impl<T: Lane> Pair<T> {
    fn new(census: &Census<'_>, item_of: &[u32], classes: [usize; 2]) -> Self {
        let order = |entries: &Vec<Entry>| {
            let of_pair = entries.iter().filter(|row| classes.contains(&census.class(row)));
            let row = |entry: &Entry| {
                let sign = if census.class(entry) == classes[0] { 1 } else { -1 };
                let step = sign * census.weight(entry) as i64;
                Row { rank: entry.rank, item: item_of[entry.slot as usize], step }
            };
            Order::new(&of_pair.map(row).collect::<Vec<Row>>())
        };
        let orders: Vec<Order<T>> = census.part.sorted.iter().map(order).collect();
        Pair { classes, places: orders.iter().map(|_| Vec::new()).collect(), orders }
    }

    /// Raises what stumps with these two classes get right.
    fn raise(
        &mut self,
        level: Level,
        places: &[Vec<T>],
        root: (usize, usize),
        sides: &[Vec<Weight>; 2],
        right: &mut [Right; 2],
    ) {
        let (feature, left) = root;
        let [a, b] = self.classes;
        let most = [0, 1].map(|side| sides[side][a] + sides[side][b]);
        // No stump with these leaves gets more right than both classes weigh.
        let useless = |right: &[Right; 2]| most[0] <= right[0].stump && most[1] <= right[1].stump;
        if useless(right) {
            return;
        }
        if self.places[feature].is_empty() {
            let places = self.orders.iter().map(|order| order.places(&places[feature]));
            self.places[feature] = places.collect();
        }
        let mut extremes = Extremes::default();
        for (order, places) in self.orders.iter().zip(&self.places[feature]) {
            sweep(level, order, places, T::from_i64(left as i64), &mut extremes);
        }
        for side in 0..2 {
            let [a, b] = [sides[side][a], sides[side][b]];
            let ascending = b as i64 + extremes.greatest[side];
            let descending = a as i64 - extremes.least[side];
            right[side].stump = right[side].stump.max(ascending.max(descending) as Weight);
        }
    }
}

impl<T: Lane> Evaluator for ByPairs<'_, T> {
    fn evaluate(&mut self, feature: usize, left: usize) -> [Right; 2] {
        let sides = self.census.sides(feature, left);
        let mut right = leaves(&sides);
        for pair in &mut self.pairs {
            pair.raise(self.level, &self.places, (feature, left), &sides, &mut right);
        }
        right
    }
}

/// Two passes per feature; for any number of classes.
struct ByTally<'p> {
    census: Census<'p>,
    /// By slot: whether the row is on the right side of the root.
    on_right: Vec<bool>,
    root: (usize, usize),
    room: TallyRoom,
}

impl<'p> ByTally<'p> {
    fn new(census: Census<'p>) -> Self {
        let on_right = vec![true; census.layout.slots];
        ByTally { census, on_right, root: (0, 0), room: TallyRoom::default() }
    }

    /// Moves the root; only rows that change side are sent.
    fn move_to(&mut self, feature: usize, left: usize) {
        let sorted = &self.census.part.sorted;
        if feature != self.root.0 {
            let back = &sorted[self.root.0][..self.root.1];
            back.iter().for_each(|row| self.on_right[row.slot as usize] = true);
            self.root = (feature, 0);
        }
        let now = self.root.1;
        let moved = &sorted[feature][now.min(left)..now.max(left)];
        moved.iter().for_each(|row| self.on_right[row.slot as usize] = left < now);
        self.root.1 = left;
    }
}

impl Evaluator for ByTally<'_> {
    fn evaluate(&mut self, feature: usize, left: usize) -> [Right; 2] {
        self.move_to(feature, left);
        let mut right = leaves(&self.census.sides(feature, left));
        let mut greatest = right.map(|right| right.stump);
        for order in &self.census.part.sorted {
            let next = order.iter().skip(1).map(|next| Some(next.rank)).chain([None]);
            let rows: Vec<tally::Row> = order
                .iter()
                .zip(next)
                .map(|(row, next)| tally::Row {
                    code: self.census.class(row) * 2 + self.on_right[row.slot as usize] as usize,
                    weight: self.census.weight(row),
                    ends: next.is_some_and(|next| next != row.rank),
                })
                .collect();
            let rows = rows.iter().copied();
            tally(rows, self.census.classes(), &mut self.room, &mut greatest);
        }
        for side in 0..2 {
            right[side].stump = greatest[side];
        }
        right
    }
}
