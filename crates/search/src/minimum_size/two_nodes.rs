//! Trees of two nodes: whether one or two nodes classify a subset of two classes without errors.
//!
//! A *run* is the largest prefix or suffix of the subset, in the order of a feature, that has items
//! of one class only and is split off by a threshold. One rule classifies the subset iff some run
//! holds all of a class. Two nodes classify it iff two runs of the same class together hold all of
//! that class: the root has a leaf as one child, say of class c, whose items lie in a run; the
//! other child splits the other items of c from the other class by one rule, so they lie in a run
//! as well.

use super::cache::Verdict;
use super::decision::SizeDecision;
use super::one_rule::extremes_of;
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, count, first_member, insert, members, or, without};

/// A run of a class.
struct ClassRun<const W: usize> {
    /// All items of the table in the child that the threshold of the run splits off.
    child: Set<W>,
    /// The items of the subset that are of the class and not in this child.
    outside: Set<W>,
}

/// The runs of a subset.
#[derive(Default)]
struct ClassRuns<const W: usize> {
    /// By class.
    runs: [Vec<ClassRun<W>>; 2],
    /// By feature, two sets: the items up to the rank at which the later of the two classes begins,
    /// and those from the rank on at which the earlier of the two ends.
    edges: Vec<Set<W>>,
}

impl<const W: usize> SizeDecision<'_, W> {
    /// Whether two nodes classify a subset of two classes; `None` for other subsets.
    pub(super) fn two_nodes(&mut self, set: &Set<W>) -> Option<Verdict<W>> {
        let mut present = self.prepared.classes_in(set);
        let classes = [present.next()?, present.next()?];
        if present.next().is_some() {
            return None;
        }
        self.stats.two_nodes += 1;
        let mut runs = ClassRuns { runs: [Vec::new(), Vec::new()], edges: Vec::new() };
        self.find_runs(set, classes, &mut runs);
        if let Some((own, first, second)) = runs.covering_pair() {
            let classes = [classes[own], classes[1 - own]];
            return Some(Verdict::Feasible(self.classified_by_two(classes, first, second)));
        }
        if !self.options.cores {
            return Some(Verdict::Infeasible(*set, 1));
        }
        let mut core = self.core_of_runs(classes, &runs);
        for item in members(&core.clone()) {
            let mut smaller = core;
            smaller[item as usize / 64] &= !(1 << (item % 64));
            if !self.prepared.pure(&smaller) {
                self.find_runs(&smaller, classes, &mut runs);
                if runs.covering_pair().is_none() {
                    core = smaller;
                }
            }
        }
        Some(Verdict::Infeasible(core, 1))
    }

    fn find_runs(&mut self, set: &Set<W>, classes: [usize; 2], into: &mut ClassRuns<W>) {
        let extremes = self.extremes(set);
        let prepared = self.prepared;
        let of_class = classes.map(|class| and(set, &prepared.classes[class]));
        into.runs.iter_mut().for_each(Vec::clear);
        into.edges.clear();
        for feature in 0..prepared.features {
            let [(low_0, high_0), (low_1, high_1)] =
                classes.map(|class| extremes_of(&extremes, prepared, class, feature));
            // A run at the start has the ranks below `begin`, a run at the end those above `end`.
            let (begin, end) = (low_0.max(low_1) as u32, high_0.min(high_1) as u32);
            let below = |rank: u32| match rank {
                0 => [0; W],
                rank => prepared.up_to(feature, rank - 1),
            };
            into.edges.push(and(set, &prepared.up_to(feature, begin)));
            into.edges.push(without(set, &below(end)));
            if low_0 != low_1 {
                let own = (low_1 < low_0) as usize;
                let child = below(begin);
                into.runs[own].push(ClassRun { child, outside: without(&of_class[own], &child) });
            }
            if high_0 != high_1 {
                let own = (high_1 > high_0) as usize;
                let child = without(&prepared.all, &prepared.up_to(feature, end));
                into.runs[own].push(ClassRun { child, outside: without(&of_class[own], &child) });
            }
        }
        self.workspace.extremes = extremes;
    }

    /// All items classified by the tree of two nodes that splits off two runs of the first class.
    fn classified_by_two(
        &self,
        classes: [usize; 2],
        first: &ClassRun<W>,
        second: &ClassRun<W>,
    ) -> Set<W> {
        let [class, other_class] = classes.map(|class| &self.prepared.classes[class]);
        let in_runs = or(&first.child, &second.child);
        or(&and(class, &in_runs), &without(other_class, &in_runs))
    }

    /// A core for two nodes: items of both classes that bound every run and determine its class,
    /// and for every two runs of a class an item of the class outside both.
    fn core_of_runs(&self, classes: [usize; 2], runs: &ClassRuns<W>) -> Set<W> {
        let mut core = [0; W];
        let mut add_any = |items: &Set<W>| {
            if and(items, &core) == [0; W] {
                first_member(items).into_iter().for_each(|item| insert(&mut core, item));
            }
        };
        for edge in &runs.edges {
            classes.iter().for_each(|&class| add_any(&and(edge, &self.prepared.classes[class])));
        }
        for runs in &runs.runs {
            for (at, run) in runs.iter().enumerate() {
                runs[..=at].iter().for_each(|other| add_any(&and(&run.outside, &other.outside)));
            }
        }
        core
    }
}

impl<const W: usize> ClassRuns<W> {
    /// One of the two classes (0 or 1), and two runs that together hold all of it.
    fn covering_pair(&self) -> Option<(usize, &ClassRun<W>, &ClassRun<W>)> {
        self.runs.iter().enumerate().find_map(|(class, runs)| {
            runs.iter().enumerate().find_map(|(at, run)| {
                let together = |other: &&ClassRun<W>| {
                    let missing = and(&run.outside, &other.outside);
                    missing == [0; W] || offset(Mutant::TwoNodes) == 1 && count(&missing) == 1
                };
                runs[..=at].iter().find(together).map(|other| (class, run, other))
            })
        })
    }
}
