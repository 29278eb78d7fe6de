//! Lists support sets, hitting sets and branching sets, either all or the minimal ones (Ordyniak
//! and Szeider, AAAI 2021, Corollary 9).
//!
//! The problem is to list the sets S that meet each of some sets of features: S *meets* a set if it
//! has one of its features, and *misses* it otherwise. If S misses a set, every superset of S that
//! meets this set has one of its features: branch on each of them. A feature tried in an earlier
//! branch is excluded from all later branches, so every S is reached on one path only. No S has to
//! be stored, and the supersets of an S that meets all sets can be counted without listing them.
//!
//! For support sets the sets to meet are the differences of pairs of rows of different classes.
//! They are never listed: a pair that agrees on S is found in O(n |S|) time. There are at most k
//! levels with at most δ_max branches each, so the search takes O(δ_max^k · ‖E‖) time.
//!
//! A branching set of a support set S meets every useful set for S (Lemmas 12 and 14). Useful sets
//! are never listed either: every superset of a useful set is useful, so a set R_0 misses a useful
//! set if and only if the set of all features outside S and R_0 is useful, which takes O(n d) time
//! to decide. The missed set is made smaller by removing features as long as it stays useful.

pub(crate) mod differences;
pub(crate) mod rows;

use crate::feature_sets::rows::CodedRows;
use crate::support::bits::Bits;
use crate::support::clock::{Clock, Stopped};
use num_bigint::BigUint;

/// The sets that a set of features has to meet.
#[derive(Clone, Debug)]
pub enum SetsToHit {
    /// The differences of rows of different classes.
    Differences(CodedRows),
    /// Given sets of features.
    Sets { features: usize, sets: Vec<Bits> },
    /// The useful sets for a support set.
    UsefulSets { rows: CodedRows, support: Bits },
}

impl SetsToHit {
    fn features(&self) -> usize {
        match self {
            SetsToHit::Differences(rows) | SetsToHit::UsefulSets { rows, .. } => rows.features(),
            SetsToHit::Sets { features, .. } => *features,
        }
    }

    /// Features that no listed set may have: those of the support set, which no useful set has.
    fn forbidden(&self) -> Bits {
        match self {
            SetsToHit::UsefulSets { support, .. } => support.clone(),
            _ => Bits::empty(self.features()),
        }
    }

    /// The features that are neither in S nor forbidden.
    fn outside(&self, set: &Bits) -> Bits {
        let mut all = Bits::empty(self.features());
        (0..self.features() as u32).for_each(|f| all.insert(f));
        all.without(set).without(&self.forbidden())
    }

    /// The features, without those in `tried`, of a set that S misses; `None` if S meets all sets.
    /// Of several given sets, one with the fewest such features.
    fn missed(&self, set: &Bits, tried: &Bits) -> Option<Bits> {
        match self {
            SetsToHit::Differences(rows) => {
                let (row, other) = rows.agreeing_pair(set)?;
                Some(rows.difference(row, other).without(tried))
            }
            SetsToHit::Sets { sets, .. } => {
                let missed = sets.iter().filter(|given| given.disjoint(set));
                missed.map(|given| given.without(tried)).min_by_key(Bits::count)
            }
            SetsToHit::UsefulSets { rows, support } => {
                let mut missed = self.outside(set);
                if !rows.useful(support, &missed) {
                    return None;
                }
                // Features in `tried` open no branch, so they may stay.
                for f in missed.without(tried).iter() {
                    missed.remove(f);
                    if !rows.useful(support, &missed) {
                        missed.insert(f);
                    }
                }
                Some(missed.without(tried))
            }
        }
    }

    /// Whether every feature of S is in a set that the rest of S misses. Otherwise no superset of S
    /// is minimal.
    fn each_needed(&self, set: &Bits) -> bool {
        match self {
            SetsToHit::Differences(rows) => rows.each_needed(set),
            SetsToHit::Sets { sets, .. } => set
                .iter()
                .all(|f| sets.iter().any(|given| given.contains(f) && given.and(set).count() == 1)),
            SetsToHit::UsefulSets { rows, support } => set.iter().all(|f| {
                // Fewer features are outside a superset of S; with f they are useful only if these
                // are.
                let mut outside = self.outside(set);
                outside.insert(f);
                rows.useful(support, &outside)
            }),
        }
    }
}

/// A search node: a set S, and the features excluded from all its supersets (`tried`).
#[derive(Clone, Debug)]
struct Branch {
    features: Bits,
    tried: Bits,
    /// Whether S is known to meet all sets.
    meets_all: bool,
}

impl Branch {
    /// S with each of some features; each branch excludes the features of the branches before it.
    fn with_each(&self, features: &Bits, meets_all: bool) -> Vec<Branch> {
        let mut tried = self.tried.clone();
        let with = |f: u32| {
            let mut larger =
                Branch { features: self.features.clone(), tried: tried.clone(), meets_all };
            larger.features.insert(f);
            tried.insert(f);
            larger
        };
        features.iter().map(with).collect()
    }
}

/// A lazy list of sets.
#[derive(Clone, Debug)]
pub struct FeatureSets {
    to_hit: SetsToHit,
    /// Maximum number of features of a set.
    maximum: u32,
    minimal: bool,
    /// Branches still to be examined.
    open: Vec<Branch>,
    /// Number of branches examined so far.
    pub nodes: u64,
}

impl FeatureSets {
    pub fn new(to_hit: SetsToHit, maximum: u32, minimal: bool) -> Self {
        let (features, tried) = (Bits::empty(to_hit.features()), to_hit.forbidden());
        let open = vec![Branch { features, tried, meets_all: false }];
        FeatureSets { to_hit, maximum, minimal, open, nodes: 0 }
    }

    /// The next set, `None` after the last one. A stopped list continues where it was stopped.
    pub fn next_set(&mut self, clock: &Clock<'_>) -> Result<Option<Bits>, Stopped> {
        while let Some(branch) = self.next_branch(clock)? {
            if branch.meets_all {
                if !self.minimal && branch.features.count() < self.maximum {
                    let available = self.available_features(&branch);
                    self.open.extend(branch.with_each(&available, true).into_iter().rev());
                }
                return Ok(Some(branch.features));
            }
        }
        Ok(None)
    }

    /// The number of sets not listed yet. Supersets of a set that meets all sets are counted by a
    /// formula, since they may be too many to visit.
    pub fn count_rest(&mut self, clock: &Clock<'_>) -> Result<BigUint, Stopped> {
        let mut counted = BigUint::ZERO;
        while let Some(branch) = self.next_branch(clock)? {
            if branch.meets_all {
                let (available, max_added) = match self.minimal {
                    true => (0, 0),
                    false => (
                        self.available_features(&branch).count(),
                        self.maximum - branch.features.count(),
                    ),
                };
                counted += subsets(available, max_added);
            }
        }
        Ok(counted)
    }

    /// Examines and returns the next open branch. Either its `meets_all` is set, or branches for
    /// larger sets are opened; neither if no superset can be listed.
    fn next_branch(&mut self, clock: &Clock<'_>) -> Result<Option<Branch>, Stopped> {
        if self.open.is_empty() {
            return Ok(None);
        }
        clock.check()?;
        let Some(mut branch) = self.open.pop() else { return Ok(None) };
        self.nodes += 1;
        if branch.meets_all || (self.minimal && !self.to_hit.each_needed(&branch.features)) {
            return Ok(Some(branch));
        }
        match self.to_hit.missed(&branch.features, &branch.tried) {
            None => branch.meets_all = true,
            Some(missed) if branch.features.count() < self.maximum => {
                self.open.extend(branch.with_each(&missed, false).into_iter().rev());
            }
            Some(_) => {}
        }
        Ok(Some(branch))
    }

    /// The features that may be added to a set.
    fn available_features(&self, branch: &Branch) -> Bits {
        self.to_hit.outside(&branch.features).without(&branch.tried)
    }
}

/// Number of subsets of at most `maximum` of `n` elements.
fn subsets(n: u32, maximum: u32) -> BigUint {
    let (mut count, mut sum) = (BigUint::from(1u32), BigUint::ZERO);
    for size in 0..=maximum.min(n) {
        sum += &count;
        count = count * (n - size) / (size + 1);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::clock::{StopSwitch, stop_at_poll};

    fn bits(features: usize, mask: u32) -> Bits {
        let mut set = Bits::empty(features);
        (0..features.min(32) as u32).filter(|f| mask >> f & 1 == 1).for_each(|f| set.insert(f));
        set
    }

    fn mask(set: &Bits) -> u32 {
        set.iter().fold(0, |mask, f| mask | 1 << f)
    }

    /// Rows of few codes, and the differences of all their unlike pairs.
    fn draw(random: &mut fastrand::Rng) -> (CodedRows, Vec<u32>) {
        let (rows, features) = (random.usize(1..9), random.usize(0..6));
        let values = random.u32(1..4);
        let codes: Vec<Vec<u32>> =
            (0..features).map(|_| (0..rows).map(|_| random.u32(0..values)).collect()).collect();
        let class: Vec<u32> = (0..rows).map(|_| random.u32(0..3)).collect();
        let differ = |a: usize, b: usize| {
            (0..features).filter(|&f| codes[f][a] != codes[f][b]).fold(0, |mask, f| mask | 1 << f)
        };
        let mut differences = Vec::new();
        for a in 0..rows {
            let unlike = (0..a).filter(|&b| class[a] != class[b]);
            differences.extend(unlike.map(|b| differ(a, b)));
        }
        (CodedRows::new(class, codes), differences)
    }

    /// The sets of at most `maximum` features that meet all of `to_meet`, by enumeration.
    fn by_enumeration(features: usize, to_meet: &[u32], maximum: u32, minimal: bool) -> Vec<u32> {
        let meets = |set: u32| to_meet.iter().all(|other| other & set != 0);
        let needed = |set: u32| (0..32).all(|f| set >> f & 1 == 0 || !meets(set & !(1 << f)));
        let sets = 0..1u32 << features;
        sets.filter(|&set| set.count_ones() <= maximum && meets(set) && (!minimal || needed(set)))
            .collect()
    }

    fn list_all(mut list: FeatureSets) -> Vec<u32> {
        let switch = StopSwitch::default();
        let clock = Clock::start(None, &switch);
        let mut found = Vec::new();
        while let Some(set) = list.next_set(&clock).expect("nothing stops it") {
            found.push(mask(&set));
        }
        found
    }

    #[test]
    fn every_set_is_listed_once_and_counted() {
        let mut random = fastrand::Rng::with_seed(20_261_122);
        let switch = StopSwitch::default();
        let clock = Clock::start(None, &switch);
        for _ in 0..4_000 {
            let (rows, differences) = draw(&mut random);
            let features = rows.features();
            let maximum = if random.bool() { u32::MAX } else { random.u32(0..5) };
            let sets = differences.iter().map(|&set| bits(features, set)).collect();
            let minimal = random.bool();
            for to_hit in [SetsToHit::Differences(rows), SetsToHit::Sets { features, sets }] {
                let list = FeatureSets::new(to_hit, maximum, minimal);
                let count = list.clone().count_rest(&clock).expect("nothing stops it");
                let mut found = list_all(list.clone());
                assert_eq!(count, BigUint::from(found.len()));
                found.sort_unstable();
                assert_eq!(
                    found,
                    by_enumeration(features, &differences, maximum, minimal),
                    "{list:?}"
                );
            }
        }
    }

    /// Whether `set` is useful for `support`, by the definition: for every assignment of values to
    /// the features of `set`, some group of rows that agree on `support` has no row with these
    /// values.
    fn is_useful(codes: &[Vec<u32>], support: u32, set: u32) -> bool {
        let values = |row: usize, set: u32| -> Vec<u32> {
            (0..codes.len()).filter(|f| set >> f & 1 == 1).map(|f| codes[f][row]).collect()
        };
        let rows = 0..codes[0].len();
        // Values that no row has occur in no group, so only values of rows are tried.
        !rows.clone().any(|assigned| {
            rows.clone().all(|of_group| {
                rows.clone().any(|row| {
                    values(row, support) == values(of_group, support)
                        && values(row, set) == values(assigned, set)
                })
            })
        })
    }

    #[test]
    fn every_branching_set_is_listed_once_and_counted() {
        let mut random = fastrand::Rng::with_seed(20_261_124);
        let switch = StopSwitch::default();
        let clock = Clock::start(None, &switch);
        let mut several = 0;
        for _ in 0..6_000 {
            let (rows, features) = (random.usize(1..9), random.usize(1..6));
            let values = random.u32(1..4);
            let codes: Vec<Vec<u32>> =
                (0..features).map(|_| (0..rows).map(|_| random.u32(0..values)).collect()).collect();
            let support = random.u32(0..1 << features);
            let maximum = if random.bool() { u32::MAX } else { random.u32(0..4) };
            let minimal = random.bool();
            let useful: Vec<u32> = (0..1u32 << features)
                .filter(|set| set & support == 0 && is_useful(&codes, support, *set))
                .collect();
            let to_hit = SetsToHit::UsefulSets {
                rows: CodedRows::new(vec![0; rows], codes),
                support: bits(features, support),
            };
            let list = FeatureSets::new(to_hit, maximum, minimal);
            let count = list.clone().count_rest(&clock).expect("nothing stops it");
            let mut found = list_all(list.clone());
            assert_eq!(count, BigUint::from(found.len()));
            found.sort_unstable();
            let mut expected = by_enumeration(features, &useful, maximum, minimal);
            expected.retain(|set| set & support == 0);
            assert_eq!(found, expected, "{list:?}");
            several += usize::from(minimal && found.len() > 1);
        }
        assert!(several > 50);
    }

    #[test]
    fn a_stopped_list_continues_where_it_was_stopped() {
        let sets = [0b0011, 0b1100].map(|set| bits(4, set)).to_vec();
        let list = FeatureSets::new(SetsToHit::Sets { features: 4, sets }, 4, false);
        let expected = list_all(list.clone());
        let (mut found, mut stopped, mut list) = (Vec::new(), 0, list);
        loop {
            let switch = StopSwitch::default();
            let clock = Clock::start(None, &switch);
            match stop_at_poll(2, || list.next_set(&clock)) {
                Ok(None) => break,
                Ok(Some(set)) => found.push(mask(&set)),
                Err(Stopped) => stopped += 1,
            }
        }
        assert!(stopped > 0);
        assert_eq!(found, expected);
    }

    #[test]
    fn supersets_are_counted_without_visiting_them() {
        let sets = vec![bits(200, 0b11)];
        let mut list = FeatureSets::new(SetsToHit::Sets { features: 200, sets }, u32::MAX, false);
        let switch = StopSwitch::default();
        let count = list.count_rest(&Clock::start(None, &switch)).expect("nothing stops it");
        // All sets except those with neither of the first two features. Three branches: the empty
        // set, and the two sets of one of these features.
        assert_eq!(count, (BigUint::from(1u32) << 200) - (BigUint::from(1u32) << 198));
        assert_eq!(list.nodes, 3);
    }

    #[test]
    fn the_number_of_branches_is_bounded_by_powers_of_the_largest_difference() {
        let mut random = fastrand::Rng::with_seed(20_261_123);
        for _ in 0..500 {
            let (rows, differences) = draw(&mut random);
            let delta = differences.iter().map(|set| set.count_ones() as u64).max().unwrap_or(0);
            let maximum = random.u32(0..4);
            let mut list = FeatureSets::new(SetsToHit::Differences(rows), maximum, true);
            let switch = StopSwitch::default();
            list.count_rest(&Clock::start(None, &switch)).expect("nothing stops it");
            assert!(list.nodes <= (0..=maximum).map(|level| delta.pow(level)).sum());
        }
    }
}
