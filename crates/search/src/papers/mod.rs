//! The papers' own methods for one tree, step by step; each is named as its specification.

pub mod box_dp;
pub(crate) mod examples;
pub mod subset_dp;
pub mod support_sets;
pub mod threshold;
pub mod witness;
