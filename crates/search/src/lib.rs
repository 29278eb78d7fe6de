//! Exact search for optimal decision trees. Start reading at `engine/search.rs`.
#![deny(unsafe_code)]

pub mod constraints;
pub mod engine;
pub mod ensembles;
pub mod enumeration;
pub mod feature_sets;
#[allow(unsafe_code)]
pub mod kernels;
pub mod minimum_size;
pub mod papers;
pub mod regression;
pub mod spaces;
pub mod support;

pub use engine::request::{Request, SearchOutcome};
pub use engine::root_range::{RootRange, SearchControl};
pub use enumeration::{AllTreesRequest, Trees, count_trees, list_trees};
pub use feature_sets::differences::largest_difference;
pub use minimum_size::{SizeRequest, SizeStats, minimum_size};
pub use spaces::root_tasks::RootSearch;
pub use spaces::solve::solve;
pub use support::clock::{Clock, Grace, StopSwitch};
pub use support::options::{Options, SizeOptions};
pub use support::refusal::Refusal;
pub use support::statistics::{Progress, Stats};
