//! Trees of two nodes: subsets of two classes that one or two nodes classify without errors.
//!
//! A *run* is the largest prefix or suffix of one class in the order of a feature. One rule
//! classifies the subset iff some run holds all of a class. Two nodes classify it iff two runs of
//! the same class together hold all of that class: one of the two nodes has two leaves, and the
//! other has a leaf, say of class c; the rest of c is then split from the other class by one rule,
//! so it lies in a run.

use super::cache::Verdict;
use super::decision::SizeDecision;
use super::one_rule::extremes_of;
use crate::support::mutants::{Mutant, offset};
use crate::support::sets::{Set, and, count, first_member, insert, members, or, without};

/// A run: all items of the table in the child that its threshold splits off, and the items of the
/// run's class in the subset outside this child.
struct ClassRun<const W: usize> {
    child: Set<W>,
    outside: Set<W>,
}

/// The runs of a subset.
#[derive(Default)]
struct ClassRuns<const W: usize> {
    /// By class.
    runs: [Vec<ClassRun<W>>; 2],
    /// For every order, the items up to those of the rank at which the second class begins.
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
        if let Some((class, run, other)) = runs.covering_pair() {
            return Some(Verdict::Feasible(self.classified_by_two(classes, class, run, other)));
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
        let all = classes.map(|class| and(set, &prepared.classes[class]));
        into.runs.iter_mut().for_each(Vec::clear);
        into.edges.clear();
        for feature in 0..prepared.features {
            let [one, other] =
                classes.map(|class| extremes_of(&extremes, prepared, class, feature));
            let (begin, end) = (one.0.max(other.0) as u32, one.1.min(other.1) as u32);
            into.edges.push(and(set, &prepared.below(feature, begin)));
            let below = |rank: u32| match rank {
                0 => [0; W],
                rank => prepared.below(feature, rank - 1),
            };
            into.edges.push(without(set, &below(end)));
            if one.0 != other.0 {
                let class = (other.0 < one.0) as usize;
                let child = below(begin);
                into.runs[class].push(ClassRun { child, outside: without(&all[class], &child) });
            }
            if one.1 != other.1 {
                let class = (other.1 > one.1) as usize;
                let child = without(&prepared.all, &prepared.below(feature, end));
                into.runs[class].push(ClassRun { child, outside: without(&all[class], &child) });
            }
        }
        self.workspace.extremes = extremes;
    }

    /// All items classified by the tree of two nodes whose rules split off two runs of class `at`.
    fn classified_by_two(
        &self,
        classes: [usize; 2],
        at: usize,
        run: &ClassRun<W>,
        other: &ClassRun<W>,
    ) -> Set<W> {
        let class = &self.prepared.classes[classes[at]];
        let other_class = &self.prepared.classes[classes[1 - at]];
        or(
            &and(class, &or(&run.child, &other.child)),
            &without(&without(other_class, &run.child), &other.child),
        )
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
            for (at, one) in runs.iter().enumerate() {
                runs[..=at].iter().for_each(|other| add_any(&and(&one.outside, &other.outside)));
            }
        }
        core
    }
}

impl<const W: usize> ClassRuns<W> {
    /// A class, and two runs that together hold all of it.
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
