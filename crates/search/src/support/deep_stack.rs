//! A stack that is deep enough for a search that recurses as deep as what it
//! finds is large.

use crate::support::table_size::refuse_large_table;
use std::thread;

/// Bytes of stack that may be used without asking for more.
const STACK: u128 = 256 << 10;

/// Does some work that nests so many levels of so many bytes; says why not if
/// memory would not hold them.
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
        let working = builder
            .spawn_scoped(scope, work)
            .map_err(|why| format!("There is no thread with {stack} bytes of stack: {why}."))?;
        Ok(working.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
