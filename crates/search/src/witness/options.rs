//! The switches of the witness search.

use crate::options::options;

options! { WitnessOptions {
    witness_incumbent: "start from a greedy tree",
    dirty_priority: "branch on the dirty item with the fewest refinements (Witty: Staus et al., AAAI 2025; argument in dirty.rs)",
    settled_errors: "what was tried in vain as right is an error from then on (argument in dirty.rs)",
    equal_refinements: "of refinements that divide a part alike try one (argument in refinements.rs)",
    improvement_bound: "count the refinements that the dirty items of every class need (Witty; argument in bounds.rs)",
    needed_improvement: "with it, leave out refinements that put right less than the bound needs of one (argument in improvements.rs)",
    pair_bound: "begin at the number of rules that separate all unlike pairs, in fractions (Witty, by linear programme; argument in pairs.rs)",
    leaf_pairs: "count unlike pairs inside the leaves that no rule separates two of, at every search node (Witty; argument in pairs.rs)",
    pure_borders: "leave out rules that cut off less than they could of one class (Witty; argument in reductions.rs)",
    equal_rules: "leave out rules that divide the table like another (Witty; argument in reductions.rs)",
    mergeable_features: "join features whose rules are nested (Witty; argument in reductions.rs)",
    threshold_constraints: "a wider rule has to keep what it captures more (Witty; argument in constraints.rs)",
    height_constraints: "a higher node has to keep what it was put there for (Witty; argument in constraints.rs)",
    pure_sides: "of rules with a side that is finished try one (argument in pure_sides.rs)",
    last_node: "decide at once whether one node suffices (argument in last_node.rs)",
    subset_caching: "solve leaves apart and remember how many nodes they need (Witty; argument in caching.rs)",
} }
