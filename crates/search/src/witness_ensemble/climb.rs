//! Up from lower bounds: the least total size and the least largest size.
//!
//! Of the ensembles of least largest size one of least total size is searched
//! for after that: the others may have nodes that they do not need.

use super::covering::covering;
use super::incumbent::{greedy, improve};
use super::options::EnsembleOptions;
use super::search::{Search, Stopped};
use super::{EnsembleDiscards, EnsembleStats};
use crate::deep_stack::on_deep_stack;
use crate::ensembles::{Ensemble, EnsembleOutcome, EnsembleRequest, Quantity, Sizes, sizes};
use crate::entries::refuse_large_table;
use crate::limits::Clock;
use crate::tracer::Progress;
use crate::witness::WitnessOptions;
use crate::witness::ground::Ground;
use crate::witness::pairs::Nearest;
use exactree_model::{Status, StoppedBy, Table, UNBOUNDED};

/// Bytes of stack that a search node takes, about.
pub fn bytes_each_level<const W: usize>() -> usize {
    64 * W * size_of::<u64>() + (8 << 10)
}

/// What a search works with.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub table: &'a Table,
    pub request: &'a EnsembleRequest,
    pub options: &'a EnsembleOptions,
    pub clock: &'a Clock<'a>,
    pub progress: &'a Progress,
}

impl Task<'_> {
    /// Climbs on a stack that is deep enough: a search node has one node more
    /// than the one above it.
    pub fn climbed<const W: usize>(self) -> Result<(EnsembleOutcome, EnsembleStats), String> {
        let limit = self.request.memory_limit;
        let values = self.table.features.iter().map(|feature| feature.values.len() as u128 - 1);
        refuse_large_table("rules by items", values.sum(), W * size_of::<u64>(), limit)?;
        let reductions = WitnessOptions {
            pure_borders: self.options.border_rules,
            equal_rules: self.options.equal_divisions,
            mergeable_features: self.options.nested_features,
            ..WitnessOptions::default()
        };
        let ground = Ground::<W>::new(self.table, self.request.errors, &reductions);
        // First what is there at once, for the clock may run out at any time.
        let known = match self.options.ensemble_incumbent {
            true => greedy(self.table, self.request, self.clock),
            false => None,
        };
        let first_size = match self.options.covering {
            true => covering(&ground, self.clock),
            false => 0,
        };
        let known = match self.options.ensemble_incumbent {
            true => improve(self.table, self.request, known, self.clock),
            false => None,
        };
        let most = self.request.allowed(self.table).total;
        let levels = known.as_ref().map_or(most, |known| most.min(sizes(known).total));
        on_deep_stack(u128::from(levels) + 1, bytes_each_level::<W>(), limit, || {
            self.climb(&ground, first_size, known)
        })
    }

    fn climb<const W: usize>(
        &self,
        ground: &Ground<W>,
        first_size: u32,
        known: Option<Ensemble>,
    ) -> (EnsembleOutcome, EnsembleStats) {
        let nearest = if self.options.cell_pairs { Nearest::new(ground) } else { None };
        let first_incumbent = known.as_ref().map(|known| sizes(known).total);
        let search = Search::new(ground, self.options, self.clock, nearest.as_ref());
        let mut climb = Climb { task: self, search, known, lower: Vec::new(), by_size: Vec::new() };
        let ended = climb.quantities(first_size);
        let outcome = climb.outcome(ended);
        let Climb { search, by_size, .. } = climb;
        let stats = EnsembleStats {
            search_nodes: search.nodes,
            search_nodes_by_size: by_size,
            first_size,
            first_incumbent,
            discards: EnsembleDiscards { ..search.discards },
            seconds: self.clock.seconds(),
        };
        (outcome, stats)
    }
}

/// How a climb ended.
enum Ended {
    Proved,
    /// There is no ensemble within the limits.
    Nothing,
    Stopped,
}

struct Climb<'a, 'b, const W: usize> {
    task: &'b Task<'a>,
    search: Search<'b, W>,
    known: Option<Ensemble>,
    /// By quantity asked, as far as the climb has come.
    lower: Vec<u32>,
    by_size: Vec<((u32, u32), u64)>,
}

impl<const W: usize> Climb<'_, '_, W> {
    /// One quantity after the other, as `spec/ensemble_sizes.py`.
    fn quantities(&mut self, first_size: u32) -> Ended {
        let request = self.task.request;
        let allowed = request.allowed(self.task.table);
        let total_first = request.quantities[0] == Quantity::Total;
        let (low, high) = match total_first {
            true => (first_size, request.greatest_total(self.task.table)),
            false => (first_size.div_ceil(request.trees), allowed.largest),
        };
        let within = |value: u32| match total_first {
            true => Sizes { total: value, largest: allowed.largest },
            false => Sizes {
                total: allowed.total.min(request.trees.saturating_mul(value)),
                largest: value,
            },
        };
        let first = match self.least(request.quantities[0], low, high, within) {
            Ok(Some(first)) => first,
            Ok(None) => return Ended::Nothing,
            Err(Stopped) => return Ended::Stopped,
        };
        if total_first && request.quantities.len() == 1 {
            return Ended::Proved;
        }
        let second = match total_first {
            true => self.least(Quantity::Largest, first.div_ceil(request.trees), first, |value| {
                Sizes { total: first, largest: value }
            }),
            false => self.least(Quantity::Total, first.max(first_size), u32::MAX, |value| Sizes {
                total: value,
                largest: first,
            }),
        };
        // What was not asked for need not be proved.
        match second {
            Err(Stopped) if request.quantities.len() > 1 => Ended::Stopped,
            _ => Ended::Proved,
        }
    }

    /// Raises a size from `low` until there is an ensemble; none if there is
    /// none up to `high`.
    fn least(
        &mut self,
        quantity: Quantity,
        low: u32,
        high: u32,
        within: impl Fn(u32) -> Sizes,
    ) -> Result<Option<u32>, Stopped> {
        let place = self.lower.len();
        self.lower.push(low);
        loop {
            let lower = self.lower[place];
            let known = self.known.as_ref().map(|known| value_of(known, quantity));
            if place == 0 {
                let cost = known.map_or(UNBOUNDED, u64::from);
                self.task.progress.report(cost, u64::from(lower));
            }
            // An ensemble that is there needs no search at its own size.
            if self.task.options.ensemble_incumbent && known.is_some_and(|known| known <= lower) {
                self.lower[place] = known.unwrap_or(lower);
                return Ok(known);
            }
            if lower > high {
                return Ok(None);
            }
            if let Some(ensemble) = self.decide(within(lower))? {
                self.known = Some(ensemble);
                return Ok(Some(lower));
            }
            self.lower[place] += 1;
        }
    }

    fn decide(&mut self, asked: Sizes) -> Result<Option<Ensemble>, Stopped> {
        let before = self.search.nodes;
        let found = self.search.decide(self.task.request.trees as usize, asked);
        let (asked, nodes) = ((asked.total, asked.largest), self.search.nodes - before);
        match self.by_size.iter_mut().find(|(sizes, _)| *sizes == asked) {
            Some((_, before)) => *before += nodes,
            None => self.by_size.push((asked, nodes)),
        }
        found
    }

    fn outcome(&mut self, ended: Ended) -> EnsembleOutcome {
        let quantities = &self.task.request.quantities;
        self.lower.resize(quantities.len(), 0);
        let value = |known: &Ensemble| -> Vec<u32> {
            quantities.iter().map(|&quantity| value_of(known, quantity)).collect()
        };
        let value = self.known.as_ref().map(value);
        let status = match ended {
            Ended::Nothing => Status::Infeasible,
            Ended::Proved => Status::Optimal,
            // The last bound may just have been reached.
            Ended::Stopped if value.as_ref() == Some(&self.lower) => Status::Optimal,
            Ended::Stopped if value.is_some() => Status::Feasible,
            Ended::Stopped => Status::Stopped,
        };
        let proved = matches!(status, Status::Optimal | Status::Infeasible);
        let stopped_by = self.task.clock.stopped_by();
        EnsembleOutcome {
            status,
            ensemble: self.known.take(),
            lower_bound: self.lower.clone(),
            // An interrupt is passed on even if the proof was just complete.
            stopped_by: stopped_by.filter(|by| !proved || *by == StoppedBy::Interrupt),
        }
    }
}

fn value_of(ensemble: &Ensemble, quantity: Quantity) -> u32 {
    match quantity {
        Quantity::Total => sizes(ensemble).total,
        Quantity::Largest => sizes(ensemble).largest,
    }
}
