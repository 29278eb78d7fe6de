"""The calls between functions of Rust files, by names, and the cycles of these calls.

A function belongs to the type of its `impl` or `trait`, or to its file. A call through `self`, a
type, or a parameter of a known type leads to the functions of this type, in all files; one through
a type parameter, such as `S::try_split(...)`, to all methods of this name. Of other receivers only
the name is known: such a call leads to the methods of this name in the same file, and to the type
that has such a method if it is the only one. A call through a field of `self` counts only if the
field is a child of a tree; other fields are of other types.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

__all__ = ["Calls", "cycles"]

_IMPL = re.compile(
    r"^[ \t]*(?:unsafe )?(?:impl|(?:pub(?:\([^)]*\))? )?trait)\b"
    r"(?:<(?:[^<>]|<[^<>]*>)*>)?\s*([^{;]*)\{",
    re.MULTILINE,
)
_FUNCTION = re.compile(r"\bfn (\w+)\s*(?:<[^{;(]*>)?\(")
# Types such as [Cost; 2] have semicolons, too.
_SIGNATURE = re.compile(r"(?:\[[^\[\]]*\]|[^;{])*")
_PARAMETER = re.compile(r"(\w+): (?:&(?:'\w+ )?)?(?:mut )?(?:\w+::)*(\w+)")
_CALL = re.compile(
    r"((?:\b\w+(?:\[[^\[\]]*\])?(?:\(\))?\s*(?:\.|::)\s*)*)\b(\w+)\s*(?:::<[^;(){}]*>)?\("
)
_CHILD = re.compile(r"(?:left|right|child|children|below|sub\w*)\b")

# File, type (or the file again), and name.
Function = tuple[str, str, str]


@dataclass(frozen=True)
class _Body:
    """The text of a function, and the types of its parameters."""

    text: str
    types: dict[str, str]


@dataclass(frozen=True)
class Calls:
    """The functions of some files, and the calls between them.

    Attributes
    ----------
    owners : set of str
        The types of these files, and the files.
    named : dict
        The functions by name.
    """

    owners: set[str] = field(default_factory=set)
    named: dict[str, set[Function]] = field(default_factory=dict)

    @classmethod
    def between(cls, codes: Mapping[str, str]) -> dict[Function, set[Function]]:
        """Return the functions that each function of some files calls, by the names of files."""
        calls, all_bodies = cls(), dict[Function, list[_Body]]()
        for file, code in codes.items():
            for function, body in _functions(file, code):
                all_bodies.setdefault(function, []).append(body)
                calls.owners.add(function[1])
                calls.named.setdefault(function[2], set()).add(function)
        return {
            function: {called for body in bodies for called in calls._of(function, body)}
            for function, bodies in all_bodies.items()
        }

    def _of(self, caller: Function, body: _Body) -> Iterator[Function]:
        """List the functions that a function calls."""
        file, owner, _ = caller
        for receivers, name in _CALL.findall(body.text):
            named = self.named.get(name, set())
            methods = {function for function in named if function[0] != function[1]}
            *path, last = re.split(r"\.|::", re.sub(r"\s", "", receivers))[:-1] or [""]
            if not last:
                yield from named & {(file, file, name)}
                continue
            single = body.types.get(last, last) if not path else last
            if last in ("self", "Self") and not path:
                single = owner
            if single in self.owners:
                yield from (function for function in methods if function[1] == single)
            elif receivers.rstrip().endswith("::"):  # a type parameter, or a type of another crate
                yield from methods if len(single) == 1 else ()
            elif path[:1] != ["self"] or _CHILD.match(last):
                yield from (function for function in methods if function[0] == file)
                if len({function[1] for function in methods}) == 1:
                    yield from methods


def _functions(file: str, code: str) -> Iterator[tuple[Function, _Body]]:
    """List the functions of a file that have a body."""
    owners = [(at.end(), _end(code, at.end() - 1), _type_in(at[1])) for at in _IMPL.finditer(code)]
    for found in _FUNCTION.finditer(code):
        signature = _SIGNATURE.match(code, found.end())
        assert signature is not None
        start = signature.end()
        if start == len(code) or code[start] == ";":
            continue  # a method without a default
        around = [owner for first, last, owner in owners if first <= found.start() < last]
        body = re.sub(r"\bfn \w+", "", code[start : _end(code, start)])
        types = dict(_PARAMETER.findall(code[found.end() : start]))
        yield (file, around[-1] if around else file, found[1]), _Body(body, types)


def _end(code: str, start: int) -> int:
    """Return the end of the block that begins at a brace."""
    depth = 0
    for at in range(start, len(code)):
        depth += {"{": 1, "}": -1}.get(code[at], 0)
        if depth == 0:
            return at + 1
    raise ValueError(f"a block that begins with {code[start : start + 40]!r} has no end")


def _type_in(head: str) -> str:
    """Return the type of an `impl`, or the name of a trait, from the text before its block."""
    head = re.sub(r"\bwhere\b.*|->", "", head, flags=re.DOTALL)
    while (shorter := re.sub(r"<[^<>]*>", "", head)) != head:
        head = shorter
    before_bounds = head.rpartition(" for ")[2].partition(": ")[0]
    return (re.findall(r"\w+", before_bounds) or [""])[-1]


def cycles(calls: Mapping[Function, set[Function]]) -> list[set[Function]]:
    """Return the sets of functions that call each other, or themselves.

    Parameters
    ----------
    calls : mapping of function to set of function
        The functions that each function calls.
    """
    on_cycles = {function: set(called) for function, called in calls.items()}
    while True:  # leave out functions that call none of the others, or that none of them calls
        called = {each for others in on_cycles.values() for each in others}
        kept = {
            function: others & on_cycles.keys()
            for function, others in on_cycles.items()
            if function in called and others & on_cycles.keys()
        }
        if kept == on_cycles:
            break
        on_cycles = kept
    reached = {function: _reached(on_cycles, function) for function in on_cycles}
    found: list[set[Function]] = []
    for function, others in reached.items():
        if function in others and not any(function in known for known in found):
            found.append({other for other in others if function in reached[other]})
    return found


def _reached(calls: Mapping[Function, set[Function]], start: Function) -> set[Function]:
    """Return the functions that calls lead to from a function."""
    found: set[Function] = set()
    waiting = [start]
    while waiting:
        new = calls[waiting.pop()] - found
        found |= new
        waiting += new
    return found
