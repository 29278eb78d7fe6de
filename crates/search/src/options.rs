//! The switches of the search: one table, one line per accelerator.
//!
//! Every accelerator can be turned off without changing any optimum; with all
//! off the engine is the dynamic programme of `spec/definition.py`. The safety
//! argument stands where the accelerator is written, not here.

macro_rules! options {
    ($($name:ident: $why:literal),* $(,)?) => {
        /// One switch per accelerator; all are on by default.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Options {
            $(#[doc = $why] pub $name: bool),*
        }

        impl Default for Options {
            fn default() -> Self {
                Options { $($name: true),* }
            }
        }

        impl Options {
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
        }
    };
}

options! {
    incumbent: "start from a greedy tree whose lowest two levels are exact (as LicketySPLIT: Babbar et al., ICML 2025)",
    descent: "improve the incumbent by re-choosing one rule at a time (tree alternating optimization)",
    depth_two: "solve parts with two levels left by a specialised solver (MurTree: Demirović et al., JMLR 2022; ConTree: Briţa et al., AAAI 2025)",
    bit_columns: "hold rules as columns of bits where counting all pairs of rules is cheaper (class-sorted columns, after MurTree's frequency counts)",
    wide_lanes: "use the widest vector instructions of the processor",
    intervals: "discard thresholds between two evaluated ones by monotonicity (ConTree: Briţa et al., AAAI 2025; argument in intervals.rs)",
    neighbourhood: "discard thresholds too close to an evaluated one (ConTree: Briţa et al., AAAI 2025; argument in intervals.rs)",
    reach: "solve sides a little beyond what is needed, for a wider neighbourhood (ConTree: Briţa et al., AAAI 2025)",
    feature_bounds: "hand lower bounds per root feature to neighbouring parts (argument in order.rs)",
    memo: "remember solved parts, compared by their items (DL8: Nijssen and Fromont, KDD 2007)",
    memo_bounds: "remember lower bounds of failed searches too (DL8.5: Aglin, Nijssen and Schaus, AAAI 2020)",
    equal_rows: "equal rows with different labels as a lower bound (equivalent points, OSDT: Hu, Rudin and Seltzer, NeurIPS 2019; argument in bounds.rs)",
    class_count: "a tree with fewer leaves than classes must miss the smallest classes (argument in bounds.rs)",
    relaxation: "bound a search with minimum leaves by the one without (argument in relaxation.rs)",
    equal_features: "search features with equal ranks once",
}

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
    }
}
