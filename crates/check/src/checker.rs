//! Verifies the tree of a certificate, and its claims one after the other.

use crate::format::{number, Body, Header, Quantity, Reason, NO_LIMIT};
use crate::limits::Limits;
use crate::stumps::{LeastErrors, Stumps};
use crate::table::{each_row, holds, splits_of, Examples, Table};

/// Limit on the memory of all sets.
const MAX_BYTES_OF_SETS: u128 = 1 << 31;

/// Verifies a certificate for a table, and returns what it states. `content` is the unpacked file;
/// the check ends with `Reason::Stopped` soon after `stopped` has returned true.
pub fn check(
    content: &[u8],
    examples: &Examples,
    stopped: &dyn Fn() -> bool,
) -> Result<Header, Reason> {
    let (header, body) = Header::read(content)?;
    let table = &Table::new(examples, &header.splits).ok_or(Reason::Table)?;
    let features = examples.columns.len();
    let shape = [table.rows(), features, table.n_classes].map(|length| length as u64);
    let same = shape == [header.rows, header.features, header.classes]
        && header.weight_scale == table.weight_scale
        && header.table == table.digest;
    require(same, Reason::Table)?;
    let words = (table.rows() + 63) / 64;
    let body = Body { rest: body };
    let (sets, claims) = (Vec::new(), Vec::new());
    let mut checker = Checker { table, header: &header, body, words, sets, claims };
    checker.check_tree()?;
    checker.check_claims(stopped)?;
    Ok(header)
}

fn require(holds: bool, reason: Reason) -> Result<(), Reason> {
    if holds {
        Ok(())
    } else {
        Err(reason)
    }
}

/// A threshold, and the claims that are cited for its children.
type ListEntry = (u32, [Option<usize>; 2]);

/// Every tree within the limits costs at least `value` on the set.
struct Claim {
    set: usize,
    limits: Limits,
    value: u64,
}

struct Checker<'c> {
    table: &'c Table,
    header: &'c Header,
    body: Body<'c>,
    /// Length of a set.
    words: usize,
    /// Sets of rows as bits, one after the other.
    sets: Vec<u64>,
    claims: Vec<Claim>,
}

impl Checker<'_> {
    /// The cost of a tree with these errors and leaves.
    fn cost(&self, errors: u64, leaves: u64) -> u128 {
        let price = |price: u64, count: u64| u128::from(price) * u128::from(count);
        price(self.header.error_price, errors) + price(self.header.leaf_price, leaves)
    }

    /// Checks the limits and the cost of the tree: nodes in preorder, "feature:rank" or a class.
    fn check_tree(&self) -> Result<(), Reason> {
        let (table, header) = (self.table, self.header);
        let stated = match &header.cost {
            Some(stated) => stated,
            None => return Ok(()),
        };
        let mut waiting = vec![((0..table.rows()).collect::<Vec<usize>>(), 0)];
        let (mut errors, mut size, mut deepest) = (0, 0, 0);
        for token in header.tree.split(' ') {
            let (rows, depth) = waiting.pop().ok_or(Reason::Tree)?;
            let mut numbers = token.splitn(2, ':');
            let first = numbers.next().and_then(number).ok_or(Reason::Tree)?;
            if let Some(rank) = numbers.next() {
                let rank = number(rank).ok_or(Reason::Tree)?;
                let (feature, rank) = self.threshold(first, rank, Reason::Tree)?;
                let goes_left = |row: &usize| table.ranks[feature][*row] <= rank;
                let (left, right) = rows.into_iter().partition(goes_left);
                waiting.extend([(right, depth + 1), (left, depth + 1)]);
                size += 1;
                deepest = deepest.max(depth + 1);
                require(depth < header.max_depth, Reason::Tree)?;
                require(size < table.rows() as u64, Reason::Tree)?;
            } else {
                require(first < table.n_classes as u64, Reason::Tree)?;
                let wrong = rows.iter().filter(|&&row| u64::from(table.classes[row]) != first);
                errors += wrong.map(|&row| table.weights[row]).sum::<u64>();
            }
        }
        let within = size <= header.max_size && errors <= header.max_errors;
        require(waiting.is_empty() && within, Reason::Tree)?;
        let cost = |quantity: &Quantity| match quantity {
            Quantity::Errors => self.cost(errors, size + 1),
            Quantity::Size => size.into(),
            Quantity::Depth => deepest.into(),
        };
        let stated = stated.iter().map(|&number| u128::from(number));
        require(header.minimize.iter().map(cost).eq(stated), Reason::Cost)
    }

    /// A feature and a rank that its thresholds have.
    fn threshold(&self, feature: u64, rank: u64, wrong: Reason) -> Result<(usize, u32), Reason> {
        require(feature < self.table.values.len() as u64, wrong)?;
        require(rank < u64::from(self.table.values[feature as usize] - 1), wrong)?;
        Ok((feature as usize, rank as u32))
    }

    /// Checks all sets and claims, and that some of these prove the lower bound.
    fn check_claims(&mut self, stopped: &dyn Fn() -> bool) -> Result<(), Reason> {
        let Header { sets, claims, .. } = *self.header;
        require(sets.max(claims) <= self.body.rest.len() as u64, Reason::Length)?;
        let bytes = (u128::from(sets) + 1) * self.words as u128 * 8;
        require(bytes <= MAX_BYTES_OF_SETS, Reason::Size)?;
        let all = |word: usize| match self.table.rows() - 64 * word {
            rows if rows >= 64 => u64::MAX,
            rows => (1 << rows) - 1,
        };
        self.sets = (0..self.words).map(all).collect();
        for index in 0..sets {
            let (parent, feature) = (self.body.number()?, self.body.number()?);
            let rank_and_side = self.body.number()?;
            require(parent <= index, Reason::Set)?;
            let (feature, rank) = self.threshold(feature, rank_and_side / 2, Reason::Set)?;
            self.add_set(parent as usize, feature, rank, rank_and_side % 2 == 0);
        }
        for _ in 0..claims {
            require(!stopped(), Reason::Stopped)?;
            let set = self.body.number()?;
            require(set <= sets, Reason::Set)?;
            let limits = Limits { depth: self.body.limit()?, size: self.body.limit()? };
            let claim = Claim { set: set as usize, limits, value: self.body.number()? };
            self.check_claim(&claim)?;
            self.claims.push(claim);
        }
        self.check_conclusion()?;
        require(self.body.rest.is_empty(), Reason::Length)
    }

    /// Checks that no tree has quantities below the lower bound in lexicographic order: for every
    /// quantity a claim is cited that no tree reaches the bounds before and one less than its own.
    /// Without a lower bound, one claim proves that no tree is within the limits.
    fn check_conclusion(&mut self) -> Result<(), Reason> {
        let Header { max_depth, max_size, max_errors, .. } = *self.header;
        let mut limits = Limits { depth: max_depth, size: max_size };
        // What a tree may cost.
        let mut most = match max_errors {
            NO_LIMIT => u128::MAX,
            errors => self.cost(errors, 0),
        };
        let bounds = match &self.header.lower_bound {
            None => {
                let cited = self.citation()?;
                return self.check_none(cited, limits, most);
            }
            Some(bounds) => bounds,
        };
        for (quantity, &bound) in self.header.minimize.iter().zip(bounds) {
            let cited = self.citation()?;
            let below = |value: u64| match quantity {
                Quantity::Errors => (limits, most.min(value.into())),
                Quantity::Size => (Limits { size: limits.size.min(value), ..limits }, most),
                Quantity::Depth => (Limits { depth: limits.depth.min(value), ..limits }, most),
            };
            if bound > 0 {
                let (limits, most) = below(bound - 1);
                self.check_none(cited, limits, most)?;
            }
            (limits, most) = below(bound);
        }
        Ok(())
    }

    /// Checks that by a cited claim every tree within limits costs more than `most`.
    fn check_none(&self, cited: Option<usize>, limits: Limits, most: u128) -> Result<(), Reason> {
        let worth = self.worth(cited, self.set(0), limits.normalised());
        require(worth > most, Reason::Conclusion)
    }

    /// Reads the place of a cited claim: 0 cites nothing, k the claim k places before.
    fn citation(&mut self) -> Result<Option<usize>, Reason> {
        let (distance, claims) = (self.body.number()?, self.claims.len() as u64);
        require(distance <= claims, Reason::Citation)?;
        Ok(if distance == 0 { None } else { Some((claims - distance) as usize) })
    }

    fn set(&self, at: usize) -> &[u64] {
        &self.sets[at * self.words..][..self.words]
    }

    /// Adds the rows of a set on one side of a threshold.
    fn add_set(&mut self, parent: usize, feature: usize, rank: u32, left: bool) {
        let ranks = self.table.ranks[feature].chunks(64);
        let of_word = |ranks: &[u32]| {
            let bit = |(at, &of_row): (usize, &u32)| u64::from((of_row <= rank) == left) << at;
            ranks.iter().enumerate().map(bit).fold(0, |word, bit| word | bit)
        };
        let words = ranks.zip(self.set(parent)).map(|(ranks, word)| of_word(ranks) & word);
        let words: Vec<u64> = words.collect();
        self.sets.extend(words);
    }

    /// Checks the next claim by its rule.
    fn check_claim(&mut self, claim: &Claim) -> Result<(), Reason> {
        let rule = self.body.number()?;
        let (limits, value) = (claim.limits.normalised(), u128::from(claim.value));
        if rule == 0 {
            let leaves = limits.size.saturating_add(1);
            return require(value <= self.counting(claim.set, leaves), Reason::Counting);
        }
        let fits = if rule == 1 { limits.depth <= 2 } else { limits.depth >= 1 };
        require(rule <= 2 && fits, Reason::Rule)?;
        require(value <= self.counting(claim.set, 1), Reason::Leaf)?;
        match (rule, limits.depth) {
            (2, _) => self.check_cited_splits(claim, limits),
            (_, 0) => Ok(()),
            (_, 1) => {
                let stump = self.stumps(claim.set).whole().stump;
                require(value <= self.cost(stump, 2), Reason::Stump)
            }
            _ => self.check_evaluated_splits(claim, limits),
        }
    }

    fn stumps(&self, set: usize) -> Stumps<'_> {
        let set = self.set(set);
        Stumps::new(self.table, &|row| holds(set, row))
    }

    /// A bound on trees with at most some leaves; with one leaf it is exact. A tree with j leaves
    /// predicts at most j classes, and misclassifies all others.
    fn counting(&self, set: usize, leaves: u64) -> u128 {
        let (mut heaviest, mut unavoidable) = (vec![0u64; self.table.n_classes], 0);
        each_row(self.set(set).iter().copied(), |row| {
            heaviest[self.table.classes[row] as usize] += self.table.weights[row];
            unavoidable += self.table.unavoidable[row];
        });
        heaviest.sort_unstable_by(|a, b| b.cmp(a));
        let most = leaves.min(heaviest.len() as u64);
        let bound = |leaves: u64| {
            let others = heaviest[leaves as usize..].iter().sum::<u64>();
            self.cost(others.max(unavoidable), leaves)
        };
        (1..=most).map(bound).min().unwrap_or(0)
    }

    /// The bound on trees within limits for some rows that a claim proves. A tree within `limits`
    /// but not within those of the claim has at least two leaves more than the exceeded limit.
    /// Without the rows that only the claim has, a tree costs less by at most their errors. Every
    /// tree has a leaf.
    fn worth(&self, claim: Option<usize>, rows: &[u64], limits: Limits) -> u128 {
        let leaf = self.cost(0, 1);
        let Claim { set, limits: claimed, value } = match claim {
            Some(at) => &self.claims[at],
            None => return leaf,
        };
        let mut value = u128::from(*value);
        for (claimed, needed) in [(claimed.depth, limits.depth), (claimed.size, limits.size)] {
            if claimed < needed {
                value = value.min(self.cost(0, 1) * (u128::from(claimed) + 2));
            }
        }
        let mut only_claimed = 0;
        let words = self.set(*set).iter().zip(rows).map(|(of_claim, rows)| of_claim & !rows);
        each_row(words, |row| only_claimed += self.table.weights[row]);
        value.saturating_sub(self.cost(only_claimed, 0)).max(leaf)
    }

    /// Reads a list of thresholds of a feature, in increasing order, with the claims that are cited
    /// for both children.
    fn list(&mut self, feature: usize, cites: bool) -> Result<Vec<ListEntry>, Reason> {
        let (mut list, mut next) = (Vec::new(), 0u64);
        for _ in 0..self.body.number()? {
            let rank = next.saturating_add(self.body.number()?);
            let (_, rank) = self.threshold(feature as u64, rank, Reason::Threshold)?;
            let cited = if cites { [self.citation()?, self.citation()?] } else { [None; 2] };
            list.push((rank, cited));
            next = u64::from(rank) + 1;
        }
        Ok(list)
    }

    /// Checks that all trees with a split at the root cost enough: for every feature and every way
    /// to divide the inner nodes, by a list of thresholds with citations for both children.
    fn check_cited_splits(&mut self, claim: &Claim, limits: Limits) -> Result<(), Reason> {
        let table = self.table;
        let set = self.set(claim.set).to_vec();
        for feature in 0..table.values.len() {
            let splits = splits_of(table, &set, feature);
            for (left_size, right_size) in limits.shares() {
                let (left, right) = (limits.child(left_size), limits.child(right_size));
                let (mut below, mut above) = (vec![0; self.words], set.clone());
                let mut rows = table.orders[feature].iter().map(|&row| row as usize).peekable();
                let mut bounds = Vec::new();
                for (rank, cited) in self.list(feature, true)? {
                    while let Some(row) = rows.next_if(|&row| table.ranks[feature][row] <= rank) {
                        below[row / 64] |= set[row / 64] & 1 << (row % 64);
                        above[row / 64] &= !(1 << (row % 64));
                    }
                    let worth =
                        [self.worth(cited[0], &below, left), self.worth(cited[1], &above, right)];
                    bounds.push((rank, worth));
                }
                self.cover(claim, &splits, bounds)?;
            }
        }
        Ok(())
    }

    /// The same at depth two: by one list for every feature; the costs of both children are computed.
    fn check_evaluated_splits(&mut self, claim: &Claim, limits: Limits) -> Result<(), Reason> {
        let table = self.table;
        let set = self.set(claim.set).to_vec();
        let stumps = Stumps::new(table, &|row| holds(&set, row));
        for feature in 0..table.values.len() {
            let list = self.list(feature, false)?;
            let thresholds: Vec<u32> = list.iter().map(|entry| entry.0).collect();
            let children = stumps.children(feature, &thresholds);
            let splits = splits_of(table, &set, feature);
            for (left_size, right_size) in limits.shares() {
                let cost = |LeastErrors { leaf, stump }: LeastErrors, size: u64| {
                    let leaf = self.cost(leaf, 1);
                    if size == 0 {
                        leaf
                    } else {
                        leaf.min(self.cost(stump, 2))
                    }
                };
                let costs = |[left, right]: [LeastErrors; 2]| {
                    [cost(left, left_size), cost(right, right_size)]
                };
                let both = thresholds.iter().zip(&children);
                let bounds = both.map(|(&rank, &both)| (rank, costs(both))).collect();
                self.cover(claim, &splits, bounds)?;
            }
        }
        Ok(())
    }

    /// Checks that bounds on both children of some thresholds imply the claim for all splits of the
    /// feature. A split at or above a threshold has a larger left child, a split at or below it a
    /// larger right child.
    fn cover(
        &self,
        claim: &Claim,
        splits: &[(u32, u64)],
        mut bounds: Vec<(u32, [u128; 2])>,
    ) -> Result<(), Reason> {
        let (value, leaf) = (u128::from(claim.value), self.cost(0, 1));
        for at in 1..bounds.len() {
            bounds[at].1[0] = bounds[at].1[0].max(bounds[at - 1].1[0]);
        }
        for at in (1..bounds.len()).rev() {
            bounds[at - 1].1[1] = bounds[at - 1].1[1].max(bounds[at].1[1]);
        }
        let mut first = 0;
        // The splits from one threshold to the next; none before the first and after the last.
        for gap in 0..=bounds.len() {
            let below = gap.checked_sub(1).map(|at| bounds[at]);
            let above = bounds.get(gap).copied();
            let rest = &splits[first..splits.len().max(1) - 1];
            let end = above.map_or(rest.len(), |(at, _)| rest.partition_point(|s| s.0 < at));
            first += end;
            let cost = below.map_or(leaf, |at| at.1[0]) + above.map_or(leaf, |at| at.1[1]);
            if cost >= value {
                continue;
            }
            for &(_, weight) in &rest[..end] {
                let near = |(rank, costs): (u32, [u128; 2])| {
                    let place = splits.partition_point(|split| split.0 <= rank);
                    let below = place.checked_sub(1).map_or(0, |at| splits[at].1);
                    let moved = below.abs_diff(weight);
                    costs[0] + costs[1] >= value + self.cost(moved, 0)
                };
                let covered = below.map_or(false, near) || above.map_or(false, near);
                require(covered, Reason::Split)?;
            }
        }
        Ok(())
    }
}
