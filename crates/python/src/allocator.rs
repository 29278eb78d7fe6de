//! The allocator of the native module: the system's allocator with every block counted, and a
//! reserve for when the system is out of memory.
//!
//! Rust aborts the process when an allocation fails. Here the first failure returns the reserve to
//! the system and tries again, and all searches end with their incumbents at the next poll of their
//! clocks (`exactree_search::memory`). The reserve does not help for a single block as large as
//! itself; code that allocates such blocks handles the failure (`try_reserve`,
//! `memory::available`). A system that overcommits memory, as Linux does by default, may kill the
//! process instead; there only a `memory_limit` helps.

use exactree_search::memory;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering::AcqRel, Ordering::Acquire};

/// The reserve: enough for the allocations of all threads between two polls, and for the result. It
/// is never written to, so it takes address space but no memory.
const RESERVE: Layout = match Layout::from_size_align(32 << 20, 4096) {
    Ok(layout) => layout,
    Err(_) => unreachable!(),
};

static RESERVED: AtomicPtr<u8> = AtomicPtr::new(null_mut());

struct CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Allocates the reserve again, before a search; if that fails, the search ends at its first poll.
pub(crate) fn prepare() {
    if RESERVED.load(Acquire).is_null() {
        // SAFETY: the layout has a size.
        let block = unsafe { System.alloc(RESERVE) };
        if block.is_null() {
            memory::set_exhausted();
            return;
        }
        if RESERVED.compare_exchange(null_mut(), block, AcqRel, Acquire).is_err() {
            // SAFETY: another thread was faster, so no other thread has this block; it was
            // allocated above with this layout.
            unsafe { System.dealloc(block, RESERVE) };
        }
    }
    memory::set_recovered();
}

/// Releases the reserve to the system; returns whether a block of this size may fit now.
#[cold]
#[inline(never)]
fn release_reserve(bytes: usize) -> bool {
    if bytes >= RESERVE.size() {
        return false;
    }
    memory::set_exhausted();
    let block = RESERVED.swap(null_mut(), AcqRel);
    if !block.is_null() {
        // SAFETY: the thread that takes the pointer out of `RESERVED` owns the block, which was
        // allocated with this layout.
        unsafe { System.dealloc(block, RESERVE) };
    }
    true
}

/// Allocates by `get`; if that fails, releases the reserve and tries again.
#[inline]
fn allocate(bytes: usize, get: impl Fn() -> *mut u8) -> *mut u8 {
    let mut block = get();
    if block.is_null() && release_reserve(bytes) {
        block = get();
    }
    block
}

// SAFETY: all blocks are the system allocator's, with the layouts that are requested; counting
// neither allocates nor unwinds (it sets a thread-local number without a destructor).
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise about the layout is passed on.
        let block = allocate(layout.size(), || unsafe { System.alloc(layout) });
        if !block.is_null() {
            memory::count(layout.size() as isize);
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        let block = allocate(layout.size(), || unsafe { System.alloc_zeroed(layout) });
        if !block.is_null() {
            memory::count(layout.size() as isize);
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the block came from `System` with this layout, as the caller promises.
        unsafe { System.dealloc(block, layout) };
        memory::count(-(layout.size() as isize));
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as in `dealloc`; a failed `realloc` leaves the block as it is, so it may be
        // tried again.
        let moved = allocate(new_size, || unsafe { System.realloc(block, layout, new_size) });
        if !moved.is_null() {
            memory::count(new_size as isize - layout.size() as isize);
        }
        moved
    }
}
