//! Plain errors on continuous features. Start reading at `error_space.rs`.

pub mod class_totals;
pub(crate) mod depth_two;
#[cfg(test)]
pub(crate) mod differential;
pub mod error_space;
pub(crate) mod incumbent;
pub mod layout;
pub(crate) mod leaf_classes;
