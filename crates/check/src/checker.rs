//! Verifies the tree of a certificate, and its claims one after the other.
//!
//! Length: the rules of claims share the sets and the claims verified so far.

use crate::class_costs::Totals;
use crate::format::{number, require, Body, Header, Quantity, Reason, NO_LIMIT};
use crate::limits::Limits;
use crate::rows::{and, each_row, splits_of, Below, Rows, Split};
use crate::stumps::{LeastErrors, Stumps};
use crate::table::{Examples, Table};

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
    let table = &Table::new(examples, &header.splits, header.class_costs.as_deref())
        .ok_or(Reason::Table)?;
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

/// The claims that are cited for the children of a threshold.
type Cited = [Option<usize>; 2];

/// Every tree within the limits, with at least `minimum` rows of the outer set in every leaf, costs
/// at least `value` on the set.
struct Claim {
    set: usize,
    outer: usize,
    minimum: u64,
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
                require(first < table.costs.predictions as u64, Reason::Tree)?;
                require(rows.len() as u64 >= header.min_rows, Reason::Tree)?;
                errors += rows.iter().map(|&row| table.errors(row, first as usize)).sum::<u64>();
            }
        }
        let within = size <= header.max_size && errors <= header.max_errors;
        require(waiting.is_empty() && within, Reason::Tree)?;
        let cost = |quantity: &Quantity| match quantity {
            Quantity::Errors => self.header.cost(errors, size + 1),
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
        let Header { sets, claims, min_rows, .. } = *self.header;
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
            let outer = if min_rows > 0 { self.body.limit()? } else { NO_LIMIT };
            require(set <= sets && (outer <= sets || outer == NO_LIMIT), Reason::Set)?;
            let (outer, minimum) = if outer == NO_LIMIT { (set, 0) } else { (outer, min_rows) };
            let limits = Limits { depth: self.body.limit()?, size: self.body.limit()? };
            let (set, outer, value) = (set as usize, outer as usize, self.body.number()?);
            let claim = Claim { set, outer, minimum, limits, value };
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
            errors => self.header.cost(errors, 0),
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
        let (all, minimum) = (self.set(0), self.header.min_rows);
        let rows = Rows { inner: all, outer: all, minimum };
        let worth = self.worth(cited, rows, limits.normalised());
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
            return require(value <= self.counting(claim, leaves), Reason::Counting);
        }
        let fits = if rule == 1 { limits.depth <= 2 } else { limits.depth >= 1 };
        require(rule <= 2 && fits, Reason::Rule)?;
        require(value <= self.counting(claim, 1), Reason::Leaf)?;
        match (rule, limits.depth) {
            (2, _) => self.check_cited_splits(claim, limits),
            (_, 0) => Ok(()),
            (_, 1) => {
                let least = Stumps::new(self.table, self.rows(claim)).whole();
                require(value <= self.least_cost(least, 1), Reason::Stump)
            }
            _ => self.check_evaluated_splits(claim, limits),
        }
    }

    fn rows(&self, claim: &Claim) -> Rows<'_> {
        let (inner, outer) = (self.set(claim.set), self.set(claim.outer));
        Rows { inner, outer, minimum: claim.minimum }
    }

    /// A bound on trees with at most some leaves; with one leaf it is exact. A tree with j leaves
    /// predicts at most j classes, and makes wrong predictions for all others. There is no
    /// tree, and no bound is too great, if there are too few rows for a leaf.
    fn counting(&self, claim: &Claim, leaves: u64) -> u128 {
        let Rows { inner, outer, minimum } = self.rows(claim);
        let counted = outer.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        let leaves = leaves.min(counted.checked_div(minimum).unwrap_or(NO_LIMIT));
        let table = self.table;
        let (mut weights, mut unavoidable) = (vec![0u64; table.n_classes], 0);
        let mut totals = Totals::none(table.costs.predictions);
        each_row(inner.iter().copied(), |row| {
            weights[table.classes[row] as usize] += table.weights[row];
            unavoidable += table.unavoidable[row];
            table.add(&mut totals, row);
        });
        // What the best wrong predictions save, and by class how much more the best of all saves.
        let (mut saved_wrong, mut more) = (0, Vec::new());
        for (class, weight) in weights.iter().enumerate() {
            let [best, wrong] = table.costs.best_savings(class);
            saved_wrong += weight * wrong;
            more.push(weight * (best - wrong));
        }
        more.sort_unstable_by(|a, b| b.cmp(a));
        let most = leaves.min(more.len() as u64);
        let bound = |leaves: u64| {
            let saved = saved_wrong + more[..leaves as usize].iter().sum::<u64>();
            let errors = if leaves == 1 { totals.errors() } else { totals.reach - saved };
            self.header.cost(errors.max(unavoidable), leaves)
        };
        (1..=most).map(bound).min().unwrap_or(u128::MAX)
    }

    /// The bound on trees within limits for some rows that a claim proves. A tree that has enough
    /// outer rows in its leaves has enough of more rows. A tree within `limits` but not within those
    /// of the claim has at least two leaves more than the exceeded limit. Without the rows that only
    /// the claim has, a tree costs less by at most their reach. Every tree has a leaf.
    fn worth(&self, claim: Option<usize>, rows: Rows<'_>, limits: Limits) -> u128 {
        let leaf = self.header.cost(0, 1);
        let claim = match claim {
            Some(at) => &self.claims[at],
            None => return leaf,
        };
        let mut outers = rows.outer.iter().zip(self.set(claim.outer));
        let is_for_fewer = outers.any(|(rows, claimed)| rows & !claimed > 0);
        if claim.minimum > 0 && (rows.minimum == 0 || is_for_fewer) {
            return leaf;
        }
        let (mut value, claimed) = (u128::from(claim.value), claim.limits);
        for (claimed, needed) in [(claimed.depth, limits.depth), (claimed.size, limits.size)] {
            if claimed < needed {
                value = value.min(self.header.cost(0, 1) * (u128::from(claimed) + 2));
            }
        }
        let mut only_claimed = 0;
        let words = self.set(claim.set).iter().zip(rows.inner).map(|(claim, rows)| claim & !rows);
        each_row(words, |row| only_claimed += self.table.reach[row]);
        value.saturating_sub(self.header.cost(only_claimed, 0)).max(leaf)
    }

    /// Reads a list of thresholds of a feature, in order, and the claims that are cited for both
    /// children of each.
    fn list(&mut self, feature: usize, cites: bool) -> Result<(Vec<u32>, Vec<Cited>), Reason> {
        let (mut ranks, mut cited, mut last) = (Vec::new(), Vec::new(), 0u64);
        let length = self.body.number()?;
        require(length <= 2 * u64::from(self.table.values[feature]), Reason::Threshold)?;
        for _ in 0..length {
            last = last.saturating_add(self.body.number()?);
            ranks.push(self.threshold(feature as u64, last, Reason::Threshold)?.1);
            cited.push(if cites { [self.citation()?, self.citation()?] } else { [None; 2] });
        }
        Ok((ranks, cited))
    }

    /// Checks that all trees with a split at the root cost enough: for every feature and every way
    /// to divide the inner nodes, by a list of thresholds with citations for both children. What is
    /// proved for the left one holds up to the next threshold, so its outer rows are those below the
    /// next threshold; likewise on the right side.
    fn check_cited_splits(&mut self, claim: &Claim, limits: Limits) -> Result<(), Reason> {
        let table = self.table;
        for feature in 0..table.values.len() {
            let splits = splits_of(table, self.rows(claim), feature);
            for (left_size, right_size) in limits.shares() {
                let (left, right) = (limits.child(left_size), limits.child(right_size));
                let (ranks, cited) = self.list(feature, true)?;
                let Rows { inner, outer, minimum } = self.rows(claim);
                let mut below = Below::new(table, feature);
                let mut before = vec![0; self.words];
                let mut now = below.up_to(ranks.first().copied());
                let mut bounds = Vec::new();
                for (at, (&rank, cited)) in ranks.iter().zip(cited).enumerate() {
                    let after = below.up_to(ranks.get(at + 1).copied());
                    let (of_left, on_left) = (and(inner, &now, 0), and(outer, &after, 0));
                    let (of_right, on_right) = (and(inner, &now, !0), and(outer, &before, !0));
                    let of_left = Rows { inner: &of_left, outer: &on_left, minimum };
                    let of_right = Rows { inner: &of_right, outer: &on_right, minimum };
                    let worth = [
                        self.worth(cited[0], of_left, left),
                        self.worth(cited[1], of_right, right),
                    ];
                    bounds.push((rank.into(), worth));
                    before = std::mem::replace(&mut now, after);
                }
                self.cover(claim, &splits, bounds)?;
            }
        }
        Ok(())
    }

    /// The same at depth two: by one list for every feature; the costs of both children are computed.
    fn check_evaluated_splits(&mut self, claim: &Claim, limits: Limits) -> Result<(), Reason> {
        let table = self.table;
        let (inner, outer) = (self.set(claim.set).to_vec(), self.set(claim.outer).to_vec());
        let rows = Rows { inner: &inner, outer: &outer, minimum: claim.minimum };
        let stumps = Stumps::new(table, rows);
        for feature in 0..table.values.len() {
            let (thresholds, _) = self.list(feature, false)?;
            let splits = splits_of(table, rows, feature);
            let children = stumps.children(feature, &thresholds, &splits);
            for (left_size, right_size) in limits.shares() {
                let costs = |[left, right]: [LeastErrors; 2]| {
                    [self.least_cost(left, left_size), self.least_cost(right, right_size)]
                };
                let both = thresholds.iter().zip(&children);
                let bounds = both.map(|(&rank, &both)| (rank.into(), costs(both))).collect();
                self.cover(claim, &splits, bounds)?;
            }
        }
        Ok(())
    }

    /// The cost of the best leaf, or of the best tree with at most one split if the size allows it.
    fn least_cost(&self, LeastErrors { leaf, stump }: LeastErrors, size: u64) -> u128 {
        let leaf = self.header.cost(leaf, 1);
        if size == 0 {
            leaf
        } else {
            leaf.min(self.header.cost(stump, 2))
        }
    }

    /// Checks that bounds on both children of some thresholds imply the claim for all splits of the
    /// feature. A split at or above a threshold has a larger left child, a split at or below it a
    /// larger right child. Splits without enough rows on both sides are none.
    fn cover(
        &self,
        claim: &Claim,
        splits: &[Split],
        mut bounds: Vec<(i64, [u128; 2])>,
    ) -> Result<(), Reason> {
        let (value, leaf) = (u128::from(claim.value), self.header.cost(0, 1));
        bounds.insert(0, (-1, [leaf; 2]));
        bounds.push((i64::MAX, [leaf; 2]));
        let rows = splits.last().map_or(0, |last| last.outer);
        let possible = splits[..splits.len().max(1) - 1]
            .iter()
            .filter(|split| split.outer >= claim.minimum && rows - split.outer >= claim.minimum);
        let mut open = possible.map(|split| (i64::from(split.rank), split.reach)).peekable();
        for gap in bounds.windows(2) {
            let is_covered = |&(rank, reach): &(i64, u64)| {
                let near = |&(threshold, costs): &(i64, [u128; 2])| {
                    let place = splits.partition_point(|split| i64::from(split.rank) <= threshold);
                    let moved = place.checked_sub(1).map_or(0, |at| splits[at].reach);
                    costs[0] + costs[1] >= value + self.header.cost(moved.abs_diff(reach), 0)
                };
                let within = gap[0].0 <= rank && rank <= gap[1].0;
                within && (gap[0].1[0] + gap[1].1[1] >= value || gap.iter().any(near))
            };
            while open.next_if(is_covered).is_some() {}
        }
        require(open.peek().is_none(), Reason::Split)
    }
}
