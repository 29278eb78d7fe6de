//! Threads that help one search, and what becomes of a piece that one of them takes.

use crate::board::{Board, Job};
use crate::tracer::Stats;
use std::thread;

/// A search that takes part in jobs.
pub(crate) trait Helper {
    type Job: Job;

    /// Takes part in what others have posted until the board is closed.
    fn help(&mut self, board: &Board<Self::Job>);

    /// What it has counted.
    fn into_stats(self) -> Stats;
}

/// Bytes of stack for a thread that helps; trees without limits may be deep.
const STACK: usize = 1 << 28;

/// Does some work by one search while so many others help it; returns what all
/// of them counted, too. A thread that is not to be had costs time only.
pub(crate) fn with_helpers<H: Helper, T>(
    helpers: usize,
    board: &Board<H::Job>,
    searcher: &(impl Fn() -> H + Sync),
    work: impl FnOnce(&mut H) -> T,
) -> (T, Stats)
where
    H::Job: Send,
{
    let help = || {
        let mut search = searcher();
        search.help(board);
        search.into_stats()
    };
    thread::scope(|scope| {
        let closing = Closing(board);
        let spawn = |_| {
            let thread = thread::Builder::new().name("exactree".into()).stack_size(STACK);
            thread.spawn_scoped(scope, help).ok()
        };
        let helpers: Vec<_> = (0..helpers).map_while(spawn).collect();
        let mut search = searcher();
        let done = work(&mut search);
        drop(closing);
        let mut stats = search.into_stats();
        for helper in helpers {
            let counted = helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            stats.add(&counted);
        }
        (done, stats)
    })
}

/// Closes the board at the end, also after a panic: nobody waits for ever.
struct Closing<'a, J: Job>(&'a Board<J>);

impl<J: Job> Drop for Closing<'_, J> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// A piece that a thread has taken. Dropped without an answer, when the search
/// is stopped or panics, it goes back undone.
pub(crate) struct Out<'a, J: Job> {
    board: &'a Board<J>,
    number: u64,
    piece: Option<J::Piece>,
}

impl<'a, J: Job> Out<'a, J> {
    pub fn new(board: &'a Board<J>, number: u64, piece: J::Piece) -> Self {
        Out { board, number, piece: Some(piece) }
    }

    /// The piece, until it is entered.
    pub fn piece(&self) -> Option<&J::Piece> {
        self.piece.as_ref()
    }

    /// Says in the job what became of the piece.
    pub fn enter(mut self, enter: impl FnOnce(&mut J, J::Piece)) {
        let Some(piece) = self.piece.take() else { return };
        self.board.give_back(self.number, |job| enter(job, piece));
    }
}

impl<J: Job> Drop for Out<'_, J> {
    fn drop(&mut self) {
        if let Some(piece) = self.piece.take() {
            self.board.give_back(self.number, |job| job.put_back(piece));
        }
    }
}
