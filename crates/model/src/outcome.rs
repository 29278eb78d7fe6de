//! The outcome of a search, whether it finished or was stopped.

use crate::{Cost, Tree};
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The tree is proved optimal.
    Optimal,
    /// Stopped early; tree and lower bound are valid.
    Feasible,
    /// Proved: no tree meets the limits.
    Infeasible,
    /// Stopped before a tree was found; the lower bound is valid.
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoppedBy {
    TimeLimit,
    Interrupt,
    Callback,
    Gap,
    MemoryLimit,
}

#[derive(Clone, Debug)]
pub struct Outcome {
    pub status: Status,
    pub tree: Option<Arc<Tree>>,
    pub cost: Option<Cost>,
    pub lower_bound: Cost,
    pub stopped_by: Option<StoppedBy>,
}

impl Outcome {
    /// The outcome that an incumbent and a lower bound prove.
    ///
    /// `lower_bound` holds for every tree within the limits that costs less than `upper`.
    pub fn of(
        incumbent: Option<(Cost, Arc<Tree>)>,
        lower_bound: Cost,
        upper: Cost,
        stopped_by: Option<StoppedBy>,
    ) -> Self {
        let cost = incumbent.as_ref().map(|(cost, _)| *cost);
        let lower_bound = lower_bound.min(cost.unwrap_or(upper));
        let status = match cost {
            Some(cost) if lower_bound == cost => Status::Optimal,
            Some(_) => Status::Feasible,
            None if lower_bound >= upper => Status::Infeasible,
            None => Status::Stopped,
        };
        let proved = matches!(status, Status::Optimal | Status::Infeasible);
        Outcome {
            status,
            tree: incumbent.map(|(_, tree)| tree),
            cost,
            lower_bound,
            // An interrupt is reported even if the proof is complete.
            stopped_by: stopped_by.filter(|by| !proved || *by == StoppedBy::Interrupt),
        }
    }
}
