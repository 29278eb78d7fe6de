//! A family of costs, as a search under constraints needs it.

use crate::constraints::costs::{ConstrainedCosts, ConstraintOptions};
use crate::engine::space::SubsetOf;
use crate::engine::subset::ThresholdTable;
use crate::spaces::continuous::error_space::Directions;
use crate::support::clock::Clock;
use crate::support::statistics::{Progress, Stats};
use exactree_model::{Limits, Table, Tree};
use std::sync::Arc;

/// How a table is prepared for costs of one family, and searched without constraints.
pub(crate) trait CostFamily: Sync {
    type Prepared: ThresholdTable + Sync;

    type Base<'p>: ConstrainedCosts<Table = Self::Prepared>
    where
        Self: 'p;

    fn options(&self) -> ConstraintOptions;

    /// The prepared table, which has all columns; with free slots for conditions if there are
    /// `conditions`. `None` if it was stopped.
    fn prepare(
        &self,
        stopped: &dyn Fn() -> bool,
        table: &Table,
        conditions: bool,
    ) -> Option<Self::Prepared>;

    /// Makes the free slots items for conditions (`cross_bound.rs`); false if there are none for
    /// these costs.
    fn add_conditions(&self, _prepared: &mut Self::Prepared) -> bool {
        false
    }

    /// The space without constraints. `directions` may restrict it to trees whose last two levels
    /// are monotone.
    fn base<'p>(
        &'p self,
        prepared: &'p Self::Prepared,
        directions: Option<Directions<'p>>,
    ) -> Self::Base<'p>;

    /// All items of the table.
    fn whole<'p>(&self, prepared: &'p Self::Prepared) -> SubsetOf<Self::Base<'p>>;

    /// The best tree without constraints, with features of the table, or the best one found in
    /// time.
    fn unconstrained(
        &self,
        table: &Table,
        limits: Limits,
        clock: Clock<'_>,
        progress: &Progress,
    ) -> (Option<Arc<Tree>>, Stats);
}
