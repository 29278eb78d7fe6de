//! Plain errors on a prepared table: the space of `search.rs` that counts misclassified weight.

use crate::engine::depth_two::all_thresholds::AllThresholds;
use crate::engine::depth_two::counts::CountWorkspace;
use crate::engine::depth_two::evaluator::Evaluators;
use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::layout::Layout;
use crate::engine::parallel_node::ThresholdSubtask;
use crate::engine::rules::Rules;
use crate::engine::search::Search;
use crate::engine::solution::{Bounds, CostedTree, Solution};
use crate::engine::space::{LeafCosts, NodeOf, SearchTable, Space, Switches};
use crate::engine::subset::{Rule, Subset};
use crate::kernels::InstructionSet;
use crate::support::bits::Bits;
use crate::support::cache::SharedCache;
use crate::support::clock::Clock;
use crate::support::mutants::{Mutant, offset};
use crate::support::options::Options;
use crate::support::statistics::Progress;
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Errors, Limits, Tree, Weight};
use std::sync::Arc;

/// Totals of the items of a subset.
#[derive(Clone)]
pub struct ClassTotals {
    pub weight: Weight,
    pub class_weights: Vec<Weight>,
    /// Weight that every tree misclassifies.
    pub unavoidable: Weight,
}

/// The items that reach a node, with the weights of their classes.
pub type ContinuousSubset = Subset<ClassTotals>;

impl ClassTotals {
    /// Weight that the best leaf misclassifies.
    pub fn leaf_errors(&self) -> Weight {
        Errors::leaf_errors(&self.class_weights)
    }
}

impl ContinuousSubset {
    /// All items of the table.
    pub fn whole(layout: &Layout) -> ContinuousSubset {
        ContinuousSubset::with(layout, layout.occupied.clone())
    }

    /// The subset of these items.
    pub fn with(layout: &Layout, members: Bits) -> ContinuousSubset {
        let order =
            |feature: usize| layout.features[feature].sorted(&layout.occupied).iter().copied();
        let features = if layout.bit_columns { 0 } else { layout.features.len() };
        Subset::with_orders(layout, members, features, order)
    }

    /// The weight of an item in this subset.
    pub fn weight_of(&self, layout: &Layout, slot: usize) -> Weight {
        if self.is_weighted(slot as u32) { layout.weight[slot] } else { 0 }
    }

    fn rules_of_columns(&self, layout: &Layout, feature: usize) -> Vec<Rule> {
        let mut rules: Vec<Rule> = Vec::new();
        for (rank, column) in layout.features[feature].columns.iter().enumerate() {
            let rule = self.rule_at(layout, column, feature, rank as u32);
            if rule.items == self.count {
                break;
            }
            if rule.items > rules.last().map_or(0, |last| last.items) {
                rules.push(rule);
            }
        }
        rules
    }

    fn rule_at(&self, layout: &Layout, column: &Bits, feature: usize, rank: u32) -> Rule {
        let pairs = self.members.words.iter().zip(&column.words);
        let items = pairs.map(|(a, b)| (a & b).count_ones() as usize).sum();
        if layout.plain {
            return Rule { feature, rank, items, rows: items as u64, weight: items as u64 };
        }
        let (mut rows, mut weight) = (0, 0);
        for slot in self.members.and(column).iter() {
            rows += layout.rows[slot as usize];
            weight += layout.weight[slot as usize];
        }
        Rule { feature, rank, items, rows, weight }
    }
}

impl SearchTable for Layout {
    type Totals = ClassTotals;

    fn slots(&self) -> usize {
        self.slots
    }

    fn features(&self) -> usize {
        self.features.len()
    }

    fn ranks(&self, feature: usize) -> &[u32] {
        &self.features[feature].ranks
    }

    fn rows(&self, slot: usize) -> u64 {
        self.rows[slot]
    }

    fn totals(&self, members: &Bits, weighted: &Bits) -> (usize, u64, ClassTotals) {
        let mut totals =
            ClassTotals { weight: 0, class_weights: vec![0; self.n_classes], unavoidable: 0 };
        if self.plain {
            for (class, words) in self.class_words.iter().enumerate() {
                totals.class_weights[class] =
                    weighted.words[words.clone()].iter().map(|w| w.count_ones() as u64).sum();
            }
            totals.weight = totals.class_weights.iter().sum();
            let count = match std::ptr::eq(members, weighted) {
                true => totals.weight as usize,
                false => members.count() as usize,
            };
            return (count, count as u64, totals);
        }
        for slot in weighted.iter().map(|slot| slot as usize) {
            totals.weight += self.weight[slot];
            totals.class_weights[self.class[slot] as usize] += self.weight[slot];
            totals.unavoidable += self.unavoidable[slot];
        }
        let (mut count, mut rows) = (0, 0);
        for slot in members.iter() {
            count += 1;
            rows += self.rows[slot as usize];
        }
        (count, rows, totals)
    }

    fn rules(&self, subset: &ContinuousSubset, feature: usize, _similarity: bool) -> Rules {
        if self.bit_columns {
            return Rules::new(feature, &subset.rules_of_columns(self, feature));
        }
        let plain = self.plain && subset.inner.is_none();
        subset.rules_of_order(feature, plain, |slot| {
            (self.rows[slot as usize], subset.weight_of(self, slot as usize))
        })
    }

    fn column(&self, rule: &Rule) -> Option<&Bits> {
        self.bit_columns.then(|| &self.features[rule.feature].columns[rule.rank as usize])
    }
}

/// A table whose misclassified weight is minimized.
#[derive(Clone, Copy)]
pub struct ErrorSpace<'a> {
    pub layout: &'a Layout,
    pub objective: Errors,
    pub options: &'a Options,
}

/// A search for fewest errors.
pub(crate) type ContinuousSearch<'s, 'a> = Search<'s, ErrorSpace<'a>>;

/// Scratch memory of the depth-two solvers.
#[derive(Default)]
pub struct ErrorWorkspace {
    pub counts: CountWorkspace,
    /// `None` while in use.
    pub evaluators: Option<Box<Evaluators>>,
    pub all_thresholds: Option<Box<AllThresholds>>,
}

impl<'a> ContinuousSearch<'a, 'a> {
    /// A search with empty statistics, for one thread and all roots.
    pub fn new(
        layout: &'a Layout,
        objective: Errors,
        options: &'a Options,
        clock: Clock<'a>,
        progress: &'a Progress,
        cache: &'a SharedCache,
    ) -> Self {
        let space = ErrorSpace { layout, objective, options };
        let level = InstructionSet::detect(options.wide_lanes);
        Search::over(space, clock, progress, cache, level, ErrorWorkspace::default())
    }
}

impl LeafCosts for ErrorSpace<'_> {
    type Table = Layout;

    fn table(&self) -> &Layout {
        self.layout
    }

    fn leaf(&self, subset: &ContinuousSubset) -> CostedTree {
        let class = Errors::leaf_class(&subset.class_weights);
        (self.objective.leaf(subset.leaf_errors()), Tree::leaf(class))
    }

    fn leaf_of(&self, slots: &[u32]) -> CostedTree {
        let mut weights = vec![0; self.layout.n_classes];
        for slot in slots.iter().map(|&slot| slot as usize) {
            weights[self.layout.class[slot] as usize] += self.layout.weight[slot];
        }
        let cost = self.objective.leaf(Errors::leaf_errors(&weights));
        (cost, Tree::leaf(Errors::leaf_class(&weights)))
    }

    fn lower_bounds(&self, subset: &ContinuousSubset, limits: Limits) -> [Cost; 2] {
        [self.equivalent_points(subset), self.class_count(subset, limits)]
            .map(|errors| errors * self.objective.error_price)
    }

    fn similarity_price(&self, _subset: &ContinuousSubset) -> Option<Cost> {
        Some(self.objective.error_price)
    }

    fn rounding(&self, _leaves: u32) -> Cost {
        0
    }
}

impl ErrorSpace<'_> {
    fn equivalent_points(&self, subset: &ContinuousSubset) -> Weight {
        if self.options.equivalent_points {
            subset.unavoidable + offset(Mutant::EqualRows)
        } else {
            0
        }
    }

    /// A tree with l leaves predicts at most l classes, so it misclassifies at least the weight of all
    /// classes but the l heaviest.
    fn class_count(&self, subset: &ContinuousSubset, limits: Limits) -> Weight {
        let leaves = (limits.size.saturating_add(1) as u64 - offset(Mutant::ClassCount)) as usize;
        if !self.options.class_count || leaves >= subset.class_weights.len() {
            return 0;
        }
        let mut weights = subset.class_weights.clone();
        weights.sort_unstable_by(|a, b| b.cmp(a));
        weights[leaves..].iter().sum()
    }
}

impl Space for ErrorSpace<'_> {
    type Workspace = ErrorWorkspace;

    fn switches(&self) -> Switches {
        let options = self.options;
        Switches {
            interval_bound: options.interval_bound,
            similarity_bound: options.similarity_bound,
            upper_bound_margin: options.upper_bound_margin,
            feature_bounds: options.feature_bounds,
            // Bit columns hold no weightless items.
            two_set_bound: options.two_set_bound && !self.layout.bit_columns,
            cache: options.cache,
            cached_bounds: options.cached_bounds,
            early_bound: options.early_bound,
        }
    }

    fn leaf_price(&self) -> Cost {
        self.objective.leaf_price
    }

    fn gap(&self, progress: &Progress) -> f64 {
        progress.gap()
    }

    fn prunes(
        search: &mut Search<'_, Self>,
        subset: &ContinuousSubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> bool {
        let pruned = search.one_leaf_class(subset, limits, bounds);
        if pruned {
            search.stats.pruned.leaf_classes += 1;
            bounds.lower = bounds.upper;
        }
        pruned
    }

    fn solve_terminal(
        search: &mut Search<'_, Self>,
        subset: &ContinuousSubset,
        limits: Limits,
        bounds: Bounds,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Result<Solution, Bounds> {
        if !limits.is_terminal() || !search.space.options.depth_two {
            return Err(bounds);
        }
        Ok(search.solve_depth_two(subset, limits, bounds, inherited))
    }

    fn carry_out_stumps(
        search: &mut Search<'_, Self>,
        queue: &TaskQueue<NodeOf<Self>>,
        number: u64,
        first: ThresholdSubtask<ContinuousSubset>,
    ) {
        let task = first.task.clone();
        let mut evaluators = search.take_evaluators();
        let layout = search.space.layout;
        let evaluator = evaluators.begin(layout, &task.subset, task.limits.min_samples_leaf > 1);
        search.enter_all(queue, number, first, |search, subtask| {
            search.try_stumps(&subtask.trial, &task.subset, task.limits, evaluator)
        });
        search.workspace.evaluators = Some(evaluators);
    }
}
