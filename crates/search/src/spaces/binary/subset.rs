//! A subset of a table of binary columns.

use super::columns::BinaryColumns;
use crate::engine::subset::Subset;
use crate::kernels::InstructionSet;
use crate::support::bits::Bits;
use exactree_model::{Errors, Weight};
use smallvec::SmallVec;

/// The rules on a path. Paths of usual length need no memory of their own, so that a look-up in
/// `path_cache.rs` reads one place.
pub(crate) type Path = SmallVec<[u32; 8]>;

/// What is known of the items that reach a node: the rules that split them, their path, and their
/// weights.
#[derive(Clone)]
pub(crate) struct BinaryTotals {
    /// The rules that split these items.
    pub columns: BinaryColumns,
    /// The path to this subset, in increasing order: rule · 2 for a left child, rule · 2 + 1 for a
    /// right child.
    pub path: Path,
    /// By class of `columns`.
    pub class_weights: Vec<Weight>,
    pub weight: Weight,
    pub unavoidable: Weight,
}

/// The items that reach a node, as bits of the whole table. An item has one bit in each plane of its
/// weight, so `count` is the number of bits, which is at least the number of items. `rows` holds the
/// weight; with a minimum leaf size this is the number of rows, because columns are then used only if
/// every item weighs as much as it has rows (`spaces/continuous/layout.rs`).
pub(crate) type BinarySubset = Subset<BinaryTotals>;

impl BinarySubset {
    pub(crate) fn whole(columns: &BinaryColumns) -> BinarySubset {
        BinarySubset::from_columns(
            columns.clone(),
            Bits { words: columns.all.clone() },
            Path::new(),
        )
    }

    fn from_columns(columns: BinaryColumns, members: Bits, path: Path) -> BinarySubset {
        let class_weights = columns.weigh(|at| columns.all[at]);
        let unavoidable = columns.unavoidable_in(|at| columns.all[at]);
        let weight = class_weights.iter().sum();
        let count = members.count() as usize;
        let totals = BinaryTotals { columns, path, class_weights, weight, unavoidable };
        Subset::unordered(members, count, weight, totals)
    }

    /// The child of a rule of this subset.
    pub(crate) fn child(
        &self,
        table: &BinaryColumns,
        instructions: InstructionSet,
        rule: usize,
        left: bool,
    ) -> BinarySubset {
        let columns = self.columns.within(instructions, &self.columns.child(rule, left));
        BinarySubset::from_columns(
            columns,
            self.members_on(table, rule, left),
            self.path_to(rule, left),
        )
    }

    /// The items in a child of a rule, as bits of the whole table.
    pub(crate) fn members_on(&self, table: &BinaryColumns, rule: usize, left: bool) -> Bits {
        let of_table = table.column(self.columns.rules[rule] as usize).iter();
        let pairs = self.members.words.iter().zip(of_table);
        let words = match left {
            true => pairs.map(|(member, held)| member & held).collect(),
            false => pairs.map(|(member, held)| member & !held).collect(),
        };
        Bits { words }
    }

    /// The path of a child.
    pub(crate) fn path_to(&self, rule: usize, left: bool) -> Path {
        let step = self.columns.rules[rule] * 2 + !left as u32;
        let at = self.path.partition_point(|&other| other < step);
        let mut path = Path::with_capacity(self.path.len() + 1);
        path.extend_from_slice(&self.path[..at]);
        path.push(step);
        path.extend_from_slice(&self.path[at..]);
        path
    }

    /// Class of the table that a leaf predicts.
    pub(crate) fn leaf_class(&self) -> u32 {
        let best = Errors::leaf_class(&self.class_weights);
        self.columns.classes.get(best as usize).copied().unwrap_or(0)
    }

    pub(crate) fn leaf_errors(&self) -> Weight {
        Errors::leaf_errors(&self.class_weights)
    }
}
