//! The switches of the searches: one table each, one line per accelerator.
//!
//! Every accelerator can be turned off without changing any optimum. With all accelerators off, the
//! engine is the dynamic programme of `spec/definition.py`, and the search for the minimum size
//! finds the largest children by bisection and caches nothing. The safety argument is where the
//! accelerator is written, not here.

macro_rules! options {
    ($table:ident { $($name:ident: $why:literal),* $(,)? }) => {
        /// One switch per accelerator; all are on by default.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $table {
            $(#[doc = $why] pub $name: bool),*
        }

        impl Default for $table {
            fn default() -> Self {
                $table { $($name: true),* }
            }
        }

        impl $table {
            /// Name and reason of every switch.
            pub const ALL: &'static [(&'static str, &'static str)] = &[$((stringify!($name), $why)),*];

            /// Sets a switch by name; false if there is none of that name.
            pub fn set(&mut self, name: &str, on: bool) -> bool {
                match name {
                    $(stringify!($name) => self.$name = on,)*
                    _ => return false,
                }
                true
            }

            /// All switches are off.
            #[cfg(test)]
            pub fn all_off() -> Self {
                $table { $($name: false),* }
            }

            /// Every switch is on with one probability, drawn for all: 1/4, 2/4, 3/4 or 1.
            #[cfg(test)]
            pub fn some_off(random: &mut fastrand::Rng) -> Self {
                let share = random.u32(0..4);
                $table { $($name: random.u32(0..4) >= share),* }
            }
        }
    };
}

pub(crate) use options;

options! { Options {
    incumbent: "start from a greedy tree whose lowest two levels are exact (as LicketySPLIT: Babbar et al., ICML 2025)",
    descent: "improve the incumbent by changing one rule at a time (tree alternating optimization)",
    early_bound: "for deep trees first prove small shares of the incumbent as lower bound (argument in engine/early_bound.rs)",
    block_bound: "while the lower bound is poor, add up the minimum costs of disjoint blocks of rows (super-additivity; argument in engine/block_bound.rs)",
    depth_two: "solve subsets with two levels left by a specialised solver (MurTree: Demirović et al., JMLR 2022; ConTree: Briţa et al., AAAI 2025)",
    bit_columns: "hold rules as columns of bits if counting all pairs of rules is cheaper (class-sorted columns, after MurTree's frequency counts)",
    binary: "search tables of columns with few values by counts of all pairs of rules (class-sorted columns of bits; see spaces/binary/)",
    look_ahead: "with a price per leaf, count the trees of depth two of a child before searching it (argument in spaces/binary/children.rs)",
    leaf_support: "with a price per leaf, bound trees deeper than two by the best leaf or stump in one child of their root (leaf support, OSDT: Hu, Rudin and Seltzer, NeurIPS 2019; argument in spaces/binary/leaf_support.rs)",
    deepening: "with a price per leaf, try rules level by level and bound deeper trees (hierarchical bound, OSDT: Hu, Rudin and Seltzer, NeurIPS 2019; argument in spaces/binary/deepening.rs)",
    sparse_lists: "if the smaller children of splits have few items, count pairs of rules by the lists of rules that hold an item (frequency counts, MurTree: Demirović et al., JMLR 2022; see spaces/binary/sparse_lists.rs)",
    path_cache: "cache the counts of the trees of depth two of a subset, by the rules on its path",
    wide_lanes: "use the widest vector instructions of the processor",
    interval_bound: "prune thresholds between two evaluated thresholds by monotonicity (ConTree: Briţa et al., AAAI 2025; argument in engine/intervals.rs)",
    similarity_bound: "bound splits by the bounds of splits that differ in few examples (MurTree: Demirović et al., JMLR 2022; ConTree: Briţa et al., AAAI 2025; arguments in engine/intervals.rs and engine/columns.rs)",
    upper_bound_margin: "solve children with a slightly greater upper bound than needed, for a stronger similarity bound (ConTree: Briţa et al., AAAI 2025)",
    feature_bounds: "pass lower bounds by root threshold to other subsets (argument in engine/inherited_bounds.rs)",
    stump_bounds: "sweep only features whose stumps may matter between two evaluated thresholds (features pruned per child of the root, Quant-BnB: Mazumder, Meng and Wang, ICML 2022; argument in spaces/continuous/depth_two/pair_evaluator.rs)",
    all_thresholds: "at depth two evaluate all thresholds of an interval at once if very many would be evaluated one by one (after Auer, Holte and Maass, ICML 1995; see spaces/continuous/depth_two/all_thresholds.rs)",
    few_values: "count the stumps of features with few values by columns of bits, while other features are swept (argument in spaces/continuous/depth_two/few_values.rs)",
    cache: "cache solved subsets, compared by their items (DL8: Nijssen and Fromont, KDD 2007)",
    cached_bounds: "cache lower bounds of failed searches as well (DL8.5: Aglin, Nijssen and Schaus, AAAI 2020)",
    equivalent_points: "equal rows with different labels as a lower bound (equivalent points, OSDT: Hu, Rudin and Seltzer, NeurIPS 2019; argument in engine/bounds.rs)",
    class_count: "a tree with fewer leaves than classes must miss the lightest classes (argument in engine/bounds.rs)",
    two_set_bound: "with a minimum leaf size, bound intervals of thresholds by counting errors on a smaller and rows on a larger set (argument in engine/two_set_bound.rs)",
    leaf_classes: "with a minimum leaf size, a leaf misclassifies the rows that its class lacks (argument in spaces/continuous/leaf_classes.rs)",
    relaxation: "under constraints, bound subsets and splits by the search without them (argument in constraints/space.rs)",
    monotone_stumps: "with monotone features, restrict the last two levels of the search without constraints (argument in spaces/continuous/depth_two/directed_roots.rs)",
    cross_bound: "at splits on monotone features, bound pairs of children that do not fit each other (argument in constraints/cross_bound.rs)",
    equal_features: "search features with equal ranks once",
} }

options! { SizeOptions {
    cache: "cache bounds on the minimum size of subsets, compared by their items",
    dominance: "a set needs at least as many nodes as its subsets and at most as many as its supersets (subset caching: Witty, Staus et al., AAAI 2025)",
    cores: "narrow an infeasible subset to a core, which proves its supersets infeasible (argument in minimum_size/root.rs)",
    widened_subsets: "widen a classified subset to all items its tree classifies (argument in minimum_size/root.rs)",
    inclusion: "of two nested remainders try only the smaller (argument in minimum_size/root.rs)",
    even_splits: "decide children of equal size by the lengths of prefix and suffix (argument in minimum_size/root.rs)",
    pure_runs: "find the largest children of one class by the extremes of the classes instead of by bisection",
    one_split_runs: "find the items that one rule classifies in one pass instead of by bisection (argument in kernels/class_runs.rs)",
    two_nodes: "decide two nodes by the runs of a class instead of by cache and search (argument in minimum_size/two_nodes.rs)",
    unlike_pairs: "count the rules that separate some unlike pairs of a subset (argument in minimum_size/unlike_pairs.rs)",
    class_count: "a tree without errors has a leaf for every class (argument in minimum_size/leaf.rs)",
    incumbent: "start from a greedy tree",
    incumbent_improvement: "make subtrees of few nodes of the incumbent as small as possible",
    pair_bound: "start from a lower bound: the number of rules, possibly fractional, that separate all unlike pairs (Witty, by linear programme; argument in papers/witness/pairs.rs)",
} }

options! { CoverOptions {
    incumbent: "start from an ensemble improved by replacing one tree at a time",
    cores: "cache which items cannot be classified together, and which can (argument in ensembles/cover/feasibility_cache.rs)",
    next_tree_bound: "prune error sets that the next tree cannot make up for (argument in ensembles/cover/error_sets.rs)",
    required_items: "list no trees for a subset whose required items no tree within the cap classifies (argument in ensembles/cover/error_sets.rs)",
    inclusion: "of two nested error sets try only the smaller (argument in ensembles/cover/error_sets.rs)",
    failed_states: "cache the slacks (wrong votes that items may still get) that later trees cannot make up for (argument in ensembles/cover/placement.rs)",
} }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_switch_can_be_set() {
        let mut options = Options::default();
        for (name, why) in Options::ALL {
            assert!(options.set(name, false), "{name}");
            assert!(!why.is_empty());
        }
        assert!(!options.set("no such switch", false));
        assert_ne!(options, Options::default());
        let mut options = SizeOptions::default();
        for (name, why) in SizeOptions::ALL {
            assert!(options.set(name, false), "{name}");
            assert!(!why.is_empty());
        }
        let mut options = CoverOptions::default();
        for (name, why) in CoverOptions::ALL {
            assert!(options.set(name, false), "{name}");
            assert!(!why.is_empty());
        }
    }
}
