//! Best stumps on both sides of a root threshold, over all features at once.
//!
//! An evaluator holds what one part needs: the orders of its features, the
//! side and the class of every row. Which one serves a part depends on how many
//! classes are left in it and how wide its counts are; all give the same
//! numbers.

use crate::kernels::Level;
use crate::kernels::sweep::{CODES, Lane, Order, Steps, sweep};
use crate::kernels::tally::{Row, TallyRoom, tally};
use crate::layout::Layout;
use crate::part::{Entry, Part};

/// Weight the best stump gets right on the left and the right side of a root.
pub trait Evaluator {
    /// Sends rows to one side of the root. At first all are on the right.
    fn send(&mut self, rows: &[Entry], left: bool);

    /// Greatest weight a leaf gets right, by side.
    fn leaves(&self) -> [u64; 2];

    /// Greatest weight a proper stump gets right, by side; what a leaf gets
    /// right may be more.
    fn evaluate(&mut self) -> [u64; 2];
}

/// The evaluator for a part.
pub fn evaluator(layout: &Layout, part: &Part, level: Level) -> Box<dyn Evaluator> {
    let classes: Vec<u32> =
        (0..layout.n_classes as u32).filter(|&c| part.class_weights[c as usize] > 0).collect();
    match part.weight {
        0..0x7fff => with_lanes::<i16>(layout, part, level, &classes),
        0x7fff..0x7fff_ffff => with_lanes::<i32>(layout, part, level, &classes),
        _ => with_lanes::<i64>(layout, part, level, &classes),
    }
}

fn with_lanes<T: Lane>(
    layout: &Layout,
    part: &Part,
    level: Level,
    classes: &[u32],
) -> Box<dyn Evaluator> {
    match classes.len() {
        0..=2 => Box::new(ByLanes::<T, 4>::new(layout, part, level, classes)),
        3 => Box::new(ByLanes::<T, 16>::new(layout, part, level, classes)),
        4 => Box::new(ByLanes::<T, 32>::new(layout, part, level, classes)),
        5..=6 => Box::new(ByLanes::<T, 64>::new(layout, part, level, classes)),
        7 => Box::new(ByLanes::<T, 96>::new(layout, part, level, classes)),
        8 => Box::new(ByLanes::<T, 128>::new(layout, part, level, classes)),
        _ => Box::new(ByTally::new(layout, part, classes)),
    }
}

/// The class index within the part of every slot.
fn local_classes(layout: &Layout, part: &Part, classes: &[u32]) -> Vec<u32> {
    let mut local = vec![0; layout.n_classes];
    for (index, &class) in classes.iter().enumerate() {
        local[class as usize] = index as u32;
    }
    let mut by_slot = vec![0; layout.slots];
    for slot in part.members.iter() {
        by_slot[slot as usize] = local[layout.class[slot as usize] as usize];
    }
    by_slot
}

/// Slots of a feature's order, each with whether the value changes after it.
fn with_ends(entries: &[Entry]) -> impl Iterator<Item = (u32, bool)> + '_ {
    let next = entries.iter().skip(1).map(|next| next.rank).chain([u32::MAX]);
    let last = entries.len().wrapping_sub(1);
    entries
        .iter()
        .zip(next)
        .enumerate()
        .map(move |(at, (entry, next))| (entry.slot, at != last && entry.rank != next))
}

/// Weight of each class of the part on both sides of the root.
struct Census {
    sides: [Vec<u64>; 2],
    /// By slot.
    weights: Vec<u64>,
}

impl Census {
    fn new(layout: &Layout, part: &Part, classes: &[u32]) -> Self {
        let all = classes.iter().map(|&class| part.class_weights[class as usize]).collect();
        Census { sides: [vec![0; classes.len()], all], weights: layout.weight.clone() }
    }

    fn send(&mut self, class: usize, slot: usize, to: usize) {
        self.sides[to][class] += self.weights[slot];
        self.sides[1 - to][class] -= self.weights[slot];
    }

    fn leaves(&self) -> [u64; 2] {
        [0, 1].map(|side| self.sides[side].iter().max().copied().unwrap_or(0))
    }
}

/// One lane per side and ordered pair of classes; for up to eight classes.
struct ByLanes<T, const LANES: usize> {
    level: Level,
    orders: Vec<Order>,
    /// By slot: side · classes + class.
    codes: Vec<u8>,
    weights: Option<Vec<T>>,
    steps: [[T; LANES]; CODES],
    /// Classes (a, b) of each lane of one side.
    pairs: Vec<(usize, usize)>,
    census: Census,
}

impl<T: Lane, const LANES: usize> ByLanes<T, LANES> {
    fn new(layout: &Layout, part: &Part, level: Level, classes: &[u32]) -> Self {
        let count = classes.len();
        let pairs: Vec<(usize, usize)> = (0..count)
            .flat_map(|a| (0..count).map(move |b| (a, b)))
            .filter(|(a, b)| a != b)
            .collect();
        let mut steps = [[T::default(); LANES]; CODES];
        for (lane, &(a, b)) in pairs.iter().enumerate() {
            for side in 0..2 {
                steps[side * count + a][side * pairs.len() + lane] = T::from_i64(1);
                steps[side * count + b][side * pairs.len() + lane] = T::from_i64(-1);
            }
        }
        let mut codes: Vec<u8> =
            local_classes(layout, part, classes).into_iter().map(|class| class as u8).collect();
        for slot in part.members.iter() {
            codes[slot as usize] += count as u8;
        }
        let unit = part.weight == part.count as u64;
        ByLanes {
            level,
            orders: part.sorted.iter().map(|o| Order::new(layout.slots, with_ends(o))).collect(),
            codes,
            weights: (!unit)
                .then(|| layout.weight.iter().map(|&w| T::from_i64(w as i64)).collect()),
            steps,
            pairs,
            census: Census::new(layout, part, classes),
        }
    }
}

impl<T: Lane, const LANES: usize> Evaluator for ByLanes<T, LANES> {
    fn send(&mut self, rows: &[Entry], left: bool) {
        let count = self.census.sides[0].len();
        let (to, from) = if left { (0, 1) } else { (1, 0) };
        for row in rows {
            let slot = row.slot as usize;
            let class = self.codes[slot] as usize - from * count;
            self.codes[slot] = (to * count + class) as u8;
            self.census.send(class, slot, to);
        }
    }

    fn leaves(&self) -> [u64; 2] {
        self.census.leaves()
    }

    fn evaluate(&mut self) -> [u64; 2] {
        let mut greatest = [T::default(); LANES];
        let weights = self.weights.as_deref().unwrap_or(&[]);
        let read = Steps { codes: &self.codes, weights, steps: &self.steps };
        for order in &self.orders {
            match weights.is_empty() {
                true => sweep::<T, LANES, false>(self.level, order, &read, &mut greatest),
                false => sweep::<T, LANES, true>(self.level, order, &read, &mut greatest),
            }
        }
        [0, 1].map(|side| {
            let lane = |(at, &(_, b)): (usize, &(usize, usize))| {
                self.census.sides[side][b] as i64 + greatest[side * self.pairs.len() + at].to_i64()
            };
            self.pairs.iter().enumerate().map(lane).max().unwrap_or(0) as u64
        })
    }
}

/// Two passes per feature; for any number of classes.
struct ByTally {
    classes: usize,
    orders: Vec<Vec<(u32, bool)>>,
    /// By slot: class · 2 + side.
    codes: Vec<u32>,
    census: Census,
    room: TallyRoom,
}

impl ByTally {
    fn new(layout: &Layout, part: &Part, classes: &[u32]) -> Self {
        let local = local_classes(layout, part, classes);
        ByTally {
            classes: classes.len(),
            orders: part.sorted.iter().map(|order| with_ends(order).collect()).collect(),
            codes: local.into_iter().map(|class| class * 2 + 1).collect(),
            census: Census::new(layout, part, classes),
            room: TallyRoom::default(),
        }
    }
}

impl Evaluator for ByTally {
    fn send(&mut self, rows: &[Entry], left: bool) {
        for row in rows {
            let code = &mut self.codes[row.slot as usize];
            *code = *code & !1 | !left as u32;
            self.census.send(*code as usize / 2, row.slot as usize, !left as usize);
        }
    }

    fn leaves(&self) -> [u64; 2] {
        self.census.leaves()
    }

    fn evaluate(&mut self) -> [u64; 2] {
        let mut greatest = [0; 2];
        for order in &self.orders {
            let row = |&(slot, ends): &(u32, bool)| Row {
                code: self.codes[slot as usize] as usize,
                weight: self.census.weights[slot as usize],
                ends,
            };
            tally(order.iter().map(row), self.classes, &mut self.room, &mut greatest);
        }
        greatest
    }
}
