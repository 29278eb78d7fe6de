//! The switches of the witness search for ensembles.

use crate::support::options::options;

options! { EnsembleOptions {
    incumbent: "start from one tree and leaves whose votes cancel out, improved by local search",
    equal_trees: "of equal trees refine only one (argument in ensembles/witness_ensemble/symmetry.rs)",
    fixed_votes: "keep votes whose change led to no solution (argument in ensembles/witness_ensemble/symmetry.rs)",
    fixed_errors: "settle items as errors once no solution classifies them (argument in ensembles/witness_ensemble/branching.rs)",
    equal_refinements: "of refinements that split a subset in the same way try only one (argument in ensembles/witness_ensemble/refinements.rs)",
    dirty_priority: "branch on the dirty item with the fewest refinements (argument in ensembles/witness_ensemble/branching.rs)",
    votes_left: "an item needs enough trees that may still change their vote (argument in ensembles/witness_ensemble/bounds.rs)",
    votes_gained: "count the refinements that the missing votes need (argument in ensembles/witness_ensemble/bounds.rs)",
    votes_needed: "skip refinements that gain fewer votes than needed (argument in ensembles/witness_ensemble/bounds.rs)",
    pair_bound: "start from a lower bound: the number of rules, possibly fractional, that separate all unlike pairs (argument in ensembles/witness_ensemble/cells.rs)",
    cell_pairs: "unlike pairs that no tree separates need rules of their own (argument in ensembles/witness_ensemble/cells.rs)",
    one_tree: "start from the fewest errors of one tree equivalent to the ensemble (argument in ensembles/witness_ensemble/one_tree.rs)",
    pure_borders: "of rules that split off items of one class only, keep the rule that splits off most (argument in papers/witness/reductions.rs)",
    equal_rules: "of rules that split the table in the same way keep only one",
    mergeable_features: "join features whose rules are nested",
} }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_switch_can_be_set() {
        let mut options = EnsembleOptions::default();
        for (name, why) in EnsembleOptions::ALL {
            assert!(options.set(name, false), "{name}");
            assert!(!why.is_empty());
        }
        assert!(!options.set("no such switch", false));
    }
}
