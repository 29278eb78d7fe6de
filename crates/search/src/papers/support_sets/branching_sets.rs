//! Branching sets: features that a best tree adds to a support set S (Lemmas 12 to 14).
//!
//! E(S) has one example of every class of examples that agree on S; γ assigns a
//! value to every feature. The features R beyond S of a best tree are *useful*:
//! every assignment of values to R, so also γ's, is missed by a whole class of
//! examples that agree on S (Lemma 11). The example of E(S) in that class differs
//! from γ in some feature of R (Lemma 12). So R meets R_0, the features in which some
//! example of E(S) differs from γ. With an example as γ these are at most 2δ_max
//! for every example of E(S) (Lemmas 13 and 14). Here γ is the first example, and
//! of every class the first one stands in E(S).
//!
//! Tried and dropped, since it changed nothing on real tables: the most frequent values as γ, with
//! the nearest examples.

use super::algorithms::SupportSetSearch;
use super::minimal_support_sets::SupportSet;
use crate::support::bits::Bits;

impl SupportSetSearch<'_> {
    /// R_0 for a support set, without what is left out.
    pub fn branching_set(&self, set: &SupportSet) -> Bits {
        self.examples.rows.branching_set(&set.features).without(&set.tried)
    }
}
