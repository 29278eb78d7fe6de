//! The error sets of all trees within a cap that classify all required items.
//!
//! *Next tree.* After a tree with some errors, certain items may not get another wrong vote, and
//! each later tree must classify them. If no tree within the cap of the next tree can classify
//! them, no ensemble contains this tree. The next tree cannot make up for a superset of these
//! errors either, so the bound already holds for the errors in one child.
//!
//! *Required items.* A tree on a subset must classify the required items of the subset. If no tree
//! within the cap can, the list is empty.
//!
//! *Inclusion.* If the errors of a tree contain those of a second tree, the second tree can replace
//! it: no item gets a further wrong vote. A leaf without errors replaces all trees.

use super::feasibility_cache::FeasibilityCache;
use super::memory_budget::MemoryBudget;
use super::request::CoverStats;
use super::sizes::Cap;
use super::slack::Slack;
use crate::minimum_size::SizeTable;
use crate::support::clock::{Clock, Stopped};
use crate::support::options::CoverOptions;
use crate::support::sets::{Set, and, contains, count, disjoint, insert, or, within, without};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Maximum number of sets that are compared with each other. If there are more, only equal ones are
/// removed: comparing all would take longer than trying them.
const MAX_COMPARED: usize = 20_000;

/// One listing: later trees must classify `slack.none()`.
pub(super) struct ErrorSets<'a, 'b, const W: usize> {
    pub prepared: &'a SizeTable<W>,
    pub options: &'a CoverOptions,
    pub clock: &'a Clock<'a>,
    pub slack: &'b Slack<W>,
    /// The smallest cap among the later trees.
    pub next: Cap,
    pub feasibility: &'b mut FeasibilityCache<'a, W>,
    pub stats: &'b mut CoverStats,
    pub cache: FxHashMap<(Set<W>, u32, u32), Rc<[Set<W>]>>,
    pub budget: &'b mut MemoryBudget,
}

impl<const W: usize> ErrorSets<'_, '_, W> {
    /// The error sets of the trees within a cap on a subset, fewest errors first.
    pub(super) fn error_sets(
        &mut self,
        subset: &Set<W>,
        cap: Cap,
    ) -> Result<Rc<[Set<W>]>, Stopped> {
        let key = (*subset, cap.size, cap.depth);
        if let Some(cached) = self.cache.get(&key) {
            return Ok(cached.clone());
        }
        self.clock.check()?;
        let needed = and(subset, self.slack.none());
        if self.options.required_items && !self.feasibility.is_feasible(cap, &needed, self.stats)? {
            self.stats.required_items += 1;
            self.store(key, Rc::new([]));
            return Ok(Rc::new([]));
        }
        let mut found = self.of_leaves(subset)?;
        let solved = self.options.inclusion && found.iter().any(|errors| count(errors) == 0);
        if !solved && !cap.leaf_only() {
            for feature in 0..self.prepared.features {
                self.add_rules_of(feature, subset, cap, &mut found)?;
            }
        }
        let found: Rc<[Set<W>]> = self.minimal(found).into();
        self.store(key, found.clone());
        Ok(found)
    }

    fn store(&mut self, key: (Set<W>, u32, u32), found: Rc<[Set<W>]>) {
        if self.budget.exceeds((found.len() + 1) * size_of::<Set<W>>() + 64) {
            self.cache.clear();
        }
        self.cache.insert(key, found);
    }

    fn of_leaves(&mut self, subset: &Set<W>) -> Result<Vec<Set<W>>, Stopped> {
        let mut found = Vec::new();
        for class in &self.prepared.classes {
            let errors = without(subset, class);
            if self.allowed(&errors)? {
                found.push(errors);
            }
        }
        Ok(found)
    }

    fn add_rules_of(
        &mut self,
        feature: usize,
        subset: &Set<W>,
        cap: Cap,
        found: &mut Vec<Set<W>>,
    ) -> Result<(), Stopped> {
        let order = self.prepared.orders[feature].iter().map(|&item| u32::from(item));
        let order: Vec<u32> = order.filter(|&item| contains(subset, item)).collect();
        let mut left = [0; W];
        for pair in order.windows(2) {
            insert(&mut left, pair[0]);
            if self.prepared.rank(feature, pair[0]) == self.prepared.rank(feature, pair[1]) {
                continue;
            }
            let right = without(subset, &left);
            for (left_size, right_size) in cap.shares() {
                let lefts = self.error_sets(&left, cap.child(left_size))?;
                if lefts.is_empty() {
                    continue;
                }
                let rights = self.error_sets(&right, cap.child(right_size))?;
                for a in lefts.iter() {
                    self.clock.check()?;
                    for b in rights.iter() {
                        let errors = or(a, b);
                        if self.allowed(&errors)? {
                            found.push(errors);
                        }
                    }
                }
            }
            if found.len() > 4 * MAX_COMPARED {
                *found = self.minimal(std::mem::take(found));
            }
        }
        Ok(())
    }

    /// Whether an ensemble may contain a tree with these errors: no item without slack is among
    /// them, and the next tree can classify the items that have no slack afterwards.
    fn allowed(&mut self, errors: &Set<W>) -> Result<bool, Stopped> {
        if !disjoint(errors, self.slack.none()) {
            return Ok(false);
        }
        if !self.options.next_tree_bound {
            return Ok(true);
        }
        let needed = self.slack.none_after(errors);
        let allowed = self.feasibility.is_feasible(self.next, &needed, self.stats)?;
        self.stats.next_tree_bound += u64::from(!allowed);
        Ok(allowed)
    }

    /// The sets that contain no other set, fewest items first.
    fn minimal(&mut self, sets: Vec<Set<W>>) -> Vec<Set<W>> {
        let before = sets.len();
        let distinct: FxHashSet<Set<W>> = sets.into_iter().collect();
        let mut sets: Vec<Set<W>> = distinct.into_iter().collect();
        sets.sort_unstable_by_key(|set| (count(set), *set));
        if self.options.inclusion && sets.len() <= MAX_COMPARED {
            let mut kept: Vec<Set<W>> = Vec::new();
            for set in sets {
                if !kept.iter().any(|other| within(other, &set)) {
                    kept.push(set);
                }
            }
            sets = kept;
        }
        self.stats.inclusion += (before - sets.len()) as u64;
        self.stats.error_sets += sets.len() as u64;
        sets
    }
}
