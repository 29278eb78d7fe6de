//! Several threads that search one table together.
//!
//! A node whose thresholds are being tried becomes a job on the board as soon
//! as some thread has nothing to do (so one thread alone never pays for it).
//! Its pieces are thresholds; every thread takes the most promising interval
//! that is open, evaluates its middle with a search of its own, and enters what
//! it has shown. All share the memo.
//!
//! *Why the answer is that of one thread.* What an evaluation shows of the two
//! sides of a threshold are bounds on these sides, whenever they were found,
//! and `OpenIntervals::halve` needs no more. An incumbent that came meanwhile
//! only means that a threshold was solved further than needed. While a piece is
//! out its interval's lower bound still counts (`lower`), so what is reported is
//! a lower bound at any time; and a node is answered only when all pieces are
//! back.

use crate::answer::Bracket;
use crate::best::Search;
use crate::board::{Board, Job, Next};
use crate::intervals::{OpenIntervals, Trial};
use crate::part::Part;
use crate::tracer::Discards;
use exactree_model::{Cost, Limits};
use std::sync::Arc;

/// A part whose thresholds several threads try.
pub(crate) struct Node {
    task: Arc<Task>,
    open: OpenIntervals,
    bracket: Bracket,
    /// Lower bounds of the intervals that are out.
    out: Vec<Cost>,
    stopped: bool,
    discards: Discards,
}

/// What all threads need to know of a node.
pub(crate) struct Task {
    part: Part,
    limits: Limits,
    reach: bool,
    /// Whether it is the whole table without anything relaxed.
    outermost: bool,
}

/// A threshold to try.
pub(crate) struct Piece {
    task: Arc<Task>,
    trial: Trial,
}

impl Job for Node {
    type Piece = Piece;

    fn take(&mut self) -> Option<Piece> {
        if self.stopped {
            return None;
        }
        let upper = self.bracket.upper;
        let interval = self.open.most_promising(upper, &mut self.discards)?;
        self.out.push(interval.lower);
        let trial = self.open.trial(interval, upper, self.task.reach);
        Some(Piece { task: self.task.clone(), trial })
    }

    fn levels(&self) -> u32 {
        self.task.limits.depth
    }
}

impl Node {
    /// Counts the bound of an interval as open no more.
    fn is_back(&mut self, lower: Cost) {
        let at = self.out.iter().position(|&out| out == lower);
        self.out.swap_remove(at.expect("taken before"));
    }

    /// No tree with an inner root costs less.
    fn lower(&self) -> Cost {
        self.out.iter().fold(self.open.lower(), |least, &out| least.min(out))
    }
}

impl Search<'_> {
    /// Whether a thread has nothing to do.
    pub(crate) fn helpers_wait(&self) -> bool {
        self.board.is_some_and(Board::somebody_waits)
    }

    /// Tries the thresholds of a part that may matter, with all threads.
    pub(crate) fn together(
        &mut self,
        part: &Part,
        limits: Limits,
        open: OpenIntervals,
        bracket: Bracket,
    ) -> (OpenIntervals, Bracket) {
        let board = self.board.expect("threads that wait have a board");
        let (reach, outermost) = (self.options.reach, self.open_calls == 1);
        let task = Arc::new(Task { part: part.clone(), limits, reach, outermost });
        let (out, stopped, discards) = (Vec::new(), false, Discards::default());
        let number = board.post(Node { task, open, bracket, out, stopped, discards });
        loop {
            match board.next(number) {
                Next::Piece(number, piece) => self.carry_out(board, number, piece),
                Next::Done(node) => {
                    self.stats.discards.add(&node.discards);
                    return (node.open, node.bracket);
                }
            }
        }
    }

    /// Takes part in what others have posted until the board is closed.
    pub(crate) fn help(&mut self, board: &Board<Node>) {
        // What a helper searches lies inside of what its owner does.
        self.open_calls = 1;
        while let Some((number, piece)) = board.help() {
            self.carry_out(board, number, piece);
        }
    }

    fn carry_out(&mut self, board: &Board<Node>, number: u64, piece: Piece) {
        let out = Out { board, number, piece: Some(piece) };
        let Some(Piece { task, trial }) = out.piece.as_ref() else { return };
        if self.clock.stopped() {
            return;
        }
        let tried = self.try_threshold(trial, &task.part, task.limits);
        out.enter(|node, piece| {
            tried.enter(piece.trial, &mut node.open, &mut node.bracket);
            if piece.task.outermost {
                self.report(&node.bracket, node.lower());
            }
        });
    }
}

/// A piece that a thread has taken. Dropped without an answer, when the search
/// is stopped or panics, it goes back and nobody takes another one.
struct Out<'a> {
    board: &'a Board<Node>,
    number: u64,
    piece: Option<Piece>,
}

impl Out<'_> {
    fn enter(mut self, enter: impl FnOnce(&mut Node, Piece)) {
        let Some(piece) = self.piece.take() else { return };
        self.board.give_back(self.number, |node| {
            node.is_back(piece.trial.interval.lower);
            enter(node, piece);
        });
    }
}

impl Drop for Out<'_> {
    fn drop(&mut self) {
        if let Some(piece) = self.piece.take() {
            self.board.give_back(self.number, |node| {
                node.is_back(piece.trial.interval.lower);
                node.open.put_back(piece.trial.interval);
                node.stopped = true;
            });
        }
    }
}
