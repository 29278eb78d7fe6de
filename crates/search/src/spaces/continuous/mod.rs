//! Plain errors on continuous features. Start reading at `error_space.rs`.

pub(crate) mod class_totals;
pub(crate) mod depth_two;
#[cfg(test)]
pub(crate) mod differential;
pub(crate) mod error_space;
pub(crate) mod incumbent;
pub(crate) mod layout;
pub(crate) mod leaf_classes;
