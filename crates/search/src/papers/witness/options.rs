//! The switches of the witness search.

use crate::support::options::options;

options! { WitnessOptions {
    incumbent: "start from a greedy tree",
    dirty_priority: "branch on the dirty item with the fewest refinements (Witty: Staus et al., AAAI 2025; argument in papers/witness/dirty_examples.rs)",
    fixed_errors: "settle items as errors once no solution classifies them (argument in papers/witness/dirty_examples.rs)",
    equal_refinements: "of refinements that split a subset in the same way try only one (argument in papers/witness/refinements.rs)",
    improvement_bound: "bound the number of refinements by those that the dirty items of every class need (Witty; argument in papers/witness/bounds.rs)",
    needed_improvement: "skip refinements that correct less weight than the improvement bound requires (argument in papers/witness/improvements.rs)",
    pair_bound: "start from a lower bound: the number of rules, possibly fractional, that separate all unlike pairs (Witty, by linear programme; argument in papers/witness/pairs.rs)",
    leaf_pairs: "at every search node count unlike pairs inside leaves, chosen such that no rule separates two of the pairs (Witty; argument in papers/witness/pairs.rs)",
    pure_borders: "of rules that split off items of one class only, keep the rule that splits off most (Witty; argument in papers/witness/reductions.rs)",
    equal_rules: "of rules that split the table in the same way keep only one (Witty; argument in papers/witness/reductions.rs)",
    mergeable_features: "join features whose rules are nested (Witty; argument in papers/witness/reductions.rs)",
    threshold_constraints: "a wider rule must keep some of the items that narrower rules do not capture (Witty; argument in papers/witness/constraints.rs)",
    height_constraints: "a higher node must keep some of the dirty items it was inserted for (Witty; argument in papers/witness/constraints.rs)",
    pure_children: "of rules with a pure or clean child try only one (argument in papers/witness/pure_children.rs)",
    last_node: "decide directly whether one node suffices (argument in papers/witness/last_node.rs)",
    subset_caching: "solve leaves separately and cache bounds on the nodes they need (Witty; argument in papers/witness/caching.rs)",
} }
