//! Parts of two classes that one or two nodes serve without errors.
//!
//! A *run* is the largest prefix or suffix of one class in the order of a
//! feature. One rule serves the part iff some run holds all of a class. Two
//! nodes serve it iff two runs of the same class hold all of that class
//! together: one of the two nodes has two leaves, the other cuts off a leaf,
//! say of class c; what is left of c is then divided from the other class by
//! one rule, so it lies in a run.

use super::decide::Decision;
use super::memo::Verdict;
use super::one_rule::extremes_of;
use crate::mutants::{Mutant, off};
use crate::sets::{Set, and, count, first_member, insert, members, or, without};

/// A run: all items on its side of the threshold, and what its class has outside.
struct Run<const W: usize> {
    side: Set<W>,
    outside: Set<W>,
}

/// The runs of a part.
#[derive(Default)]
struct Runs<const W: usize> {
    /// By class.
    runs: [Vec<Run<W>>; 2],
    /// For every order, the items up to where the second class begins.
    edges: Vec<Set<W>>,
}

impl<const W: usize> Decision<'_, W> {
    /// Whether two nodes serve a part of two classes; none for other parts.
    pub(super) fn two_nodes(&mut self, set: &Set<W>) -> Option<Verdict<W>> {
        let mut present = self.ground.classes_in(set);
        let classes = [present.next()?, present.next()?];
        if present.next().is_some() {
            return None;
        }
        self.stats.two_nodes += 1;
        let mut runs = Runs { runs: [Vec::new(), Vec::new()], edges: Vec::new() };
        self.find_runs(set, classes, &mut runs);
        if let Some((class, run, other)) = runs.covering() {
            return Some(Verdict::Served(self.covered(classes, class, run, other)));
        }
        if !self.options.cores {
            return Some(Verdict::Refused(*set, 1));
        }
        let mut core = self.refusing(classes, &runs);
        for item in members(&core.clone()) {
            let mut less = core;
            less[item as usize / 64] &= !(1 << (item % 64));
            if !self.ground.pure(&less) {
                self.find_runs(&less, classes, &mut runs);
                if runs.covering().is_none() {
                    core = less;
                }
            }
        }
        Some(Verdict::Refused(core, 1))
    }

    fn find_runs(&mut self, set: &Set<W>, classes: [usize; 2], into: &mut Runs<W>) {
        let extremes = self.extremes(set);
        let ground = self.ground;
        let all = classes.map(|class| and(set, &ground.classes[class]));
        into.runs.iter_mut().for_each(Vec::clear);
        into.edges.clear();
        for feature in 0..ground.features {
            let [one, other] = classes.map(|class| extremes_of(&extremes, ground, class, feature));
            let (begin, end) = (one.0.max(other.0) as u32, one.1.min(other.1) as u32);
            into.edges.push(and(set, &ground.below(feature, begin)));
            let below = |rank: u32| match rank {
                0 => [0; W],
                rank => ground.below(feature, rank - 1),
            };
            into.edges.push(without(set, &below(end)));
            if one.0 != other.0 {
                let class = (other.0 < one.0) as usize;
                let side = below(begin);
                into.runs[class].push(Run { side, outside: without(&all[class], &side) });
            }
            if one.1 != other.1 {
                let class = (other.1 > one.1) as usize;
                let side = without(&ground.all, &ground.below(feature, end));
                into.runs[class].push(Run { side, outside: without(&all[class], &side) });
            }
        }
        self.room.extremes = extremes;
    }

    /// All items served where a run is cut off and the rest of its class is
    /// divided off by another.
    fn covered(&self, classes: [usize; 2], at: usize, run: &Run<W>, other: &Run<W>) -> Set<W> {
        let class = &self.ground.classes[classes[at]];
        let opposite = &self.ground.classes[classes[1 - at]];
        or(
            &and(class, &or(&run.side, &other.side)),
            &without(&without(opposite, &run.side), &other.side),
        )
    }

    /// Items that two nodes do not serve, where the part has no runs that do:
    /// items of both classes that keep every run from being larger or of the
    /// other class, and for every two runs of a class one outside both.
    fn refusing(&self, classes: [usize; 2], runs: &Runs<W>) -> Set<W> {
        let mut core = [0; W];
        let mut add_any = |items: &Set<W>| {
            if and(items, &core) == [0; W] {
                first_member(items).into_iter().for_each(|item| insert(&mut core, item));
            }
        };
        for edge in &runs.edges {
            classes.iter().for_each(|&class| add_any(&and(edge, &self.ground.classes[class])));
        }
        for runs in &runs.runs {
            for (at, one) in runs.iter().enumerate() {
                runs[..=at].iter().for_each(|other| add_any(&and(&one.outside, &other.outside)));
            }
        }
        core
    }
}

impl<const W: usize> Runs<W> {
    /// A class and two runs that hold all of it.
    fn covering(&self) -> Option<(usize, &Run<W>, &Run<W>)> {
        self.runs.iter().enumerate().find_map(|(class, runs)| {
            runs.iter().enumerate().find_map(|(at, run)| {
                let together = |other: &&Run<W>| {
                    let missing = and(&run.outside, &other.outside);
                    missing == [0; W] || off(Mutant::TwoNodes) == 1 && count(&missing) == 1
                };
                runs[..=at].iter().find(together).map(|other| (class, run, other))
            })
        })
    }
}
