//! Checks a certificate: a proof that no decision tree within some limits costs less on a table
//! than a lower bound. `docs/certificate-rules.md` states the rules and proves them,
//! `docs/certificate-format.md` states the format; `src/exactree/certificates/checker.py` is the
//! same checker, slower and easier to read.
//!
//! `table.rs` has the table and its digest, `class_costs.rs` what errors cost, `rows.rs` sets of rows,
//! `format.rs` reads the file, `checker.rs` verifies the tree and the claims within `limits.rs`, `stumps.rs` computes the
//! cheapest trees with one split.
#![forbid(unsafe_code)]

mod checker;
mod class_costs;
mod format;
mod limits;
mod rows;
mod sha256;
mod stumps;
mod table;

pub use checker::check;
pub use format::{Header, Quantity, Reason};
pub use table::{Examples, Table};
