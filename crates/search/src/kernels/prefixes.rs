//! Extremes of the prefixes of an inner feature in both children of a root, for all thresholds of
//! the root feature at once.
//!
//! Of the rows in the order of the inner feature only some are *open*: on the left of some
//! thresholds of the root and on the right of others. Between two open rows lies a *gap*: the
//! extremes, in either child, of the prefixes that end there, counted without the open rows.
//!
//! The thresholds are split into sixteen runs of equal length. For a run, only the rows placed in
//! it stay open. The rows before the run are in the left child, those after it in the right child;
//! they are *settled*: they shift all prefixes that follow, and the gaps beside them are joined.
//! One pass does that for all runs, one run per lane. So each run has as many open rows as
//! thresholds, and is split recursively: with n rows, each row is processed about log16(n) times.
//!
//! Ancestor: the tree of prefix extremes of Auer, Holte and Maass (ICML 1995), which processes one
//! row at a time; this takes a third of the time.

// Lanes by index: the plain form is the one that compiles to vector instructions.
#![allow(clippy::needless_range_loop)]

use super::{InstructionSet, multiversion};

/// Number of runs split side by side: the lanes of the widest instruction.
const RUNS: usize = 16;

/// The maximum prefix in the left and in the right child, then the minimum prefixes, negated.
pub(crate) type Gap = [i32; 4];

/// Less than all prefixes however shifted: the extremes of a gap in which no prefix ends.
const NONE: i32 = -(1 << 30);

/// Total weights from here on do not fit into the lanes.
pub(crate) const TOO_HEAVY: u64 = 1 << 29;

/// A row: its place in the order of the root feature, and its contribution to a prefix.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PrefixRow {
    pub place: u32,
    pub step: i32,
}

/// Open rows in the order of a feature, and the gaps before, between and after them.
#[derive(Clone, Default)]
struct OpenRows {
    rows: Vec<PrefixRow>,
    gaps: Vec<Gap>,
}

/// Workspace of the passes.
pub(crate) struct Prefixes {
    open: OpenRows,
    /// By level, the runs of one pass.
    runs: Vec<OpenRows>,
    /// The numbers of the lanes. Not a constant: if the compiler knew them, it would unroll the
    /// loop into sixteen versions.
    numbers: [i32; RUNS],
}

impl Default for Prefixes {
    fn default() -> Self {
        let numbers = std::array::from_fn(|lane| lane as i32);
        Prefixes { open: OpenRows::default(), runs: Vec::new(), numbers }
    }
}

impl Prefixes {
    /// Prepares the rows in the order of a feature, each with whether a threshold of that feature
    /// may follow it. The `count` rows from place `first` on are open.
    pub(crate) fn prepare(
        &mut self,
        order: impl Iterator<Item = (PrefixRow, bool)>,
        first: u32,
        count: usize,
    ) {
        let OpenRows { rows, gaps } = &mut self.open;
        rows.resize(count + 1, PrefixRow::default());
        gaps.resize(count + 1, [NONE; 4]);
        // Every row is written and only open rows are kept, and steps are masked, so that no branch
        // can be mispredicted. Places and counts are below the total weight.
        let (first, count) = (first as i32, count as i32);
        // The empty prefix stands for no threshold.
        let (mut at, mut settled, mut gap) = (0, [0; 4], [0; 4]);
        for (PrefixRow { place, step }, ends) in order {
            let within = place as i32 - first;
            let (left, right) = (within >> 31, (count - 1 - within) >> 31);
            rows[at] = PrefixRow { place: within as u32, step };
            gaps[at] = gap;
            at += (left | right == 0) as usize;
            let (left_step, right_step) = (step & left, step & right);
            let steps = [left_step, right_step, -left_step, -right_step];
            let (open, ends) = (!(left | right), -(ends as i32));
            for lane in 0..4 {
                settled[lane] += steps[lane];
                let before = (gap[lane] & !open) | (NONE & open);
                gap[lane] = before.max((settled[lane] & ends) | (NONE & !ends));
            }
        }
        gaps[at] = gap;
    }

    /// The extremes at every threshold of the root: before each open row, by its place.
    pub(crate) fn extremes(&mut self, instructions: InstructionSet, found: &mut Vec<Gap>) {
        let count = self.open.gaps.len() - 1;
        found.resize(count, [NONE; 4]);
        let levels = count.max(2).ilog2() as usize / RUNS.ilog2() as usize + 1;
        self.runs.resize(levels.max(self.runs.len()), OpenRows::default());
        let OpenRows { rows, gaps } = &self.open;
        let kernel = (instructions, &self.numbers);
        at_every_threshold(kernel, &rows[..count], gaps, &mut self.runs, found);
    }
}

fn at_every_threshold(
    kernel: (InstructionSet, &[i32; RUNS]),
    rows: &[PrefixRow],
    gaps: &[Gap],
    runs: &mut [OpenRows],
    found: &mut [Gap],
) {
    let (instructions, numbers) = kernel;
    if rows.len() <= RUNS {
        return settle(instructions, numbers, rows, gaps, found);
    }
    let (run, below) = runs.split_first_mut().expect("one for every level");
    if run.rows.len() < rows.len() {
        run.rows.resize(rows.len(), PrefixRow::default());
        run.gaps.resize(rows.len() + RUNS, [NONE; 4]);
    }
    let bits = (rows.len() - 1).ilog2() / RUNS.ilog2() * RUNS.ilog2();
    split(instructions, numbers, rows, gaps, bits, &mut run.rows, &mut run.gaps);
    for (at, found) in found.chunks_mut(1 << bits).enumerate() {
        let (first, count) = (at << bits, found.len());
        let gaps = &run.gaps[first + at..=first + at + count];
        at_every_threshold(kernel, &run.rows[first..first + count], gaps, below, found);
    }
}

/// State of a pass for every run: by child the sum of the settled rows, and the last gap. Aligned,
/// because it is read and written at every row.
#[repr(align(64))]
struct PrefixLanes {
    settled: [[i32; RUNS]; 2],
    gaps: [[i32; RUNS]; 4],
}

impl PrefixLanes {
    fn new(gap: &Gap) -> Self {
        let gaps = [[gap[0]; RUNS], [gap[1]; RUNS], [gap[2]; RUNS], [gap[3]; RUNS]];
        PrefixLanes { settled: [[0; RUNS]; 2], gaps }
    }

    /// Settles a row placed in run `run`: in the left child for all later runs, in the right child
    /// for all earlier runs and, if `last`, also for its own run.
    #[inline(always)]
    fn settle(&mut self, numbers: &[i32; RUNS], run: i32, step: i32, last: bool) {
        let [left, right] = &mut self.settled;
        for lane in 0..RUNS {
            left[lane] += step & ((run - numbers[lane]) >> 31);
        }
        for lane in 0..RUNS {
            right[lane] += step & ((numbers[lane] - run - last as i32) >> 31);
        }
    }

    /// Joins a gap with the last gap of every run; in the run selected by `new` it begins a new
    /// gap.
    #[inline(always)]
    fn join(&mut self, new: &[i32; RUNS], gap: &Gap) {
        let [left, right] = &self.settled;
        let [left_max, right_max, left_min, right_min] = &mut self.gaps;
        let last = |lane: i32, new: i32| (lane & !new) | (NONE & new);
        for lane in 0..RUNS {
            left_max[lane] = last(left_max[lane], new[lane]).max(gap[0] + left[lane]);
        }
        for lane in 0..RUNS {
            right_max[lane] = last(right_max[lane], new[lane]).max(gap[1] + right[lane]);
        }
        for lane in 0..RUNS {
            left_min[lane] = last(left_min[lane], new[lane]).max(gap[2] - left[lane]);
        }
        for lane in 0..RUNS {
            right_min[lane] = last(right_min[lane], new[lane]).max(gap[3] - right[lane]);
        }
    }
}

/// A mask: all bits set in the lane of this number.
#[inline(always)]
fn lane_of(numbers: &[i32; RUNS], number: i32) -> [i32; RUNS] {
    let mut mask = [0; RUNS];
    for lane in 0..RUNS {
        mask[lane] = ((numbers[lane] ^ number) - 1) >> 31;
    }
    mask
}

/// The last gap of one run.
#[inline(always)]
fn gap_of(gaps: &[[i32; RUNS]; 4], run: usize) -> Gap {
    [gaps[0][run], gaps[1][run], gaps[2][run], gaps[3][run]]
}

#[inline(always)]
fn split_body(
    numbers: &[i32; RUNS],
    rows: &[PrefixRow],
    gaps: &[Gap],
    bits: u32,
    to_rows: &mut [PrefixRow],
    to_gaps: &mut [Gap],
) {
    let mut lanes = PrefixLanes::new(&gaps[0]);
    let mut ends: [usize; RUNS] = std::array::from_fn(|run| run << bits);
    for (&PrefixRow { place, step }, gap) in rows.iter().zip(&gaps[1..]) {
        let run = (place >> bits) as i32;
        let own = run as usize % RUNS;
        let end = ends[own];
        ends[own] = end + 1;
        to_rows[end] = PrefixRow { place: place & ((1 << bits) - 1), step };
        to_gaps[end + own] = gap_of(&lanes.gaps, own);
        lanes.settle(numbers, run, step, false);
        lanes.join(&lane_of(numbers, run), gap);
    }
    for (run, end) in ends.into_iter().enumerate() {
        if run << bits < rows.len() {
            to_gaps[end + run] = gap_of(&lanes.gaps, run);
        }
    }
}

multiversion! {
    /// Splits the thresholds of open rows into runs of 2^bits thresholds.
    fn split<>(
        numbers: &[i32; RUNS],
        rows: &[PrefixRow],
        gaps: &[Gap],
        bits: u32,
        to_rows: &mut [PrefixRow],
        to_gaps: &mut [Gap],
    ) = split_body
}

#[inline(always)]
fn settle_body(numbers: &[i32; RUNS], rows: &[PrefixRow], gaps: &[Gap], found: &mut [Gap]) {
    let mut lanes = PrefixLanes::new(&gaps[0]);
    let no_lane = lane_of(numbers, RUNS as i32);
    for (&PrefixRow { place, step }, gap) in rows.iter().zip(&gaps[1..]) {
        lanes.settle(numbers, place as i32, step, true);
        lanes.join(&no_lane, gap);
    }
    for (threshold, found) in found.iter_mut().enumerate() {
        *found = gap_of(&lanes.gaps, threshold);
    }
}

multiversion! {
    /// The extremes at the thresholds of a few rows, one in every lane.
    fn settle<>(numbers: &[i32; RUNS], rows: &[PrefixRow], gaps: &[Gap], found: &mut [Gap]) = settle_body
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(order: &[(PrefixRow, bool)], threshold: u32) -> Gap {
        let (mut gap, mut now) = ([0; 4], [0; 2]);
        for (row, ends) in order {
            now[(row.place >= threshold) as usize] += row.step;
            if *ends {
                let extremes = [now[0], now[1], -now[0], -now[1]];
                gap = std::array::from_fn(|lane| gap[lane].max(extremes[lane]));
            }
        }
        gap
    }

    fn agree(order: &[(PrefixRow, bool)], first: usize, count: usize) {
        for instructions in InstructionSet::available() {
            let (mut prefixes, mut found) = (Prefixes::default(), Vec::new());
            // The remains of another order do no harm.
            prefixes.prepare(order.iter().rev().copied(), 0, order.len());
            prefixes.extremes(instructions, &mut found);
            prefixes.prepare(order.iter().copied(), first as u32, count);
            prefixes.extremes(instructions, &mut found);
            assert_eq!(found.len(), count);
            for (at, found) in found.iter().enumerate() {
                assert_eq!(*found, naive(order, (first + at) as u32), "{first} {count} {at}");
            }
        }
    }

    fn order(places: &[u32], drawn: &[(i32, bool)]) -> Vec<(PrefixRow, bool)> {
        let row = |(&place, &(step, ends)): (&u32, &(i32, bool))| (PrefixRow { place, step }, ends);
        places.iter().zip(drawn).map(row).collect()
    }

    proptest! {
        #[test]
        fn every_threshold_agrees_with_the_naive_prefixes(
            places in Just((0..600).collect::<Vec<u32>>()).prop_shuffle(),
            drawn in prop::collection::vec((-9i32..10, any::<bool>()), 600),
            rows in 1usize..600,
            ends in (0usize..600, 0usize..600),
        ) {
            let places: Vec<u32> = places.into_iter().filter(|&at| (at as usize) < rows).collect();
            let order = order(&places, &drawn);
            let (a, b) = (ends.0 % rows, ends.1 % rows);
            agree(&order, a.min(b), a.abs_diff(b) + 1);
        }
    }

    #[test]
    fn runs_that_are_just_full_or_hold_one_row_more_agree() {
        let mut random = fastrand::Rng::with_seed(20_261_121);
        for rows in [1, 2, 15, 16, 17, 255, 256, 257, 4095, 4096, 4097] {
            let mut places: Vec<u32> = (0..rows).collect();
            random.shuffle(&mut places);
            let drawn: Vec<_> = places.iter().map(|_| (random.i32(-1..2), random.bool())).collect();
            let order = order(&places, &drawn);
            for instructions in InstructionSet::available() {
                let (mut prefixes, mut found) = (Prefixes::default(), Vec::new());
                prefixes.prepare(order.iter().copied(), 0, rows as usize);
                prefixes.extremes(instructions, &mut found);
                for at in [0, rows / 3, rows.saturating_sub(2), rows - 1] {
                    assert_eq!(found[at as usize], naive(&order, at));
                }
            }
        }
    }

    #[test]
    fn the_heaviest_rows_do_not_overflow() {
        let heaviest = TOO_HEAVY as i32 - 1;
        for (step, heavy) in [(heaviest, 0), (-heaviest, 0), (heaviest, 299), (-heaviest, 150)] {
            let places: Vec<u32> = (0..300).map(|at| at * 7 % 300).collect();
            let step = |at| if at == heavy { step } else { 0 };
            let drawn: Vec<_> = (0..300).map(|at| (step(at), at % 50 == 49)).collect();
            agree(&order(&places, &drawn), 0, 300);
        }
    }
}
