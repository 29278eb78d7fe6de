"""Commands: answers to unknown options, and checks of output files before a long search."""

from itertools import combinations
from pathlib import Path
from typing import Any

import click

from exactree.cli.lists import comma_hint
from exactree.cli.refusals import one_sentence
from exactree.files import check_writable
from exactree.names import option_answer

__all__ = ["MODEL_FILE", "Command", "NewFile"]


class NewFile(click.Path):
    """A path of an output file in an existing, writable folder.

    Parameters
    ----------
    *endings : str
        The endings that its name may have; any by default.
    strict : bool
        Whether a name must have an ending, in lower case.
    otherwise : str
        What other endings need, for the message.
    """

    def __init__(self, *endings: str, strict: bool = True, otherwise: str = "") -> None:
        super().__init__(dir_okay=False, writable=True, path_type=Path)
        self.endings, self.strict, self.otherwise = endings, strict, otherwise

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        path = Path(str(super().convert(value, param, ctx)))
        if not path.parent.is_dir():
            self.fail(f"the folder {str(path.parent)!r} does not exist", param)
        if self.strict:
            self.check_ending(path, param, ctx)
        try:
            check_writable(path)
        except OSError as error:
            self.fail(f"{str(path)!r} cannot be written: {error.strerror}", param)
        return path

    def check_ending(
        self, path: Path, param: click.Parameter | None, ctx: click.Context | None
    ) -> None:
        """Refuse a name that has another ending."""
        known = path.suffix in self.endings
        if not self.strict:
            known = not path.suffix or path.name.lower().endswith(self.endings)
        if self.endings and not known:
            listed = " or ".join(self.endings)
            self.fail(f"{str(path)!r} must end in {listed}{self.otherwise}", param, ctx)


MODEL_FILE = NewFile(
    ".json",
    strict=False,
    otherwise="; models are JSON, and exactree export writes other formats",
)


class Command(click.Command):
    """A command that refuses to overwrite one of its files, and ends errors in one sentence.

    The error for an option of another package gives ours.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words after the command."""
        given = tuple(args)  # click empties the list
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            answer = _answer(ctx, error.option_name)
            if answer is None:
                raise
            raise click.UsageError(answer, ctx) from None
        except click.UsageError as error:
            hint = comma_hint(self, given) if "unexpected extra" in str(error) else None
            if hint is None:
                raise
            raise click.UsageError(f"{error.message.rstrip('.')}; {hint}", ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, unless an output file is also another file of the command."""
        files = [
            (parameter, ctx.params[parameter.name])
            for parameter in self.params
            if isinstance(parameter.type, click.Path) and ctx.params.get(parameter.name) is not None
        ]
        for (first, path), (second, other_path) in combinations(files, 2):
            is_output = isinstance(first.type, NewFile) or isinstance(second.type, NewFile)
            if is_output and _same_file(path, other_path):
                raise click.UsageError(
                    f"{_name(first)} and {_name(second)} name the same file, {str(path)!r}, which "
                    "would be overwritten.",
                    ctx,
                )
        for parameter, path in files:  # a table or a model that would be overwritten comes first
            if isinstance(parameter.type, NewFile):
                parameter.type.check_ending(path, parameter, ctx)
        with one_sentence():
            return super().invoke(ctx)


def _answer(ctx: click.Context, option: str) -> str | None:
    """Return the answer to an option of another package; None for those of `generate`."""
    root = ctx.find_root().command
    if not isinstance(root, click.Group) or ctx.command not in root.commands.values():
        return None
    options_of = {
        name: {option for parameter in command.params for option in parameter.opts}
        for name, command in root.commands.items()
    }
    return option_answer(ctx.info_name or "", option, options_of)


def _same_file(path: Path, other: Path) -> bool:
    try:
        return path.samefile(other)
    except OSError:  # one of the files does not exist yet
        return path.resolve() == other.resolve()


def _name(parameter: click.Parameter) -> str:
    option = isinstance(parameter, click.Option)
    return parameter.opts[-1] if option else parameter.human_readable_name
