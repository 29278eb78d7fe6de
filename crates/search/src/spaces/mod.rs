//! Searches of other tables: two-valued columns, rules given as dichotomies.

pub(crate) mod binary;
pub mod dichotomies;
