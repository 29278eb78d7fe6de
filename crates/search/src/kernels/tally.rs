//! The stump kernel for many classes: two passes over a feature's order, one
//! from each end, keeping the greatest class weight on either side.

/// Room for the forward pass: by place, the greatest class weight so far on
/// the left and on the right side of the root.
#[derive(Default)]
pub struct TallyRoom {
    prefix: Vec<[u64; 2]>,
    weights: Vec<u64>,
}

/// A row in a feature's order: class · 2 + side of the root, weight, and
/// whether a threshold may follow.
#[derive(Clone, Copy)]
pub struct Row {
    pub code: usize,
    pub weight: u64,
    pub ends: bool,
}

/// Raises `greatest`, by side of the root, to the most weight any stump of
/// this feature gets right there.
pub fn tally(
    rows: impl DoubleEndedIterator<Item = Row> + Clone,
    classes: usize,
    room: &mut TallyRoom,
    greatest: &mut [u64; 2],
) {
    room.prefix.clear();
    room.weights.clear();
    room.weights.resize(2 * classes, 0);
    let mut most = [0u64; 2];
    for row in rows.clone() {
        let weight = &mut room.weights[row.code];
        *weight += row.weight;
        most[row.code % 2] = most[row.code % 2].max(*weight);
        room.prefix.push(most);
    }
    room.weights.fill(0);
    most = [0; 2];
    for (row, prefix) in rows.rev().zip(room.prefix.iter().rev()) {
        if row.ends {
            greatest[0] = greatest[0].max(prefix[0] + most[0]);
            greatest[1] = greatest[1].max(prefix[1] + most[1]);
        }
        let weight = &mut room.weights[row.code];
        *weight += row.weight;
        most[row.code % 2] = most[row.code % 2].max(*weight);
    }
}
