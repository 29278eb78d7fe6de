//! Subsets of the points that span flats.

/// All subsets of `k` of `n` points that begin with a prefix of one or two points, in increasing order.
pub(super) struct Combinations {
    n: u32,
    fixed: usize,
    chosen: Vec<u32>,
    started: bool,
}

impl Combinations {
    /// `fixed` points of a prefix, and the next points after it.
    pub(super) fn beginning(prefix: &[u32], k: usize, n: u32) -> Self {
        let last = prefix.last().copied().unwrap_or(0);
        let more = (k - prefix.len()) as u32;
        let chosen = prefix.iter().copied().chain(last + 1..last + 1 + more).collect();
        Combinations { n, fixed: prefix.len(), chosen, started: false }
    }

    /// The next subset; `None` after the last.
    pub(super) fn next(&mut self) -> Option<&[u32]> {
        let k = self.chosen.len();
        if !self.started {
            self.started = true;
            let fits = self.chosen.last().is_none_or(|&last| last < self.n);
            return fits.then_some(&self.chosen[..]);
        }
        let room = |place: usize| self.chosen[place] < self.n - (k - place) as u32;
        let place = (self.fixed..k).rev().find(|&place| room(place))?;
        self.chosen[place] += 1;
        for after in place + 1..k {
            self.chosen[after] = self.chosen[after - 1] + 1;
        }
        Some(&self.chosen)
    }
}

/// The prefixes from which `Combinations` begin: all single points if k is 1, else all pairs.
pub(super) fn prefix(number: usize, k: usize, n: u32) -> Option<Vec<u32>> {
    if k == 1 {
        return (number < n as usize).then(|| vec![number as u32]);
    }
    // Pairs (first, second) with first < second, by their second point.
    let second = ((((8 * number + 1) as f64).sqrt() + 1.0) / 2.0) as usize;
    let start = |second: usize| second * (second - 1) / 2;
    let second = (second.saturating_sub(1).max(1)..=second + 1)
        .rev()
        .find(|&second| start(second) <= number)?;
    let first = number - start(second);
    (second < n as usize).then(|| vec![first as u32, second as u32])
}
