//! Several threads that search one table of two-valued columns together.
//!
//! As `team.rs` one storey up, with rules as pieces: a node becomes a job as soon
//! as some thread has nothing to do, every thread takes the most promising rule
//! that is open, and all share both memos. What a trial shows are bounds on both
//! sides of its rule and perhaps a tree; `OpenRules::enter` needs no more, whenever
//! it began. Until it is back its rule counts as open (`OpenRules::lower`).

use super::open_rules::{OpenRules, Trial};
use super::rules::Node;
use super::search::{BinarySearch, Bracket};
use crate::board::{Board, Job};
use crate::kernels::chunks::Lane;
use crate::threads::{Helper, Out};
use crate::tracer::{Discards, Stats};
use std::borrow::Cow;
use std::sync::Arc;

/// A node whose rules several threads try.
pub(crate) struct SharedNode<L> {
    task: Arc<Task<L>>,
    rules: OpenRules,
    bracket: Bracket,
    stopped: bool,
    discards: Discards,
}

/// What all threads need to know of a node.
pub(crate) struct Task<L> {
    node: Node<'static, L>,
    expanded: usize,
    /// Whether it is the whole table.
    outermost: bool,
}

/// A rule to try.
pub(crate) struct Piece<L> {
    task: Arc<Task<L>>,
    trial: Trial,
}

impl<L: Lane> Job for SharedNode<L> {
    type Piece = Piece<L>;

    fn take(&mut self) -> Option<Piece<L>> {
        if self.stopped {
            return None;
        }
        let trial = self.rules.next(self.bracket.upper, &mut self.discards)?;
        Some(Piece { task: self.task.clone(), trial })
    }

    /// A rule that is not tried stays without a proof.
    fn put_back(&mut self, _piece: Piece<L>) {
        self.stopped = true;
    }

    fn levels(&self) -> u32 {
        self.task.node.limits.depth
    }
}

/// Words that a trial has to meet so that sharing it pays: they take some ten microseconds.
const SHARED: usize = 1 << 16;

impl<L: Lane> BinarySearch<'_, L> {
    /// Whether a thread has nothing to do and this node is worth its while.
    pub(crate) fn helpers_wait(&self, node: &Node<'_, L>) -> bool {
        let chunks = &node.counts.chunks;
        let met = match self.lists {
            Some(_) => node.counts.pairs.held.len(),
            None => chunks.words.len() * chunks.count,
        };
        self.board.is_some_and(Board::somebody_waits) && (node.limits.depth > 3 || met >= SHARED)
    }

    /// Tries the rules of a node that may matter, with all threads.
    pub(crate) fn together(
        &mut self,
        node: Node<'_, L>,
        rules: OpenRules,
        bracket: Bracket,
    ) -> (OpenRules, Bracket) {
        let board = self.board.expect("threads that wait have a board");
        let node = Node { part: Cow::Owned(node.part.into_owned()), ..node };
        let outermost = self.open_calls == 1;
        if outermost {
            // The first piece may be out for long.
            self.report(&bracket, rules.lower().max(bracket.lower));
        }
        let task = Arc::new(Task { node, expanded: self.expanded, outermost });
        let (stopped, discards) = (false, Discards::default());
        let shared = SharedNode { task, rules, bracket, stopped, discards };
        let shared = board.work_on(shared, |number, piece| self.carry_out(board, number, piece));
        self.stats.discards.add(&shared.discards);
        (shared.rules, shared.bracket)
    }

    /// Tries a rule and enters what that shows.
    fn carry_out(&mut self, board: &Board<SharedNode<L>>, number: u64, piece: Piece<L>) {
        self.expanded = piece.task.expanded;
        let out = Out::new(board, number, piece);
        let back = |piece: &Piece<L>| piece.task.outermost && self.gives_back();
        let wanted = |piece: &&Piece<L>| !back(piece) && !self.clock.stopped();
        let Some(piece) = out.piece().filter(wanted) else { return };
        let tried = self.try_rule(&piece.trial, &piece.task.node);
        out.enter(|shared, Piece { task, trial }| {
            shared.rules.enter(&trial, tried, &task.node, &mut shared.bracket);
            if task.outermost {
                self.hear(&mut shared.bracket);
                self.report(&shared.bracket, shared.rules.lower().max(shared.bracket.lower));
            }
        });
    }
}

impl<L: Lane> Helper for BinarySearch<'_, L> {
    type Job = SharedNode<L>;

    fn help(&mut self, board: &Board<SharedNode<L>>) {
        // What a helper searches lies inside of what its owner does.
        self.open_calls = 1;
        board.work_for_others(|number, piece| self.carry_out(board, number, piece));
    }

    fn into_stats(self) -> Stats {
        self.stats
    }
}
