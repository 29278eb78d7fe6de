//! The data types of exactree in Rust: table, limits, objective, tree and outcome. Nothing here
//! searches.
#![forbid(unsafe_code)]

mod limits;
mod objective;
mod outcome;
mod table;
mod tree;

pub use limits::Limits;
pub use objective::{Cost, Errors, UNBOUNDED, Weight};
pub use outcome::{Outcome, Status, StoppedBy};
pub use table::{Feature, Item, Table, rank};
pub use tree::Tree;
