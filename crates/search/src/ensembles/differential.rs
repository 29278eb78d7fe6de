//! Test-only: the least sizes of ensembles by trying all choices of labelings,
//! and what every answer must satisfy.

use super::{EnsembleOutcome, EnsembleRequest, Quantity, Sizes, ensemble_errors, sizes};
use exactree_model::{Status, Table, Weight};
use rustc_hash::FxHashMap;

/// The least size of a tree for every labelling of all items that has one, a
/// class for every item.
pub(crate) struct Labelings(Vec<(Vec<u32>, u32)>);

type Sized = FxHashMap<Vec<u32>, u32>;

impl Labelings {
    pub(crate) fn new(table: &Table) -> Self {
        let items: Vec<usize> = (0..table.items.len()).collect();
        let mut found: Vec<(Vec<u32>, u32)> = labelings(table, &items).into_iter().collect();
        found.sort_unstable();
        Labelings(found)
    }

    /// Trees of which all choices can be tried in a moment.
    pub(crate) fn most_trees(&self) -> u32 {
        let labelings = self.0.len().max(2) as u64;
        (3..5).take_while(|&trees| labelings.pow(trees) <= 200_000).last().unwrap_or(2)
    }

    /// Least sizes in the order asked, over all ensembles within the limits.
    pub(crate) fn least(&self, table: &Table, request: &EnsembleRequest) -> Option<Vec<u32>> {
        let mut chosen = Vec::new();
        let mut best = None;
        self.choose(table, request, 0, &mut chosen, &mut best);
        best
    }

    fn choose(
        &self,
        table: &Table,
        request: &EnsembleRequest,
        from: usize,
        chosen: &mut Vec<usize>,
        best: &mut Option<Vec<u32>>,
    ) {
        let each = chosen.iter().map(|&at| self.0[at].1);
        let total: u32 = each.clone().sum();
        let largest = each.max().unwrap_or(0);
        let cost: Vec<u32> = request
            .quantities
            .iter()
            .map(|quantity| match quantity {
                Quantity::Total => total,
                Quantity::Largest => largest,
            })
            .collect();
        // More trees never make the sizes less.
        let worse = best.as_ref().is_some_and(|best| cost >= *best);
        if worse || total > request.total || largest > request.size {
            return;
        }
        if chosen.len() < request.trees as usize {
            for at in from..self.0.len() {
                chosen.push(at);
                self.choose(table, request, at, chosen, best);
                chosen.pop();
            }
        } else if self.errors(table, chosen) <= request.errors {
            *best = Some(cost);
        }
    }

    fn errors(&self, table: &Table, chosen: &[usize]) -> Weight {
        let wrong = |(at, item): (usize, &exactree_model::Item)| {
            let votes = |class: u32| chosen.iter().filter(|&&c| self.0[c].0[at] == class).count();
            let own = votes(item.class);
            let right = (0..table.n_classes as u32).all(|other| {
                other == item.class
                    || own > votes(other)
                    || (own == votes(other) && item.class < other)
            });
            if right { 0 } else { item.weight }
        };
        table.items.iter().enumerate().map(wrong).sum()
    }

    /// Demands that a search that was not stopped found the least sizes, with an
    /// ensemble that keeps to what is asked.
    pub(crate) fn check(
        &self,
        table: &Table,
        request: &EnsembleRequest,
        outcome: &EnsembleOutcome,
    ) {
        let expected = self.least(table, request);
        let Some(ensemble) = &outcome.ensemble else {
            assert_eq!(
                (expected, outcome.status),
                (None, Status::Infeasible),
                "{table:?} {request:?}"
            );
            return;
        };
        assert_eq!(outcome.status, Status::Optimal);
        assert_eq!(
            Some(&outcome.lower_bound),
            expected.as_ref(),
            "{table:?} {request:?} {ensemble:?}"
        );
        let Sizes { total, largest } = sizes(ensemble);
        let found: Vec<u32> = request
            .quantities
            .iter()
            .map(|quantity| if *quantity == Quantity::Total { total } else { largest })
            .collect();
        assert_eq!(Some(found), expected, "{table:?} {request:?} {ensemble:?}");
        assert!(request.keeps(ensemble) && ensemble.len() == request.trees as usize);
        assert!(
            ensemble_errors(table, ensemble) <= request.errors,
            "{table:?} {request:?} {ensemble:?}"
        );
    }
}

fn labelings(table: &Table, items: &[usize]) -> Sized {
    let mut found = Sized::default();
    for class in 0..table.n_classes as u32 {
        found.insert(vec![class; items.len()], 0);
    }
    for feature in &table.features {
        let mut ranks: Vec<u32> = items.iter().map(|&item| feature.ranks[item]).collect();
        ranks.sort_unstable();
        ranks.dedup();
        ranks.pop();
        for rank in ranks {
            let goes_left: Vec<bool> =
                items.iter().map(|&item| feature.ranks[item] <= rank).collect();
            let side = |left: bool| -> Vec<usize> {
                let here = items.iter().zip(&goes_left).filter(|(_, goes)| **goes == left);
                here.map(|(&item, _)| item).collect()
            };
            let rights = labelings(table, &side(false));
            for (left, a) in labelings(table, &side(true)) {
                for (right, b) in &rights {
                    let (mut lefts, mut rights) = (left.iter(), right.iter());
                    let joined: Vec<u32> = goes_left
                        .iter()
                        .map(|&goes| {
                            *if goes { lefts.next() } else { rights.next() }.expect("both")
                        })
                        .collect();
                    let least = found.entry(joined).or_insert(u32::MAX);
                    *least = (*least).min(a + b + 1);
                }
            }
        }
    }
    found
}
