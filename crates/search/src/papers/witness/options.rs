//! The switches of the witness search.

use crate::support::options::options;

options! { WitnessOptions {
    incumbent: "start from a greedy tree",
    dirty_priority: "branch on the dirty item with the fewest refinements (Witty: Staus et al., AAAI 2025; argument in papers/witness/dirty_examples.rs)",
    fixed_errors: "what was tried in vain as right is an error from then on (argument in papers/witness/dirty_examples.rs)",
    equal_refinements: "of refinements that split a subset alike try one (argument in papers/witness/refinements.rs)",
    improvement_bound: "count the refinements that the dirty items of every class need (Witty; argument in papers/witness/bounds.rs)",
    needed_improvement: "with it, leave out refinements that put right less than the bound needs of one (argument in papers/witness/improvements.rs)",
    pair_bound: "begin at the number of rules that separate all unlike pairs, in fractions (Witty, by linear programme; argument in papers/witness/pairs.rs)",
    leaf_pairs: "count unlike pairs inside the leaves that no rule separates two of, at every search node (Witty; argument in papers/witness/pairs.rs)",
    pure_borders: "leave out rules that cut off less than they could of one class (Witty; argument in papers/witness/reductions.rs)",
    equal_rules: "leave out rules that split the table like another (Witty; argument in papers/witness/reductions.rs)",
    mergeable_features: "join features whose rules are nested (Witty; argument in papers/witness/reductions.rs)",
    threshold_constraints: "a wider rule has to keep what it captures more (Witty; argument in papers/witness/constraints.rs)",
    height_constraints: "a higher node has to keep what it was put there for (Witty; argument in papers/witness/constraints.rs)",
    pure_children: "of rules with a child that is finished try one (argument in papers/witness/pure_children.rs)",
    last_node: "decide at once whether one node suffices (argument in papers/witness/last_node.rs)",
    subset_caching: "solve leaves apart and cache how many nodes they need (Witty; argument in papers/witness/caching.rs)",
} }
