//! Searches over other split spaces: binary columns, and rules given as dichotomies.

pub(crate) mod binary;
pub mod dichotomies;
