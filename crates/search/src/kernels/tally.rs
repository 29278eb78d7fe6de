//! The stump kernel for many classes: two passes over a feature's order, one from each end, which
//! keep the greatest class weight in either child of the root.

/// Workspace: by place, the greatest class weight of the forward pass in the left and in the right
/// child of the root.
#[derive(Default)]
pub(crate) struct TallyWorkspace {
    prefix: Vec<[u64; 2]>,
    weights: Vec<u64>,
}

/// A row in a feature's order: class · 2 + child of the root, weight, and by child of the root
/// whether a threshold may follow.
#[derive(Clone, Copy)]
pub(crate) struct TallyRow {
    pub code: usize,
    pub weight: u64,
    pub ends: [bool; 2],
}

/// Raises `greatest`, by child of the root, to the greatest weight that a stump on this feature
/// classifies correctly there.
pub(crate) fn tally(
    rows: impl DoubleEndedIterator<Item = TallyRow> + Clone,
    classes: usize,
    workspace: &mut TallyWorkspace,
    greatest: &mut [u64; 2],
) {
    workspace.prefix.clear();
    workspace.weights.clear();
    workspace.weights.resize(2 * classes, 0);
    let mut maximum = [0u64; 2];
    for row in rows.clone() {
        let weight = &mut workspace.weights[row.code];
        *weight += row.weight;
        maximum[row.code % 2] = maximum[row.code % 2].max(*weight);
        workspace.prefix.push(maximum);
    }
    workspace.weights.fill(0);
    maximum = [0; 2];
    for (row, prefix) in rows.rev().zip(workspace.prefix.iter().rev()) {
        for child in 0..2 {
            if row.ends[child] {
                greatest[child] = greatest[child].max(prefix[child] + maximum[child]);
            }
        }
        let weight = &mut workspace.weights[row.code];
        *weight += row.weight;
        maximum[row.code % 2] = maximum[row.code % 2].max(*weight);
    }
}
