//! Random problems under constraints.

use super::ErrorLeaves;
use super::trees::Instance;
use crate::constraints::statement::TreeConstraints;
use crate::support::random_weights;
use exactree_model::{Cost, Errors, Limits, Table, UNBOUNDED, Weight};
use num_bigint::BigUint;

/// The columns of a random problem, and its limits.
pub(crate) struct DrawnColumns {
    pub columns: Vec<Vec<f64>>,
    pub limits: Limits,
    /// Number of features with an order.
    numeric: usize,
    /// By column: its feature.
    features: Vec<u32>,
    /// By feature: the values of a category; see `TreeConstraints::values`.
    values: Vec<Vec<Vec<u32>>>,
}

/// Draws columns and limits.
pub(crate) fn draw_columns(random: &mut fastrand::Rng) -> DrawnColumns {
    // Three levels have very many trees.
    let depth = [0, 1, 2, 2, 2, 3][random.usize(0..6)];
    let deep = depth == 3;
    let rows = random.usize(2..[8, 12, 8, 7][depth as usize]);
    let numeric = if deep { 2 } else { random.usize(1..4) };
    let ranks = if deep { 3 } else { random.u32(2..5) };
    let mut columns: Vec<Vec<f64>> = (0..numeric)
        .map(|_| (0..rows).map(|_| f64::from(random.u32(0..ranks))).collect())
        .collect();
    let mut features: Vec<u32> = (0..numeric as u32).collect();
    let mut values: Vec<Vec<Vec<u32>>> = vec![Vec::new(); numeric];
    // A category: a column for each of its codes.
    if !deep && random.bool() {
        let codes: Vec<u32> = (0..rows).map(|_| random.u32(0..3)).collect();
        let kept: Vec<u32> = (0..3).filter(|code| codes.contains(code)).collect();
        for &code in &kept {
            features.push(numeric as u32);
            columns.push(codes.iter().map(|&other| f64::from(u32::from(other == code))).collect());
        }
        let code = |other: u32| kept.iter().map(|&code| u32::from(code == other)).collect();
        values.push(kept.iter().copied().chain([9]).map(code).collect());
    }
    let size = if random.bool() { (1 << depth) - 1 } else { random.u32(0..4) };
    let min_samples_leaf = [1, 1, 2][random.usize(0..3)];
    let limits = Limits { depth, size, min_samples_leaf };
    DrawnColumns { columns, limits, numeric, features, values }
}

/// Draws constraints: monotone features if `monotone`; limits on the leaves of one of `classes`,
/// none in regression. `total` is the weight of all rows, `price` that of a feature.
pub(crate) fn draw_constraints(
    random: &mut fastrand::Rng,
    drawn: &DrawnColumns,
    (monotone, classes): (bool, u32),
    (total, price): (Weight, Cost),
) -> TreeConstraints {
    let count = drawn.values.len();
    let direction =
        |feature: usize, random: &mut fastrand::Rng| match monotone && feature < drawn.numeric {
            true => random.i8(-1..2),
            false => 0,
        };
    let some = |random: &mut fastrand::Rng| random.u32(0..6) == 0;
    let long = [0, 90][random.usize(0..2)];
    let chosen = |random: &mut fastrand::Rng| (0..count as u32).filter(|_| some(random)).collect();
    TreeConstraints {
        directions: (0..count).map(|feature| direction(feature, random)).collect(),
        in_shares: random.bool(),
        required: chosen(random),
        only_below: (0..count as u32)
            .map(|feature| {
                some(random).then(|| random.u32(0..count as u32)).filter(|f| *f < feature)
            })
            .collect(),
        max_features: some(random).then(|| random.usize(0..3)),
        prices: (0..count).map(|_| if some(random) { price } else { 0 }).collect(),
        quotas: match classes > 0 && some(random) {
            true => vec![(random.u32(0..classes), random.u32(0..3))],
            false => vec![],
        },
        min_leaf_weight: if some(random) { random.u64(0..=total / 3) } else { 0 },
        error_costs: Vec::new(),
        share_scale: BigUint::from(random.u64(1..4)) << long,
        share_added: match random.bool() {
            true => (0..classes)
                .map(|_| BigUint::from(random.u64(0..3) * random.u64(0..=total / 8)) << long)
                .collect(),
            false => Vec::new(),
        },
        values: drawn.values.clone(),
        features: drawn.features.clone(),
    }
}

/// The same constraints without `max_features` or prices of features.
pub(crate) fn without_choice(constraints: TreeConstraints) -> TreeConstraints {
    let prices = vec![0; constraints.prices.len()];
    TreeConstraints { max_features: None, prices, ..constraints }
}

/// Draws a problem whose errors are minimized, with weights that contain the costs of errors and
/// are then `rounded`.
pub(crate) fn draw_errors(
    random: &mut fastrand::Rng,
    rounded: impl Fn(Weight) -> Weight,
) -> Instance<ErrorLeaves> {
    let drawn = draw_columns(random);
    let rows = drawn.columns[0].len();
    let classes = 2 + random.u32(0..2);
    let labels: Vec<u32> = (0..rows).map(|_| random.u32(0..classes)).collect();
    // The total weight times the price of an error is below 2^59, so that all costs are below 2^62.
    let costs = [(40, 1), (40, 2), (59, 1), (43, 1 << 16), (20, 1 << 39)];
    let (bits, error_price): (u32, Cost) = costs[random.usize(0..costs.len())];
    let scaled = random.bool();
    let unscaled = random_weights::weights(random, rows, if scaled { bits - 2 } else { bits });
    let costs: Vec<u64> = (0..classes).map(|_| if scaled { random.u64(1..4) } else { 1 }).collect();
    let weight = |(&label, &weight): (&u32, &Weight)| rounded(weight * costs[label as usize]);
    let weights: Vec<Weight> = labels.iter().zip(&unscaled).map(weight).collect();
    let columns = &drawn.columns;
    let table =
        Table::read_scaled(&|| false, columns, &labels, (&weights, &unscaled), classes as usize)
            .expect("nothing stops it");
    let total: Weight = unscaled.iter().sum();
    let monotone = classes == 2 && random.u32(0..4) > 0;
    let price = (total / 9 + 1) * error_price;
    let mut constraints = draw_constraints(random, &drawn, (monotone, classes), (total, price));
    if scaled {
        let long = [0, 90][random.usize(0..2)];
        constraints.error_costs = costs.iter().map(|&cost| BigUint::from(cost) << long).collect();
    }
    let below = match random.u32(0..6) {
        0 => random.u64(0..=total / 2) * error_price + 1,
        _ => UNBOUNDED,
    };
    let leaf_price = [0, 0, 1, 3, total / 20 * error_price][random.usize(0..5)];
    let points = grid(&constraints, &table, drawn.columns.len());
    let leaves = ErrorLeaves { objective: Errors { error_price, leaf_price }, below };
    Instance { limits: drawn.limits, table, constraints, points, leaves }
}

/// All points, as ranks by column of the problem; columns of one value have rank 0.
pub(crate) fn grid(constraints: &TreeConstraints, table: &Table, columns: usize) -> Vec<Vec<u32>> {
    let mut points = vec![vec![0; columns]];
    for (feature, values) in constraints.values.iter().enumerate() {
        let own: Vec<usize> =
            (0..columns).filter(|&c| constraints.features[c] as usize == feature).collect();
        let count = |column: usize| {
            let of_table = table.features.iter().find(|f| f.index as usize == column);
            of_table.map_or(1, |feature| feature.values.len() as u32)
        };
        let options: Vec<Vec<u32>> = match values.is_empty() {
            true => (0..count(own[0])).map(|rank| vec![rank]).collect(),
            false => values.clone(),
        };
        points = points
            .iter()
            .flat_map(|point| {
                options.iter().map(|ranks| {
                    let mut point = point.clone();
                    own.iter().zip(ranks).for_each(|(&column, &rank)| point[column] = rank);
                    point
                })
            })
            .collect();
    }
    points
}
