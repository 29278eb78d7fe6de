//! A part of a table of two-valued columns.

use super::columns::Columns;
use crate::bits::Bits;
use crate::kernels::Level;
use exactree_model::{Errors, Weight};

/// The items that reach a node.
#[derive(Clone)]
pub(crate) struct Part {
    pub columns: Columns,
    /// The same items among those of the whole table.
    pub members: Bits,
    /// The sides of rules that lead here, in increasing order: rule · 2, and one
    /// more for the right side.
    pub path: Vec<u32>,
    /// By class of `columns`.
    pub class_weights: Vec<Weight>,
    pub weight: Weight,
    pub unavoidable: Weight,
}

impl Part {
    pub fn whole(columns: &Columns) -> Part {
        Part::of(columns.clone(), Bits { words: columns.all.clone() }, Vec::new())
    }

    fn of(columns: Columns, members: Bits, path: Vec<u32>) -> Part {
        let class_weights = columns.weigh(|at| columns.all[at]);
        let unavoidable = columns.unavoidable_in(|at| columns.all[at]);
        let weight = class_weights.iter().sum();
        Part { columns, members, path, class_weights, weight, unavoidable }
    }

    /// The side of a rule of this part.
    pub fn side(&self, table: &Columns, level: Level, rule: usize, left: bool) -> Part {
        let columns = self.columns.within(level, &self.columns.side(rule, left));
        Part::of(columns, self.members_on(table, rule, left), self.path_to(rule, left))
    }

    /// The items on a side of a rule, among those of the whole table.
    pub fn members_on(&self, table: &Columns, rule: usize, left: bool) -> Bits {
        let of_table = table.column(self.columns.rules[rule] as usize).iter();
        let pairs = self.members.words.iter().zip(of_table);
        let words = match left {
            true => pairs.map(|(member, held)| member & held).collect(),
            false => pairs.map(|(member, held)| member & !held).collect(),
        };
        Bits { words }
    }

    /// The path of a side.
    pub fn path_to(&self, rule: usize, left: bool) -> Vec<u32> {
        let step = self.columns.rules[rule] * 2 + !left as u32;
        let at = self.path.partition_point(|&other| other < step);
        let mut path = Vec::with_capacity(self.path.len() + 1);
        path.extend_from_slice(&self.path[..at]);
        path.push(step);
        path.extend_from_slice(&self.path[at..]);
        path
    }

    /// Class of the table that a leaf predicts.
    pub fn leaf_class(&self) -> u32 {
        let best = Errors::leaf_class(&self.class_weights);
        self.columns.classes.get(best as usize).copied().unwrap_or(0)
    }

    pub fn leaf_errors(&self) -> Weight {
        Errors::leaf_errors(&self.class_weights)
    }
}
