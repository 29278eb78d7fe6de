//! Support for all searches: clock, memory, caches, task queue, switches, statistics.

pub(crate) mod bits;
pub(crate) mod cache;
pub(crate) mod clock;
pub(crate) mod columns_in_parallel;
pub(crate) mod deep_stack;
pub mod memory;
#[cfg(test)]
pub(crate) mod min_size_by_enumeration;
pub(crate) mod mutants;
pub(crate) mod options;
#[cfg(test)]
pub(crate) mod random_weights;
pub(crate) mod refusal;
pub(crate) mod sets;
pub(crate) mod size_loop;
pub(crate) mod statistics;
pub(crate) mod subset_cache;
pub(crate) mod table_size;
pub(crate) mod task_queue;
