//! How many rules unlike pairs need: the pair bound (Witty: Staus et al., AAAI
//! 2025), by choosing pairs greedily instead of by linear programme.
//!
//! A tree without errors has, for every two items of different classes, a rule
//! that separates them. If no rule separates two of some pairs, there are at
//! least as many rules as pairs. Inside the leaves of a witness tree, whose
//! nodes separate none of these pairs, the same holds for the rules to come.
//!
//! With errors the pairs chosen share no items, so that giving up the lighter
//! item of a pair is the least that saves a rule; the cheapest are given up.

use super::ground::Ground;
use super::search::Search;
use super::tree::Kind;
use crate::limits::Clock;
use crate::sets::{Set, and, contains, members, without};
use exactree_model::Weight;

/// Pairs looked at, at most: for larger tables those of the first items.
const PAIRS: usize = 1 << 18;

/// Items of a table whose unlike items are kept in order, at most.
const NEAREST: usize = 1 << 10;

/// Rules that every tree for the table needs.
pub fn pair_bound<const W: usize>(ground: &Ground<W>, clock: &Clock<'_>) -> u32 {
    let mut pairs = Vec::new();
    for item in 0..ground.items as u32 {
        if clock.stopped() || pairs.len() > PAIRS {
            break;
        }
        let unlike =
            without(&ground.everything(), &ground.classes[ground.class[item as usize] as usize]);
        let later = members(&unlike).filter(|&other| other > item);
        pairs.extend(later.map(|other| (ground.distance(item, other), item, other)));
    }
    if clock.stopped() {
        return 0;
    }
    pairs.sort_unstable();
    needed(ground, &pairs, ground.errors, u32::MAX)
}

/// Rules needed for pairs, which are in order of distance, when items of some
/// weight may be given up. May stop counting beyond `most`.
pub fn needed<const W: usize>(
    ground: &Ground<W>,
    pairs: &[(u64, u32, u32)],
    errors: Weight,
    most: u32,
) -> u32 {
    let mut chosen: Vec<(u32, u32)> = Vec::new();
    for &(_, a, b) in pairs {
        let apart = |&(c, d): &(u32, u32)| {
            let shared = errors > 0 && (a == c || a == d || b == c || b == d);
            !shared && !one_rule_separates(ground, (a, b), (c, d))
        };
        if chosen.iter().all(apart) {
            chosen.push((a, b));
            if errors == 0 && chosen.len() as u32 > most {
                break;
            }
        }
    }
    let mut prices: Vec<Weight> =
        chosen.iter().map(|&(a, b)| ground.weight(a).min(ground.weight(b))).collect();
    prices.sort_unstable();
    let mut spent = 0;
    let given_up = prices.iter().take_while(|price| {
        spent += **price;
        spent <= errors
    });
    (chosen.len() - given_up.count()) as u32
}

/// Whether some rule separates both pairs.
fn one_rule_separates<const W: usize>(
    ground: &Ground<W>,
    (a, b): (u32, u32),
    (c, d): (u32, u32),
) -> bool {
    let first = ground.ranks(a).iter().zip(ground.ranks(b));
    let second = ground.ranks(c).iter().zip(ground.ranks(d));
    first.zip(second).any(|((a, b), (c, d))| a.min(b).max(c.min(d)) < a.max(b).min(c.max(d)))
}

/// By item, the items of other classes, nearest first.
pub struct Nearest(Vec<Vec<u32>>);

impl Nearest {
    /// None for a table of too many items.
    pub fn new<const W: usize>(ground: &Ground<W>) -> Option<Self> {
        let unlike = |item: u32| {
            let own = &ground.classes[ground.class[item as usize] as usize];
            let mut unlike: Vec<u32> = members(&without(&ground.everything(), own)).collect();
            unlike.sort_by_cached_key(|&other| ground.distance(item, other));
            unlike
        };
        (ground.items <= NEAREST).then(|| Nearest((0..ground.items as u32).map(unlike).collect()))
    }

    /// The items of other classes, nearest first.
    pub fn in_order(&self, item: u32) -> impl Iterator<Item = u32> + '_ {
        self.0[item as usize].iter().copied()
    }

    /// The nearest to an item among some items of other classes.
    pub fn of<const W: usize>(&self, item: u32, among: &Set<W>) -> Option<u32> {
        self.0[item as usize].iter().copied().find(|&other| contains(among, other))
    }
}

impl<const W: usize> Search<'_, W> {
    /// Whether pairs of a dirty item and one of the leaf's class inside the
    /// leaf need more than `left` rules.
    pub fn leaf_pairs_exceed(&self, open: &Set<W>, left: u32) -> bool {
        let Some(nearest) = self.nearest else { return false };
        let mut pairs = Vec::new();
        for spot in &self.tree.spots {
            if let Kind::Leaf { class } = spot.kind {
                let unlike = and(&spot.part, open);
                let own = and(&spot.part, &self.ground.classes[class as usize]);
                // What the solution misclassifies need not be separated.
                let own = without(&own, &self.settled);
                for item in members(&unlike) {
                    let near = nearest.of(item, &own);
                    pairs
                        .extend(near.map(|other| (self.ground.distance(item, other), item, other)));
                }
            }
        }
        pairs.sort_unstable();
        let allowed = self.ground.errors - self.ground.weigh(&self.settled);
        needed(self.ground, &pairs, allowed, left) > left
    }
}
