"""Wrong calls of `fit`: on the class instead of an instance, or with unknown names."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import wraps
from inspect import Parameter, signature
from typing import Any

__all__ = ["checked_fit"]


def checked_fit(target: type, known: Iterable[str]) -> Callable[..., Any]:
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
