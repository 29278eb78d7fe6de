//! Exact search for optimal decision trees. Start reading at `best.rs`.
#![deny(unsafe_code)]

pub mod best;
pub mod bits;
mod bounds;
mod incumbent;
pub mod intervals;
#[allow(unsafe_code)]
pub mod kernels;
pub mod layout;
pub mod limits;
pub mod memo;
pub mod options;
pub mod part;
mod simplify;
mod small;
pub mod solve;
pub mod tracer;

pub use limits::StopSwitch;
pub use options::Options;
pub use solve::{Request, Solved, solve};
pub use tracer::{Progress, Stats};
