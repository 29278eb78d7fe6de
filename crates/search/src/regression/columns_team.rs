//! Several threads that try the columns of one part, which have more levels below than are
//! counted.
//!
//! As `team.rs` does with thresholds. A piece is a column; what it shows is the best tree with
//! this root, or a lower bound on such trees, whenever the piece was taken. While a column
//! is out or untried only what was known of the part before bounds it.

use super::part::Part;
use super::search::Search;
use crate::answer::Bracket;
use crate::board::{Board, Job};
use crate::threads::{Helper, Out};
use crate::tracer::Stats;
use exactree_model::{Cost, Limits};
use std::sync::Arc;

/// A part whose columns are tried.
pub(crate) struct ColumnsNode {
    task: Arc<Task>,
    pub open: OpenColumns,
    pub bracket: Bracket,
}

/// Columns that have not been tried, in the order in which they will be.
pub(crate) struct OpenColumns {
    pub columns: std::vec::IntoIter<usize>,
    /// No tree with one of the other columns at its root costs less.
    pub tried: Cost,
    /// Whether one was given up.
    pub stopped: bool,
}

struct Task {
    part: Part,
    limits: Limits,
    /// Whether it is the whole table.
    outermost: bool,
}

/// A column to try, for a tree that costs less than `upper`.
pub(crate) struct Piece {
    task: Arc<Task>,
    column: usize,
    upper: Cost,
}

impl Job for ColumnsNode {
    type Piece = Piece;

    fn take(&mut self) -> Option<Piece> {
        if self.open.stopped {
            return None;
        }
        let column = self.open.columns.next()?;
        Some(Piece { task: self.task.clone(), column, upper: self.bracket.upper })
    }

    fn put_back(&mut self, _piece: Piece) {
        self.open.stopped = true;
    }

    fn levels(&self) -> u32 {
        self.task.limits.depth
    }
}

impl<'a> Search<'a> {
    /// Tries the columns of a part that are left, with all threads.
    pub(crate) fn columns_together(
        &mut self,
        board: &'a Board<ColumnsNode>,
        (part, limits): (&Part, Limits),
        open: OpenColumns,
        bracket: Bracket,
    ) -> (OpenColumns, Bracket) {
        let task = Task { part: part.clone(), limits, outermost: self.open_calls == 1 };
        let node = ColumnsNode { task: Arc::new(task), open, bracket };
        let node = board.work_on(node, |number, piece| self.carry_out_column(board, number, piece));
        (node.open, node.bracket)
    }

    fn carry_out_column(&mut self, board: &Board<ColumnsNode>, number: u64, piece: Piece) {
        let out = Out::new(board, number, piece);
        let Some(piece) = out.piece().filter(|_| !self.clock.stopped()) else { return };
        let (lower, tree) =
            self.try_column(&piece.task.part, piece.task.limits, piece.column, piece.upper);
        out.enter(|node, piece| {
            node.open.tried = node.open.tried.min(lower);
            if let Some((cost, tree)) = tree {
                node.bracket.improve(cost, tree);
            }
            if piece.task.outermost {
                self.report(&node.bracket, node.bracket.lower.min(node.open.tried));
            }
        });
    }
}

/// A thread that helps with columns.
pub(crate) struct ColumnsHelper<'a>(pub Search<'a>);

impl Helper for ColumnsHelper<'_> {
    type Job = ColumnsNode;

    fn help(&mut self, board: &Board<ColumnsNode>) {
        // What a helper searches lies inside of what its owner does.
        self.0.open_calls = 1;
        board.work_for_others(|number, piece| self.0.carry_out_column(board, number, piece));
    }

    fn into_stats(self) -> Stats {
        self.0.stats
    }
}
