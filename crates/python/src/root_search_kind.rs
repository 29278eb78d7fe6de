//! The searches with root tasks, one variant for each kind of costs and rules.

use exactree_model::Table;
use exactree_search::{
    ConstrainedErrorRoots, DichotomyRootSearch, RootCosts, RootSearch, RootTasks,
};

/// The search, by what leaves cost and what is searched.
pub(crate) enum RootSearchKind {
    Errors(RootSearch),
    ConstrainedErrors(Box<ConstrainedErrorRoots>),
    /// Errors over dichotomies.
    Dichotomies(DichotomyRootSearch),
    /// Squared or absolute error.
    CostOutcome(Box<dyn RootCosts>),
    /// Costs of classes in units of 2 to the exponent; the unit in units of the weights, if costs
    /// are rounded.
    ClassCosts(Box<dyn RootCosts>, i32, Option<f64>),
}

impl RootSearchKind {
    pub(crate) fn tasks(&self) -> &dyn RootTasks {
        match self {
            RootSearchKind::Errors(search) => search,
            RootSearchKind::ConstrainedErrors(search) => search.tasks(),
            RootSearchKind::Dichotomies(search) => search,
            RootSearchKind::CostOutcome(search) | RootSearchKind::ClassCosts(search, ..) => {
                search.tasks()
            }
        }
    }

    /// The search of costs that are not plain errors.
    pub(crate) fn costs(&self) -> Option<&dyn RootCosts> {
        match self {
            RootSearchKind::Errors(_)
            | RootSearchKind::ConstrainedErrors(_)
            | RootSearchKind::Dichotomies(_) => None,
            RootSearchKind::CostOutcome(search) | RootSearchKind::ClassCosts(search, ..) => {
                Some(&**search)
            }
        }
    }

    /// The table of thresholds; `None` for dichotomies.
    pub(crate) fn table(&self) -> Option<&Table> {
        match self {
            RootSearchKind::Errors(search) => Some(&search.table),
            RootSearchKind::ConstrainedErrors(search) => Some(search.table()),
            RootSearchKind::Dichotomies(_) => None,
            RootSearchKind::CostOutcome(search) | RootSearchKind::ClassCosts(search, ..) => {
                Some(search.table())
            }
        }
    }
}
