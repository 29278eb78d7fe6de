//! The ways in which the two children of a split share the constraints of a subset.

use crate::constraints::prepared_constraints::PreparedConstraints;
use crate::engine::subset_state::{LeafCondition, SubsetState};

/// Lists the pairs of states of the two children of a split; every tree with this split that keeps
/// `state` has children that keep one of these pairs.
pub(crate) fn shares(
    constraints: &PreparedConstraints<'_>,
    state: &SubsetState,
    column: usize,
    rank: u32,
) -> Vec<[SubsetState; 2]> {
    let feature = constraints.features[column];
    let mut above = state.above.clone();
    let is_parent = constraints.statement.only_below.contains(&Some(feature));
    if let Err(place) = above.binary_search(&feature)
        && is_parent
    {
        above.insert(place, feature);
    }
    let (left, right): (Vec<LeafCondition>, Vec<LeafCondition>) =
        state.conditions.iter().cloned().partition(|condition| condition.point[column] <= rank);
    let needed: Vec<u32> = state.required.iter().copied().filter(|&f| f != feature).collect();
    let mut pairs = Vec::new();
    for required in subsets_of(&needed) {
        let rest = needed.iter().copied().filter(|feature| !required.contains(feature)).collect();
        let (required, rest): (Vec<u32>, Vec<u32>) = (required, rest);
        for quotas in divided(&state.quotas) {
            let child =
                |required: &[u32], quotas: Vec<(u32, u32)>, conditions: &[LeafCondition]| {
                    let (above, required) = (above.clone(), required.to_vec());
                    let conditions = conditions.to_vec();
                    SubsetState { above, required, quotas, conditions, undirected_root: false }
                };
            let [mine, other] = quotas;
            pairs.push([child(&required, mine, &left), child(&rest, other, &right)]);
        }
    }
    pairs
}

/// All subsets of some features, each in order.
fn subsets_of(features: &[u32]) -> Vec<Vec<u32>> {
    let mut found = vec![Vec::new()];
    for &feature in features {
        let more: Vec<Vec<u32>> =
            found.iter().map(|set: &Vec<u32>| [set.as_slice(), &[feature]].concat()).collect();
        found.extend(more);
    }
    found
}

/// All ways to divide the leaves of classes between two children.
fn divided(quotas: &[(u32, u32)]) -> Vec<[Vec<(u32, u32)>; 2]> {
    let mut found = vec![[Vec::new(), Vec::new()]];
    for &(class, most) in quotas {
        let mut more = Vec::new();
        for [left, right] in &found {
            for mine in 0..=most {
                let with =
                    |quotas: &Vec<(u32, u32)>, most| [quotas.as_slice(), &[(class, most)]].concat();
                more.push([with(left, mine), with(right, most - mine)]);
            }
        }
        found = more;
    }
    found
}

/// The ranks of a split between two neighbouring ranks of a subset, one for each way to route the
/// points of the conditions; `high` is the smallest rank on the right.
pub(crate) fn ranks_between(state: &SubsetState, column: usize, low: u32, high: u32) -> Vec<u32> {
    let middle = low.midpoint(high - 1);
    let mut edges: Vec<u32> = state.conditions.iter().map(|c| c.point[column]).collect();
    edges.retain(|&rank| low < rank && rank < high);
    edges.sort_unstable();
    edges.dedup();
    // A point of rank r goes left at ranks r and above.
    let starts = std::iter::once(low).chain(edges.iter().copied());
    let ends = edges.iter().copied().chain([high]);
    starts.zip(ends).map(|(first, beyond)| middle.clamp(first, beyond - 1)).collect()
}
