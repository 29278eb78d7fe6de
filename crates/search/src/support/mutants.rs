//! Mutants of the bounds, to prove that the tests detect wrong bounds.
//!
//! Every bound adds or subtracts `offset(...)`, or a small multiple of it, where that makes it
//! invalid once `offset` is one. `offset` is zero, and compiled away, except in this crate's own
//! tests.

/// A bound that can be made wrong; its code passes it to `offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    EnsembleVotesLeft,
    EnsembleVotesGained,
    EnsembleVotesNeeded,
    EnsembleCellPairs,
    EnsembleItemsToTry,
    EnsembleOneTree,
    EnsembleDepth,
    EnsembleTotalDepth,
    EnsembleDepthOfOneTree,
    EnsembleLeafRows,
    EnsembleLeavesOf,
    Intervals,
    ThresholdSimilarity,
    FeatureBounds,
    StumpBounds,
    EqualRows,
    ClassCount,
    LeafPrice,
    LeafBudget,
    CachedBounds,
    TwoSetBound,
    LeafClasses,
    LeafRowCounts,
    MonotoneStumps,
    CrossBound,
    RootsLeft,
    EarlyBound,
    BlockBound,
    ColumnSimilarity,
    ThreeOnAPath,
    CostEqualRows,
    CostClusters,
    CostSimilarity,
    CostRounding,
    CostStumpBounds,
    LeafSupport,
    SizeCache,
    EvenSplits,
    TwoNodes,
    UnlikePairs,
    Wide,
    Core,
    NextErrors,
    LeafShare,
    LeafOfCore,
    TooManyClasses,
    WitnessImprovement,
    WitnessNeeded,
    WitnessPairs,
    WitnessLeafPairs,
    WitnessCaching,
    WitnessPureCaptures,
    WitnessCleanRests,
    WitnessLastLeft,
    WitnessLastRight,
    WitnessThreshold,
    WitnessHeight,
    WitnessBorders,
    WitnessItemsToTry,
}

#[cfg(not(test))]
#[inline(always)]
pub(crate) fn offset(_bound: Mutant) -> u64 {
    0
}

#[cfg(test)]
pub(crate) use in_tests::{offset, with_mutant};

#[cfg(test)]
mod in_tests {
    use super::Mutant;
    use std::cell::Cell;

    thread_local! {
        static ACTIVE: Cell<Option<Mutant>> = const { Cell::new(None) };
    }

    pub(crate) fn offset(bound: Mutant) -> u64 {
        (ACTIVE.get() == Some(bound)) as u64
    }

    /// Runs a search on this thread with the given bound made wrong; `None` leaves all bounds
    /// right.
    pub(crate) fn with_mutant<T>(mutant: Option<Mutant>, run: impl FnOnce() -> T) -> T {
        ACTIVE.set(mutant);
        let result = run();
        ACTIVE.set(None);
        result
    }
}
