//! Trees with few leaves of some classes: every rule, and every way to share the
//! leaves among both sides.
//!
//! A tree within the quotas is a tree. So the best tree without them is a lower
//! bound, and if it keeps them it is the answer. Otherwise nothing is discarded:
//! a part may be harder than a larger one, whose leaves predict another class.

use super::field::Part;
use super::search::{Search, usable};
use crate::answer::{Answer, Bracket};
use exactree_model::{Cost, Errors, Limits, Tree, UNBOUNDED};
use std::rc::Rc;

/// Classes, and how many leaves may predict each.
type Quotas = Vec<(u32, u32)>;

impl Search<'_> {
    /// As `best`, with quotas.
    pub(super) fn best_with_quotas(
        &mut self,
        part: &Part,
        limits: Limits,
        quotas: &[(u32, u32)],
        upper: Cost,
    ) -> Answer {
        let limits = usable(part, limits);
        // No tree has more leaves than examples, which have a slot each at least.
        let slots = part.members.count();
        let quotas: Quotas = quotas.iter().filter(|(_, most)| *most < slots).copied().collect();
        self.open_calls += 1;
        let free = self.best(part, limits, upper);
        self.open_calls -= 1;
        let kept = |tree: &Tree| quotas.iter().all(|&(class, most)| leaves_of(tree, class) <= most);
        if free.lower >= upper
            || free.tree.as_ref().is_some_and(|(cost, tree)| *cost == free.lower && kept(tree))
        {
            self.stats.discards.relaxed += 1;
            return free;
        }
        let mut bracket = Bracket::above(upper);
        let class = Errors::leaf_class(&part.class_weights);
        let leaf = self.objective.leaf(part.leaf_errors());
        if quotas.iter().all(|&(limited, most)| limited != class || most > 0) {
            bracket.improve(leaf, Tree::leaf(class));
        }
        let roots = match limits.leaf_only() {
            true => UNBOUNDED,
            false => self.roots_with_quotas(part, limits, &quotas, free.lower, &mut bracket),
        };
        let least = roots.min(bracket.found.as_ref().map_or(UNBOUNDED, |found| found.0));
        Answer { tree: bracket.found, ..Answer::at_least(least.min(upper).max(free.lower)) }
    }

    fn roots_with_quotas(
        &mut self,
        part: &Part,
        limits: Limits,
        quotas: &[(u32, u32)],
        floor: Cost,
        bracket: &mut Bracket,
    ) -> Cost {
        let field = self.field(part, limits);
        let names = Rc::new(field.names.clone());
        let mut least = UNBOUNDED;
        for root in self.promising(&field, limits) {
            if bracket.upper <= floor || self.clock.stopped() {
                return floor;
            }
            self.stats.roots += 1;
            let (left, right) = part.divide(self.ground, names[root], &names);
            for (at_left, at_right) in limits.shares() {
                for (for_left, for_right) in shared(quotas) {
                    let open = self.floor(&right, limits.side(at_right));
                    let most = bracket.upper.saturating_sub(open);
                    let one = self.best_with_quotas(&left, limits.side(at_left), &for_left, most);
                    let most = bracket.upper.saturating_sub(one.lower);
                    let (at_least, Some((a, one))) = (one.lower, one.tree) else {
                        least = least.min(one.lower + open);
                        continue;
                    };
                    let other =
                        self.best_with_quotas(&right, limits.side(at_right), &for_right, most);
                    least = least.min(at_least + other.lower);
                    if let Some((b, other)) = other.tree
                        && a + b < bracket.upper
                    {
                        bracket.improve(a + b, Tree::node(names[root], 0, one, other));
                    }
                }
            }
        }
        least
    }
}

fn leaves_of(tree: &Tree, class: u32) -> u32 {
    match tree {
        Tree::Leaf { class: predicted } => u32::from(*predicted == class),
        Tree::Node { left, right, .. } => leaves_of(left, class) + leaves_of(right, class),
    }
}

/// All ways to share quotas among two sides.
fn shared(quotas: &[(u32, u32)]) -> Vec<(Quotas, Quotas)> {
    let mut ways = vec![(Vec::new(), Vec::new())];
    for &(class, most) in quotas {
        ways = ways
            .iter()
            .flat_map(|(left, right): &(Quotas, Quotas)| {
                (0..=most).map(move |at_left| {
                    let mut way = (left.clone(), right.clone());
                    way.0.push((class, at_left));
                    way.1.push((class, most - at_left));
                    way
                })
            })
            .collect();
    }
    ways
}
