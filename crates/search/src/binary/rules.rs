//! A node with three or more levels left: its rules one by one, most promising first.

use super::node::Counts;
use super::part::Part;
use super::search::{Answer, BinarySearch, Bracket, usable};
use super::siblings::SideBounds;
use crate::kernels::chunks::Lane;
use crate::mutants::{Mutant, off};
use exactree_model::{Cost, Limits, Tree, UNBOUNDED, Weight};

/// What a node knows of its rules.
struct Node<'p, L> {
    part: &'p Part,
    limits: Limits,
    counts: Counts<L>,
    /// Weight on the left of each rule.
    weights: Vec<Weight>,
    bounds: SideBounds,
    shares: Vec<(u32, u32)>,
    /// Size that a side may have at most: the bounds hold for so much.
    widest: u32,
}

impl<L: Lane> BinarySearch<'_, L> {
    /// The best tree with an inner root.
    pub fn try_rules(&mut self, part: &Part, limits: Limits, mut bracket: Bracket) -> Answer {
        self.sides.forget();
        let mut counts = self.spare.pop().unwrap_or_default();
        counts.take(self.level, part, limits.min_rows);
        if self.depth_two_suffices(part, limits, &counts, &mut bracket) {
            self.spare.push(counts);
            return Answer { lower: bracket.lower, tree: bracket.found };
        }
        let mut node = self.node(part, limits, counts);
        // By rule, what was proved of trees with that root beyond `bounds`.
        let order = self.in_order(&node);
        let mut proved = vec![UNBOUNDED; node.weights.len()];
        order.iter().for_each(|&rule| proved[rule] = 0);
        self.open_calls += 1;
        for rule in order {
            let lower = |node: &Node<'_, L>, proved: &[Cost]| {
                least(&node.bounds, proved).max(bracket.lower)
            };
            if self.must_stop(&bracket, || lower(&node, &proved)) {
                break;
            }
            if node.bounds.of(rule) >= bracket.upper {
                self.stats.discards.similar_sides += 1;
                continue;
            }
            proved[rule] = self.try_rule(rule, &mut node, &mut bracket);
        }
        self.open_calls -= 1;
        let lower = least(&node.bounds, &proved).max(bracket.lower);
        self.spare.push(node.counts);
        Answer { lower, tree: bracket.found }
    }

    /// Takes the best tree of depth two as incumbent; whether no other can beat it.
    fn depth_two_suffices(
        &self,
        part: &Part,
        limits: Limits,
        counts: &Counts<L>,
        bracket: &mut Bracket,
    ) -> bool {
        let hits = counts.hits(self.level, limits.min_rows);
        let shallow = self.least_cost(part.weight, &hits, limits.size);
        if shallow < bracket.upper {
            let (cost, tree) = self.tree_of(part, counts, limits.depth_two());
            bracket.improve(cost, || tree);
        }
        bracket.lower = bracket.lower.max(self.deeper(part.unavoidable).min(shallow));
        bracket.lower >= bracket.upper
    }

    fn node<'p>(&self, part: &'p Part, limits: Limits, counts: Counts<L>) -> Node<'p, L> {
        let shares = limits.shares();
        let widest = shares.iter().map(|share| share.0.max(share.1)).max().unwrap_or(0);
        let side = limits.side(widest);
        let rules = part.columns.rules.len();
        let mut class_weights = Vec::with_capacity(part.class_weights.len());
        let mut bound = |rule: usize, left: bool| {
            class_weights.clear();
            class_weights.extend(counts.class_weights(rule, left));
            let column = part.columns.column(rule);
            let unavoidable =
                part.columns.unavoidable_in(|at| if left { column[at] } else { !column[at] });
            self.floor(&class_weights, unavoidable, side)
        };
        let bounds = [true, false].map(|left| (0..rules).map(|rule| bound(rule, left)).collect());
        let weights = (0..rules).map(|rule| counts.weight(rule)).collect();
        Node { part, limits, counts, weights, bounds: SideBounds(bounds), shares, widest }
    }

    /// The rules that the limits allow, by how much trees of depth two with this
    /// root get right.
    fn in_order(&self, node: &Node<'_, L>) -> Vec<usize> {
        let allowed = |rule: &usize| {
            let on_left = node.weights[*rule];
            on_left.min(node.part.weight - on_left) >= node.limits.min_rows
        };
        let stumps = &node.counts.stumps;
        let right = |rule: &usize| stumps.left[*rule].wide() + stumps.right[*rule].wide();
        let mut rules: Vec<usize> = (0..node.weights.len()).filter(allowed).collect();
        rules.sort_by_key(|rule| std::cmp::Reverse(right(rule)));
        rules
    }

    /// Tries a rule with all shares of the size; returns a lower bound on all trees
    /// with this root.
    fn try_rule(&mut self, rule: usize, node: &mut Node<'_, L>, bracket: &mut Bracket) -> Cost {
        let mut lower = UNBOUNDED;
        for share in 0..node.shares.len() {
            lower = lower.min(self.try_share(rule, node.shares[share], node, bracket));
        }
        lower
    }

    fn try_share(
        &mut self,
        rule: usize,
        share: (u32, u32),
        node: &mut Node<'_, L>,
        bracket: &mut Bracket,
    ) -> Cost {
        let sizes = [share.0, share.1];
        let glimpses =
            [0, 1].map(|side| self.glimpse(node, (rule, side == 0), node.limits.side(sizes[side])));
        let mut lower = [0, 1].map(|side: usize| {
            let seen = glimpses[side].as_ref().map_or(0, |glimpse| glimpse.lower());
            seen.max(node.bounds.0[side][rule])
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
            if sizes[side] == node.widest && self.options.similar_sides && limits.min_rows == 1 {
                let price = self.objective.error_price;
                node.bounds.learn(
                    &node.counts,
                    &node.weights,
                    (rule, side == 0),
                    lower[side],
                    price,
                );
            } else if sizes[side] == node.widest {
                node.bounds.0[side][rule] = lower[side];
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
                Solved::Counted(_) => {
                    let part = node.part.side(&self.columns, self.level, rule, side == 0);
                    let limits = usable(&part, node.limits.side(sizes[side]).depth_two());
                    Some(self.small_tree(&part, limits).1)
                }
            });
        }
        let (Some(right), Some(left)) = (trees.pop().flatten(), trees.pop().flatten()) else {
            return;
        };
        bracket.improve(cost, || Tree::node(self.feature(node.part, rule), 0, left, right));
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
        let deeper = self.deeper(columns.unavoidable_in(within));
        Some(Glimpse { shallow: self.counted(node, side, limits), deeper })
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
        let limits = self.within_price(limits, upper);
        let members = node.part.members_on(&self.columns, rule, left);
        if let Some(answer) = self.remembered(&members, limits, upper) {
            return Solved::Searched(answer);
        }
        let part = node.part.side(&self.columns, self.level, rule, left);
        let answer = self.searched(&part, limits, upper);
        self.sides.forget();
        Solved::Searched(answer)
    }

    /// Least cost of a tree of depth at most two for a side of a rule.
    fn counted(&mut self, node: &Node<'_, L>, side: (usize, bool), limits: Limits) -> Cost {
        let (rule, left) = side;
        let weight = if left { node.weights[rule] } else { node.part.weight - node.weights[rule] };
        let path = node.part.path_to(rule, left);
        let known =
            if self.options.path_memo { self.counted.get(&path[..]).copied() } else { None };
        self.stats.discards.path_memo += known.is_some() as u64;
        let hits = known.unwrap_or_else(|| {
            self.stats.depth_two_calls += 1;
            let columns = &node.part.columns;
            let hits = self.sides.hits(self.level, columns, &node.counts, side, limits.min_rows);
            if self.options.path_memo {
                if self.counted.len() >= self.most_counted {
                    self.counted.clear();
                }
                self.counted.insert(path.into_boxed_slice(), hits);
            }
            hits
        });
        self.least_cost(weight, &hits, limits.size)
    }

    /// Least cost of a tree that is deeper than two: with three rules on a path
    /// it has four leaves or more.
    fn deeper(&self, unavoidable: Weight) -> Cost {
        let leaves = (3 + off(Mutant::ThreeOnAPath)) * self.objective.leaf_price;
        self.objective.leaf(self.unavoidable(unavoidable)) + leaves
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
    Searched(Answer),
}

impl Solved {
    fn lower(&self) -> Cost {
        match self {
            Solved::Counted(cost) => *cost,
            Solved::Searched(answer) => answer.lower,
        }
    }

    fn cost(&self) -> Option<Cost> {
        match self {
            Solved::Counted(cost) => Some(*cost),
            Solved::Searched(answer) => answer.tree.as_ref().map(|tree| tree.0),
        }
    }
}

/// No tree with an inner root costs less.
fn least(bounds: &SideBounds, proved: &[Cost]) -> Cost {
    let of = |(rule, proved): (usize, &Cost)| bounds.of(rule).max(*proved);
    proved.iter().enumerate().map(of).min().unwrap_or(UNBOUNDED)
}
