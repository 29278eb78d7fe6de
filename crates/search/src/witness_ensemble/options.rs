//! The switches of the witness search for ensembles.

use crate::options::options;

options! { EnsembleOptions {
    ensemble_incumbent: "start from one tree that decides alone, made smaller by local search",
    equal_trees: "of trees that are equal so far refine one (argument in symmetry.rs)",
    settled_votes: "a vote changed in vain stays as it is from then on (argument in symmetry.rs)",
    settled_errors: "what was tried in vain as right is an error from then on (argument in choice.rs)",
    equal_steps: "of refinements that divide a part alike try one (argument in refinements.rs)",
    fewest_steps: "branch on the dirty item with the fewest refinements (argument in choice.rs)",
    votes_left: "an item needs enough trees that may still change their vote (argument in bounds.rs)",
    votes_gained: "count the refinements that the missing votes need (argument in bounds.rs)",
    votes_needed: "leave out refinements that gain fewer votes than needed of one (argument in bounds.rs)",
    covering: "begin at the number of rules that separate all unlike pairs, in fractions (argument in cells.rs)",
    cell_pairs: "unlike pairs that no tree separates need rules of their own (argument in cells.rs)",
    one_tree: "begin at the fewest errors of one tree that can do what all trees do together (argument in one_tree.rs)",
    border_rules: "leave out rules that cut off less than they could of one class (argument in witness/reductions.rs)",
    equal_divisions: "leave out rules that divide the table like another",
    nested_features: "join features whose rules are nested",
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
