//! Branching sets: features that a best tree adds to a support set S (Lemmas 12 to 14).
//!
//! E(S) has one example of every equivalence class of examples that agree on S; γ assigns a value
//! to every feature. The features R beyond S of a best tree are *useful*: for every assignment of
//! values to R, including γ's, there is an equivalence class without an example of these values
//! (Lemma 11). The example of E(S) in that class differs from γ in some feature of R (Lemma 12). So
//! R meets R_0, the features in which some example of E(S) differs from γ. If γ is an example,
//! every example of E(S) contributes at most 2δ_max features (Lemmas 13 and 14). Here γ is the
//! first example, and E(S) has the first example of every equivalence class.
//!
//! Tried and dropped, because it changed nothing on real tables: the most frequent values as γ,
//! with the nearest examples.

use super::minimal_support_sets::SupportSet;
use super::search::SupportSetSearch;
use crate::support::bits::Bits;

impl SupportSetSearch<'_> {
    /// R_0 of a support set, without the features tried before.
    pub(super) fn branching_set(&self, set: &SupportSet) -> Bits {
        self.examples.rows.branching_set(&set.features).without(&set.tried)
    }
}
