//! Enumeration of all smallest ensembles: the search continues after a solution (001, 6.3).
//!
//! Let an ensemble E have the minimum sizes. Some start agrees with E about its witness, and while
//! a refinement of it has too many dirty items, one of these is right in E, where one of its trees
//! gives it another class; so one of the next steps agrees with E, too. In the end E is an ensemble
//! that was found, or a refinement of one; in that case E has more nodes and not the minimum sizes.
//! So all are found, if the total size is minimized, first or second; where it is not, an ensemble
//! may have nodes that it does not need.
//!
//! Ensembles are the same if they have the same trees in any order; trees, if they have the same
//! shape, and corresponding nodes the same feature and the same items on the left, and
//! corresponding leaves the same class. One may be found several times, so all are stored.
//!
//! Accelerators that lose no solution stay on: the bounds show that there is
//! none below; what is settled splits the solutions into those met before and
//! those that agree with it, up to the order of the trees. Those that keep one
//! of several rules that split alike are off.

use super::EnsembleOptions;
use super::search::{EnsembleWitnessSearch, SearchStopped, TreeLimits};
use crate::ensembles::{Ensemble, Sizes};
use crate::papers::witness::WitnessOptions;
use crate::papers::witness::pairs::Nearest;
use crate::papers::witness::prepared_table::WitnessTable;
use crate::papers::witness::tree::{SpotKind, WitnessTree};
use crate::support::clock::Clock;
use crate::support::deep_stack::on_deep_stack;
use crate::support::table_size::refuse_large_table;
use exactree_model::{Table, Weight};
use rustc_hash::FxHashSet;

/// Which ensembles are listed.
#[derive(Clone, Debug)]
pub struct AllEnsemblesRequest {
    pub trees: u32,
    pub errors: Weight,
    /// The minimum sizes; no ensemble that makes so few errors has fewer nodes in
    /// all with as small a largest tree.
    pub sizes: Sizes,
    /// Nodes that a path may have.
    pub depth: u32,
    /// Maximum number of ensembles to list.
    pub maximum: usize,
    pub memory_limit: Option<usize>,
}

/// The ensembles that were met, each once.
pub struct EnsembleList<const W: usize> {
    known: FxHashSet<Vec<u64>>,
    pub ensembles: Vec<Ensemble>,
    maximum: usize,
}

impl<const W: usize> EnsembleList<W> {
    fn new(maximum: usize) -> Self {
        EnsembleList { known: FxHashSet::default(), ensembles: Vec::new(), maximum }
    }

    /// Adds an ensemble; returns whether the list is full.
    pub fn add(&mut self, trees: &[WitnessTree<'_, W>]) -> bool {
        let mut content: Vec<Vec<u64>> = trees.iter().map(content_of).collect();
        content.sort_unstable();
        if self.known.insert(content.concat()) {
            let build = |tree: &WitnessTree<'_, W>| tree.build_with(tree.root, &|_, class| class);
            self.ensembles.push(trees.iter().map(build).collect());
        }
        self.ensembles.len() >= self.maximum
    }
}

/// The canonical content of a tree, equal for trees that are the same: in preorder a 0 and the
/// class of a leaf, or the feature from 1 on and the items on the left.
fn content_of<const W: usize>(tree: &WitnessTree<'_, W>) -> Vec<u64> {
    let (mut content, mut next) = (Vec::new(), vec![tree.root]);
    while let Some(at) = next.pop() {
        match tree.spots[at].kind {
            SpotKind::Leaf { class } => content.extend([0, class.into()]),
            SpotKind::Node { feature, left, right, .. } => {
                content.push(feature as u64 + 1);
                content.extend(tree.spots[left].subset);
                next.extend([right, left]);
            }
        }
    }
    content
}

/// The smallest ensembles, in the order in which the search finds them, and whether these are all.
/// An error if the table is refused.
pub fn all_ensembles(
    table: &Table,
    request: &AllEnsemblesRequest,
    options: &EnsembleOptions,
    clock: &Clock<'_>,
) -> Result<(Vec<Ensemble>, bool), String> {
    macro_rules! by_width {
        ($($words:literal),*) => {
            match table.items.len().div_ceil(64) {
                $(0..=$words => listed::<$words>(table, request, options, clock),)*
                _ => Err(super::too_many(table)),
            }
        };
    }
    by_width!(1, 2, 4, 8, 16, 64, 256, 1024)
}

fn listed<const W: usize>(
    table: &Table,
    request: &AllEnsemblesRequest,
    options: &EnsembleOptions,
    clock: &Clock<'_>,
) -> Result<(Vec<Ensemble>, bool), String> {
    if clock.stopped() {
        return Ok((Vec::new(), false)); // perhaps before the table was read
    }
    let limit = request.memory_limit;
    let values = table.features.iter().map(|feature| feature.values.len() as u128 - 1);
    refuse_large_table("rules by items", values.sum(), W * size_of::<u64>(), limit)?;
    let every_rule = WitnessOptions {
        pure_borders: false,
        equal_rules: false,
        mergeable_features: false,
        ..WitnessOptions::default()
    };
    let options = EnsembleOptions { equal_refinements: false, ..options.clone() };
    let Ok(prepared) = WitnessTable::<W>::new(table, request.errors, &every_rule, clock) else {
        return Ok((Vec::new(), false));
    };
    let levels = u128::from(request.sizes.total) + 1;
    on_deep_stack(levels, super::quantity_loop::bytes_each_level::<W>(), limit, || {
        let nearest = if options.cell_pairs { Nearest::new(&prepared, clock) } else { None };
        let limits = TreeLimits::of_depth(request.depth);
        let mut search =
            EnsembleWitnessSearch::new(&prepared, &options, clock, nearest.as_ref(), limits);
        search.list = Some(EnsembleList::new(request.maximum));
        let ended = search.decide(request.trees as usize, request.sizes);
        let ensembles = search.list.map(|list| list.ensembles).unwrap_or_default();
        // The list was full, or the clock has stopped it.
        let cut_short = matches!(ended, Ok(Some(_)) | Err(SearchStopped));
        (ensembles, !cut_short)
    })
}
