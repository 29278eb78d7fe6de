"""What `verbose=1` shows: states in the user's words, at the right moments, and nothing else."""

import io
import pickle
import sys
import threading
import time
from fractions import Fraction
from types import ModuleType, SimpleNamespace
from typing import Any

import joblib
import numpy as np
import pytest

import exactree as xt
from exactree.problem import Progress
from exactree.progress import Live, displays, limits_in_words, live, live_progress, state_in_words
from exactree.progress.displays import Log, Notebook, State, Terminal, chosen_display
from exactree.progress.wording import duration

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4)).round(1)
Y = ((X[:, 0] > 0) ^ (X[:, 1] > 0) ^ (RNG.random(60) < 0.15)).astype(int)
PROBLEM = xt.Problem(X, Y, limits=xt.Limits(max_depth=2))


class Recorder:
    """A display that keeps what it is given."""

    def __init__(self) -> None:
        self.states: list[State] = []
        self.last: list[str | None] = []

    def draw(self, state: State) -> None:
        self.states.append(state)

    def close(self, text: str | None) -> None:
        self.last.append(text)

    @property
    def texts(self) -> list[str]:
        return [state.text for state in self.states]


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    """Return a display that every call uses; each new text is drawn."""
    recorder = Recorder()
    monkeypatch.setattr(live, "chosen_display", lambda: recorder)
    plain = Live.listener

    def drawn(self: Live, *arguments: Any, **named: Any) -> Any:
        listener = plain(self, *arguments, **named)
        self.draw()

        def listen(progress: Progress) -> object:
            result = listener(progress) if listener else None
            self.draw()
            return result

        return listen

    monkeypatch.setattr(Live, "listener", drawn)
    return recorder


# --- words ---------------------------------------------------------------------------------


def test_costs_have_the_unit_of_the_user() -> None:
    def words(minimize: Any, cost: Any, bound: Any, **parameters: Any) -> str:
        problem = xt.Problem(X, Y, minimize=minimize, **parameters)
        return state_in_words(Progress(cost, bound, 1.0), problem)

    assert words("errors", 61, 20) == "61 errors, lower bound 20, gap 67.2%"
    assert words("errors", 1, 1) == "1 error, lower bound 1, gap 0.0%"
    assert words("errors", Fraction(5, 2), 0) == "2.5 errors, lower bound 0, gap 100.0%"
    assert words("errors", Fraction(5, 2), 0, leaf_penalty=0.1).startswith("cost 2.5, lower bound")
    assert words("size", 5, 3).startswith("size 5, lower bound 3, gap 40.0%")
    assert words(("errors", "size"), (7, 3), (7, 0)).startswith("7 errors, size 3, lower bound (7,")
    assert words("balanced_error", 0.25, 0.125).startswith("balanced error 0.25, lower bound 0.125")
    assert words("total_size", 2, 1, n_trees=3).startswith("total size 2, ")
    assert words("errors", None, 0) == "no tree yet, lower bound 0"
    assert words("total_size", None, 0, n_trees=3) == "no ensemble yet, lower bound 0"
    assert state_in_words(Progress(0.5, 0.25, 1.0, 4)) == (
        "cost 0.5, lower bound 0.25, gap 50.0%, 4 workers"
    )


def test_limits_of_the_searches_of_a_front_are_in_words() -> None:
    assert limits_in_words(PROBLEM) == "depth at most 2"
    limits = xt.Limits(max_size=3, max_errors=Fraction(5, 2))
    assert limits_in_words(xt.Problem(X, Y, limits=limits)) == "size at most 3, errors at most 2.5"
    assert limits_in_words(xt.Problem(X, Y)) == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.0, "0.0 s"), (12.34, "12.3 s"), (60, "60.0 s"), (75.9, "1:15 min"), (7265, "2:01 h")],
)
def test_times_are_in_a_unit_that_suits_them(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_line_has_elapsed_time_limit_and_state() -> None:
    assert State(12.34, "61 errors", 60).line == "12.3 s of 60 s: 61 errors"
    assert State(90, "61 errors", 600).line == "1:30 min of 10:00 min: 61 errors"
    assert State(3.0, "fold 1 of 5").line == "3.0 s: fold 1 of 5"
    assert State(15, "", 60).share == 0.25
    assert State(90, "", 60).share == 1
    assert State(15, "", None, (1, 5)).share == 0.2
    assert State(15, "").share is None


# --- the places ----------------------------------------------------------------------------


def test_a_log_has_lines_at_growing_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    log, seconds = Log(), 0.0
    clock = lambda: seconds  # noqa: E731
    shown = Live(log, 100000.0, clock, "searching")
    moments = []
    while seconds < 4000:
        shown.draw()
        text = capsys.readouterr()
        assert text.out == ""
        if text.err:
            moments.append(seconds)
            assert text.err.startswith("exactree: ")
            assert text.err.count("\n") == 1
        seconds += 0.25
    assert moments == [5, 10, 20, 40, 80, 160, 320, 640, 1240, 1840, 2440, 3040, 3640]
    shown.last_sentence = "optimal, proved"
    shown.close()
    assert capsys.readouterr() == ("", "optimal, proved\n")


def test_a_short_call_writes_only_its_last_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = xt.solve(PROBLEM, verbose=1)
    assert capsys.readouterr() == ("", f"{outcome}\n")
    xt.solve(PROBLEM)
    assert capsys.readouterr() == ("", "")


class FakeTerminal(io.StringIO):
    """A stream that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def test_the_place_is_chosen_by_standard_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert isinstance(chosen_display(), Log)
    monkeypatch.setattr(sys, "stderr", None)
    assert chosen_display() is None
    monkeypatch.setattr(sys, "stderr", FakeTerminal())
    first, second = chosen_display(), chosen_display()
    # The terminal has one live line; a second search at the same time writes lines.
    assert isinstance(first, Terminal)
    assert isinstance(second, Log)
    first.close(None)
    third = chosen_display()
    assert isinstance(third, Terminal)
    third.close(None)
    monkeypatch.setattr(
        displays.multiprocessing, "current_process", lambda: SimpleNamespace(name="LokyProcess-1")
    )
    assert isinstance(chosen_display(), Log)


class FakeHandle:
    """The handle of an output of a cell."""

    def __init__(self, shown: list[Any]) -> None:
        self.shown = shown

    def update(self, thing: Any) -> None:
        self.shown.append(thing)


class ZMQInteractiveShell:
    """The name by which rich recognizes a notebook."""


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return a list of all things that a notebook shows in one output."""
    shown: list[Any] = []

    def display(thing: Any, *, display_id: bool) -> FakeHandle:
        assert display_id
        assert shown == [], "everything is in one output"
        shown.append(thing)
        return FakeHandle(shown)

    module, inner = ModuleType("IPython"), ModuleType("IPython.display")
    inner.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", inner)
    monkeypatch.setattr("builtins.get_ipython", ZMQInteractiveShell, raising=False)
    return shown


def html_of(thing: Any) -> str:
    return str(thing._repr_mimebundle_((), ())["text/html"])


def test_a_notebook_shows_one_output_and_nothing_red(
    notebook: list[Any], capsys: pytest.CaptureFixture[str]
) -> None:
    assert isinstance(chosen_display(), Notebook)
    with live_progress(True, 60.0) as shown:
        listener = shown.listener(PROBLEM)
        assert listener is not None
        listener(Progress(61, 20, 1.0))
        shown.draw()
        shown.last_sentence = "optimal, proved: 61 errors"
    pages = [html_of(thing) for thing in notebook]
    assert any("61 errors, lower bound 20, gap 67.2%" in page for page in pages)
    assert "━" in pages[0]
    assert "optimal, proved: 61 errors" in pages[-1]
    assert "lower bound 20" not in pages[-1]
    for page in pages:
        for colour in ("#f92672", "#800000", "#ff0000", "red"):
            assert colour not in page
    # Standard error would be an output in red.
    assert capsys.readouterr() == ("", "")


def test_without_a_last_sentence_a_notebook_is_left_empty(notebook: list[Any]) -> None:
    with live_progress(True, text="reading") as shown:
        shown.draw()
    assert "reading" in html_of(notebook[0])
    assert "reading" not in html_of(notebook[-1])


# --- the end -------------------------------------------------------------------------------


def test_an_exception_removes_the_display(recorder: Recorder) -> None:
    threads = threading.active_count()
    with pytest.raises(KeyboardInterrupt), live_progress(True):
        raise KeyboardInterrupt
    assert recorder.last == [None]
    assert threading.active_count() == threads


def test_a_closed_standard_error_stops_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr(displays, "_FIRST_LINE", 0.0)
    monkeypatch.setattr(sys, "stderr", Closed())
    assert xt.solve(PROBLEM, verbose=1).status is xt.Status.OPTIMAL
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    with pytest.raises(ValueError, match="closed"):
        closed.isatty()
    monkeypatch.setattr(live, "chosen_display", Log)
    assert xt.solve(PROBLEM, verbose=1).status is xt.Status.OPTIMAL


def test_time_passes_in_stages_that_report_nothing(recorder: Recorder) -> None:
    with live_progress(True, text="reading") as shown:
        deadline = time.monotonic() + 20
        while len(recorder.states) < 3 and time.monotonic() < deadline:
            time.sleep(0.01)
        assert shown.last_sentence is None
    seconds = [state.seconds for state in recorder.states]
    assert len(seconds) >= 3
    assert seconds == sorted(set(seconds))
    assert set(recorder.texts) == {"reading"}


def test_another_process_shows_nothing() -> None:
    copy = pickle.loads(pickle.dumps(Live(Recorder(), 60.0)))
    assert copy.listener(PROBLEM) is None
    copy.end_step()
    copy.say("nothing")
    copy.close()


# --- the calls -----------------------------------------------------------------------------


def test_the_callback_of_the_user_is_called_and_can_stop_the_search(recorder: Recorder) -> None:
    wide = np.random.default_rng(1)
    hard = xt.Problem(
        wide.normal(size=(2000, 12)), wide.integers(0, 2, 2000), limits=xt.Limits(max_depth=5)
    )
    reports: list[Progress] = []
    outcome = xt.solve(
        hard, on_progress=lambda progress: reports.append(progress) or True, verbose=1
    )
    assert len(reports) == 1
    assert outcome.stopped_by == "callback"
    assert any("errors, lower bound" in text for text in recorder.texts)
    assert recorder.last == [str(outcome)]


@pytest.mark.parametrize("verbose", [-1, "loud", 1.5, None])
def test_verbose_is_a_whole_number(verbose: Any) -> None:
    calls = [
        lambda: xt.solve(PROBLEM, verbose=verbose),
        lambda: xt.pareto_front(PROBLEM, ("size", "errors"), verbose=verbose),
        lambda: xt.OptimalTreeClassifier(verbose=verbose).fit(X, Y),
        lambda: xt.OptimalTreeClassifierCV(verbose=verbose).fit(X, Y),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="verbose must be 0 or 1"):
            call()


@pytest.mark.filterwarnings("ignore::exactree.NotProvedWarning")
@pytest.mark.parametrize("time_limit", [60, 1e-9])
def test_an_estimator_leaves_the_outcome_without_the_advice_of_its_warning(
    recorder: Recorder, time_limit: float
) -> None:
    model = xt.OptimalTreeClassifier(max_depth=3, time_limit=time_limit, verbose=1).fit(X, Y)
    assert recorder.last == [model.outcome_.sentence]
    assert {state.limit for state in recorder.states} == {time_limit}


def test_a_front_shows_the_limits_of_its_searches(recorder: Recorder) -> None:
    front = xt.pareto_front(PROBLEM, ("size", "errors"), verbose=1, time_limit=60)
    assert "size at most 0, depth at most 0" in recorder.texts[0] or "size at most 0" in str(
        recorder.texts
    )
    assert any(text.startswith("size at most 3") for text in recorder.texts)
    assert recorder.last == [f"front complete, proved: {len(front)} points"]
    recorder.last.clear()
    xt.pareto_front(xt.Problem(X, Y), ("size", "errors"), time_limit=1e-9, verbose=1)
    assert recorder.last[0] is not None
    assert recorder.last[0].startswith("front stopped by the time limit: ")


@pytest.mark.parametrize("quantities", [("total_size", "errors"), ("n_trees", "errors")])
def test_a_front_of_ensembles_shows_its_searches(
    recorder: Recorder, quantities: tuple[str, ...]
) -> None:
    small = xt.Problem(X[:12, :2], Y[:12], n_trees=2, limits=xt.Limits(max_depth=1))
    xt.pareto_front(small, quantities, verbose=1)
    expected = "2 trees" if "n_trees" in quantities else "errors at most"
    assert any(expected in text for text in recorder.texts)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_cross_validation_shows_folds_and_sizes(recorder: Recorder, n_jobs: int | None) -> None:
    estimator = xt.OptimalTreeClassifier(max_depth=2)
    model = xt.OptimalTreeClassifierCV(estimator, cv=3, n_jobs=n_jobs, verbose=1).fit(X, Y)
    for beginning in ("all rows, size 0", "fold 1 of 3, size 1", "fold 3 of 3, all limits"):
        assert any(text.startswith(beginning) for text in recorder.texts)
    done, number = recorder.states[-1].steps or (0, 0)
    # The last state that a search reports: as many fronts are unfinished as run at a time.
    assert number == 4
    assert recorder.states[-1].limit == 60.0 * 4 / (n_jobs or 1)
    assert 4 - (n_jobs or 1) <= done <= 4
    (last,) = recorder.last
    assert last is not None
    assert last.startswith(
        f"max_size={model.best_params_['max_size']} has the best mean score of 3"
    )
    assert last.endswith("; the best tree of each size is proved for every fold and for all rows")


def test_cross_validation_in_processes_shows_nothing_in_them(recorder: Recorder) -> None:
    estimator = xt.OptimalTreeClassifier(max_depth=1)
    with joblib.parallel_config("loky", n_jobs=2):
        model = xt.OptimalTreeClassifierCV(estimator, cv=2, n_jobs=2, verbose=1).fit(X, Y)
    assert model.n_splits_ == 2
    assert recorder.last[0] is not None
