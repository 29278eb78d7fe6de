//! Best stumps on both sides of a root rule, over all features at once.
//!
//! An evaluator holds what one part needs, in the order of its features, until
//! it turns to another one. Which one serves a part depends on how many classes
//! are left in it and how wide its counts are; all give the same numbers.

use super::by_pairs::ByPairs;
use super::by_tally::ByTally;
use crate::kernels::Level;
use crate::layout::Layout;
use crate::part::Part;
use exactree_model::Weight;

/// Classes above which two passes over all rows are cheaper than one pass for
/// each pair of classes.
pub const MOST_PAIRED: usize = 12;

/// Weight that is right on one side of a root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Right {
    pub leaf: Weight,
    /// By the best stump or the leaf.
    pub stump: Weight,
}

/// A root that sends the first `left` items of a feature's order left.
#[derive(Clone, Copy, Debug, Default)]
pub struct Root {
    pub feature: usize,
    pub left: usize,
}

/// What is known of a root's stumps before it is evaluated, by side.
#[derive(Clone, Copy, Debug)]
pub struct Between {
    /// Notes of an evaluated root of the same feature: one whose left side lies
    /// inside this one's, and one whose right side does.
    pub notes: [Option<u32>; 2],
    /// Stumps that misclassify as much need not be told apart.
    pub useless: [Weight; 2],
}

/// What is right on both sides of a root.
#[derive(Clone, Copy, Debug)]
pub struct Evaluated {
    /// The stump's may be too much, but only for useless stumps.
    pub sides: [Right; 2],
    /// Features of the best stumps, if noted; any where the leaf is as good.
    pub features: Option<[usize; 2]>,
    pub notes: Option<u32>,
}

/// Best stumps of a part on both sides of its rules.
pub trait Evaluator {
    /// `part` is the one it has turned to.
    fn evaluate(&mut self, part: &Part, root: Root, between: &Between) -> Evaluated;

    /// How many sweeps were left out.
    fn left_out(&self) -> u64;
}

/// The evaluators of one search.
pub struct Evaluators {
    narrow: ByPairs<i16>,
    middle: ByPairs<i32>,
    wide: ByPairs<i64>,
    tally: ByTally,
}

impl Evaluators {
    /// Perhaps with columns of bits for features with few values.
    pub fn new(level: Level, few_values: bool) -> Self {
        Evaluators {
            narrow: ByPairs::new(level, few_values),
            middle: ByPairs::new(level, few_values),
            wide: ByPairs::new(level, few_values),
            tally: ByTally::default(),
        }
    }

    /// The evaluator for a part, turned to it.
    pub fn begin(&mut self, layout: &Layout, part: &Part) -> &mut dyn Evaluator {
        let classes = (0..layout.n_classes).filter(|&class| part.class_weights[class] > 0);
        let classes: Vec<usize> = classes.collect();
        if classes.len() > MOST_PAIRED {
            self.tally.begin(layout, &classes);
            return &mut self.tally;
        }
        match part.weight.max(part.count as u64) {
            0..0x7fff => {
                self.narrow.begin(layout, part, &classes);
                &mut self.narrow
            }
            0x7fff..0x7fff_ffff => {
                self.middle.begin(layout, part, &classes);
                &mut self.middle
            }
            _ => {
                self.wide.begin(layout, part, &classes);
                &mut self.wide
            }
        }
    }
}
