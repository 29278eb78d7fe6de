//! Threads with a stack for searches whose recursion depth grows with the size of the tree.

use crate::support::refusal::Refusal;
use crate::support::table_size::refuse_large_table;
use std::thread;

/// Bytes of stack that are assumed to be available on the calling thread.
const STACK: usize = 256 << 10;

/// Runs work that recurses `levels` deep with the given bytes per level; a refusal if memory cannot
/// hold that stack.
pub(crate) fn on_deep_stack<T: Send>(
    levels: u128,
    bytes_each: usize,
    memory_limit: Option<usize>,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Refusal> {
    refuse_large_table("nested search nodes", levels, bytes_each, memory_limit)?;
    // A stack that is not refused has a number of bytes that fits.
    let stack = levels as usize * bytes_each;
    if stack <= STACK { Ok(work()) } else { on_thread(stack, work) }
}

/// Runs work on a thread with a stack of at least `stack_bytes`.
pub(super) fn on_thread<T: Send>(
    stack_bytes: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T, Refusal> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(stack_bytes.saturating_add(1 << 20));
        let worker = builder
            .spawn_scoped(scope, work)
            .map_err(|why| Refusal::NoThread { stack_bytes, reason: why.to_string() })?;
        Ok(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
