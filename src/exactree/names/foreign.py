"""The list of foreign names: of scikit-learn, pystreed, gosdt, pydl8.5, ConTree, rpart and others.

Each entry has our name and, after it, what a user must know to replace the one by the other. An
entry without a name of ours says why there is none.
"""

from collections.abc import Mapping

__all__ = ["ATTRIBUTES", "METHODS", "NO_GRID", "OPTIONS", "PARAMETERS", "QUANTITIES", "RULES"]

# Foreign name -> (our parameter, explanation); without a parameter, the explanation alone.
ForeignNames = Mapping[str, tuple[str, str]]

_LEAF_PRICE = "the price of a leaf as a share of the total weight"
_LOAD = "exactree.export.from_json(Path(...).read_text()) reads a model: see docs/save-and-load.md"
_SAVE = "Path(...).write_text(exactree.export.to_json(model)) writes it: see docs/save-and-load.md"
_NODES = "inner nodes: k - 1 for k leaves"
_DETERMINISTIC = "the search is deterministic, so there is nothing to seed"
_BY_SWITCH = "the engine chooses its bounds and caches; they never change the cost"
_ROWS = "the minimum number, or share, of rows in a leaf"
_EXACT = "thresholds are searched exactly on numbers as they are, without binarization"
NO_GRID = "no grid is needed, along= names what is compared; or use GridSearchCV of scikit-learn"
_CV = "tune with OptimalTreeClassifierCV or OptimalTreeRegressorCV"

PARAMETERS: ForeignNames = {
    # scikit-learn
    "criterion": ("minimize", "the quantity of the whole tree, such as 'errors' or 'gini'"),
    "splitter": ("", "every split is searched, not sampled"),
    "max_leaf_nodes": ("max_size", _NODES),
    "min_samples_split": ("min_samples_leaf", "a node is split if both children keep this minimum"),
    "min_impurity_decrease": ("leaf_penalty", _LEAF_PRICE),
    "min_impurity_split": ("leaf_penalty", _LEAF_PRICE),
    "ccp_alpha": ("leaf_penalty", _LEAF_PRICE),
    "random_state": ("", _DETERMINISTIC),
    "warm_start": ("incumbent", "a tree from which the search starts"),
    "n_estimators": ("n_trees", "the number of trees of an ensemble"),
    "max_samples": ("", "every tree is fitted on all rows; reduce the table before the fit"),
    "bootstrap": ("", "every tree is fitted on all rows; reduce the table before the fit"),
    "oob_score": ("", "every tree is fitted on all rows; use cross_val_score"),
    "categorical_features": ("categories", "columns of integer codes; text columns need no name"),
    "interaction_cst": ("constraints", "Constraints(only_below=...) restricts joint use"),
    "sample_weights": ("sample_weight", "one weight for each row"),
    "weights": ("sample_weight", "one weight for each row"),
    "scoring": ("minimize", "the quantity of the whole tree; " + _CV + " for a scorer"),
    "cv": ("", _CV),
    "param_grid": ("", NO_GRID),
    "param_distributions": ("", NO_GRID),
    "feature_names": ("", "give X as a data frame, whose columns have names"),
    # pystreed
    "optimization_task": ("minimize", "the quantity of the whole tree"),
    "max_num_nodes": ("max_size", "inner nodes"),
    "min_leaf_node_size": ("min_samples_leaf", _ROWS),
    "cost_complexity": ("leaf_penalty", _LEAF_PRICE),
    "hyper_tune": ("", _CV),
    "random_seed": ("", _DETERMINISTIC),
    "upper_bound": ("max_errors", "the maximum weight of misclassified examples"),
    "feature_ordering": ("", _BY_SWITCH),
    "use_branch_caching": ("", _BY_SWITCH),
    "use_dataset_caching": ("", _BY_SWITCH),
    "use_terminal_solver": ("", _BY_SWITCH),
    "use_similarity_lower_bound": ("", _BY_SWITCH),
    "use_upper_bound": ("", _BY_SWITCH),
    "use_lower_bound": ("", _BY_SWITCH),
    "continuous_binarize_strategy": ("", _EXACT),
    "max_num_binary_features": ("", _EXACT),
    "n_thresholds": ("", _EXACT),
    "cost_vector": ("cost_matrix", "the cost of each error"),
    # gosdt
    "regularization": ("leaf_penalty", _LEAF_PRICE),
    "depth_budget": ("max_depth", "depth counts splits: depth_budget k is max_depth k - 1"),
    "balance": ("class_weight", "'balanced' gives all classes the same weight"),
    "worker_limit": ("n_jobs", "threads"),
    "uncertainty_tolerance": ("stop_at_gap", "the relative gap at which the search stops"),
    "allow_small_reg": ("", "any leaf_penalty of at least 0 is allowed"),
    "similar_support": ("", _BY_SWITCH),
    "look_ahead": ("", _BY_SWITCH),
    "cancellation": ("", _BY_SWITCH),
    "rule_list": ("", "only trees are searched"),
    "reference_LB": ("incumbent", "a tree from which the search starts"),
    # pydl8.5
    "min_sup": ("min_samples_leaf", _ROWS),
    "max_error": ("max_errors", "the maximum weight of misclassified examples"),
    "stop_after_better": ("on_progress", "it returns True to stop at an incumbent"),
    "error_function": ("minimize", "one of the quantities in docs/objectives.md"),
    "fast_error_function": ("minimize", "one of the quantities in docs/objectives.md"),
    "maxcachesize": ("memory_limit", "bytes"),
    "max_cache_size": ("memory_limit", "bytes"),
    "cache_type": ("", _BY_SWITCH),
    "depth_two_special_algo": ("", _BY_SWITCH),
    "use_cache": ("", _BY_SWITCH),
    "quiet": ("", "nothing is printed by default; verbose=1 shows progress"),
    # ConTree
    "max_gap": ("stop_at_gap", "a relative gap in [0, 1), not a number of errors"),
    "max_gap_decay": ("", "the lower bound rises from the beginning; see stop_at_gap"),
    "sort_gini": ("", _BY_SWITCH),
    # rpart, Interpretable AI, boosting, solvers
    "cp": ("leaf_penalty", _LEAF_PRICE),
    "alpha": ("leaf_penalty", _LEAF_PRICE),
    "lamb": ("leaf_penalty", _LEAF_PRICE),
    "lambda_": ("leaf_penalty", _LEAF_PRICE),
    "penalty": ("leaf_penalty", _LEAF_PRICE),
    "minbucket": ("min_samples_leaf", _ROWS),
    "min_child_samples": ("min_samples_leaf", _ROWS),
    "min_data_in_leaf": ("min_samples_leaf", _ROWS),
    "minsplit": ("min_samples_leaf", "a node is split if both children keep this minimum"),
    "maxdepth": ("max_depth", "splits on the longest path"),
    "depth": ("max_depth", "splits on the longest path"),
    "num_leaves": ("max_size", _NODES),
    "max_leaves": ("max_size", _NODES),
    "n_leaves": ("max_size", _NODES),
    "leaves": ("max_size", _NODES),
    "max_nodes": ("max_size", "inner nodes"),
    "size": ("max_size", "inner nodes"),
    "monotone": ("monotonic_cst", "1, 0 or -1 for each feature"),
    "monotone_constraints": ("monotonic_cst", "1, 0 or -1 for each feature"),
    "hyperplane_config": ("rules", "rules.Hyperplanes() allows weighted sums of features"),
    "oblique": ("rules", "rules.Hyperplanes() allows weighted sums of features"),
    "scale_pos_weight": ("class_weight", "a factor for each class"),
    "costs": ("cost_matrix", "the cost of each error"),
    "seed": ("", _DETERMINISTIC),
    "objective": ("minimize", "the quantity of the whole tree"),
    "loss": ("minimize", "the quantity of the whole tree"),
    "metric": ("minimize", "the quantity of the whole tree"),
    "timeout": ("time_limit", "seconds"),
    "time": ("time_limit", "seconds"),
    "max_time": ("time_limit", "seconds"),
    "n_threads": ("n_jobs", "threads"),
    "num_threads": ("n_jobs", "threads"),
    "n_workers": ("n_jobs", "threads"),
    "gap": ("stop_at_gap", "the relative gap at which the search stops"),
    "mip_gap": ("stop_at_gap", "the relative gap at which the search stops"),
    "tol": ("stop_at_gap", "the relative gap at which the search stops"),
    "callback": ("on_progress", "called with a Progress; returning True stops the search"),
    "initial_tree": ("incumbent", "a tree from which the search starts"),
}

_TUNE = "exactree tune chooses a size by cross-validation"

# Parameter, ours or foreign -> (options of the command line, explanation), where these differ from
# the parameter in Python and its explanation.
OPTIONS: ForeignNames = {
    "n_jobs": ("--jobs", "-1 for all cores"),
    "sample_weight": ("--weights", "the column of weights"),
    "monotonic_cst": (
        "--increasing and --decreasing",
        "the columns in which predictions must not decrease, or not increase",
    ),
    "cost_matrix": ("--cost", "the cost of an error, as TRUE,PREDICTED=COST"),
    "cluster": ("--scheduler", "the address of the scheduler of a Dask cluster"),
    "incumbent": ("--incumbent", "a model file with the tree from which the search starts"),
    "memory_limit": ("", "only Python limits the memory, by solve(problem, memory_limit=...)"),
    "on_progress": ("", "Ctrl-C ends a search and keeps its best tree"),
    "verbose": ("", "progress is shown unless --json is given"),
    "quiet": ("", "--json prints the result alone"),
    "oblique": ("--rules", "hyperplanes, which are weighted sums of features"),
    "hyperplane_config": ("--rules", "hyperplanes, which are weighted sums of features"),
    "interaction_cst": ("", "only Python restricts joint use, by Constraints(only_below=...)"),
    "feature_names": ("", "the first row of the table names the columns"),
    "oob_score": ("", "every tree is fitted on all rows; " + _TUNE),
    "cv": ("", _TUNE),
    "param_grid": ("", _TUNE),
    "param_distributions": ("", _TUNE),
    "hyper_tune": ("", _TUNE),
    "scoring": ("--minimize", "the quantity of the whole tree; " + _TUNE),
}

# Foreign function of the package, or method of a model -> how to do the same.
ATTRIBUTES: Mapping[str, str] = {
    **dict.fromkeys(("dump", "save", "save_model", "to_file", "to_json", "write_json"), _SAVE),
    **dict.fromkeys(("from_file", "from_json", "load", "load_model", "read_json"), _LOAD),
}

_RATE = "which is 1 - {}"

# Foreign objective -> (our quantity, explanation).
QUANTITIES: ForeignNames = {
    "accuracy": ("errors", "the weight of misclassified examples"),
    "error": ("errors", "the weight of misclassified examples"),
    "error_rate": ("errors", "the weight of misclassified examples"),
    "misclassification": ("errors", "the weight of misclassified examples"),
    "zero_one_loss": ("errors", "the weight of misclassified examples"),
    "cost-complexity-accuracy": ("errors", "with a leaf_penalty"),
    "cost-sensitive": ("errors", "with a cost_matrix"),
    "cost": ("errors", "with a cost_matrix"),
    "costs": ("errors", "with a cost_matrix"),
    "f1": ("f1_error", _RATE.format("F1")),
    "f1_score": ("f1_error", _RATE.format("F1")),
    "f1-score": ("f1_error", _RATE.format("F1")),
    "precision": ("precision_error", _RATE.format("precision")),
    "recall": ("recall_error", _RATE.format("recall")),
    "sensitivity": ("recall_error", _RATE.format("recall")),
    "balanced_accuracy": ("balanced_error", _RATE.format("balanced accuracy")),
    "balanced-accuracy": ("balanced_error", _RATE.format("balanced accuracy")),
    "entropy": ("log_loss", "the same impurity, summed over the leaves"),
    "information_gain": ("log_loss", "the same impurity, summed over the leaves"),
    "cross_entropy": ("log_loss", "the same impurity, summed over the leaves"),
    "logloss": ("log_loss", "summed over the leaves"),
    "neg_log_loss": ("log_loss", "summed over the leaves"),
    "gini_impurity": ("gini", "summed over the leaves"),
    "mse": ("squared_error", "of an OptimalTreeRegressor or a Problem with numeric y"),
    "rmse": ("squared_error", "which has the same best tree"),
    "r2": ("squared_error", "which has the same best tree"),
    "mean_squared_error": ("squared_error", "the sum, which has the same best tree"),
    "neg_mean_squared_error": ("squared_error", "the sum, which has the same best tree"),
    "friedman_mse": ("squared_error", "the error of the whole tree"),
    "variance": ("squared_error", "the sum of squared distances from the means of the leaves"),
    "l2": ("squared_error", "the sum of squared distances from the means of the leaves"),
    "mae": ("absolute_error", "of an OptimalTreeRegressor or a Problem with numeric y"),
    "mean_absolute_error": ("absolute_error", "the sum, which has the same best tree"),
    "neg_mean_absolute_error": ("absolute_error", "the sum, which has the same best tree"),
    "l1": ("absolute_error", "the sum of distances from the medians of the leaves"),
    "leaves": ("size", "the number of inner nodes, one less than the leaves"),
    "n_leaves": ("size", "the number of inner nodes, one less than the leaves"),
    "nodes": ("size", "the number of inner nodes"),
    "height": ("depth", "the splits on the longest path"),
    "auc": (
        "",
        "it is no sum over leaves; 'log_loss' and 'balanced_error' are near",
    ),
    "roc_auc": (
        "",
        "it is no sum over leaves; 'log_loss' and 'balanced_error' are near",
    ),
    "poisson": ("", "regressions minimize 'squared_error' or 'absolute_error'"),
}

# Foreign name of a family of rules -> (how to write it, explanation).
RULES: ForeignNames = {
    "hyperplanes": ("rules.Hyperplanes()", "weighted sums of features"),
    "hyperplane": ("rules.Hyperplanes()", "weighted sums of features"),
    "oblique": ("rules.Hyperplanes()", "weighted sums of features"),
    "linear": ("rules.Hyperplanes()", "weighted sums of features"),
    "multivariate": ("rules.Hyperplanes()", "weighted sums of features"),
    "hypersurfaces": ("rules.Hypersurfaces(2)", "polynomials of degree 2"),
    "polynomial": ("rules.Hypersurfaces(2)", "polynomials of degree 2"),
    "quadratic": ("rules.Hypersurfaces(2)", "polynomials of degree 2"),
    "axis": ("rules.AxisParallel()", "the default"),
    "axis-parallel": ("rules.AxisParallel()", "the default"),
    "axis_parallel": ("rules.AxisParallel()", "the default"),
    "axisparallel": ("rules.AxisParallel()", "the default"),
    "thresholds": ("rules.AxisParallel()", "the default"),
    "univariate": ("rules.AxisParallel()", "the default"),
    "mixed": ("rules.Mixed([...])", "several families"),
}

METHODS: ForeignNames = {
    "bab": ("branch-and-bound", ""),
    "bnb": ("branch-and-bound", ""),
    "exact": ("branch-and-bound", ""),
    "dp": ("branch-and-bound", ""),
    "greedy": ("", "every method is exact; see BoundPrunedTreeClassifier for a greedy tree"),
    "cart": ("", "every method is exact; see BoundPrunedTreeClassifier for a greedy tree"),
}
