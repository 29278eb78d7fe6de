//! Best stumps on both sides of the roots of one part.

use super::ground::Ground;
use super::medians::Medians;
use super::part::{Part, leaf_of_classes};
use super::units::Deviation;
use crate::kernels::Level;
use crate::kernels::gains::{Inverses, Order, Told, best_stumps};
use crate::mutants::{Mutant, off};
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
    /// For medians, by number of an item its place on its side.
    places: Vec<u32>,
    medians: Vec<Medians<'a>>,
    order: Vec<(u32, u32)>,
    costs: Vec<Cost>,
    /// By feature the class of each item, and by side the weights of the classes.
    codes: Vec<Vec<u32>>,
    on_side: [Vec<i64>; 2],
    /// For every root evaluated, by feature: what its best stump costs on both sides,
    /// or lower bounds on it.
    notes: Vec<[Cost; 2]>,
    /// Whether those of other roots are kept and asked.
    pub takes_notes: bool,
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
            places: vec![0; part.count],
            medians: Vec::new(),
            order: Vec::new(),
            costs: Vec::new(),
            codes: match ground.units.deviation {
                Deviation::Classes => by_feature()
                    .map(|order| order.iter().map(|entry| item(entry.slot).low).collect())
                    .collect(),
                _ => Vec::new(),
            },
            on_side: Default::default(),
            notes: Vec::new(),
            takes_notes: true,
            left_out: 0,
        }
    }

    /// The least costs of both sides of a root.
    pub fn evaluate(&mut self, root: &Rule, between: &Between) -> Evaluated {
        for (place, &number) in self.numbers[root.feature].iter().enumerate() {
            self.on_right[number as usize] = u8::from(place >= root.items);
        }
        if self.ground.units.deviation == Deviation::Absolute {
            self.place();
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
            let matters = [matters(0), matters(1)];
            if matters == [false; 2] {
                continue;
            }
            self.left_out -= 1;
            let costs = self.stumps(feature, squares, matters);
            // A stump that leaves one of its sides without items here is a leaf.
            let costs = [0, 1].map(|side| match costs[side] {
                Some(cost) => leaves[side].min(cost + 2 * self.price),
                None => noted[side],
            });
            self.notes[first + feature] = costs;
            best = [best[0].min(costs[0]), best[1].min(costs[1])];
        }
        for noted in &self.notes[first..] {
            best = [best[0].min(noted[0]), best[1].min(noted[1])];
        }
        let notes = u32::try_from(first).ok().filter(|_| self.takes_notes);
        Evaluated { leaves, best, notes }
    }

    /// Makes room for the notes of one root more; what is known of it beforehand.
    fn begin_notes(&mut self, between: &Between) -> usize {
        if !self.takes_notes {
            self.notes.clear();
        }
        let (first, features) = (self.notes.len(), self.numbers.len());
        self.left_out += features as u64;
        self.notes.resize(first + features, [0; 2]);
        if !self.takes_notes {
            return first;
        }
        let (before, now) = self.notes.split_at_mut(first);
        for (side, from) in between.notes.iter().enumerate() {
            for (now, before) in
                now.iter_mut().zip(from.iter().flat_map(|&from| &before[from as usize..]))
            {
                now[side] = before[side] + off(Mutant::RegressionStumpBounds) * (before[side] / 2);
            }
        }
        first
    }

    /// The squares of both sides, and what their leaves are off.
    fn leaves(&mut self, root: &Rule) -> ([Cost; 2], [Cost; 2]) {
        let part = self.part;
        match self.ground.units.deviation {
            Deviation::Squared => {
                let mut left = (0, 0, 0);
                for entry in &part.sorted[root.feature][..root.items] {
                    let item = &self.ground.items[entry.slot as usize];
                    left.0 += item.square;
                    left.1 += item.sum;
                    left.2 += item.weight;
                }
                let right = (part.square - left.0, part.sum - left.1, part.weight - left.2);
                let leaf = |(square, sum, weight): (Cost, i64, i64)| {
                    square - self.ground.units.saved(sum, weight)
                };
                ([left.0, right.0], [leaf(left), leaf(right)])
            }
            Deviation::Absolute => ([0; 2], [0, 1].map(|side| self.medians[side].leaf())),
            Deviation::Classes => {
                let left = &part.sorted[root.feature][..root.items];
                let left = self.ground.class_weights(left.iter().map(|entry| entry.slot));
                let right = part.classes.iter().zip(&left).map(|(all, left)| all - left).collect();
                self.on_side = [left, right];
                ([0; 2], [0, 1].map(|side| leaf_of_classes(self.ground, &self.on_side[side])))
            }
        }
    }

    /// Puts both sides in the order of their targets, which is that of their numbers.
    fn place(&mut self) {
        self.medians.clear();
        for side in 0..2 {
            let here = |number: &usize| self.on_right[*number] == side;
            let slots = self.part.members.iter().enumerate();
            let slots = slots.filter(|(number, _)| here(number)).map(|(_, slot)| slot);
            self.medians.push(Medians::of(self.ground, slots));
        }
        let mut last = [0; 2];
        for (place, &side) in self.places.iter_mut().zip(&self.on_right) {
            last[usize::from(side)] += 1;
            *place = last[usize::from(side)];
        }
    }

    /// What the best stump on a feature is off, at least on the sides where it matters;
    /// no less than a leaf on a side that the feature does not divide.
    fn stumps(
        &mut self,
        feature: usize,
        squares: [Cost; 2],
        matters: [bool; 2],
    ) -> [Option<Cost>; 2] {
        match self.ground.units.deviation {
            Deviation::Squared if self.ground.units.are_fine() => {
                [0, 1].map(|side| Some(self.fine_stumps(feature, side, squares[side])))
            }
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
                [0, 1].map(|side| Some(squares[side] - saved[side] as Cost))
            }
            Deviation::Absolute => {
                [0, 1].map(|side| matters[side].then(|| self.absolute_stumps(feature, side)))
            }
            Deviation::Classes => {
                let costs = self.stumps_of_classes(feature, matters);
                [0, 1].map(|side| matters[side].then_some(costs[side]))
            }
        }
    }

    /// One pass over the order of a feature serves both sides.
    fn stumps_of_classes(&self, feature: usize, matters: [bool; 2]) -> [Cost; 2] {
        let mut right = self.on_side.clone();
        let mut left = right.each_ref().map(|weights| vec![0; weights.len()]);
        let (mut least, mut last) = ([UNBOUNDED; 2], [None; 2]);
        for (at, &number) in self.numbers[feature].iter().enumerate() {
            let side = usize::from(self.on_right[number as usize]);
            if !matters[side] {
                continue;
            }
            let (rank, code) = (self.ranks[feature][at], self.codes[feature][at] as usize);
            if last[side].is_some_and(|last| last != rank) {
                let leaf = |weights: &[i64]| leaf_of_classes(self.ground, weights);
                least[side] = least[side].min(leaf(&left[side]) + leaf(&right[side]));
            }
            last[side] = Some(rank);
            let weight = self.weights[feature].get(at).copied().unwrap_or(1);
            left[side][code] += weight;
            right[side][code] -= weight;
        }
        least
    }

    /// As the kernel, by exact divisions.
    fn fine_stumps(&self, feature: usize, side: usize, square: Cost) -> Cost {
        let here = self.here(feature, side);
        let item = |at: usize| &self.ground.items[self.part.sorted[feature][at].slot as usize];
        let sums = here.iter().map(|&at| (item(at).sum, item(at).weight));
        let all = sums.clone().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        let (mut sum, mut weight, mut most) = (0, 0, 0);
        for (pair, one) in here.windows(2).zip(sums) {
            sum += one.0;
            weight += one.1;
            if self.ranks[feature][pair[0]] != self.ranks[feature][pair[1]] {
                let units = &self.ground.units;
                let right = units.saved(all.0 - sum, all.1 - weight);
                most = most.max(units.saved(sum, weight) + right);
            }
        }
        square - most
    }

    /// The places of a feature whose items are on one side.
    fn here(&self, feature: usize, side: usize) -> Vec<usize> {
        let numbers = &self.numbers[feature];
        let side = |at: &usize| usize::from(self.on_right[numbers[*at] as usize]) == side;
        (0..numbers.len()).filter(side).collect()
    }

    fn absolute_stumps(&mut self, feature: usize, side: usize) -> Cost {
        let (numbers, ranks) = (&self.numbers[feature], &self.ranks[feature]);
        self.order.resize(numbers.len() + 1, (0, 0));
        let mut count = 0;
        for (&number, &rank) in numbers.iter().zip(ranks) {
            self.order[count] = (self.places[number as usize], rank);
            count += usize::from(usize::from(self.on_right[number as usize]) == side);
        }
        let order = &self.order[..count];
        self.medians[side].costs_of_stumps(order, &mut self.costs);
        let divided = self.costs.iter().zip(order.windows(2));
        let divided = divided.filter(|(_, pair)| pair[0].1 != pair[1].1);
        divided.map(|(&cost, _)| cost).min().unwrap_or(UNBOUNDED)
    }
}
