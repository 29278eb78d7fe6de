//! Fills T[u, v] for all boxes, inner boxes first.

use super::grid::{Corners, Grid};
use super::request::{BoxOptions, BoxStats};
use crate::support::clock::Clock;
use crate::support::statistics::Progress;
use exactree_model::{Table, UNBOUNDED};

/// Number of splits compared or boxes filled between two polls of the clock.
const CLOCK_INTERVAL: u64 = 1 << 14;

/// The entry of a box: 0 if the box is empty, an odd number that encodes the class if all items are
/// of one class, otherwise twice the minimum size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BoxEntry(u32);

impl BoxEntry {
    const EMPTY: BoxEntry = BoxEntry(0);

    fn one_class(class: u32) -> Self {
        BoxEntry(2 * class + 1)
    }

    #[inline]
    fn mixed(size: u32) -> Self {
        BoxEntry(2 * size)
    }

    #[inline]
    pub(super) fn class(self) -> Option<u32> {
        (self.0 & 1 == 1).then_some(self.0 >> 1)
    }

    /// The minimum size.
    #[inline]
    pub(super) fn size(self) -> u32 {
        if self.0 & 1 == 1 { 0 } else { self.0 >> 1 }
    }
}

/// The table T.
pub(super) struct Boxes<'a> {
    pub grid: &'a Grid,
    options: &'a BoxOptions,
    /// Box entries as plain numbers, since the system provides zeroed memory on first use: no time
    /// is spent on initializing a large table.
    entries: Vec<u32>,
    pub stats: BoxStats,
}

impl<'a> Boxes<'a> {
    /// The table with the boxes of one cell filled and all others empty.
    pub(super) fn new(table: &Table, grid: &'a Grid, options: &'a BoxOptions) -> Self {
        let boxes = grid.boxes() as usize;
        let mut entries = vec![BoxEntry::EMPTY.0; boxes];
        for (item, example) in table.items.iter().enumerate() {
            let cell = grid.cell(|feature| table.features[feature].ranks[item] as usize);
            entries[cell] = BoxEntry::one_class(example.class).0;
        }
        let stats = BoxStats { entries: boxes as u64, ..BoxStats::default() };
        Boxes { grid, options, entries, stats }
    }

    /// The entry of the box with this number.
    #[inline]
    pub(super) fn at(&self, number: usize) -> BoxEntry {
        BoxEntry(self.entries[number])
    }

    pub(super) fn complete(&self) -> bool {
        self.stats.filled == self.stats.entries
    }

    /// Fills the table in the order of the numbers of boxes. Returns the greatest size.
    ///
    /// A box never needs more nodes than a box around it, since a tree of the outer box also
    /// classifies the inner one. So the greatest size is a lower bound on that of the last box,
    /// which contains all items.
    pub(super) fn fill(&mut self, clock: &Clock<'_>, progress: &Progress) -> u64 {
        let mut corners = self.grid.first();
        let (mut greatest, mut next_poll) = (0, 0);
        while corners.number < self.entries.len() {
            if self.stats.filled + self.stats.splits >= next_poll {
                next_poll = self.stats.filled + self.stats.splits + CLOCK_INTERVAL;
                progress.report(UNBOUNDED, greatest);
                if clock.stopped() {
                    return greatest;
                }
            }
            let entry = self.entry(&corners);
            self.entries[corners.number] = entry.0;
            greatest = greatest.max(u64::from(entry.size()));
            self.stats.filled += 1;
            self.grid.advance(&mut corners);
        }
        progress.report(UNBOUNDED, greatest);
        greatest
    }

    /// T[u, v]; the entry of a box of one cell is already there.
    fn entry(&mut self, corners: &Corners) -> BoxEntry {
        // The items of a box are those of its last slice and of the box before it.
        let wide = |feature: &usize| corners.v[*feature] - corners.u[*feature] > 1;
        let Some(feature) = (0..self.grid.values.len()).find(wide) else {
            return self.at(corners.number);
        };
        let (before, slice) = self.grid.children(corners, feature, corners.v[feature] - 1);
        let (before, slice) = (self.at(before), self.at(slice));
        let empty = before == BoxEntry::EMPTY && slice == BoxEntry::EMPTY;
        if empty || (before.class().is_some() && slice == BoxEntry::EMPTY) {
            return before;
        }
        if slice.class().is_some() && (before == BoxEntry::EMPTY || before == slice) {
            return slice;
        }
        if self.options.empty_borders
            && let Some(inner) = self.without_border(corners)
        {
            self.stats.empty_borders += 1;
            return inner;
        }
        self.best_split(corners)
    }

    /// The minimum T[u, v_i(t)] + T[u_i(t), v] + 1 over all splits of all features.
    fn best_split(&mut self, corners: &Corners) -> BoxEntry {
        let floor = if self.options.inner_subsets { self.greatest_inner(corners) } else { 0 };
        let mut best = u32::MAX;
        for feature in 0..self.grid.values.len() {
            for t in corners.u[feature] + 1..corners.v[feature] {
                let (left, right) = self.grid.children(corners, feature, t);
                let size = self.at(left).size() + self.at(right).size() + 1;
                self.stats.splits += 1;
                best = best.min(size);
                if best == floor {
                    self.stats.inner_subsets += 1;
                    return BoxEntry::mixed(best);
                }
            }
        }
        BoxEntry::mixed(best)
    }

    /// The entry of the box without an empty border, if it has one: both boxes have the same items.
    fn without_border(&self, corners: &Corners) -> Option<BoxEntry> {
        self.borders(corners)
            .find_map(|(inner, border)| (border == BoxEntry::EMPTY).then_some(inner))
    }

    /// The greatest size of the boxes without one border. It is a lower bound on the size of this
    /// box, so a split that attains it is best.
    fn greatest_inner(&self, corners: &Corners) -> u32 {
        self.borders(corners).map(|(inner, _)| inner.size()).max().unwrap_or(0)
    }

    /// For both ends of every feature, the entries of the box without the border at that end and of
    /// the border itself.
    fn borders<'b>(
        &'b self,
        corners: &'b Corners,
    ) -> impl Iterator<Item = (BoxEntry, BoxEntry)> + 'b {
        (0..self.grid.values.len())
            .flat_map(move |feature| {
                let (u, v) = (corners.u[feature], corners.v[feature]);
                let ends = (v - u > 1).then(|| {
                    let (first, above) = self.grid.children(corners, feature, u + 1);
                    let (below, last) = self.grid.children(corners, feature, v - 1);
                    [(above, first), (below, last)]
                });
                ends.into_iter().flatten()
            })
            .map(|(inner, border)| (self.at(inner), self.at(border)))
    }
}
