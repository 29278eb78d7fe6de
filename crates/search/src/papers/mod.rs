//! Methods for one tree as published in papers; each is named after its specification.

pub mod box_dp;
pub(crate) mod examples;
pub mod subset_dp;
pub mod support_sets;
pub mod threshold;
pub mod witness;
