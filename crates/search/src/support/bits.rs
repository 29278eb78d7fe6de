//! Sets of small numbers (slots of a layout, items, features) as words of 64 bits.

/// A set of numbers below a fixed limit, called slots here; sets that are combined must have the
/// same limit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bits {
    pub words: Vec<u64>,
}

impl Bits {
    /// The empty set of numbers below `slots`.
    pub fn empty(slots: usize) -> Self {
        Bits { words: vec![0; slots.div_ceil(64)] }
    }

    #[inline]
    pub fn insert(&mut self, slot: u32) {
        self.words[slot as usize / 64] |= 1 << (slot % 64);
    }

    #[inline]
    pub fn remove(&mut self, slot: u32) {
        self.words[slot as usize / 64] &= !(1 << (slot % 64));
    }

    #[inline]
    pub fn contains(&self, slot: u32) -> bool {
        self.words[slot as usize / 64] >> (slot % 64) & 1 == 1
    }

    pub fn and(&self, other: &Bits) -> Bits {
        Bits { words: self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect() }
    }

    pub fn without(&self, other: &Bits) -> Bits {
        Bits { words: self.words.iter().zip(&other.words).map(|(a, b)| a & !b).collect() }
    }

    /// Whether this set is a subset of another.
    pub fn within(&self, other: &Bits) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & !b == 0)
    }

    /// Whether the two sets are disjoint.
    pub fn disjoint(&self, other: &Bits) -> bool {
        self.words.iter().zip(&other.words).all(|(a, b)| a & b == 0)
    }

    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// The slots in increasing order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + Clone + '_ {
        ones(&self.words)
    }
}

/// The positions of the bits that are set, in increasing order.
pub(crate) fn ones(words: &[u64]) -> impl Iterator<Item = u32> + Clone + '_ {
    words.iter().enumerate().flat_map(|(at, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                at as u32 * 64 + bit
            })
        })
    })
}
