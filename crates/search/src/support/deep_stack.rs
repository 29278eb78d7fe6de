//! Threads with a stack for searches whose recursion depth grows with the size of the tree.

use crate::support::table_size::refuse_large_table;
use std::thread;

/// Bytes of stack that are assumed to be available on the calling thread.
const STACK: u128 = 256 << 10;

/// Runs work that recurses `levels` deep with the given bytes per level; an error if memory cannot
/// hold that stack.
pub(crate) fn on_deep_stack<T: Send>(
    levels: u128,
    bytes_each: usize,
    memory_limit: Option<usize>,
    work: impl FnOnce() -> T + Send,
) -> Result<T, String> {
    refuse_large_table("nested search nodes", levels, bytes_each, memory_limit)?;
    let stack = levels * bytes_each as u128;
    if stack <= STACK {
        return Ok(work());
    }
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(stack as usize + (1 << 20));
        let worker = builder.spawn_scoped(scope, work).map_err(|why| {
            format!("The system cannot create a thread with {stack} bytes of stack: {why}.")
        })?;
        Ok(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
