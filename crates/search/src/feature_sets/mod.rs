//! Support sets, hitting sets and branching sets, all or the minimal ones, one after
//! the other (Ordyniak and Szeider, AAAI 2021, Corollary 9).
//!
//! If no feature of S meets a difference, every superset of S that meets it has one of the features
//! of that difference: branch on each of them. A feature tried in an earlier branch is excluded
//! from all later ones, so every set is reached on one path only: that of the first feature it has
//! of every difference. No set has to be stored, and the supersets of a set that meets everything
//! can be counted without listing them.
//!
//! Differences are the given sets, or those of two rows of different classes. These
//! are never listed: a pair that agrees on S is found in O(n |S|) time. At most k
//! levels deep, with at most δ_max branches each, that is O(δ_max^k · ‖E‖).
//!
//! A branching set of S meets every useful set for S (Lemmas 12 and 14). Useful sets are never
//! listed either: every superset of a useful set is useful, so a set R_0 misses one if and only if
//! all features outside S and R_0 together are useful, which takes O(n d) time to decide; features
//! are dropped from them as long as they stay useful.

pub mod differences;
pub mod rows;

use crate::feature_sets::rows::CodedRows;
use crate::support::bits::Bits;
use crate::support::clock::{Clock, Stopped};
use num_bigint::BigUint;

/// The sets that a feature set has to meet.
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

    /// Features that no set may have: those of the support set, which lie outside all useful sets.
    fn left_out(&self) -> Bits {
        match self {
            SetsToHit::UsefulSets { support, .. } => support.clone(),
            _ => Bits::empty(self.features()),
        }
    }

    /// All features but those of S and those that no set may have.
    fn beyond(&self, set: &Bits) -> Bits {
        let mut all = Bits::empty(self.features());
        (0..self.features() as u32).for_each(|f| all.insert(f));
        all.without(set).without(&self.left_out())
    }

    /// A set that S does not meet, `None` if it meets everything: of given sets the one with the
    /// fewest features that may still be added.
    fn missed(&self, set: &Bits, tried: &Bits) -> Option<Bits> {
        match self {
            SetsToHit::Differences(rows) => {
                let (row, other) = rows.agreeing_pair(set)?;
                Some(rows.difference(row, other).without(tried))
            }
            SetsToHit::Sets { sets, .. } => {
                let missed = sets.iter().filter(|one| one.disjoint(set));
                missed.map(|one| one.without(tried)).min_by_key(Bits::count)
            }
            SetsToHit::UsefulSets { rows, support } => {
                let mut missed = self.beyond(set);
                if !rows.useful(support, &missed) {
                    return None;
                }
                // Those that were tried make no branch and may stay.
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

    /// Whether every feature of S meets a set that the rest of S does not; if one does not, no
    /// superset of S is minimal.
    fn each_needed(&self, set: &Bits) -> bool {
        match self {
            SetsToHit::Differences(rows) => rows.each_needed(set),
            SetsToHit::Sets { sets, .. } => set
                .iter()
                .all(|f| sets.iter().any(|one| one.contains(f) && one.and(set).count() == 1)),
            SetsToHit::UsefulSets { rows, support } => set.iter().all(|f| {
                // Around this set there are fewer features beyond, and these are no more useful.
                let mut alone = self.beyond(set);
                alone.insert(f);
                rows.useful(support, &alone)
            }),
        }
    }
}

/// A set, and the features excluded from all its supersets.
#[derive(Clone, Debug)]
struct Branch {
    features: Bits,
    tried: Bits,
    /// Whether it is known to meet everything.
    meets_all: bool,
}

impl Branch {
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

/// A lazy list.
#[derive(Clone, Debug)]
pub struct FeatureSets {
    to_meet: SetsToHit,
    /// The most features of a set.
    maximum: u32,
    minimal: bool,
    open: Vec<Branch>,
    /// Sets examined so far.
    pub nodes: u64,
}

impl FeatureSets {
    pub fn new(to_meet: SetsToHit, maximum: u32, minimal: bool) -> Self {
        let (features, tried) = (Bits::empty(to_meet.features()), to_meet.left_out());
        let open = vec![Branch { features, tried, meets_all: false }];
        FeatureSets { to_meet, maximum, minimal, open, nodes: 0 }
    }

    /// One more set, None after the last one. A list that was stopped continues where it was.
    pub fn next_set(&mut self, clock: &Clock<'_>) -> Result<Option<Bits>, Stopped> {
        while let Some(branch) = self.next_branch(clock)? {
            if branch.meets_all {
                if !self.minimal && branch.features.count() < self.maximum {
                    let rest = self.rest(&branch);
                    self.open.extend(branch.with_each(&rest, true).into_iter().rev());
                }
                return Ok(Some(branch.features));
            }
        }
        Ok(None)
    }

    /// The number of sets that were not listed yet; without a limit on their size
    /// it is not bounded by any number of steps, so they are not gone through.
    pub fn count_rest(&mut self, clock: &Clock<'_>) -> Result<BigUint, Stopped> {
        let mut counted = BigUint::ZERO;
        while let Some(branch) = self.next_branch(clock)? {
            if branch.meets_all {
                let (rest, room) = match self.minimal {
                    true => (0, 0),
                    false => (self.rest(&branch).count(), self.maximum - branch.features.count()),
                };
                counted += subsets(rest, room);
            }
        }
        Ok(counted)
    }

    /// The next set to examine. A set that does not meet everything is replaced by larger ones.
    fn next_branch(&mut self, clock: &Clock<'_>) -> Result<Option<Branch>, Stopped> {
        if self.open.is_empty() {
            return Ok(None);
        }
        clock.check()?;
        let Some(mut branch) = self.open.pop() else { return Ok(None) };
        self.nodes += 1;
        if branch.meets_all || (self.minimal && !self.to_meet.each_needed(&branch.features)) {
            return Ok(Some(branch));
        }
        match self.to_meet.missed(&branch.features, &branch.tried) {
            None => branch.meets_all = true,
            Some(missed) if branch.features.count() < self.maximum => {
                self.open.extend(branch.with_each(&missed, false).into_iter().rev());
            }
            Some(_) => {}
        }
        Ok(Some(branch))
    }

    /// Features that may be added to a set.
    fn rest(&self, branch: &Branch) -> Bits {
        self.to_meet.beyond(&branch.features).without(&branch.tried)
    }
}

/// Subsets of at most `maximum` of `n` things.
fn subsets(n: u32, maximum: u32) -> BigUint {
    let (mut of_size, mut sum) = (BigUint::from(1u32), BigUint::ZERO);
    for size in 0..=maximum.min(n) {
        sum += &of_size;
        of_size = of_size * (n - size) / (size + 1);
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

    /// All sets that meet everything, by trying all sets.
    fn by_trying(features: usize, all: &[u32], maximum: u32, minimal: bool) -> Vec<u32> {
        let meets = |set: u32| all.iter().all(|one| one & set != 0);
        let needed = |set: u32| (0..32).all(|f| set >> f & 1 == 0 || !meets(set & !(1 << f)));
        let sets = 0..1u32 << features;
        sets.filter(|&set| set.count_ones() <= maximum && meets(set) && (!minimal || needed(set)))
            .collect()
    }

    fn listed(mut list: FeatureSets) -> Vec<u32> {
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
            let sets = differences.iter().map(|&one| bits(features, one)).collect();
            let minimal = random.bool();
            for to_meet in [SetsToHit::Differences(rows), SetsToHit::Sets { features, sets }] {
                let list = FeatureSets::new(to_meet, maximum, minimal);
                let count = list.clone().count_rest(&clock).expect("nothing stops it");
                let mut found = listed(list.clone());
                assert_eq!(count, BigUint::from(found.len()));
                found.sort_unstable();
                assert_eq!(found, by_trying(features, &differences, maximum, minimal), "{list:?}");
            }
        }
    }

    /// Whether every assignment of values to R is missed by a group of rows that agree on S.
    fn is_useful(codes: &[Vec<u32>], support: u32, set: u32) -> bool {
        let values = |row: usize, set: u32| -> Vec<u32> {
            (0..codes.len()).filter(|f| set >> f & 1 == 1).map(|f| codes[f][row]).collect()
        };
        let rows = 0..codes[0].len();
        !rows.clone().any(|one| {
            rows.clone().all(|of_group| {
                rows.clone().any(|row| {
                    values(row, support) == values(of_group, support)
                        && values(row, set) == values(one, set)
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
            let to_meet = SetsToHit::UsefulSets {
                rows: CodedRows::new(vec![0; rows], codes),
                support: bits(features, support),
            };
            let list = FeatureSets::new(to_meet, maximum, minimal);
            let count = list.clone().count_rest(&clock).expect("nothing stops it");
            let mut found = listed(list.clone());
            assert_eq!(count, BigUint::from(found.len()));
            found.sort_unstable();
            let mut expected = by_trying(features, &useful, maximum, minimal);
            expected.retain(|set| set & support == 0);
            assert_eq!(found, expected, "{list:?}");
            several += usize::from(minimal && found.len() > 1);
        }
        assert!(several > 50);
    }

    #[test]
    fn a_list_that_was_stopped_goes_on_where_it_was() {
        let sets = [0b0011, 0b1100].map(|one| bits(4, one)).to_vec();
        let list = FeatureSets::new(SetsToHit::Sets { features: 4, sets }, 4, false);
        let expected = listed(list.clone());
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
    fn sets_around_a_set_are_counted_without_going_through_them() {
        let sets = vec![bits(200, 0b11)];
        let mut list = FeatureSets::new(SetsToHit::Sets { features: 200, sets }, u32::MAX, false);
        let switch = StopSwitch::default();
        let count = list.count_rest(&Clock::start(None, &switch)).expect("nothing stops it");
        assert_eq!(count, (BigUint::from(1u32) << 200) - (BigUint::from(1u32) << 198));
        assert_eq!(list.nodes, 3);
    }

    #[test]
    fn branches_are_at_most_the_largest_difference_to_the_number_of_levels() {
        let mut random = fastrand::Rng::with_seed(20_261_123);
        for _ in 0..500 {
            let (rows, differences) = draw(&mut random);
            let delta = differences.iter().map(|one| one.count_ones() as u64).max().unwrap_or(0);
            let maximum = random.u32(0..4);
            let mut list = FeatureSets::new(SetsToHit::Differences(rows), maximum, true);
            let switch = StopSwitch::default();
            list.count_rest(&Clock::start(None, &switch)).expect("nothing stops it");
            assert!(list.nodes <= (0..=maximum).map(|level| delta.pow(level)).sum());
        }
    }
}
