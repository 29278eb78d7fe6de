//! Best stumps on both sides of the roots of one part.

use super::ground::Ground;
use super::medians::Medians;
use super::part::Part;
use super::units::{Deviation, Units};
use crate::kernels::Level;
use crate::kernels::gains::{Inverses, Order, Told, best_stumps};
use crate::part::Rule;
use exactree_model::{Cost, UNBOUNDED};

/// What a part needs to be divided often, in the order of its features.
pub(crate) struct Sides<'a> {
    ground: &'a Ground,
    part: &'a Part,
    price: Cost,
    level: Level,
    /// By feature, the numbers of the items within the part, their ranks, and sums.
    numbers: Vec<Vec<u32>>,
    ranks: Vec<Vec<u32>>,
    sums: Vec<Vec<i64>>,
    weights: Vec<Vec<i64>>,
    /// By weight from 1 on, what `Units::gain` needs; only for plain items.
    inverses: Vec<f64>,
    on_right: Vec<u8>,
    told: Told,
    /// For every root evaluated, by feature: what its best stump costs on both sides,
    /// or lower bounds on it.
    notes: Vec<[Cost; 2]>,
    pub left_out: u64,
}

/// What is known of a root's stumps before it is evaluated, by side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Between {
    /// Notes of an evaluated root of the same feature: one whose left side lies
    /// inside this one's, and one whose right side does.
    pub notes: [Option<u32>; 2],
    /// Stumps that cost as much need not be told apart.
    pub useless: [Cost; 2],
}

/// What both sides of a root cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evaluated {
    pub leaves: [Cost; 2],
    /// With a leaf or a stump; perhaps too little, but only if useless.
    pub best: [Cost; 2],
    pub notes: Option<u32>,
}

impl<'a> Sides<'a> {
    pub fn new(ground: &'a Ground, part: &'a Part, price: Cost, level: Level) -> Self {
        let mut number_of = vec![0; ground.items.len()];
        for (number, slot) in part.members.iter().enumerate() {
            number_of[slot as usize] = number as u32;
        }
        let number_of = &number_of;
        let item = |slot: u32| &ground.items[slot as usize];
        let by_feature = || part.sorted.iter();
        let plain = ground.plain;
        Sides {
            ground,
            part,
            price,
            level,
            numbers: by_feature()
                .map(|order| order.iter().map(|entry| number_of[entry.slot as usize]).collect())
                .collect(),
            ranks: by_feature()
                .map(|order| order.iter().map(|entry| entry.rank).collect())
                .collect(),
            sums: by_feature()
                .map(|order| order.iter().map(|entry| item(entry.slot).sum).collect())
                .collect(),
            weights: match plain {
                true => vec![Vec::new(); part.sorted.len()],
                false => by_feature()
                    .map(|order| order.iter().map(|entry| item(entry.slot).weight).collect())
                    .collect(),
            },
            inverses: match plain {
                true => {
                    (1..=part.count as i64).map(|weight| ground.units.inverse(weight)).collect()
                }
                false => Vec::new(),
            },
            on_right: vec![0; part.count],
            told: Told::default(),
            notes: Vec::new(),
            left_out: 0,
        }
    }

    /// The least costs of both sides of a root.
    pub fn evaluate(&mut self, root: &Rule, between: &Between) -> Evaluated {
        for (place, &number) in self.numbers[root.feature].iter().enumerate() {
            self.on_right[number as usize] = u8::from(place >= root.items);
        }
        let (squares, leaves) = self.leaves(root);
        let leaves = leaves.map(|cost| cost + self.price);
        let mut best = leaves;
        let first = self.begin_notes(between);
        let features = self.numbers.len();
        // The most promising first: what they cost lets others be left out.
        let promising =
            [0, 1].map(|side| (0..features).min_by_key(|&at| self.notes[first + at][side]));
        for feature in promising.into_iter().flatten().chain(0..features) {
            let noted = self.notes[first + feature];
            let matters = |side: usize| noted[side] < best[side].min(between.useless[side]);
            if !(matters(0) || matters(1)) {
                continue;
            }
            self.left_out -= 1;
            let costs = self.stumps(feature, squares);
            // A stump that leaves one of its sides without items here is a leaf.
            let costs = [0, 1].map(|side| leaves[side].min(costs[side] + 2 * self.price));
            self.notes[first + feature] = costs;
            best = [best[0].min(costs[0]), best[1].min(costs[1])];
        }
        for noted in &self.notes[first..] {
            best = [best[0].min(noted[0]), best[1].min(noted[1])];
        }
        Evaluated { leaves, best, notes: u32::try_from(first).ok() }
    }

    /// Makes room for the notes of one root more; what is known of it beforehand.
    fn begin_notes(&mut self, between: &Between) -> usize {
        let (first, features) = (self.notes.len(), self.numbers.len());
        self.left_out += features as u64;
        self.notes.resize(first + features, [0; 2]);
        let (before, now) = self.notes.split_at_mut(first);
        for (side, from) in between.notes.iter().enumerate() {
            for (now, before) in
                now.iter_mut().zip(from.iter().flat_map(|&from| &before[from as usize..]))
            {
                now[side] = before[side];
            }
        }
        first
    }

    /// The squares of both sides, and what their leaves are off.
    fn leaves(&self, root: &Rule) -> ([Cost; 2], [Cost; 2]) {
        let part = self.part;
        let slots = |side: usize| {
            let order = &part.sorted[root.feature];
            let range = if side == 0 { &order[..root.items] } else { &order[root.items..] };
            range.iter().map(|entry| entry.slot)
        };
        let items = &self.ground.items;
        match self.ground.units.deviation {
            Deviation::Squared => {
                let mut left = (0, 0, 0);
                for slot in slots(0) {
                    let item = &items[slot as usize];
                    left.0 += item.square;
                    left.1 += item.sum;
                    left.2 += item.weight;
                }
                let right = (part.square - left.0, part.sum - left.1, part.weight - left.2);
                let leaf = |(square, sum, weight): (Cost, i64, i64)| {
                    square - Units::gain(sum, self.ground.units.inverse(weight)) as Cost
                };
                ([left.0, right.0], [leaf(left), leaf(right)])
            }
            Deviation::Absolute => {
                let leaf = |side: usize| {
                    let mut slots: Vec<u32> = slots(side).collect();
                    slots.sort_unstable();
                    let weight = slots.iter().map(|&slot| items[slot as usize].weight).sum();
                    super::part::absolute(self.ground, slots.into_iter(), weight)
                };
                ([0; 2], [leaf(0), leaf(1)])
            }
        }
    }

    /// What the best stump on a feature is off on both sides; no less than a leaf on a
    /// side that the feature does not divide.
    fn stumps(&mut self, feature: usize, squares: [Cost; 2]) -> [Cost; 2] {
        match self.ground.units.deviation {
            Deviation::Squared => {
                let order = Order {
                    rows: &self.numbers[feature],
                    ranks: &self.ranks[feature],
                    sums: &self.sums[feature],
                    weights: &self.weights[feature],
                };
                let inverses =
                    Inverses { scale: self.ground.units.gain_scale, table: &self.inverses };
                let mut saved = [0.0; 2];
                let (on_right, told) = (&self.on_right, &mut self.told);
                match self.ground.plain {
                    true => best_stumps::<true>(
                        self.level, &order, on_right, &inverses, told, &mut saved,
                    ),
                    false => best_stumps::<false>(
                        self.level, &order, on_right, &inverses, told, &mut saved,
                    ),
                }
                [0, 1].map(|side| squares[side] - saved[side] as Cost)
            }
            Deviation::Absolute => [0u8, 1].map(|side| self.absolute_stumps(feature, side)),
        }
    }

    fn absolute_stumps(&self, feature: usize, side: u8) -> Cost {
        let places = 0..self.numbers[feature].len();
        let here = |at: &usize| self.on_right[self.numbers[feature][*at] as usize] == side;
        let places: Vec<usize> = places.filter(here).collect();
        let entry = |&at: &usize| self.part.sorted[feature][at].slot;
        let mut medians = Medians::of(self.ground, &self.part.members);
        let costs = medians.costs_of_stumps(places.iter().map(entry));
        let rank = |at: usize| self.ranks[feature][places[at]];
        let divided = (0..costs.len()).filter(|&at| rank(at) != rank(at + 1));
        divided.map(|at| costs[at]).min().unwrap_or(UNBOUNDED)
    }
}
