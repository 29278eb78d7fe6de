//! The numbers of a certificate: 7 bits a byte, lowest first; the high bit says that more follow.

use exactree_model::{Cost, Limits};

/// A proof: the numbers of a certificate after its header.
#[derive(Clone, Debug)]
pub struct CertificateBody {
    /// By stage, how many of its bounds are proved.
    pub proved: Vec<usize>,
    pub sets: usize,
    pub claims: usize,
    pub body: Vec<u8>,
}

/// A child of a set: its parent, the column and rank of the threshold, and 1 on the right side.
pub(super) type WrittenSet = (u32, u32, u32, u32);

/// How a claim is proved.
#[derive(Clone, Copy)]
pub(super) enum ClaimRule {
    Counting = 0,
    Evaluated = 1,
    Cited = 2,
}

/// Sets and claims in the form of the file.
#[derive(Clone, Default)]
pub(super) struct Body {
    sets: Vec<WrittenSet>,
    claims: usize,
    bytes: Vec<u8>,
}

impl Body {
    /// Adds a set and returns its number; set 0 has all rows.
    pub(super) fn add_set(&mut self, set: WrittenSet) -> u32 {
        self.sets.push(set);
        self.sets.len() as u32
    }

    /// Adds a claim and returns its number. Rows of leaves are counted on the set `outer`, `None` if
    /// the claim is relaxed. `lists` has the numbers of the thresholds by which it is proved, and
    /// those of the claims cited there.
    pub(super) fn add_claim(
        &mut self,
        (set, outer): (u32, Option<u32>),
        limits: Limits,
        value: Cost,
        rule: ClaimRule,
        lists: &[u64],
    ) -> usize {
        write(&mut self.bytes, set.into());
        if limits.min_samples_leaf > 1 {
            write(&mut self.bytes, outer.map_or(0, |outer| u64::from(outer) + 1));
        }
        let numbers = [limit(limits.depth), limit(limits.size), value, rule as u64];
        numbers.iter().chain(lists).for_each(|&number| write(&mut self.bytes, number));
        self.claims += 1;
        self.claims - 1
    }

    /// The number by which the next claim cites an earlier claim, or nothing.
    pub(super) fn citation(&self, claim: Option<usize>) -> u64 {
        claim.map_or(0, |claim| (self.claims - claim) as u64)
    }

    /// The proof of some bounds of each stage by these claims; the last bound by the cited one.
    pub(super) fn concluded(&self, proved: Vec<usize>, cited: &[Option<usize>]) -> CertificateBody {
        let mut bytes = Vec::new();
        for &(parent, column, rank, side) in &self.sets {
            let rank_and_side = 2 * u64::from(rank) + u64::from(side);
            let numbers = [parent.into(), column.into(), rank_and_side];
            numbers.iter().for_each(|&number| write(&mut bytes, number));
        }
        bytes.extend(&self.bytes);
        cited.iter().for_each(|&claim| write(&mut bytes, self.citation(claim)));
        CertificateBody { proved, sets: self.sets.len(), claims: self.claims, body: bytes }
    }
}

/// A limit: 0 for none. Limits beyond 31 bits limit no table.
fn limit(limit: u32) -> u64 {
    if limit >= 1 << 31 { 0 } else { u64::from(limit) + 1 }
}

fn write(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}
