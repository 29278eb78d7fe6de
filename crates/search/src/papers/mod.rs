//! Methods for one tree as published in papers; each is named after its specification.

pub(crate) mod box_dp;
pub(crate) mod examples;
pub(crate) mod subset_dp;
pub(crate) mod support_sets;
pub(crate) mod threshold;
pub(crate) mod witness;
