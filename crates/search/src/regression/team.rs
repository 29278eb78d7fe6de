//! Several threads that search one table of numbers together.
//!
//! As `team.rs` one storey up: a node becomes a job as soon as some thread has nothing
//! to do, and all share the memo; `tried_node.rs` says why the answer is that of one thread.

use super::part::Part;
use super::search::Search;
use super::sides::Sides;
use crate::answer::Bracket;
use crate::board::Board;
use crate::intervals::{OpenIntervals, Tried};
use crate::threads::{Helper, Out};
use crate::tracer::Stats;
use crate::tried_node::{Kind, Node, Piece, Task};
use exactree_model::Limits;

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
        let task = Task { part: part.clone(), limits, kind, reach, outermost };
        if outermost {
            // The first piece may be out for long.
            self.report(&bracket, open.lower());
        }
        let node = board.work_on(Node::new(task, open, bracket), |number, piece| {
            self.carry_out(board, number, piece);
        });
        self.stats.discards.add(&node.discards);
        (node.open, node.bracket)
    }

    fn carry_out(&mut self, board: &Board<Node<Part>>, number: u64, piece: Piece<Part>) {
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
    fn carry_out_stumps(&mut self, board: &Board<Node<Part>>, number: u64, first: Piece<Part>) {
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
        board: &Board<Node<Part>>,
        number: u64,
        piece: Piece<Part>,
        attempt: impl FnOnce(&mut Self, &Piece<Part>) -> Tried,
    ) {
        let out = Out::new(board, number, piece);
        let Some(piece) = out.piece().filter(|_| !self.clock.stopped()) else { return };
        let tried = attempt(self, piece);
        let outermost = piece.task.outermost;
        out.enter(|node, piece| {
            node.enter(piece, tried);
            if outermost {
                self.report(&node.bracket, node.lower());
            }
        });
    }
}

impl Helper for Search<'_> {
    type Job = Node<Part>;

    fn help(&mut self, board: &Board<Node<Part>>) {
        // What a helper searches lies inside of what its owner does.
        self.open_calls = 1;
        board.work_for_others(|number, piece| self.carry_out(board, number, piece));
    }

    fn into_stats(self) -> Stats {
        self.stats
    }
}
