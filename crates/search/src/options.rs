//! The switches of the searches: one table each, one line per accelerator.
//!
//! Every accelerator can be turned off without changing any optimum; with all
//! off the engine is the dynamic programme of `spec/definition.py`, and the
//! search for the least size is a threshold search. The safety argument stands where the accelerator is written, not here.

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

            /// No switch is on.
            #[cfg(test)]
            pub fn all_off() -> Self {
                $table { $($name: false),* }
            }

            /// Every switch is on with one random probability: 1/4, 2/4, 3/4 or 1.
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
    descent: "improve the incumbent by re-choosing one rule at a time (tree alternating optimization)",
    early_bound: "of deep trees first prove that none costs a small share of the incumbent (argument in early_bound.rs)",
    depth_two: "solve parts with two levels left by a specialised solver (MurTree: Demirović et al., JMLR 2022; ConTree: Briţa et al., AAAI 2025)",
    bit_columns: "hold rules as columns of bits where counting all pairs of rules is cheaper (class-sorted columns, after MurTree's frequency counts)",
    binary: "search tables of columns with few values by counts of all pairs of rules (class-sorted columns of bits; see binary/)",
    similar_sides: "bound sides of rules by those of other rules (similarity bound, MurTree: Demirović et al., JMLR 2022; argument in binary/siblings.rs)",
    look_ahead: "with a price per leaf, count the trees of depth two of a side before searching it (argument in binary/rules.rs)",
    beside: "with a price per leaf, bound trees deeper than two by the best leaf or stump on the other side of their root (leaf support, OSDT: Hu, Rudin and Seltzer, NeurIPS 2019; argument in binary/deeper.rs)",
    deepening: "with a price per leaf, try rules level by level and bound what lies deeper (hierarchical bound, OSDT: Hu, Rudin and Seltzer, NeurIPS 2019; argument in binary/deepening.rs)",
    path_memo: "remember what was counted of parts with two levels left, by the rules that lead there",
    wide_lanes: "use the widest vector instructions of the processor",
    intervals: "discard thresholds between two evaluated ones by monotonicity (ConTree: Briţa et al., AAAI 2025; argument in intervals.rs)",
    neighbourhood: "discard thresholds too close to an evaluated one (ConTree: Briţa et al., AAAI 2025; argument in intervals.rs)",
    reach: "solve sides a little beyond what is needed, for a wider neighbourhood (ConTree: Briţa et al., AAAI 2025)",
    feature_bounds: "hand lower bounds by root threshold to neighbouring parts (argument in inherited.rs)",
    stump_bounds: "sweep only features whose stumps may matter between two evaluated thresholds (features left to a side of the root, Quant-BnB: Mazumder, Meng and Wang, ICML 2022; argument in small/by_pairs.rs)",
    few_values: "count the stumps of features with few values as columns of bits where the others are swept (argument in small/few_values.rs)",
    memo: "remember solved parts, compared by their items (DL8: Nijssen and Fromont, KDD 2007)",
    memo_bounds: "remember lower bounds of failed searches too (DL8.5: Aglin, Nijssen and Schaus, AAAI 2020)",
    equal_rows: "equal rows with different labels as a lower bound (equivalent points, OSDT: Hu, Rudin and Seltzer, NeurIPS 2019; argument in bounds.rs)",
    class_count: "a tree with fewer leaves than classes must miss the smallest classes (argument in bounds.rs)",
    relaxation: "bound a search with minimum leaves by the one without (argument in relaxation.rs)",
    equal_features: "search features with equal ranks once",
} }

options! { SizeOptions {
    size_memo: "remember bounds on the least size of parts, compared by their items",
    dominance: "a part is as hard as any inside it and as easy as any around it (subset caching: Witty, Staus et al., AAAI 2025)",
    cores: "narrow a refused part to items that prove it, which refuse other parts (argument in least_size/root.rs)",
    wide: "widen a served part to all items its tree serves (argument in least_size/root.rs)",
    inclusion: "of two remainders try only the one inside the other (argument in least_size/root.rs)",
    even_shares: "decide sides of equal size by the lengths of prefix and suffix (argument in least_size/root.rs)",
    pure_runs: "find the largest sides of one class by the extremes of the classes instead of by bisection",
    one_rule_runs: "find what one rule serves in one pass instead of by bisection (argument in kernels/run.rs)",
    two_nodes: "decide two nodes by the runs of a class instead of by looking up and searching (argument in least_size/two_nodes.rs)",
    unlike_pairs: "count the rules that tell some unlike pairs of a part apart (argument in least_size/unlike_pairs.rs)",
    class_count: "a tree without errors has a leaf for every class (argument in least_size/leaf.rs)",
    size_incumbent: "start from a greedy tree",
    improved: "make its parts of few nodes as small as possible",
    pair_bound: "begin at the number of rules that separate all unlike pairs, in fractions (Witty, by linear programme; argument in witness/pairs.rs)",
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
    }
}

options! { CoverOptions {
    ensemble_incumbent: "begin with an ensemble found by choosing trees anew one at a time; it needs no search at its own value",
    cores: "remember which items cannot be served together, and which can (argument in cover/served.rs)",
    hopeless: "give up errors that the next tree could not make up for (argument in cover/errors_of.rs)",
    within_reach: "list no trees for a part whose items that have to be right are beyond the cap (argument in cover/errors_of.rs)",
    contained: "of two error sets try only the one inside the other (argument in cover/errors_of.rs)",
    failed: "remember what the trees to come could not make up for, however it arose (argument in cover/place.rs)",
} }
