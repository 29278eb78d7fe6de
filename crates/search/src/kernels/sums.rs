//! Sums of what columns of bits hold alone, in pairs and in threes, and what the best
//! stumps below them save.
//!
//! Columns stand in chains: each holds all items of the one after it in its chain. An
//! item is listed with the last column of each chain that holds it, and what a column
//! holds is the sum over it and all after it in its chain. So every three chains are
//! met once for an item, however many of their columns hold it.
//!
//! Length: one kernel, whose steps share the sums; a third is its test.
//!
//! What a leaf saves is an integer in f64, so results do not depend on the order in
//! which numbers are met; its bits compare as it does.

use super::multiversion;

/// Added to what is below 2^52 it leaves an integer.
const TO_INTEGER: f64 = (1u64 << 52) as f64;

/// What a leaf with too few rows saves: less than nothing, whatever is added.
const FORBIDDEN: f64 = -((1u64 << 56) as f64);

/// Columns that are worked on together.
const BLOCK: usize = 64;

/// Weight times target, and weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(16))]
pub struct Held {
    pub sum: i64,
    pub weight: i64,
}

/// The same of eight columns.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
struct Eight {
    sums: [i64; 8],
    weights: [i64; 8],
}

/// An item of a chain, and where its columns of later chains are listed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entry {
    pub item: u32,
    pub next: u32,
}

/// The items of a part and the columns that divide it.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub columns: usize,
    /// By column, whether the next one is of the same chain.
    pub chained: Vec<bool>,
    pub items: Vec<Held>,
    /// Item by item, the last column of each chain that holds it, and where they end.
    pub holders: Vec<u32>,
    pub ends: Vec<u32>,
    /// Column by column, the items of which it is the last, and where they end.
    pub entries: Vec<Entry>,
    pub entry_ends: Vec<u32>,
    pub all: Held,
    /// By item, what it adds to the columns that are the last of a chain. Built here.
    lanes: Vec<Eight>,
    /// Columns whose next one is of the same chain, the last first. Built here.
    links: Vec<u32>,
}

impl Rows {
    /// Spreads the items over the columns.
    pub fn spread(&mut self) {
        let blocks = blocks(self.columns);
        self.lanes.clear();
        self.lanes.resize(self.items.len() * blocks, Eight::default());
        let mut at = 0;
        for (item, &end) in self.ends.iter().enumerate() {
            let lanes = &mut self.lanes[item * blocks..(item + 1) * blocks];
            for &column in &self.holders[at..end as usize] {
                let (lanes, lane) = (&mut lanes[column as usize / 8], column as usize % 8);
                lanes.sums[lane] = self.items[item].sum;
                lanes.weights[lane] = self.items[item].weight;
            }
            at = end as usize;
        }
        self.links.clear();
        let chained = self.chained.iter().enumerate().rev().filter(|(_, chained)| **chained);
        self.links.extend(chained.map(|(column, _)| column as u32));
    }
}

/// Eights of a row.
#[inline(always)]
fn blocks(columns: usize) -> usize {
    columns.div_ceil(8)
}

/// What a gain needs beside sum and weight.
#[derive(Clone, Copy, Debug)]
pub struct Price {
    pub scale: f64,
    /// Weight of a leaf, at least 1.
    pub minimum: i64,
}

/// Sums and weights of pairs of columns, as squares of numbers.
#[derive(Clone, Debug, Default)]
struct Square {
    stride: usize,
    sums: Vec<i64>,
    weights: Vec<i64>,
}

/// What the sides of columns save with a few nodes below, as bits of f64.
#[derive(Clone, Debug, Default)]
pub struct Saved {
    columns: usize,
    pairs: Square,
    threes: Square,
    /// By pair of chains, what the last columns hold together.
    raw: Vec<Eight>,
    run: Vec<Eight>,
    /// With the column at hand, what is held by the last columns of later chains.
    alone: Vec<Held>,
    /// What each column holds, sums and weights.
    own: [Vec<i64>; 2],
    /// By what both columns of a pair do, what the best stump below saves.
    stumps: [Vec<i64>; 4],
    /// By most nodes, side (not held, held) and column.
    pub below: [[Vec<i64>; 2]; 4],
}

impl Square {
    fn begin(&mut self, columns: usize) {
        self.stride = columns.next_multiple_of(8) + 8;
        for numbers in [&mut self.sums, &mut self.weights] {
            numbers.clear();
            numbers.resize(columns * self.stride, 0);
        }
    }

    fn at(&self, one: usize, other: usize) -> Held {
        let at = one * self.stride + other;
        Held { sum: self.sums[at], weight: self.weights[at] }
    }

    fn set(&mut self, one: usize, other: usize, held: Held) {
        let at = one * self.stride + other;
        (self.sums[at], self.weights[at]) = (held.sum, held.weight);
    }
}

impl Saved {
    fn begin(&mut self, columns: usize, threes: bool) {
        self.columns = columns;
        self.pairs.begin(columns);
        let (stride, none) = (self.pairs.stride, FORBIDDEN.to_bits() as i64);
        for side in self.below.iter_mut().flatten() {
            side.clear();
            side.resize(stride, none);
        }
        self.alone.clear();
        self.alone.resize(columns, Held::default());
        for own in &mut self.own {
            own.clear();
            own.resize(stride, 0);
        }
        if threes {
            self.threes.begin(columns);
            self.raw.clear();
            self.raw.resize(columns * blocks(columns), Eight::default());
            self.run.clear();
            self.run.resize(blocks(columns), Eight::default());
            for stumps in &mut self.stumps {
                stumps.clear();
                stumps.resize(columns * stride, none);
            }
        }
    }

    /// What two columns hold together; the first is not after the second.
    pub fn held(&self, one: usize, other: usize) -> Held {
        self.pairs.at(one, other)
    }

    /// What a side of a column saves with at most so many nodes; negative if there
    /// is no such tree.
    pub fn saved(&self, nodes: usize, held: bool, column: usize) -> i64 {
        f64::from_bits(self.below[nodes][usize::from(held)][column] as u64) as i64
    }
}

impl std::ops::AddAssign for Held {
    #[inline(always)]
    fn add_assign(&mut self, other: Held) {
        self.sum += other.sum;
        self.weight += other.weight;
    }
}

impl std::ops::Sub for Held {
    type Output = Held;

    fn sub(self, other: Held) -> Held {
        Held { sum: self.sum - other.sum, weight: self.weight - other.weight }
    }
}

/// Adds the items of which a column is the last, to what is held with it.
#[inline(always)]
fn add<const THREES: bool>(rows: &Rows, column: usize, saved: &mut Saved) {
    let blocks = blocks(rows.columns);
    let first = if column == 0 { 0 } else { rows.entry_ends[column - 1] };
    for entry in &rows.entries[first as usize..rows.entry_ends[column] as usize] {
        let item = entry.item as usize;
        let held = rows.items[item];
        let later = &rows.holders[entry.next as usize..rows.ends[item] as usize];
        saved.alone[column] += held;
        let lanes = &rows.lanes[item * blocks..][..blocks];
        for &one in later {
            saved.alone[one as usize] += held;
            if THREES {
                // Lanes before the column itself are never looked at.
                let from = one as usize / 8;
                let raw = &mut saved.raw[one as usize * blocks..][..blocks];
                add_eights(&mut raw[from..], &lanes[from..]);
            }
        }
    }
}

/// Adds numbers; lanes that are never looked at may overflow.
#[inline(always)]
fn add_eights(to: &mut [Eight], what: &[Eight]) {
    for (to, what) in to.iter_mut().zip(what) {
        let (sums, weights) = (to.sums, to.weights);
        to.sums = std::array::from_fn(|lane| sums[lane].wrapping_add(what.sums[lane]));
        to.weights = std::array::from_fn(|lane| weights[lane].wrapping_add(what.weights[lane]));
    }
}

/// Sums what is held alone over the chains, as a row of pairs.
#[inline(always)]
fn pair_row(rows: &Rows, column: usize, saved: &mut Saved) {
    let mut held = Held::default();
    for other in (column + 1..rows.columns).rev() {
        if !rows.chained[other] {
            held = Held::default();
        }
        held += saved.alone[other];
        saved.pairs.set(column, other, held);
    }
    let mut own = saved.alone[column];
    if rows.chained[column] {
        own += saved.pairs.at(column + 1, column + 1);
    }
    saved.pairs.set(column, column, own);
    (saved.own[0][column], saved.own[1][column]) = (own.sum, own.weight);
    for other in column + 1..rows.columns {
        if !rows.chained[other - 1] {
            break;
        }
        // Of the same chain: held with all that is held by the other.
        saved.pairs.set(column, other, saved.pairs.at(other, other));
    }
}

/// Sums what pairs of columns hold with this one over the chains.
#[inline(always)]
fn threes_of(rows: &Rows, after: usize, saved: &mut Saved) {
    let (columns, blocks) = (rows.columns, blocks(rows.columns));
    let Saved { raw, run, threes, .. } = saved;
    for one in (after..columns).rev() {
        let from = one / 8;
        let raw = &raw[one * blocks..][..blocks];
        if rows.chained[one] {
            // The next column holds nothing of this one's own.
            run[from].sums[one % 8] = 0;
            run[from].weights[one % 8] = 0;
            add_eights(&mut run[from..], &raw[from..]);
        } else {
            run[from..].copy_from_slice(&raw[from..]);
        }
        let place = one * threes.stride + from * 8..one * threes.stride + blocks * 8;
        let sums = &mut threes.sums[place.clone()];
        let weights = &mut threes.weights[place];
        for (at, run) in run[from..].iter().enumerate() {
            sums[8 * at..][..8].copy_from_slice(&run.sums);
            weights[8 * at..][..8].copy_from_slice(&run.weights);
        }
        for &link in rows.links.iter().take_while(|&&link| link as usize >= one) {
            let at = link as usize - 8 * from;
            sums[at] = sums[at].wrapping_add(sums[at + 1]);
            weights[at] = weights[at].wrapping_add(weights[at + 1]);
        }
    }
}

#[inline(always)]
fn gain(sum: i64, weight: i64, price: &Price) -> f64 {
    let value = sum as f64;
    let saved = value * value * (price.scale / weight as f64) + TO_INTEGER - TO_INTEGER;
    if weight >= price.minimum { saved } else { FORBIDDEN }
}

/// Two numbers of columns, side by side.
#[derive(Clone, Copy)]
struct Lanes<'a> {
    sums: &'a [i64],
    weights: &'a [i64],
}

impl<'a> Lanes<'a> {
    fn of(square: &'a Square, row: usize, from: usize, count: usize) -> Self {
        let at = row * square.stride + from;
        Lanes { sums: &square.sums[at..at + count], weights: &square.weights[at..at + count] }
    }
}

/// What two columns leave to a third: held by both, by one, by none.
#[inline(always)]
fn cells(both: i64, one: i64, other: i64, rest: i64, [t, ik, jk, k]: [i64; 4]) -> [i64; 8] {
    let (c101, c011) = (ik - t, jk - t);
    let c001 = k - ik - c011;
    [rest - c001, c001, other - c011, c011, one - c101, c101, both - t, t]
}

/// What the leaves of three columns save, by what holds them.
#[inline(always)]
fn gains_of_three(
    fixed: [Held; 4],
    lanes: [Lanes<'_>; 4],
    price: &Price,
    gains: &mut [[f64; BLOCK]; 8],
) {
    let [both, one, other, rest] = fixed;
    for at in (0..lanes[0].sums.len()).step_by(8) {
        let [a, b, c, d] = lanes.map(|lanes| eight_of(lanes.sums, at));
        let [e, f, g, h] = lanes.map(|lanes| eight_of(lanes.weights, at));
        let mut saved = [[0.0; 8]; 8];
        for lane in 0..8 {
            let sums = [a[lane], b[lane], c[lane], d[lane]];
            let weights = [e[lane], f[lane], g[lane], h[lane]];
            let sums = cells(both.sum, one.sum, other.sum, rest.sum, sums);
            let weights = cells(both.weight, one.weight, other.weight, rest.weight, weights);
            for cell in 0..8 {
                saved[cell][lane] = gain(sums[cell], weights[cell], price);
            }
        }
        for (gains, saved) in gains.iter_mut().zip(&saved) {
            gains[at..at + 8].copy_from_slice(saved);
        }
    }
}

/// Eight numbers from a place on.
#[inline(always)]
fn eight_of(numbers: &[i64], at: usize) -> [i64; 8] {
    let mut eight = [0; 8];
    eight.copy_from_slice(&numbers[at..at + 8]);
    eight
}

/// Raises numbers to what two leaves save together.
#[inline(always)]
fn raise(best: &mut [i64], one: &[f64; BLOCK], other: &[f64; BLOCK]) {
    for ((best, one), other) in best.iter_mut().zip(one).zip(other) {
        *best = (*best).max((one + other).to_bits() as i64);
    }
}

/// The most that two leaves save together.
#[inline(always)]
fn most(one: &[f64; BLOCK], other: &[f64; BLOCK], count: usize) -> i64 {
    let mut best = FORBIDDEN.to_bits() as i64;
    for (one, other) in one[..count].iter().zip(other) {
        best = best.max((one + other).to_bits() as i64);
    }
    best
}

/// Raises what stumps save below pairs of columns, of which this is the first of three.
#[inline(always)]
fn stumps_of_threes(rows: &Rows, first: usize, price: &Price, saved: &mut Saved) {
    let (columns, stride) = (rows.columns, saved.pairs.stride);
    let own = saved.pairs.at(first, first);
    let later = (first..columns).find(|&at| !rows.chained[at]).map_or(columns, |at| at + 1);
    let mut gains = [[0.0; BLOCK]; 8];
    for second in first + 1..columns {
        let (pairs, threes) = (&saved.pairs, &saved.threes);
        let both = pairs.at(first, second);
        let (one, other) = (own - both, pairs.at(second, second) - both);
        let rest = rows.all - own - other;
        let mut from = second + 1;
        while from < columns {
            let count = (columns - from).next_multiple_of(8).min(BLOCK);
            let shared = if second < later { pairs } else { threes };
            let lanes = [
                Lanes::of(shared, second, from, count),
                Lanes::of(pairs, first, from, count),
                Lanes::of(pairs, second, from, count),
                Lanes { sums: &saved.own[0][from..], weights: &saved.own[1][from..] },
            ];
            gains_of_three([both, one, other, rest], lanes, price, &mut gains);
            let g = &gains;
            for what in 0..4 {
                let pair = &mut saved.stumps[what];
                let at = first * stride + second;
                pair[at] = pair[at].max(most(&g[2 * what], &g[2 * what + 1], count));
                let (i, k) = (what / 2, what % 2);
                raise(
                    &mut pair[first * stride + from..][..count],
                    &g[4 * i + k],
                    &g[4 * i + 2 + k],
                );
                raise(
                    &mut pair[second * stride + from..][..count],
                    &g[2 * i + k],
                    &g[4 + 2 * i + k],
                );
            }
            from += BLOCK;
        }
    }
}

/// What the leaves of a column and of others after it save, by what holds them.
#[inline(always)]
fn gains_of_two(
    [own, rest]: [Held; 2],
    [both, others]: [Lanes<'_>; 2],
    price: &Price,
    gains: &mut [[f64; BLOCK]; 4],
) {
    for at in (0..both.sums.len()).step_by(8) {
        let [a, b] = [both, others].map(|lanes| eight_of(lanes.sums, at));
        let [c, d] = [both, others].map(|lanes| eight_of(lanes.weights, at));
        let mut saved = [[0.0; 8]; 4];
        for lane in 0..8 {
            let four = |own: i64, rest: i64, both: i64, other: i64| {
                [rest - (other - both), other - both, own - both, both]
            };
            let sums = four(own.sum, rest.sum, a[lane], b[lane]);
            let weights = four(own.weight, rest.weight, c[lane], d[lane]);
            for cell in 0..4 {
                saved[cell][lane] = gain(sums[cell], weights[cell], price);
            }
        }
        for (gains, saved) in gains.iter_mut().zip(&saved) {
            gains[at..at + 8].copy_from_slice(saved);
        }
    }
}

/// The better of a leaf and the best stump.
#[inline(always)]
fn or_stump(leaf: &[f64; BLOCK], stumps: &[i64], best: &mut [f64; BLOCK]) {
    for ((best, leaf), stump) in best.iter_mut().zip(leaf).zip(stumps) {
        *best = f64::from_bits((*stump).max(leaf.to_bits() as i64) as u64);
    }
}

/// What the sides of a column save, and raises what those of the columns after it save.
#[inline(always)]
fn sides<const THREES: bool>(rows: &Rows, first: usize, price: &Price, saved: &mut Saved) {
    let (columns, stride) = (rows.columns, saved.pairs.stride);
    let own = saved.pairs.at(first, first);
    let rest = rows.all - own;
    let leaves = [gain(rest.sum, rest.weight, price), gain(own.sum, own.weight, price)];
    let (mut gains, mut best) = ([[0.0; BLOCK]; 4], [[0.0; BLOCK]; 4]);
    let mut from = first + 1;
    while from < columns {
        let count = (columns - from).next_multiple_of(8).min(BLOCK);
        let others = Lanes { sums: &saved.own[0][from..], weights: &saved.own[1][from..] };
        let lanes = [Lanes::of(&saved.pairs, first, from, count), others];
        gains_of_two([own, rest], lanes, price, &mut gains);
        let g = &gains;
        for side in 0..2 {
            let one = &mut saved.below[1][side];
            one[first] = one[first].max(most(&g[2 * side], &g[2 * side + 1], count));
            raise(&mut one[from..][..count], &g[side], &g[2 + side]);
        }
        if THREES {
            for (what, best) in best.iter_mut().enumerate() {
                or_stump(&g[what], &saved.stumps[what][first * stride + from..][..count], best);
            }
            for side in 0..2 {
                let (here, there) = ([2 * side, 2 * side + 1], [side, 2 + side]);
                let [_, _, two, three] = &mut saved.below;
                for (a, b) in [(&best, g), (g, &best)] {
                    let two = &mut two[side];
                    two[first] = two[first].max(most(&a[here[0]], &b[here[1]], count));
                    raise(&mut two[from..][..count], &a[there[0]], &b[there[1]]);
                }
                let three = &mut three[side];
                three[first] = three[first].max(most(&best[here[0]], &best[here[1]], count));
                raise(&mut three[from..][..count], &best[there[0]], &best[there[1]]);
            }
        }
        from += BLOCK;
    }
    for (side, leaf) in leaves.into_iter().enumerate() {
        saved.below[0][side][first] = leaf.to_bits() as i64;
    }
}

#[inline(always)]
fn save_body<const THREES: bool>(rows: &Rows, price: &Price, saved: &mut Saved) {
    saved.begin(rows.columns, THREES);
    for column in (0..rows.columns).rev() {
        if !rows.chained[column] {
            saved.alone[column..].fill(Held::default());
            if THREES {
                saved.raw[column * blocks(rows.columns)..].fill(Eight::default());
            }
        }
        add::<THREES>(rows, column, saved);
        pair_row(rows, column, saved);
        if THREES {
            let last = (column..rows.columns).find(|&at| !rows.chained[at]);
            threes_of(rows, last.map_or(rows.columns, |last| last + 1), saved);
            stumps_of_threes(rows, column, price, saved);
        }
    }
    for column in 0..rows.columns {
        sides::<THREES>(rows, column, price, saved);
    }
    for nodes in 1..4 {
        let (before, now) = saved.below.split_at_mut(nodes);
        for (before, now) in before[nodes - 1].iter().zip(&mut now[0]) {
            now.iter_mut().zip(before).for_each(|(now, before)| *now = (*now).max(*before));
        }
    }
}

multiversion! {
    /// What trees below the sides of all columns save: of up to three nodes if `THREES`,
    /// else of one.
    pub fn save<; const THREES: bool>(rows: &Rows, price: &Price, saved: &mut Saved) = save_body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Level;

    /// Random rows of chains of columns.
    fn rows(random: &mut fastrand::Rng) -> Rows {
        let chains: Vec<u32> = (0..random.usize(1..9)).map(|_| random.u32(1..4)).collect();
        let mut rows = Rows { columns: chains.iter().sum::<u32>() as usize, ..Rows::default() };
        for &columns in &chains {
            rows.chained.extend((1..=columns).map(|column| column < columns));
        }
        let mut cells = vec![Vec::new(); rows.columns];
        for item in 0..random.u32(1..40) {
            let held = Held { sum: random.i64(-1_000_000..1_000_000), weight: random.i64(1..4) };
            rows.items.push(held);
            rows.all += held;
            let mut first = 0;
            for &columns in &chains {
                let last = random.u32(0..=columns);
                if last > 0 {
                    let column = first + last - 1;
                    rows.holders.push(column);
                    let next = rows.holders.len() as u32;
                    cells[column as usize].push(Entry { item, next });
                }
                first += columns;
            }
            rows.ends.push(rows.holders.len() as u32);
        }
        for cell in cells {
            rows.entries.extend(cell);
            rows.entry_ends.push(rows.entries.len() as u32);
        }
        rows.spread();
        rows
    }

    /// Whether a column holds an item.
    fn holds(rows: &Rows, column: usize, item: usize) -> bool {
        let first = if item == 0 { 0 } else { rows.ends[item - 1] as usize };
        let listed = &rows.holders[first..rows.ends[item] as usize];
        let mut at = column;
        while !listed.contains(&(at as u32)) {
            if !rows.chained[at] {
                return false;
            }
            at += 1;
        }
        true
    }

    /// What the best tree of some nodes and levels saves for some items.
    fn best(rows: &Rows, items: &[usize], nodes: usize, levels: u32, price: &Price) -> i64 {
        let sum = items.iter().map(|&item| rows.items[item].sum).sum();
        let weight = items.iter().map(|&item| rows.items[item].weight).sum();
        let mut most = gain(sum, weight, price) as i64;
        for column in (0..rows.columns).filter(|_| nodes > 0 && levels > 0) {
            let (held, rest): (Vec<usize>, Vec<usize>) =
                items.iter().partition(|&&item| holds(rows, column, item));
            for share in 0..nodes {
                let one = best(rows, &held, share, levels - 1, price);
                let other = best(rows, &rest, nodes - 1 - share, levels - 1, price);
                most = most.max(if one.min(other) < 0 { -1 } else { one + other });
            }
        }
        most
    }

    #[test]
    fn all_levels_find_what_plain_enumeration_finds() {
        let mut random = fastrand::Rng::with_seed(20_261_126);
        for _ in 0..150 {
            let rows = rows(&mut random);
            let price = Price { scale: 2f64.powi(-10), minimum: random.i64(1..4) };
            let column = random.usize(0..rows.columns);
            let sides = [false, true].map(|side| -> Vec<usize> {
                (0..rows.items.len()).filter(|&item| holds(&rows, column, item) == side).collect()
            });
            for level in Level::available() {
                let (mut two, mut three) = (Saved::default(), Saved::default());
                save::<false>(level, &rows, &price, &mut two);
                save::<true>(level, &rows, &price, &mut three);
                for (side, items) in sides.iter().enumerate() {
                    for nodes in 0..4 {
                        let most = best(&rows, items, nodes, 2, &price).max(-1);
                        assert_eq!(three.saved(nodes, side == 1, column).max(-1), most);
                        if nodes < 2 {
                            assert_eq!(two.saved(nodes, side == 1, column).max(-1), most);
                        }
                    }
                }
            }
        }
    }
}
