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
use crate::intervals::{OpenIntervals, Trial, Tried};
use crate::part::Part;
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
    pub(crate) fn together(
        &mut self,
        part: &Part,
        limits: Limits,
        kind: Kind,
        open: OpenIntervals,
        bracket: Bracket,
    ) -> (OpenIntervals, Bracket) {
        let board = self.board.expect("threads that wait have a board");
        let reach = self.reach && kind == Kind::Sides;
        let outermost = self.open_calls == 1;
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
                    Some(search.try_threshold(trial, &task.part, task.limits))
                });
            }
            Kind::Stumps => self.carry_out_stumps(board, number, piece),
        }
    }

    /// Goes on with the same part as long as it has pieces: what tries them is
    /// costly to set up.
    fn carry_out_stumps(&mut self, board: &Board<Node>, number: u64, first: Piece) {
        let task = first.task.clone();
        let mut evaluators = self.take_evaluators();
        let evaluator = evaluators.begin(self.layout, &task.part);
        let mut next = Some(first);
        while let Some(piece) = next {
            self.enter(board, number, piece, |search, piece| {
                search.try_stumps(&piece.trial, &task.part, task.limits, evaluator)
            });
            next = board.more(number);
        }
        self.evaluators = Some(evaluators);
    }

    /// Tries a threshold and enters what it shows, if it shows anything.
    fn enter(
        &mut self,
        board: &Board<Node>,
        number: u64,
        piece: Piece,
        attempt: impl FnOnce(&mut Self, &Piece) -> Option<Tried>,
    ) {
        let out = Out::new(board, number, piece);
        let back = |piece: &Piece| piece.task.outermost && self.gives_back();
        let wanted = |piece: &&Piece| !back(piece) && !self.clock.stopped();
        let Some(piece) = out.piece().filter(wanted) else { return };
        let Some(tried) = attempt(self, piece) else { return };
        out.enter(|node, piece| {
            node.is_back(piece.trial.interval.lower);
            tried.enter(piece.trial, &mut node.open, &mut node.bracket);
            if piece.task.outermost {
                self.hear(&mut node.bracket);
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
