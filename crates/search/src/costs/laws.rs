//! The laws of costs of leaves, tested on random items of each cost.

use super::any_cost::AnyCost;
use super::class_costs::{ClassCosts, ShareCost};
use super::items::{CostItem, CostTotals};
use super::leaf_cost::{LeafCost, LeafRounding};
use super::units::{TargetError, Units};
use crate::support::random_weights;
use exactree_model::{Cost, Weight};

/// The costs: squared error in usual and in fine units, absolute error, a matrix, log-loss, Gini.
const KINDS: usize = 6;

/// A random cost of targets or classes with these codes and weights.
fn draw(random: &mut fastrand::Rng, kind: usize, by_code: &[Weight]) -> AnyCost {
    let codes = by_code.len();
    if kind < 3 {
        let spread = [1.0, 1e-6, 1e9][random.usize(0..3)];
        let mut targets: Vec<f64> = (0..codes).map(|_| random.f64() * spread).collect();
        targets.sort_by(f64::total_cmp);
        let error = [TargetError::Squared, TargetError::Squared, TargetError::Absolute][kind];
        let units = Units::of_targets(error, &targets, by_code, 0.0);
        return units.finer().filter(|_| kind == 1).unwrap_or(units).cost;
    }
    let costs = match kind {
        3 => {
            let row = |_| (0..codes).map(|_| random.u64(0..500)).collect();
            ClassCosts::Matrix { by_class: (0..codes).map(row).collect(), price: 0 }
        }
        _ => {
            let added = match random.u32(0..3) {
                0 => vec![0.0; codes],
                1 => vec![1.0; codes],
                _ => (0..codes).map(|_| random.f64() * 30.0 + 1e-3).collect(),
            };
            let whole: Vec<i64> = by_code.iter().map(|&weight| weight as i64).collect();
            let kind = [ShareCost::LogLoss, ShareCost::Gini][kind - 4];
            ClassCosts::of_shares(kind, added, &whole, 0.0).0
        }
    };
    AnyCost::Classes(costs)
}

/// A random cost, and items in its order.
fn draw_items(random: &mut fastrand::Rng, kind: usize) -> (AnyCost, Vec<CostItem>) {
    let (count, codes) = (random.usize(1..12), random.usize(2..5));
    // Costs of a matrix are products of weights and entries.
    let weights = random_weights::weights(random, count, if kind == 3 { 43 } else { 60 });
    let code_of: Vec<u32> = (0..count).map(|_| random.u32(0..codes as u32)).collect();
    let mut by_code = vec![0; codes];
    code_of.iter().zip(&weights).for_each(|(&code, weight)| by_code[code as usize] += weight);
    let cost = draw(random, kind, &by_code);
    let item = |(&code, &weight)| cost.item(code, weight, 1).0;
    let mut items: Vec<CostItem> = code_of.iter().zip(&weights).map(item).collect();
    items.sort_by(|a, b| cost.compare(a, b));
    (cost, items)
}

fn totals(cost: &AnyCost, items: &[CostItem]) -> CostTotals {
    let mut totals = CostTotals::of_none(cost.classes());
    items.iter().for_each(|item| totals.add(item));
    totals
}

fn leaf(cost: &AnyCost, items: &[CostItem]) -> Cost {
    if items.is_empty() { 0 } else { cost.leaf(&totals(cost, items), items.iter()) }
}

#[test]
fn more_items_never_lower_the_cost_of_a_leaf_nor_raise_it_by_more_than_their_reach() {
    let mut random = fastrand::Rng::with_seed(20_261_128);
    for kind in 0..KINDS {
        let mut tight = 0;
        for _ in 0..10_000 {
            let (cost, items) = draw_items(&mut random, kind);
            let at = random.usize(0..items.len());
            let (whole, after) = (totals(&cost, &items), leaf(&cost, &items));
            let mut others = items.clone();
            let item = others.remove(at);
            let before = leaf(&cost, &others);
            let rounding = cost.growth(1).max(2 * cost.leaf_error(items.len()));
            assert!(after + rounding >= before, "{cost:?} {items:?} {at}");
            let reach = cost.reach(&item, &whole).min(after);
            assert!(after <= before + reach + rounding, "{cost:?} {items:?} {at}");
            tight += u32::from(before > 0 && reach < after);
        }
        assert!(tight > 100, "{kind}: {tight}");
    }
}

#[test]
fn bounds_of_groups_of_equal_rows_are_at_most_the_cost_of_their_leaf() {
    let mut random = fastrand::Rng::with_seed(20_261_128);
    for kind in 0..KINDS {
        let mut tight = 0;
        for _ in 0..10_000 {
            let (cost, items) = draw_items(&mut random, kind);
            let mut groups = vec![Vec::new(); random.usize(1..4)];
            for &item in &items {
                let group = random.usize(0..groups.len());
                groups[group].push(item);
            }
            let filled = groups.iter().filter(|group| !group.is_empty());
            let bound: Cost = filled.map(|group| cost.equal_rows_bound(group)).sum();
            let leaf = leaf(&cost, &items);
            let rounding = cost.growth(groups.len() as u32).max(cost.leaf_error(items.len()));
            assert!(bound <= leaf + rounding, "{cost:?} {groups:?}");
            tight += u32::from(bound > leaf / 2 && leaf > 0);
        }
        assert!(tight > 1_000, "{kind}: {tight}");
    }
}

#[test]
fn two_leaves_of_one_target_cost_no_less_than_one_where_a_cost_says_so() {
    let mut random = fastrand::Rng::with_seed(20_261_128);
    for kind in 0..KINDS {
        let mut exceptions = 0;
        for _ in 0..10_000 {
            let (cost, mut items) = draw_items(&mut random, kind);
            let code = items[0].low;
            items.retain(|item| item.low == code);
            let (left, right) = items.split_at(random.usize(0..=items.len()));
            let two = leaf(&cost, left) + leaf(&cost, right);
            let rounding = cost.growth(2).max(2 * cost.leaf_error(items.len()));
            let cheaper = two + rounding < leaf(&cost, &items);
            assert!(!cheaper || !cost.laws().one_target, "{cost:?} {items:?}");
            exceptions += u32::from(cheaper);
        }
        // Smoothed impurities are the exception.
        assert!(kind == 5 || exceptions == 0, "{kind}: {exceptions}");
    }
}

#[test]
fn one_leaf_costs_no_less_than_several_where_a_cost_says_so() {
    let mut random = fastrand::Rng::with_seed(20_261_129);
    for kind in 0..KINDS {
        let (mut more_expensive, mut exceptions) = (0, 0);
        for _ in 0..10_000 {
            let (cost, items) = draw_items(&mut random, kind);
            let mut leaves = vec![Vec::new(); random.usize(2..4)];
            for &item in &items {
                let place = random.usize(0..leaves.len());
                leaves[place].push(item);
            }
            let one = leaf(&cost, &items);
            let several: Cost = leaves.iter().map(|items| leaf(&cost, items)).sum();
            let rounding = 4 * cost.leaf_error(items.len());
            let cheaper = one + rounding < several;
            assert!(!cheaper || !cost.laws().super_additive, "{cost:?} {leaves:?}");
            exceptions += u32::from(cheaper);
            more_expensive += u32::from(one > several + rounding);
        }
        assert!(more_expensive > 1_000, "{kind}: {more_expensive}");
        // Smoothed shares are the exception.
        assert!(if kind < 4 { exceptions == 0 } else { exceptions > 10 }, "{kind}: {exceptions}");
    }
}
