//! A rule of a node: both its sides, by counts or by search.

use super::node::{Beside, Hits};
use super::open_rules::{Trial, Tried};
use super::rules::Node;
use super::search::{Answer, BinarySearch, Bracket, usable};
use crate::kernels::chunks::Lane;
use exactree_model::{Cost, Limits, UNBOUNDED};

impl<L: Lane> BinarySearch<'_, L> {
    /// Tries a rule with all shares of the size.
    pub fn try_rule(&mut self, trial: &Trial, node: &Node<'_, L>) -> Tried {
        self.sides.forget();
        let mut bracket = Bracket { upper: trial.upper, lower: 0, found: None };
        let mut tried = Tried { lower: UNBOUNDED, sides: [None; 2], tree: None };
        for &share in &node.shares {
            let lower = self.try_share(trial, share, node, &mut tried.sides, &mut bracket);
            tried.lower = tried.lower.min(lower);
        }
        tried.tree = bracket.found;
        tried
    }

    /// Returns a lower bound on the trees with this rule as root and this share;
    /// what is shown of sides with the widest limits goes to `shown`.
    fn try_share(
        &mut self,
        trial: &Trial,
        share: (u32, u32),
        node: &Node<'_, L>,
        shown: &mut [Option<Cost>; 2],
        bracket: &mut Bracket,
    ) -> Cost {
        let rule = trial.rule;
        let sizes = [share.0, share.1];
        let glimpses =
            [0, 1].map(|side| self.glimpse(node, (rule, side == 0), node.limits.side(sizes[side])));
        let mut lower = [0, 1].map(|side: usize| {
            let seen = glimpses[side].as_ref().map_or(0, |glimpse| glimpse.lower());
            seen.max(trial.sides[side]).max(shown[side].unwrap_or(0))
        });
        let mut trees: [Option<Solved>; 2] = [None, None];
        let larger = (2 * node.weights[rule] < node.part.weight) as usize;
        for side in [larger, 1 - larger] {
            if lower[0] + lower[1] >= bracket.upper {
                return lower[0] + lower[1];
            }
            let limits = node.limits.side(sizes[side]);
            let upper = bracket.upper - lower[1 - side];
            let glimpse = glimpses[side].as_ref();
            let solved = self.solve_side(node, (rule, side == 0), limits, upper, glimpse);
            lower[side] = lower[side].max(solved.lower());
            trees[side] = Some(solved);
            if sizes[side] == node.widest {
                shown[side] = Some(lower[side]);
            }
        }
        if let [Some(left), Some(right)] = trees {
            self.take_root(rule, sizes, [left, right], node, bracket);
        }
        lower[0] + lower[1]
    }

    /// Builds the tree of a rule and its two sides, if it is cheaper than what there is.
    fn take_root(
        &mut self,
        rule: usize,
        sizes: [u32; 2],
        solved: [Solved; 2],
        node: &Node<'_, L>,
        bracket: &mut Bracket,
    ) {
        let costs = solved.each_ref().map(Solved::cost);
        let [Some(left), Some(right)] = costs else { return };
        let cost = self.objective.join(left, right);
        if cost >= bracket.upper {
            return;
        }
        let mut trees = Vec::with_capacity(2);
        for (side, solved) in solved.into_iter().enumerate() {
            trees.push(match solved {
                Solved::Searched(answer) => answer.tree.map(|(_, tree)| tree),
                Solved::Counted(_) | Solved::Glimpsed(..) => {
                    let part = node.part.side(self.columns, self.level, rule, side == 0);
                    let limits = usable(&part, node.limits.side(sizes[side]).depth_two());
                    Some(self.small_tree(&part, limits).1)
                }
            });
        }
        let (Some(right), Some(left)) = (trees.pop().flatten(), trees.pop().flatten()) else {
            return;
        };
        bracket.improve(cost, || self.asked(&node.part, rule, left, right));
    }

    /// Counts the trees of depth two of a side that may be deeper. Where leaves have
    /// a price all deeper ones have to pay for two nodes more than a stump, so
    /// that little counting often settles the side.
    fn glimpse(
        &mut self,
        node: &Node<'_, L>,
        side: (usize, bool),
        limits: Limits,
    ) -> Option<Glimpse> {
        if limits.depth <= 2 || self.objective.leaf_price == 0 || !self.options.look_ahead {
            return None;
        }
        let columns = &node.part.columns;
        let column = columns.column(side.0);
        let within = |at: usize| if side.1 { column[at] } else { columns.all[at] & !column[at] };
        let unavoidable = columns.unavoidable_in(within);
        let (hits, beside) = self.seen(node, side, limits);
        let shallow = self.least_cost(node.weight(side), &hits, limits.size);
        Some(Glimpse { shallow, deeper: self.deeper(unavoidable, beside) })
    }

    /// Solves a side of a rule as far as it can stay below `upper`.
    fn solve_side(
        &mut self,
        node: &Node<'_, L>,
        side: (usize, bool),
        limits: Limits,
        upper: Cost,
        glimpse: Option<&Glimpse>,
    ) -> Solved {
        let (rule, left) = side;
        if limits.depth <= 2 {
            return Solved::Counted(self.counted(node, side, limits));
        }
        if let Some(glimpse) = glimpse.filter(|glimpse| glimpse.shallow <= glimpse.deeper) {
            return Solved::Counted(glimpse.shallow);
        }
        if let Some(glimpse) = glimpse.filter(|_| node.part.path.len() >= self.expanded) {
            return Solved::Glimpsed(glimpse.shallow, glimpse.deeper);
        }
        let limits = self.within_price(limits, upper);
        let members = node.part.members_on(self.columns, rule, left);
        let known = match self.remembered(&members, limits, upper) {
            Ok(answer) => return Solved::Searched(answer),
            Err(known) => known,
        };
        let part = node.part.side(self.columns, self.level, rule, left);
        let answer = self.searched(&part, limits, upper, known);
        self.sides.forget();
        Solved::Searched(answer)
    }

    /// Least cost of a tree of depth at most two for a side of a rule.
    fn counted(&mut self, node: &Node<'_, L>, side: (usize, bool), limits: Limits) -> Cost {
        let (hits, _) = self.seen(node, side, limits);
        self.least_cost(node.weight(side), &hits, limits.size)
    }

    /// What counting tells of a side of a rule.
    fn seen(&mut self, node: &Node<'_, L>, side: (usize, bool), limits: Limits) -> (Hits, Beside) {
        let path = node.part.path_to(side.0, side.1);
        let known = if self.options.path_memo { self.counted.get(&path) } else { None };
        self.stats.discards.path_memo += known.is_some() as u64;
        known.unwrap_or_else(|| {
            self.stats.depth_two_calls += 1;
            let (columns, needed) = (&node.part.columns, self.needed());
            let (level, minimum) = (self.level, limits.min_rows);
            let seen = self.sides.hits(level, columns, &node.counts, side, minimum, needed);
            if self.options.path_memo {
                self.counted.insert(path, seen);
            }
            seen
        })
    }
}

/// What is known of a side before it is searched.
struct Glimpse {
    /// Least cost of a tree of depth at most two.
    shallow: Cost,
    /// No other tree costs less.
    deeper: Cost,
}

impl Glimpse {
    fn lower(&self) -> Cost {
        self.shallow.min(self.deeper)
    }
}

/// A side of a rule.
enum Solved {
    /// Its least cost, that of a tree of depth at most two, which is built when it
    /// is wanted.
    Counted(Cost),
    /// The least cost of its trees of depth at most two, and a lower bound on all others.
    Glimpsed(Cost, Cost),
    Searched(Answer),
}

impl Solved {
    fn lower(&self) -> Cost {
        match self {
            Solved::Counted(cost) => *cost,
            Solved::Glimpsed(shallow, deeper) => *shallow.min(deeper),
            Solved::Searched(answer) => answer.lower,
        }
    }

    fn cost(&self) -> Option<Cost> {
        match self {
            Solved::Counted(cost) | Solved::Glimpsed(cost, _) => Some(*cost),
            Solved::Searched(answer) => answer.tree.as_ref().map(|tree| tree.0),
        }
    }
}
