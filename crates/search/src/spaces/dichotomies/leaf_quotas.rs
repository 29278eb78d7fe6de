//! Leaf quotas: limits on the number of leaves of some classes. They are part of a subset, because a
//! node divides them between its children in every way.
//!
//! Apart from the relaxation without quotas (`relaxation.rs`) and the bounds that hold for all trees,
//! nothing is pruned: a subset may cost more than its superset, whose leaves may predict another class.

use exactree_model::Tree;

/// Classes with their maximum number of leaves.
pub(super) type LeafQuotas = Vec<(u32, u32)>;

/// Whether a leaf may predict a class.
pub(super) fn allows(quotas: &[(u32, u32)], class: u32) -> bool {
    quotas.iter().all(|&(limited, maximum)| limited != class || maximum > 0)
}

/// Whether a tree is within the quotas.
pub(super) fn keeps_quotas(quotas: &[(u32, u32)], tree: &Tree) -> bool {
    quotas.iter().all(|&(class, maximum)| tree.leaves_of(class) <= maximum)
}

/// All ways to divide quotas between two children.
pub(super) fn divisions(quotas: &[(u32, u32)]) -> Vec<[LeafQuotas; 2]> {
    let mut ways: Vec<[LeafQuotas; 2]> = vec![Default::default()];
    for &(class, maximum) in quotas {
        let divided = |way: &[LeafQuotas; 2], at_first: u32| {
            let mut way = way.clone();
            way[0].push((class, at_first));
            way[1].push((class, maximum - at_first));
            way
        };
        let all = |way| (0..=maximum).map(move |at_first| divided(way, at_first));
        ways = ways.iter().flat_map(all).collect();
    }
    ways
}
