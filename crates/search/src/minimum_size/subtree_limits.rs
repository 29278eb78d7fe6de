//! Budgets of subtrees: their limits by number, and how two children divide them.

use crate::support::mutants::{Mutant, offset};
use exactree_model::Weight;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Limits on depth and on leaves; `u32::MAX` is no limit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SubtreeLimits {
    pub depth: u32,
    /// By class of the prepared table, the maximum number of leaves; empty if no class is limited.
    pub leaves: Box<[u32]>,
}

/// The index of subtree limits in their list.
pub(super) type SubtreeLimitsId = u32;

/// The budget of one child.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct ChildBudget {
    pub size: u32,
    pub limits: SubtreeLimitsId,
    pub errors: Weight,
}

/// Subtree limits by number. There are few: depths and divisions of leaves.
#[derive(Default)]
pub(super) struct SubtreeLimitsList {
    list: Vec<SubtreeLimits>,
    ids: FxHashMap<SubtreeLimits, SubtreeLimitsId>,
    shares: FxHashMap<SubtreeLimitsId, Arc<[(SubtreeLimitsId, SubtreeLimitsId)]>>,
    within: FxHashMap<(SubtreeLimitsId, u32), SubtreeLimitsId>,
}

impl SubtreeLimitsList {
    pub(super) fn id(&mut self, limits: SubtreeLimits) -> SubtreeLimitsId {
        if let Some(&id) = self.ids.get(&limits) {
            return id;
        }
        let id = self.list.len() as SubtreeLimitsId;
        self.list.push(limits.clone());
        self.ids.insert(limits, id);
        id
    }

    pub(super) fn get(&self, id: SubtreeLimitsId) -> &SubtreeLimits {
        &self.list[id as usize]
    }

    /// The same limits for trees of at most `size` nodes, without limits that all such trees
    /// satisfy: their depth is at most `size`, and they have one leaf more than nodes.
    pub(super) fn within(&mut self, id: SubtreeLimitsId, size: u32) -> SubtreeLimitsId {
        if let Some(&within) = self.within.get(&(id, size)) {
            return within;
        }
        let open = |limit: u32, maximum: u32| if limit >= maximum { u32::MAX } else { limit };
        let limits = self.get(id);
        let mut leaves: Box<[u32]> =
            limits.leaves.iter().map(|&maximum| open(maximum, size.saturating_add(1))).collect();
        if leaves.iter().all(|&maximum| maximum == u32::MAX) {
            leaves = Box::default();
        }
        let depth = open(limits.depth, size);
        let within = self.id(SubtreeLimits { depth, leaves });
        self.within.insert((id, size), within);
        within
    }

    /// Every way to divide the limits of a node between its two children.
    pub(super) fn shares(
        &mut self,
        id: SubtreeLimitsId,
    ) -> Arc<[(SubtreeLimitsId, SubtreeLimitsId)]> {
        if let Some(shares) = self.shares.get(&id) {
            return shares.clone();
        }
        let SubtreeLimits { depth, leaves } = self.get(id).clone();
        let depth = if depth == u32::MAX { depth } else { depth - 1 };
        let mut found = vec![(leaves.clone(), leaves.clone())];
        for (class, &maximum) in
            leaves.iter().enumerate().filter(|(_, maximum)| **maximum < u32::MAX)
        {
            let shared = found.into_iter().flat_map(|(one, other)| {
                (0..=maximum).map(move |share| {
                    let (mut one, mut other) = (one.clone(), other.clone());
                    one[class] = share;
                    other[class] = maximum - share + offset(Mutant::LeafShare) as u32;
                    (one, other)
                })
            });
            found = shared.collect();
        }
        let mut numbered = |leaves| self.id(SubtreeLimits { depth, leaves });
        let shares: Arc<[_]> =
            found.into_iter().map(|(one, other)| (numbered(one), numbered(other))).collect();
        self.shares.insert(id, shares.clone());
        shares
    }
}
