//! A part of a table of numbers whose thresholds several threads try.
//!
//! Its pieces are thresholds; every thread takes the most promising interval that is
//! open, evaluates its middle with a search of its own, and enters what it has shown.
//!
//! *Why the answer is that of one thread.* What an evaluation shows of the two
//! sides of a threshold are bounds on these sides, whenever they were found,
//! and `OpenIntervals::halve` needs no more. An incumbent that came meanwhile
//! only means that a threshold was solved further than needed. While a piece is
//! out its interval's lower bound still counts (`lower`), so what is reported is
//! a lower bound at any time; and a node is answered only when all pieces are
//! back.

use crate::answer::Bracket;
use crate::board::Job;
use crate::intervals::{OpenIntervals, Trial, Tried};
use crate::tracer::Discards;
use exactree_model::{Cost, Limits};
use std::sync::Arc;

/// A part whose thresholds several threads try.
pub(crate) struct Node<P> {
    task: Arc<Task<P>>,
    pub open: OpenIntervals,
    pub bracket: Bracket,
    /// Lower bounds of the intervals that are out.
    out: Vec<Cost>,
    stopped: bool,
    pub discards: Discards,
}

/// What all threads need to know of a node.
pub(crate) struct Task<P> {
    pub part: P,
    pub limits: Limits,
    pub kind: Kind,
    /// Whether sides are solved beyond what is needed.
    pub reach: bool,
    /// Whether it is the whole table without anything relaxed.
    pub outermost: bool,
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
pub(crate) struct Piece<P> {
    pub task: Arc<Task<P>>,
    pub trial: Trial,
}

impl<P> Job for Node<P> {
    type Piece = Piece<P>;

    fn take(&mut self) -> Option<Piece<P>> {
        if self.stopped {
            return None;
        }
        let upper = self.bracket.upper;
        let interval = self.open.most_promising(upper, &mut self.discards)?;
        self.out.push(interval.lower);
        let trial = self.open.trial(interval, upper, self.task.reach);
        Some(Piece { task: self.task.clone(), trial })
    }

    fn put_back(&mut self, piece: Piece<P>) {
        self.is_back(piece.trial.interval.lower);
        self.open.put_back(piece.trial.interval);
        self.stopped = true;
    }

    fn levels(&self) -> u32 {
        self.task.limits.depth
    }
}

impl<P> Node<P> {
    pub fn new(task: Task<P>, open: OpenIntervals, bracket: Bracket) -> Node<P> {
        let (out, stopped, discards) = (Vec::new(), false, Discards::default());
        Node { task: Arc::new(task), open, bracket, out, stopped, discards }
    }

    /// Enters what a piece has shown.
    pub fn enter(&mut self, piece: Piece<P>, tried: Tried) {
        self.is_back(piece.trial.interval.lower);
        tried.enter(piece.trial, &mut self.open, &mut self.bracket);
    }

    /// Counts the bound of an interval as open no more.
    fn is_back(&mut self, lower: Cost) {
        let at = self.out.iter().position(|&out| out == lower);
        self.out.swap_remove(at.expect("taken before"));
    }

    /// No tree with an inner root costs less.
    pub fn lower(&self) -> Cost {
        self.out.iter().fold(self.open.lower(), |least, &out| least.min(out))
    }
}
