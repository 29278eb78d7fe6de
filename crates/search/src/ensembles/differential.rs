//! Test-only: minimum sizes, depths and errors of ensembles by enumeration of all choices of
//! labelings, and checks of outcomes.

use super::{EnsembleOutcome, EnsembleQuantity, EnsembleRequest, ensemble_errors, value_of};
use exactree_model::{Cost, Status, Table, Weight};
use rustc_hash::FxHashMap;

/// Size and depth of a tree and, by class, its number of leaves (0 if the class is not limited).
type Measures = (u32, u32, Vec<u32>);

/// A class for every item, and the measures of a tree with this labelling. The measures are
/// Pareto optimal: no other tree with this labelling is at least as good in all of them.
type MeasuredLabeling = (Vec<u32>, Measures);

/// The labellings of all trees.
pub(crate) struct MeasuredLabelings(Vec<MeasuredLabeling>);

/// Pareto-optimal measures by labelling.
type MeasuresByLabeling = FxHashMap<Vec<u32>, Vec<Measures>>;

/// Up to three of some quantities, in any order.
pub(crate) fn draw_quantities(
    random: &mut fastrand::Rng,
    from: &[EnsembleQuantity],
) -> Vec<EnsembleQuantity> {
    let mut quantities = from.to_vec();
    random.shuffle(&mut quantities);
    quantities.truncate(random.usize(1..4));
    quantities
}

impl MeasuredLabelings {
    pub(crate) fn new(table: &Table) -> Self {
        MeasuredLabelings::within(table, 1, &[])
    }

    /// The labellings of trees with a minimum leaf size. `leaves` are the limits on leaves by
    /// class.
    pub(crate) fn within(table: &Table, min_samples_leaf: u64, leaves: &[u32]) -> Self {
        let items: Vec<usize> = (0..table.items.len()).collect();
        let each = |(labels, measures): (Vec<u32>, Vec<Measures>)| {
            measures.into_iter().map(move |measures| (labels.clone(), measures))
        };
        let limited = |class: usize| leaves.get(class).is_some_and(|&maximum| maximum != u32::MAX);
        let limited: Vec<bool> = (0..table.n_classes).map(limited).collect();
        let mut found: Vec<MeasuredLabeling> = labelings(table, &items, min_samples_leaf, &limited)
            .into_iter()
            .flat_map(each)
            .collect();
        found.sort_unstable();
        MeasuredLabelings(found)
    }

    /// Number of trees up to which all choices can be tried quickly.
    pub(crate) fn max_trees(&self) -> u32 {
        let labelings = self.0.len().max(2) as u64;
        (3..5).take_while(|&trees| labelings.pow(trees) <= 200_000).last().unwrap_or(2)
    }

    /// Minimum values in the requested order, over all ensembles within the limits.
    pub(crate) fn optimum(&self, table: &Table, request: &EnsembleRequest) -> Option<Vec<Cost>> {
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
        best: &mut Option<Vec<Cost>>,
    ) {
        let each = chosen.iter().map(|&at| &self.0[at].1);
        let total: u32 = each.clone().map(|(size, ..)| size).sum();
        let largest = each.clone().map(|(size, ..)| *size).max().unwrap_or(0);
        let total_depth: u32 = each.clone().map(|(_, depth, _)| depth).sum();
        let largest_depth = each.map(|(_, depth, _)| *depth).max().unwrap_or(0);
        let complete = chosen.len() == request.trees as usize;
        // More trees never lower sizes or depths; the errors depend on all trees.
        let errors = if complete { self.errors(table, chosen) } else { 0 };
        let of = |quantity: &EnsembleQuantity| match quantity {
            EnsembleQuantity::Total => total.into(),
            EnsembleQuantity::Largest => largest.into(),
            EnsembleQuantity::TotalDepth => total_depth.into(),
            EnsembleQuantity::LargestDepth => largest_depth.into(),
            EnsembleQuantity::Errors => errors,
        };
        let cost: Vec<Cost> = request.quantities.iter().map(of).collect();
        let worse = best.as_ref().is_some_and(|best| cost >= *best);
        if worse || total > request.total || largest > request.size || errors > request.errors {
            return;
        }
        if complete {
            *best = Some(cost);
            return;
        }
        for at in from..self.0.len() {
            let (_, depth, leaves) = &self.0[at].1;
            let within_maxima =
                leaves.iter().zip(&request.leaves).all(|(of_class, maximum)| of_class <= maximum);
            if *depth <= request.depth && within_maxima {
                chosen.push(at);
                self.choose(table, request, at, chosen, best);
                chosen.pop();
            }
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

    /// Checks that a completed search found the minimum values, with an ensemble that meets the
    /// request.
    pub(crate) fn check(
        &self,
        table: &Table,
        request: &EnsembleRequest,
        outcome: &EnsembleOutcome,
    ) {
        let expected = self.optimum(table, request);
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
        let of = |&quantity: &EnsembleQuantity| value_of(table, ensemble, quantity);
        let found: Vec<Cost> = request.quantities.iter().map(of).collect();
        assert_eq!(Some(found), expected, "{table:?} {request:?} {ensemble:?}");
        assert!(request.permits(table, ensemble) && ensemble.len() == request.trees as usize);
        assert!(
            ensemble_errors(table, ensemble) <= request.errors,
            "{table:?} {request:?} {ensemble:?}"
        );
    }
}

fn labelings(
    table: &Table,
    items: &[usize],
    min_samples_leaf: u64,
    limited: &[bool],
) -> MeasuresByLabeling {
    let mut found = MeasuresByLabeling::default();
    if items.iter().map(|&item| table.items[item].rows).sum::<u64>() < min_samples_leaf {
        return found;
    }
    for (class, &counts) in limited.iter().enumerate() {
        let leaves = (0..table.n_classes).map(|other| u32::from(other == class && counts));
        found.insert(vec![class as u32; items.len()], vec![(0, 0, leaves.collect())]);
    }
    for feature in &table.features {
        let mut ranks: Vec<u32> = items.iter().map(|&item| feature.ranks[item]).collect();
        ranks.sort_unstable();
        ranks.dedup();
        ranks.pop();
        for rank in ranks {
            let goes_left: Vec<bool> =
                items.iter().map(|&item| feature.ranks[item] <= rank).collect();
            let child = |left: bool| -> Vec<usize> {
                let here = items.iter().zip(&goes_left).filter(|(_, goes)| **goes == left);
                here.map(|(&item, _)| item).collect()
            };
            let rights = labelings(table, &child(false), min_samples_leaf, limited);
            for (left, a) in labelings(table, &child(true), min_samples_leaf, limited) {
                for (right, b) in &rights {
                    let (mut lefts, mut rights) = (left.iter(), right.iter());
                    let joined: Vec<u32> = goes_left
                        .iter()
                        .map(|&goes| {
                            *if goes { lefts.next() } else { rights.next() }.expect("both")
                        })
                        .collect();
                    let measures = found.entry(joined).or_default();
                    for (s, d, of_left) in &a {
                        for (t, e, of_right) in b {
                            let leaves = of_left.iter().zip(of_right).map(|(a, b)| a + b);
                            add(measures, (s + t + 1, d.max(e) + 1, leaves.collect()));
                        }
                    }
                }
            }
        }
    }
    found
}

/// Adds measures unless others are as good in all of them.
fn add(front: &mut Vec<Measures>, new: Measures) {
    let as_good = |one: &Measures, other: &Measures| {
        one.0 <= other.0 && one.1 <= other.1 && one.2.iter().zip(&other.2).all(|(a, b)| a <= b)
    };
    if !front.iter().any(|other| as_good(other, &new)) {
        front.retain(|other| !as_good(&new, other));
        front.push(new);
    }
}
