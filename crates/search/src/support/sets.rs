//! Sets of items of a fixed number of words: one bit per item.

use crate::support::bits::ones;

/// A set of items, in as many words as the table needs.
pub(crate) type Set<const W: usize> = [u64; W];

#[inline]
pub(crate) fn insert<const W: usize>(set: &mut Set<W>, item: u32) {
    set[item as usize / 64] |= 1 << (item % 64);
}

#[inline]
pub(crate) fn contains<const W: usize>(set: &Set<W>, item: u32) -> bool {
    set[item as usize / 64] >> (item % 64) & 1 == 1
}

#[inline]
pub(crate) fn and<const W: usize>(a: &Set<W>, b: &Set<W>) -> Set<W> {
    std::array::from_fn(|word| a[word] & b[word])
}

#[inline]
pub(crate) fn or<const W: usize>(a: &Set<W>, b: &Set<W>) -> Set<W> {
    std::array::from_fn(|word| a[word] | b[word])
}

#[inline]
pub(crate) fn without<const W: usize>(a: &Set<W>, b: &Set<W>) -> Set<W> {
    std::array::from_fn(|word| a[word] & !b[word])
}

#[inline]
pub(crate) fn within<const W: usize>(a: &Set<W>, b: &Set<W>) -> bool {
    (0..W).all(|word| a[word] & !b[word] == 0)
}

#[inline]
pub(crate) fn disjoint<const W: usize>(a: &Set<W>, b: &Set<W>) -> bool {
    (0..W).all(|word| a[word] & b[word] == 0)
}

#[inline]
pub(crate) fn empty<const W: usize>(set: &Set<W>) -> bool {
    set.iter().all(|&word| word == 0)
}

#[inline]
pub(crate) fn count<const W: usize>(set: &Set<W>) -> u32 {
    set.iter().map(|word| word.count_ones()).sum()
}

/// The set of the first items.
pub(crate) fn first<const W: usize>(items: usize) -> Set<W> {
    let mut set = [0; W];
    (0..items as u32).for_each(|item| insert(&mut set, item));
    set
}

/// The first member.
#[inline]
pub(crate) fn first_member<const W: usize>(set: &Set<W>) -> Option<u32> {
    let word = (0..W).find(|&word| set[word] != 0)?;
    Some(word as u32 * 64 + set[word].trailing_zeros())
}

/// The items in increasing order.
pub(crate) fn members<const W: usize>(set: &Set<W>) -> impl Iterator<Item = u32> + '_ {
    ones(set)
}

/// A fixed order of items that mixes the classes, so that a scan of a subset meets unlike items
/// early. Any order is correct.
pub(crate) fn mixed(items: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items).collect();
    order.sort_by_key(|&item| (item as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    order
}
