"""A data scientist replaces a greedy tree in a pipeline, tunes it, explains it and ships it.

Run it as ``python examples/journeys/data_scientist.py [folder]``; it writes a report and a program.
"""

import sys
from pathlib import Path

from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

import exactree as xt


def main(folder: Path) -> None:
    """Print each step of the work, and write ``report.html`` and ``raisin.sql``."""
    raisins = xt.datasets.load_raisin()
    X, X_new, y, y_new = train_test_split(
        raisins.frame("pandas"), raisins.y, random_state=0, stratify=raisins.y
    )

    print("# 1. The greedy tree that is in use")
    greedy = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    print(f"training accuracy {greedy.score(X, y):.3f}, held out {greedy.score(X_new, y_new):.3f}")

    print("\n# 2. The optimal tree of the same depth")
    best = xt.OptimalTreeClassifier(max_depth=3).fit(X, y)
    print(best.outcome_)
    print(f"training accuracy {best.score(X, y):.3f}, held out {best.score(X_new, y_new):.3f}")

    print("\n# 3. Its size by cross-validation: one front for each fold")
    tuned = xt.OptimalTreeClassifierCV(xt.OptimalTreeClassifier(max_depth=3)).fit(X, y)
    print(tuned.tree_)
    print(f"chosen {tuned.best_params_}, held out {tuned.score(X_new, y_new):.3f}")

    print("\n# 4. Rows per leaf by the search of scikit-learn, in a pipeline")
    pipeline = make_pipeline(
        FunctionTransformer(feature_names_out="one-to-one"),
        xt.OptimalTreeClassifier(max_depth=2),
    )
    rows_per_leaf = {"optimaltreeclassifier__min_samples_leaf": [1, 0.02, 0.05]}
    search = GridSearchCV(pipeline, rows_per_leaf).fit(X, y)
    print(f"{search.best_params_}, held out {search.score(X_new, y_new):.3f}")

    print("\n# 5. Why is this raisin predicted so, and what would change it?")
    print(xt.export.explain(tuned, X_new.iloc[0]))

    print("\n# 6. The report for colleagues, and the program for the database")
    report = xt.export.report(tuned, X, y, held_out=(X_new, y_new), target="Class", front_seconds=0)
    (folder / "report.html").write_text(report, encoding="utf-8")
    query = xt.export.to_sql(tuned, "raisins")
    (folder / "raisin.sql").write_text(query, encoding="utf-8")
    print(query)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
