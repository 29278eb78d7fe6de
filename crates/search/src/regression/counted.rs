//! Parts with at most three levels left of tables whose rules are columns of bits: what
//! pairs and threes of columns hold tells what every tree saves.

use super::columns::Counted;
use super::part::Part;
use super::search::Search;
use super::stump::Costed;
use crate::answer::{Answer, Bracket};
use crate::kernels::sums::{Price, Saved, save};
use exactree_model::{Cost, Limits, Tree};

/// Levels that are counted at most.
pub(crate) const LEVELS: u32 = 3;

/// Columns of which threes are counted at most.
const MOST_COLUMNS: usize = 512;

/// Room for counting, used again and again.
#[derive(Default)]
pub(crate) struct Room {
    pub counted: Counted,
    pub saved: Saved,
}

/// A root, and the most nodes on the sides of the items that it holds not and holds.
#[derive(Clone, Copy)]
struct Root {
    column: usize,
    nodes: [u32; 2],
}

impl Search<'_> {
    /// Whether parts of these limits are solved by counts.
    pub fn is_counted(&self, limits: Limits) -> bool {
        let columns = self.ground.columns.as_ref().map_or(0, |columns| columns.rules.len());
        let threes = self.options.threes && columns <= MOST_COLUMNS;
        columns > 0 && limits.depth <= if threes { LEVELS } else { LEVELS - 1 }
    }

    /// The best tree of a part with few levels left.
    pub fn counted(&mut self, part: &Part, limits: Limits, mut bracket: Bracket) -> Answer {
        self.stats.depth_two_calls += 1;
        let (least, root) = self.count(part, limits);
        if least < bracket.upper {
            let (cost, tree) = self.tree_of(part, limits, root);
            debug_assert_eq!(cost, least);
            bracket.improve(cost, tree);
        }
        self.at_least(part, limits, least, bracket)
    }

    /// What the best tree costs, and its root unless it is a leaf.
    fn count(&mut self, part: &Part, limits: Limits) -> (Cost, Option<Root>) {
        let leaf = (self.leaf(part), None);
        let Some(columns) = &self.ground.columns else { return leaf };
        let Room { counted, saved } = &mut self.room;
        counted.take(columns, &self.ground.items, part);
        let price = Price { scale: self.ground.units.gain_scale, minimum: limits.min_rows as i64 };
        match limits.depth {
            0..=2 => save::<false>(self.level, &counted.rows, &price, saved),
            _ => save::<true>(self.level, &counted.rows, &price, saved),
        }
        let roots = 0..counted.columns.len();
        let best = roots.filter_map(|number| self.best_at(part, limits, number));
        match best.min_by_key(|(cost, _)| *cost) {
            Some((cost, root)) if cost < leaf.0 => (cost, Some(root)),
            _ => leaf,
        }
    }

    /// The cheapest tree with a column of those counted as root.
    fn best_at(&self, part: &Part, limits: Limits, number: usize) -> Option<(Cost, Root)> {
        let Room { counted, saved } = &self.room;
        let most = (1 << (limits.depth - 1)) - 1;
        let mut best: Option<(Cost, Root)> = None;
        for without in 0..=most {
            for with in 0..=most.min((limits.size - 1).saturating_sub(without)) {
                let sides = [(without, false), (with, true)];
                let sides = sides.map(|(nodes, held)| saved.saved(nodes as usize, held, number));
                if sides[0] < 0 || sides[1] < 0 || without >= limits.size {
                    continue;
                }
                let leaves = Cost::from(without + with + 2);
                let cost = part.square - (sides[0] + sides[1]) as Cost + leaves * self.price;
                if best.is_none_or(|(least, _)| cost < least) {
                    let column = counted.columns[number];
                    best = Some((cost, Root { column, nodes: [without, with] }));
                }
            }
        }
        best
    }

    /// The best tree with a root that was counted.
    fn tree_of(&mut self, part: &Part, limits: Limits, root: Option<Root>) -> Costed {
        let Some(root) = root else { return (self.leaf(part), Tree::leaf(0)) };
        let Some(columns) = &self.ground.columns else { return (self.leaf(part), Tree::leaf(0)) };
        let (feature, rank) = columns.rules[root.column];
        let held_on_left = columns.on_left[root.column];
        let (left, right) = part.sides_of(self.ground, root.column);
        let [without, with] = root.nodes;
        let nodes = if held_on_left { [with, without] } else { [without, with] };
        let [left, right] = [(left, nodes[0]), (right, nodes[1])].map(|(side, nodes)| {
            let limits = Limits { depth: limits.depth - 1, size: nodes, ..limits }.normalised();
            if limits.leaf_only() {
                return (self.leaf(&side), Tree::leaf(0));
            }
            let (_, root) = self.count(&side, limits);
            self.tree_of(&side, limits, root)
        });
        (left.0 + right.0, Tree::node(feature, rank, left.1, right.1))
    }

    /// The column of the best stump.
    pub fn best_column(&mut self, part: &Part, limits: Limits) -> Option<usize> {
        self.count(part, Limits { depth: 1, size: 1, ..limits }).1.map(|root| root.column)
    }

    /// The column that divides a part most evenly of those that leave enough rows on both sides.
    pub fn most_even(&mut self, part: &Part, limits: Limits) -> Option<usize> {
        self.count(part, Limits { depth: 1, size: 1, ..limits });
        let Room { counted, saved } = &self.room;
        let held = |number: usize| saved.held(number, number).weight;
        let allowed = |number: &usize| {
            held(*number).min(part.weight - held(*number)) >= limits.min_rows as i64
        };
        let uneven = |number: &usize| (part.weight - 2 * held(*number)).abs();
        let number = (0..counted.columns.len()).filter(allowed).min_by_key(uneven)?;
        Some(counted.columns[number])
    }

    /// Trees of few levels of a part with more: the best of them, and the columns in
    /// the order of what the best with this root costs.
    pub fn shallow(&mut self, part: &Part, limits: Limits, bracket: &mut Bracket) -> Vec<usize> {
        let mut few = Limits { depth: LEVELS, ..limits }.normalised();
        while !self.is_counted(few) {
            few = Limits { depth: few.depth - 1, ..few }.normalised();
        }
        let (least, root) = self.count(part, few);
        let mut order: Vec<(Cost, usize)> = (0..self.room.counted.columns.len())
            .filter_map(|number| self.best_at(part, few, number))
            .map(|(cost, root)| (cost, root.column))
            .collect();
        order.sort_unstable();
        if least < bracket.upper {
            let (cost, tree) = self.tree_of(part, few, root);
            bracket.improve(cost, tree);
        }
        order.into_iter().map(|(_, column)| column).collect()
    }
}
