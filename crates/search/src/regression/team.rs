//! Several threads that search one table of numbers together.
//!
//! As `team.rs` one storey up: a node becomes a job as soon as some thread has nothing
//! to do, every thread takes the most promising interval that is open and evaluates its
//! middle, and all share the memo. What an evaluation shows are bounds on the sides of
//! its threshold, whenever it began; until it is back its interval counts as open.

use super::part::Part;
use super::search::Search;
use super::sides::Sides;
use crate::answer::Bracket;
use crate::board::{Board, Job, Next};
use crate::intervals::{OpenIntervals, Trial, Tried};
use crate::threads::{Helper, Out};
use crate::tracer::{Discards, Stats};
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
    kind: Kind,
    reach: bool,
    /// Whether it is the whole table without anything relaxed.
    outermost: bool,
}

/// How the thresholds of a part are tried.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Both sides are searched.
    Sides,
    /// Both sides get their best stump.
    Stumps,
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

    fn put_back(&mut self, piece: Piece) {
        self.is_back(piece.trial.interval.lower);
        self.open.put_back(piece.trial.interval);
        self.stopped = true;
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
    pub fn together(
        &mut self,
        part: &Part,
        limits: Limits,
        kind: Kind,
        open: OpenIntervals,
        bracket: Bracket,
    ) -> (OpenIntervals, Bracket) {
        let board = self.board.expect("threads that wait have a board");
        let outermost = self.open_calls == 1;
        let reach = self.options.reach && kind == Kind::Sides;
        let task = Arc::new(Task { part: part.clone(), limits, kind, reach, outermost });
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

    fn carry_out(&mut self, board: &Board<Node>, number: u64, piece: Piece) {
        match piece.task.kind {
            Kind::Sides => {
                self.enter(board, number, piece, |search, Piece { task, trial }| {
                    search.try_threshold(trial, &task.part, task.limits)
                });
            }
            Kind::Stumps => self.carry_out_stumps(board, number, piece),
        }
    }

    /// Goes on with the same part as long as it has pieces: what tries them is
    /// costly to set up.
    fn carry_out_stumps(&mut self, board: &Board<Node>, number: u64, first: Piece) {
        let task = first.task.clone();
        // Notes are of the thread that made them.
        let mut sides = Sides::new(self.ground, &task.part, self.price, self.level);
        sides.takes_notes = false;
        let mut next = Some(first);
        while let Some(piece) = next {
            self.enter(board, number, piece, |search, piece| {
                search.try_stumps(&piece.trial, &task.part, task.limits, &mut sides)
            });
            next = board.more(number);
        }
        self.stats.discards.stump_bounds += sides.left_out;
    }

    /// Tries a threshold and enters what it shows.
    fn enter(
        &mut self,
        board: &Board<Node>,
        number: u64,
        piece: Piece,
        attempt: impl FnOnce(&mut Self, &Piece) -> Tried,
    ) {
        let out = Out::new(board, number, piece);
        let Some(piece) = out.piece().filter(|_| !self.clock.stopped()) else { return };
        let tried = attempt(self, piece);
        out.enter(|node, piece| {
            node.is_back(piece.trial.interval.lower);
            tried.enter(piece.trial, &mut node.open, &mut node.bracket);
            if piece.task.outermost {
                self.report(&node.bracket, node.lower());
            }
        });
    }
}

impl Helper for Search<'_> {
    type Job = Node;

    fn help(&mut self, board: &Board<Node>) {
        // What a helper searches lies inside of what its owner does.
        self.open_calls = 1;
        while let Some((number, piece)) = board.help() {
            self.carry_out(board, number, piece);
        }
    }

    fn into_stats(self) -> Stats {
        self.stats
    }
}
