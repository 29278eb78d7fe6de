//! The stump kernel for many classes: two passes over a feature's order, one
//! from each end, keeping the greatest class weight on either child.

/// Room for the forward pass: by place, the greatest class weight so far on
/// the left and in the right child of the root.
#[derive(Default)]
pub struct TallyWorkspace {
    prefix: Vec<[u64; 2]>,
    weights: Vec<u64>,
}

/// A row in a feature's order: class · 2 + child of the root, weight, and
/// whether a threshold may follow.
#[derive(Clone, Copy)]
pub struct TallyRow {
    pub code: usize,
    pub weight: u64,
    pub ends: bool,
}

/// Raises `greatest`, by child of the root, to the most weight any stump of
/// this feature gets right there.
pub fn tally(
    rows: impl DoubleEndedIterator<Item = TallyRow> + Clone,
    classes: usize,
    workspace: &mut TallyWorkspace,
    greatest: &mut [u64; 2],
) {
    workspace.prefix.clear();
    workspace.weights.clear();
    workspace.weights.resize(2 * classes, 0);
    let mut most = [0u64; 2];
    for row in rows.clone() {
        let weight = &mut workspace.weights[row.code];
        *weight += row.weight;
        most[row.code % 2] = most[row.code % 2].max(*weight);
        workspace.prefix.push(most);
    }
    workspace.weights.fill(0);
    most = [0; 2];
    for (row, prefix) in rows.rev().zip(workspace.prefix.iter().rev()) {
        if row.ends {
            greatest[0] = greatest[0].max(prefix[0] + most[0]);
            greatest[1] = greatest[1].max(prefix[1] + most[1]);
        }
        let weight = &mut workspace.weights[row.code];
        *weight += row.weight;
        most[row.code % 2] = most[row.code % 2].max(*weight);
    }
}
