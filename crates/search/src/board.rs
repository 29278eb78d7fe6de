//! What several threads do together: jobs on a board, each in pieces.
//!
//! Whoever posts a job works on it until it is done; whoever has nothing to do
//! takes a piece of any job. A job is done when it has no piece to give and
//! every piece taken has come back. One lock guards the whole board: a piece
//! takes far longer than the lock is held.
//!
//! *No deadlock.* A thread waits only while it holds no piece that no other
//! thread could do: the owner of a job waits for pieces others have taken, and
//! while it waits takes pieces of jobs with fewer levels left than its own.
//! Those it waits for have fewer levels themselves (a piece of a job posts
//! smaller jobs only), so of all that wait one with the fewest levels waits for
//! a thread that works. A piece that is dropped in a panic comes back.

#[cfg(all(test, loom))]
use loom::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicUsize, Ordering},
};
use std::collections::BTreeMap;
use std::sync::PoisonError;
#[cfg(not(all(test, loom)))]
use std::sync::{
    Condvar, Mutex, MutexGuard,
    atomic::{AtomicUsize, Ordering},
};

/// Work that can be done in pieces.
pub(crate) trait Job {
    type Piece;

    /// The next piece; none if there is none now.
    fn take(&mut self) -> Option<Self::Piece>;

    /// Takes back a piece that nobody has done; then no other is taken.
    fn put_back(&mut self, piece: Self::Piece);

    /// How deep the work below it nests; its pieces post jobs of fewer levels.
    fn levels(&self) -> u32;
}

/// Jobs in the order in which they were posted, and who waits.
pub(crate) struct Board<J> {
    state: Mutex<State<J>>,
    changed: Condvar,
    /// Threads that have nothing to do: a hint for those who might post.
    waiting: AtomicUsize,
}

struct State<J> {
    jobs: BTreeMap<u64, Posted<J>>,
    next: u64,
    closed: bool,
}

struct Posted<J> {
    job: J,
    taken: usize,
}

/// What the owner of a job gets.
enum Next<P, J> {
    /// A piece of the job with this number.
    Piece(u64, P),
    /// The job itself, done.
    Done(J),
}

impl<J: Job> Board<J> {
    pub(crate) fn new() -> Self {
        let state = State { jobs: BTreeMap::new(), next: 0, closed: false };
        Board { state: Mutex::new(state), changed: Condvar::new(), waiting: AtomicUsize::new(0) }
    }

    /// Whether somebody has nothing to do. May be out of date.
    pub(crate) fn somebody_waits(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Puts up a job; returns its number.
    fn post(&self, job: J) -> u64 {
        let mut state = self.lock();
        let number = state.next;
        state.next += 1;
        state.jobs.insert(number, Posted { job, taken: 0 });
        self.changed.notify_all();
        number
    }

    /// The next piece of one's own job, or of a smaller one while others work
    /// on one's own; the job itself once it is done.
    fn next(&self, number: u64) -> Next<J::Piece, J> {
        let mut state = self.lock();
        loop {
            let posted = state.jobs.get_mut(&number).expect("only its owner takes a job down");
            if let Some(piece) = posted.take() {
                return Next::Piece(number, piece);
            }
            if posted.taken == 0 {
                let posted = state.jobs.remove(&number).expect("just seen");
                return Next::Done(posted.job);
            }
            let levels = posted.job.levels();
            if let Some((number, piece)) = state.piece_below(levels) {
                return Next::Piece(number, piece);
            }
            state = self.wait(state);
        }
    }

    /// Works on a job until it is done: carries out its pieces, and those of smaller jobs while
    /// others work on it.
    pub(crate) fn work_on(&self, job: J, mut carry_out: impl FnMut(u64, J::Piece)) -> J {
        let own = self.post(job);
        loop {
            match self.next(own) {
                Next::Piece(number, piece) => carry_out(number, piece),
                Next::Done(job) => return job,
            }
        }
    }

    /// Carries out pieces of any job until the board is closed.
    pub(crate) fn work_for_others(&self, mut carry_out: impl FnMut(u64, J::Piece)) {
        while let Some((number, piece)) = self.help() {
            carry_out(number, piece);
        }
    }

    /// Another piece of a job, if it is not done and has one now.
    pub(crate) fn more(&self, number: u64) -> Option<J::Piece> {
        self.lock().jobs.get_mut(&number)?.take()
    }

    /// A piece of the largest job there is; waits for one. None once the board
    /// is closed.
    fn help(&self) -> Option<(u64, J::Piece)> {
        let mut state = self.lock();
        while !state.closed {
            if let Some(found) = state.piece_below(u32::MAX) {
                return Some(found);
            }
            state = self.wait(state);
        }
        None
    }

    /// Brings back a piece: `enter` says in the job what became of it.
    pub(crate) fn give_back<T>(&self, number: u64, enter: impl FnOnce(&mut J) -> T) -> T {
        let mut state = self.lock();
        let posted = state.jobs.get_mut(&number).expect("a job with a piece taken stays");
        posted.taken -= 1;
        let result = enter(&mut posted.job);
        self.changed.notify_all();
        result
    }

    /// Sends all helpers home.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State<J>>) -> MutexGuard<'a, State<J>> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        state
    }
}

impl<J: Job> State<J> {
    /// A piece of the job with the most levels below so many; of equal ones the
    /// oldest.
    fn piece_below(&mut self, levels: u32) -> Option<(u64, J::Piece)> {
        let mut jobs: Vec<_> =
            self.jobs.iter_mut().filter(|(_, posted)| posted.job.levels() < levels).collect();
        jobs.sort_by_key(|(number, posted)| (std::cmp::Reverse(posted.job.levels()), **number));
        jobs.into_iter().find_map(|(number, posted)| Some((*number, posted.take()?)))
    }
}

impl<J: Job> Posted<J> {
    fn take(&mut self) -> Option<J::Piece> {
        let piece = self.job.take()?;
        self.taken += 1;
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many pieces of one number each; a piece of a job with levels posts a
    /// job with one level less.
    struct Sum {
        levels: u32,
        pieces: Vec<u64>,
        total: u64,
    }

    impl Job for Sum {
        type Piece = (u32, u64);

        fn take(&mut self) -> Option<(u32, u64)> {
            self.pieces.pop().map(|number| (self.levels, number))
        }

        fn put_back(&mut self, _piece: (u32, u64)) {
            unreachable!("every piece is done");
        }

        fn levels(&self) -> u32 {
            self.levels
        }
    }

    fn sum(board: &Board<Sum>, levels: u32, pieces: Vec<u64>) -> u64 {
        let job = Sum { levels, pieces, total: 0 };
        board.work_on(job, |number, piece| carry_out(board, number, piece)).total
    }

    fn carry_out(board: &Board<Sum>, number: u64, (levels, value): (u32, u64)) {
        let value = if levels > 1 { sum(board, levels - 1, vec![value, value]) } else { value };
        board.give_back(number, |job| job.total += value);
    }

    fn help(board: &Board<Sum>) {
        board.work_for_others(|number, piece| carry_out(board, number, piece));
    }

    #[cfg(not(loom))]
    #[test]
    fn every_piece_is_done_once_whoever_helps() {
        for helpers in 0..4 {
            let board = Board::new();
            let total = std::thread::scope(|scope| {
                for _ in 0..helpers {
                    scope.spawn(|| help(&board));
                }
                let total = sum(&board, 4, (1..=20).collect());
                board.close();
                total
            });
            assert_eq!(total, 210 * 8);
        }
    }

    /// Every order in which two threads can meet, of those with few surprises:
    /// `make test-threads` runs it.
    #[cfg(loom)]
    #[test]
    fn every_order_of_two_threads_does_every_piece_once() {
        let mut orders = loom::model::Builder::new();
        orders.preemption_bound = Some(6);
        for (levels, pieces, expected) in [(1, vec![1, 2, 4], 7), (2, vec![1, 2], 6)] {
            orders.check(move || {
                let board = loom::sync::Arc::new(Board::new());
                let helped = board.clone();
                let helper = loom::thread::spawn(move || help(&helped));
                assert_eq!(sum(&board, levels, pieces.clone()), expected);
                board.close();
                helper.join().expect("no panic");
            });
        }
    }
}
