//! Several threads that search one table together.
//!
//! A node whose thresholds are being tried becomes a job on the board as soon
//! as some thread has nothing to do (so one thread alone never pays for it). All share
//! the memo. Why the answer is that of one thread says `tried_node.rs`.

use crate::answer::Bracket;
use crate::best::Search;
use crate::board::Board;
use crate::intervals::{OpenIntervals, Tried};
use crate::part::Part;
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
                    Some(search.try_threshold(trial, &task.part, task.limits))
                });
            }
            Kind::Stumps => self.carry_out_stumps(board, number, piece),
        }
    }

    /// Goes on with the same part as long as it has pieces: what tries them is
    /// costly to set up.
    fn carry_out_stumps(&mut self, board: &Board<Node<Part>>, number: u64, first: Piece<Part>) {
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
        board: &Board<Node<Part>>,
        number: u64,
        piece: Piece<Part>,
        attempt: impl FnOnce(&mut Self, &Piece<Part>) -> Option<Tried>,
    ) {
        let out = Out::new(board, number, piece);
        let back = |piece: &Piece<Part>| piece.task.outermost && self.gives_back();
        let wanted = |piece: &&Piece<Part>| !back(piece) && !self.clock.stopped();
        let Some(piece) = out.piece().filter(wanted) else { return };
        let Some(tried) = attempt(self, piece) else { return };
        let outermost = piece.task.outermost;
        out.enter(|node, piece| {
            node.enter(piece, tried);
            if outermost {
                self.hear(&mut node.bracket);
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
