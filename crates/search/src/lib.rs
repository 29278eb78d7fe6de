//! Exact search for optimal decision trees. Start reading at `engine/search.rs`.
#![deny(unsafe_code)]

mod certificates;
mod constraints;
mod costs;
mod engine;
mod ensembles;
mod enumeration;
mod feature_sets;
#[allow(unsafe_code)]
mod kernels;
mod minimum_size;
mod papers;
mod spaces;
mod support;

pub use certificates::{
    BoundToProve, CertificateBody, CertificateRequest, CertifiedCosts, write_certificate,
};
pub use constraints::leaf_costs::{
    ConstrainedCostRoots, ConstrainedExamples, FeaturePrices, constrained_costs,
};
pub use constraints::{ConstrainedErrorRoots, TreeConstraints, solve_constrained};
pub use costs::class_costs::{ClassCosts, ShareCost};
pub use costs::units::TargetError;
pub use engine::request::{Request, SearchOutcome};
pub use engine::root_range::{RootRange, RootTasks, SearchControl};
pub use ensembles::cover::{CoverQuantity, CoverRequest, CoverStats, cover};
pub use ensembles::ensemble_dp::{EnsembleDpOptions, EnsembleDpStats, ensemble_dp};
pub use ensembles::witness_ensemble::enumeration::{AllEnsemblesRequest, all_ensembles};
pub use ensembles::witness_ensemble::{EnsembleOptions, EnsembleStats, witness_ensemble};
pub use ensembles::{Ensemble, EnsembleOutcome, EnsembleQuantity, EnsembleRequest, Sizes};
pub use enumeration::error_pairs::pairs_between;
pub use enumeration::pair_fronts::{ErrorPair, ErrorPrices};
pub use enumeration::{
    AllTreesOptions, AllTreesRequest, AllTreesStats, ListingQuantity, Shapes, Trees, count_trees,
    list_trees,
};
pub use feature_sets::differences::largest_difference;
pub use feature_sets::rows::CodedRows;
pub use feature_sets::{FeatureSets, SetsToHit};
pub use minimum_size::{SizeRequest, SizeStats, minimum_size};
pub use papers::box_dp::{BoxOptions, BoxRequest, BoxStats, box_dp};
pub use papers::subset_dp::{SubsetOptions, SubsetRequest, SubsetStats, subset_dp};
pub use papers::support_sets::{
    SupportSetsOptions, SupportSetsRequest, SupportSetsStats, TreeQuantity, support_sets,
};
pub use papers::threshold::{ThresholdOptions, ThresholdRequest, ThresholdStats, threshold};
pub use papers::witness::{WitnessOptions, WitnessRequest, WitnessStats, witness};
pub use spaces::dichotomies::{
    Dichotomies, DichotomyExamples, DichotomyRootSearch, ProperOptions, ProperRequest, ProperStats,
    proper,
};
pub use spaces::leaf_costs::root_tasks::{CostRootSearch, RootCosts};
pub use spaces::leaf_costs::{
    CostExamples, CostOptions, CostOutcome, CostRequest, pruned_bounds, solve_costs,
};
pub use spaces::one_surface::{CostSurfaceOutcome, KnownSplits, one_surface_costs};
pub use spaces::one_surface::{OneSurfaceRequest, OneSurfaceResult, PointTable, one_surface};
pub use spaces::root_tasks::RootSearch;
pub use spaces::solve::solve;
pub use support::bits::Bits;
pub use support::clock::{Clock, Grace, StopSwitch};
pub use support::columns_in_parallel::read_table;
pub use support::memory;
pub use support::options::{CoverOptions, Options, SizeOptions};
pub use support::refusal::Refusal;
pub use support::statistics::{Progress, ProgressPoint, Stats};
