//! Best trees over dichotomies: rules of any kind, each given as the rows that it sends left. The
//! fast form of `spec/proper.py`.
//!
//! He and Little, arXiv:2503.01455, choose K hyperplanes and search for their best tree. This
//! search recurses on subsets of the examples instead, and tries every way to split a subset. A
//! rule that splits a subset also splits the whole table, so all dichotomies are known at the
//! start, as columns of bits. `search.rs` runs the search, `error_space.rs` is the space of the
//! engine; `prepared_table.rs` has the columns, `subset.rs` their restriction to a subset,
//! `depth_two.rs` the last two levels, `leaf_quotas.rs` limits on the leaves of a class,
//! `relaxation.rs` bounds without such limits, `root_tasks.rs` the tasks of distributed workers.

mod depth_two;
#[cfg(test)]
mod differential;
mod error_space;
mod incumbent;
mod leaf_quotas;
mod prepared_table;
mod relaxation;
mod request;
mod root_tasks;
mod search;
mod subset;

pub use prepared_table::{Dichotomies, DichotomyExamples};
pub use request::{ProperOptions, ProperRequest, ProperStats};
pub use root_tasks::DichotomyRootSearch;
pub use search::proper;
