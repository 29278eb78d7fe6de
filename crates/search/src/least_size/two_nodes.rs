//! Parts of two classes that one or two nodes serve without errors.
//!
//! A *run* is the largest prefix or suffix of one class in the order of a
//! feature. One rule serves the part iff some run holds all of a class. Two
//! nodes serve it iff two runs of the same class hold all of that class
//! together: one of the two nodes has two leaves, the other cuts off a leaf,
//! say of class c; what is left of c is then divided from the other class by
//! one rule, so it lies in a run.

use super::decide::Decision;
use super::ground::{Set, and, without};
use super::lists::Lists;
use super::prefix::Order;

/// By class, what the class has outside each run.
pub(super) struct Runs<const W: usize>([Vec<Set<W>>; 2]);

impl<const W: usize> Decision<'_, W> {
    /// The runs of a part of two classes, none for other parts.
    pub(super) fn runs(&self, set: &Set<W>, lists: &Lists) -> Option<Runs<W>> {
        let mut present = (0..self.ground.classes.len() as u16)
            .filter(|&class| and(set, &self.ground.classes[class as usize]) != [0; W]);
        let classes = [present.next()?, present.next()?];
        if present.next().is_some() {
            return None;
        }
        let all = classes.map(|class| and(set, &self.ground.classes[class as usize]));
        let mut outside = [Vec::new(), Vec::new()];
        for feature in 0..self.ground.features {
            for prefix in [true, false] {
                let order = Order { lists, feature, prefix };
                let items = self.pure_run(&order);
                if items > 0 {
                    let place = (self.ground.class[order.at(0) as usize] == classes[1]) as usize;
                    outside[place].push(without(&all[place], &order.side(items)));
                }
            }
        }
        Some(Runs(outside))
    }
}

impl<const W: usize> Runs<W> {
    pub fn one_rule_serves(&self) -> bool {
        self.0.iter().flatten().any(|outside| *outside == [0; W])
    }

    pub fn two_nodes_serve(&self) -> bool {
        self.0.iter().any(|outside| {
            outside.iter().enumerate().any(|(at, one)| {
                outside[..at].iter().any(|other| (0..W).all(|word| one[word] & other[word] == 0))
            })
        })
    }
}
