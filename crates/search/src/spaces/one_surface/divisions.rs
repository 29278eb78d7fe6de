//! All ways in which a hyperplane divides points, such as those of a flat, by recursion on the number
//! of dimensions.

use super::combinations::{Combinations, prefix};
use super::directions::Turn;
use super::exact::Exact;
use super::points::Cloud;
use rustc_hash::FxHashSet;
use std::cmp::Ordering;

/// Which points are on the left, in a fixed order of the points.
pub(super) type Division = Vec<bool>;

/// All divisions of independent points; with those that leave one side empty.
pub(super) fn of_independent(points: usize) -> Vec<Division> {
    let bits = |mask: usize| (0..points).map(|point| mask >> point & 1 == 1).collect();
    (0..1_usize << points).map(bits).collect()
}

/// All divisions of some points by a hyperplane, each once; with those that leave one side empty.
/// `None` if stopped: `stopped` is called regularly with the number of divisions so far.
pub(super) fn of_points<T: Exact>(
    cloud: &Cloud<T>,
    points: &[u32],
    stopped: &dyn Fn(usize) -> bool,
) -> Option<Vec<Division>> {
    let coordinates = cloud.spanning(points);
    if coordinates.len() + 1 == points.len() {
        return Some(of_independent(points.len()));
    }
    let flat = cloud.part(points, &coordinates);
    let mut found = FxHashSet::default();
    let add = |found: &mut FxHashSet<Division>, division: &Division| {
        found.insert(division.iter().map(|left| !left).collect::<Division>());
        found.insert(division.clone());
    };
    add(&mut found, &vec![false; points.len()]);
    if coordinates.len() == 1 {
        let mut division = vec![false; points.len()];
        for &point in &along_line(&flat) {
            division[point as usize] = true;
            add(&mut found, &division);
        }
    } else if coordinates.len() > 1 {
        for_each_flat(&flat, |turn| {
            let inner = of_points(&flat, &turn.on, stopped)?;
            let mut division = turn.starts_left.clone();
            for_each_interval(turn, &mut division, |division| {
                for way in &inner {
                    for (&point, &left) in turn.on.iter().zip(way) {
                        division[point as usize] = left;
                    }
                    add(&mut found, division);
                }
            });
            (!stopped(found.len())).then_some(())
        })?;
    }
    Some(found.into_iter().collect())
}

/// The points of a line in their order.
pub(super) fn along_line<T: Exact>(cloud: &Cloud<T>) -> Vec<u32> {
    let mut order: Vec<u32> = (0..cloud.len() as u32).collect();
    let value = |point: u32| &cloud.exact[point as usize][0];
    order.sort_by(|&a, &b| match value(a).minus(value(b)).sign() {
        Ordering::Equal => a.cmp(&b),
        order => order,
    });
    order
}

/// Turns a hyperplane around every flat that points span, one dimension below a hyperplane, until
/// `visit` returns `None`.
fn for_each_flat<T: Exact>(
    cloud: &Cloud<T>,
    mut visit: impl FnMut(&Turn<'_, T>) -> Option<()>,
) -> Option<()> {
    let (k, n) = (cloud.dimensions - 1, cloud.len() as u32);
    let mut turn = Turn::new(cloud);
    for number in 0.. {
        let Some(prefix) = prefix(number, k, n) else { break };
        let mut subsets = Combinations::beginning(&prefix, k, n);
        while let Some(chosen) = subsets.next() {
            if turn.around(chosen) && turn.sort() {
                visit(&turn)?;
            }
        }
    }
    Some(())
}

/// Calls `visit` with the points on the left of each turned hyperplane; those of the flat are
/// undefined.
fn for_each_interval<T: Exact>(
    turn: &Turn<'_, T>,
    left: &mut Division,
    mut visit: impl FnMut(&mut Division),
) {
    let mut begin = 0;
    for &end in &turn.ends {
        for &point in &turn.order[begin..end] {
            left[point as usize] ^= true;
        }
        visit(left);
        begin = end;
    }
}
