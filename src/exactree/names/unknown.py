"""Unknown names of parameters: a decorator whose TypeError shows the right call; unknown options.

Signatures stay explicit, so that editors and scikit-learn read them; unknown names are compared
with them before the call.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from difflib import get_close_matches
from functools import cache, wraps
from inspect import Parameter, isclass, signature
from typing import Any, TypeVar

from exactree.names.foreign import ATTRIBUTES, NO_GRID, OPTIONS, PARAMETERS

__all__ = [
    "answers_unknown_names",
    "attribute_answer",
    "option_answer",
    "parameter_answer",
    "refuse_attribute",
    "suggestion",
]

Target = TypeVar("Target", bound=Callable[..., Any])

_LONGEST = 40  # characters of an argument in a message
# The parameters of every estimator by its name; the decorator fills it.
_ESTIMATORS: dict[str, frozenset[str]] = {}


def answers_unknown_names(target: Target) -> Target:
    """Let a class or function answer unknown parameters by the right name or the right call.

    Parameters
    ----------
    target : class or function
        It is called as before; its signature does not change.
    """
    function: Callable[..., Any] = target.__init__ if isclass(target) else target
    known = frozenset(_parameters(function))
    name = target.__name__
    is_estimator = isclass(target) and hasattr(target, "fit")
    most = _positional(function) if is_estimator else None

    @wraps(function)
    def checked(*arguments: Any, **named: Any) -> Any:
        unknown = {key: value for key, value in named.items() if key not in known}
        if unknown:
            raise TypeError(parameter_answer(name, known, unknown))
        if most is not None and len(arguments) > most:
            raise TypeError(_positional_answer(name, known, arguments[most:]))
        return function(*arguments, **named)

    if is_estimator:
        _ESTIMATORS[name] = known
        setattr(target, "fit", _checked_fit(target, known))  # type: ignore[arg-type]  # noqa: B010
    if isclass(target):
        setattr(target, "__init__", checked)  # noqa: B010  (type checkers refuse an assignment)
        return target
    return checked  # type: ignore[return-value]


def _checked_fit(target: type, known: Iterable[str]) -> Callable[..., Any]:
    """Return the method `fit` of an estimator, which answers wrong calls by the right ones.

    Parameters
    ----------
    target : type
        The class of the estimator.
    known : iterable of str
        The parameters of the class.
    """
    fit: Callable[..., Any] = target.fit  # type: ignore[attr-defined]
    entries = [entry for name, entry in signature(fit).parameters.items() if name != "self"]
    names = [entry.name for entry in entries if entry.kind is not Parameter.VAR_KEYWORD]
    takes_any = len(names) < len(entries)
    call, parameters = target.__name__, frozenset(known)

    @wraps(fit)
    def checked(*arguments: Any, **named: Any) -> Any:
        if not arguments or not isinstance(arguments[0], target):
            raise TypeError(
                f"{call}.fit is called on the class, which has no parameters yet; call the class "
                f"first: {call}().fit(X, y)."
            )
        for name in named:
            close = get_close_matches(name, names, n=1)
            if name not in names and (close or not takes_any):
                raise TypeError(f"{call}.fit has no parameter {name!r}; {_answer(name, close)}")
        return fit(*arguments, **named)

    def _answer(name: str, close: list[str]) -> str:
        if name in parameters:
            return f"it belongs to the class: {call}({name}=...).fit(X, y)."
        if close:
            return f"did you mean {close[0]!r}?"
        return f"it has {', '.join(names)}."

    return checked


def suggestion(name: Any, allowed: Iterable[str]) -> str:
    """Return the end of a message: "; did you mean 'x'?", or "." if no known name is close.

    Parameters
    ----------
    name : object
        The user's argument.
    allowed : iterable of str
        The known names.
    """
    close = get_close_matches(name, list(allowed), n=1) if isinstance(name, str) else []
    return f"; did you mean {close[0]!r}?" if close else "."


def attribute_answer(name: str) -> str:
    """Return the end of a message about an attribute that a model does not have; may be empty.

    Parameters
    ----------
    name : str
        The attribute, such as "save".
    """
    return f"; {ATTRIBUTES[name]}" if name in ATTRIBUTES else ""


def refuse_attribute(model: object, name: str) -> None:
    """Raise AttributeError with the right call if a model lacks a foreign method such as `save`.

    Parameters
    ----------
    model : object
        The model.
    name : str
        An attribute that it does not have.
    """
    if name in ATTRIBUTES:
        kind = type(model).__name__
        raise AttributeError(f"{kind!r} object has no attribute {name!r}{attribute_answer(name)}")


def parameter_answer(call: str, known: Iterable[str], unknown: Mapping[str, Any]) -> str:
    """Return the message for parameters that a call does not have.

    Parameters
    ----------
    call : str
        The name of the class or function.
    known : iterable of str
        Its parameters.
    unknown : mapping of str to object
        The arguments that it does not have.
    """
    known = set(known)
    name = next((name for name in unknown if not _homes_of(call, name)), None)
    if name is None:
        names = " and ".join(map(repr, unknown))
        kind = "parameter" if len(unknown) == 1 else "parameters"
        return f"{call} has no {kind} {names}; {_right_call(call, known, unknown)}."
    answer = f"{call} has no parameter {name!r}"
    if name in PARAMETERS:
        ours, explanation = PARAMETERS[name]
        if not ours:
            return f"{answer}: {explanation}."
        where = "" if ours in known else f"; {_right_call(call, known, {ours: ...})}"
        return f"{answer}; use {ours} ({explanation}){where}."
    close = suggestion(name, known)
    if close == ".":
        close = suggestion(name, _all_parameters())
    if close == ".":
        near = get_close_matches(name, PARAMETERS, n=1)
        close = f"; did you mean {(PARAMETERS[near[0]][0] or near[0])!r}?" if near else close
    return answer + (f"; it has {', '.join(sorted(known))}." if close == "." else close)


def option_answer(
    command: str, option: str, options_of: Mapping[str, Collection[str]]
) -> str | None:
    """Return the message for an option that a command does not have; None for unlisted names.

    Parameters
    ----------
    command : str
        The name of the command.
    option : str
        The option, such as "--max-leaf-nodes".
    options_of : mapping of str to collection of str
        The options of every command.
    """
    name = option.lstrip("-").replace("-", "_")
    ours, explanation = PARAMETERS.get(name, (name, ""))
    if name in OPTIONS or ours in OPTIONS:
        ours, explanation = OPTIONS[name if name in OPTIONS else ours]
    elif name not in PARAMETERS:
        return None
    elif ours:
        ours = f"--{ours.replace('_', '-')}"
    if ours == option:  # an option of another command
        return None
    answer = f"exactree {command} has no option {option!r}"
    if not ours:
        return f"{answer}: {explanation}."
    first = ours.split()[0]
    if first in options_of[command]:
        return f"{answer}; use {ours} ({explanation})."
    *others, last = (home for home, options in options_of.items() if first in options)
    homes = f"{', '.join(others)} and {last}" if others else last
    verb = "is an option" if first == ours else "are options"
    return f"{answer}; {ours} ({explanation}) {verb} of exactree {homes}."


def _positional(function: Callable[..., Any]) -> int:
    """Return the number of arguments of a function that may be given without their names."""
    found = signature(function).parameters.values()
    return sum(entry.kind is Parameter.POSITIONAL_OR_KEYWORD for entry in found)


def _positional_answer(call: str, known: Iterable[str], beyond: Iterable[Any]) -> str:
    """Return the message for arguments of an estimator that need their names."""
    if "estimator" in known and any(isinstance(value, Mapping) for value in beyond):
        return f"{call} takes an estimator alone: {NO_GRID}."
    named = [name for name in known if name != "estimator"]
    return (
        f"{call} takes one argument without its name; write the name of every other parameter: "
        f"{', '.join(sorted(named))}."
    )


def _parameters(function: Callable[..., Any]) -> list[str]:
    """Return the names of the parameters of a function that arguments may have."""
    kinds = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    found = signature(function).parameters.values()
    return [entry.name for entry in found if entry.kind in kinds and entry.name != "self"]


@cache
def _homes() -> dict[str, tuple[str, ...]]:
    """Return the parameters of the calls that together state and solve a problem."""
    from exactree.problem import Constraints, Limits, Problem
    from exactree.solve import solve

    calls: tuple[Callable[..., Any], ...] = (Limits, Constraints, Problem, solve)
    return {call.__name__: tuple(_parameters(call)) for call in calls}


def _all_parameters() -> set[str]:
    return {name for names in _homes().values() for name in names}


def _homes_of(call: str, name: str) -> list[str]:
    """Return the calls that have a parameter: `fit` of an estimator, and those of `_homes`."""
    if call not in _homes() and call[0].isupper() and name in ("X", "y", "sample_weight"):
        return ["fit"]
    return [home for home, names in _homes().items() if name in names]


def _right_call(call: str, known: set[str], given: Mapping[str, Any]) -> str:
    """Return the call that takes parameters which another call does not have."""
    by_home: dict[str, dict[str, Any]] = {}
    for name, value in given.items():
        by_home.setdefault(_homes_of(call, name)[0], {})[name] = value
    tuned = call.removesuffix("CV")
    # Those with CV tune another estimator, which has the parameters.
    if "estimator" in known and ("fit" in by_home or given.keys() <= _ESTIMATORS[tuned]):
        return f"write {call}({tuned}({_written(given)}))"
    if call[0].isupper() and call not in _homes():  # an estimator
        others = sorted(name for name, own in _ESTIMATORS.items() if own >= given.keys())
        homes = " and ".join(by_home) if "fit" in by_home or not others else " and ".join(others)
        verb = "is a parameter" if len(given) == 1 else "are parameters"
        return f"{' and '.join(given)} {verb} of {homes}"
    return f"write {_statement(call, known, by_home)}"


def _statement(call: str, known: set[str], by_home: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the call with each parameter in its place: of limits, of the problem, of `solve`."""
    inner = [_written(by_home["Problem"])] if "Problem" in by_home else []
    for home, parameter in (("Limits", "limits"), ("Constraints", "constraints")):
        if home == call:
            inner.append(f"{parameter}={home}(...)")
        elif home in by_home:
            inner.append(f"{parameter}={home}({_written(by_home[home])})")
    problem = f"Problem({', '.join(['X, y', *inner])})" if inner else "problem"
    options = _written(by_home.get("solve", {}))
    if not options and "problem" not in known:
        return problem
    solver = call if "problem" in known and not options else "solve"
    return f"{solver}({problem}{', ' if options else ''}{options})"


def _written(arguments: Mapping[str, Any]) -> str:
    """Return arguments as in a call, long ones as dots."""
    texts = []
    for name, value in arguments.items():
        text = "..." if value is ... else repr(value)
        texts.append(f"{name}={text if len(text) <= _LONGEST and text.isprintable() else '...'}")
    return ", ".join(texts)
