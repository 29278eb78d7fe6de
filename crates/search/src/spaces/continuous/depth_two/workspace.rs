//! Scratch memory of the depth-two solvers, reused from call to call.

use super::evaluator::{Evaluator, MAX_PAIRED_CLASSES, StumpOrder};
use super::pair_evaluator::PairEvaluator;
use super::tally_evaluator::TallyEvaluator;
use crate::kernels::InstructionSet;
use crate::kernels::pairs::{PackedColumns, PairRow};
use crate::kernels::prefixes::{Gap, PrefixRow, Prefixes};
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::layout::Layout;
use exactree_model::Weight;

/// Scratch memory of the depth-two solvers.
#[derive(Default)]
pub(crate) struct ErrorWorkspace {
    pub counts: CountWorkspace,
    /// `None` before the first use, and while a caller uses them.
    pub evaluators: Option<Box<Evaluators>>,
    /// `None` before the first use, and while a caller uses it.
    pub all_thresholds: Option<Box<AllThresholds>>,
    /// The number of stump evaluations at which the clock is polled next.
    pub next_poll: u64,
}

/// Scratch memory of the solver that counts pairs of rules in columns of bits.
#[derive(Default)]
pub(crate) struct CountWorkspace {
    /// The rules of a subset, one column of bits for each.
    pub(super) columns: PackedColumns,
    /// Counts of one rule at the root with every later rule.
    pub(super) row: PairRow,
    /// The words of one column in one plane, before they are written to `columns`.
    pub(super) packed: Vec<u64>,
}

/// Scratch memory of an evaluation of all thresholds of an interval together.
///
/// `found`, `widest` and `correct` have an entry for each item of the interval, in the order of the
/// root feature: the entry of an item is about the threshold before it.
#[derive(Default)]
pub(crate) struct AllThresholds {
    pub(super) prefixes: Prefixes,
    /// The extremes of the prefixes of one inner feature, for a pair of classes.
    pub(super) found: Vec<Gap>,
    /// The entrywise maximum of the extremes of all inner features.
    pub(super) widest: Vec<Gap>,
    /// By slot, the item's place in the root feature's order and its contribution to a pair of
    /// classes.
    pub(super) rows: Vec<PrefixRow>,
    /// By item, then by child: the weight that the best stump classifies correctly.
    pub(super) correct: Vec<[Weight; 2]>,
}

/// The evaluators of one search.
pub(crate) struct Evaluators {
    narrow: PairEvaluator<i16>,
    middle: PairEvaluator<i32>,
    wide: PairEvaluator<i64>,
    tally: TallyEvaluator,
}

impl Evaluators {
    /// With columns of bits for features with few values, if `few_values`.
    pub(crate) fn new(instructions: InstructionSet, few_values: bool) -> Self {
        Evaluators {
            narrow: PairEvaluator::new(instructions, few_values),
            middle: PairEvaluator::new(instructions, few_values),
            wide: PairEvaluator::new(instructions, few_values),
            tally: TallyEvaluator::default(),
        }
    }

    /// Restricts the leaves of stumps, by feature; for two classes.
    pub(crate) fn restrict(&mut self, orders: &[StumpOrder]) {
        self.narrow.restrict(orders.to_vec());
        self.middle.restrict(orders.to_vec());
        self.wide.restrict(orders.to_vec());
    }

    /// The evaluator for a subset, prepared for it; `leaf_rows` if it has to count the rows of leaves.
    pub(crate) fn begin(
        &mut self,
        layout: &Layout,
        subset: &ContinuousSubset,
        leaf_rows: bool,
    ) -> &mut dyn Evaluator {
        let classes = (0..layout.n_classes).filter(|&class| subset.class_weights[class] > 0);
        let classes: Vec<usize> = classes.collect();
        if classes.len() > MAX_PAIRED_CLASSES {
            self.tally.begin(layout, subset, &classes);
            return &mut self.tally;
        }
        let rows = if leaf_rows { subset.rows } else { 0 };
        match subset.weight.max(subset.count as u64).max(rows) {
            0..0x7fff => {
                self.narrow.begin(layout, subset, &classes, leaf_rows);
                &mut self.narrow
            }
            0x7fff..0x7fff_ffff => {
                self.middle.begin(layout, subset, &classes, leaf_rows);
                &mut self.middle
            }
            _ => {
                self.wide.begin(layout, subset, &classes, leaf_rows);
                &mut self.wide
            }
        }
    }
}
