"""Files that a command writes: checked before a long search, never another file that it names."""

from itertools import combinations
from pathlib import Path
from typing import Any

import click

from exactree.files import check_writable

__all__ = ["Command", "NewFile"]


class NewFile(click.Path):
    """A file to write, in a folder that exists and takes new files."""

    def __init__(self, *endings: str) -> None:
        super().__init__(dir_okay=False, writable=True, path_type=Path)
        self.endings = endings

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        path = Path(str(super().convert(value, param, ctx)))
        if not path.parent.is_dir():
            self.fail(f"the folder {str(path.parent)!r} does not exist", param)
        if self.endings and path.suffix not in self.endings:
            self.fail(f"{str(path)!r} must end in {' or '.join(self.endings)}", param)
        try:
            check_writable(path)
        except OSError as error:
            self.fail(f"{str(path)!r} cannot be written: {error.strerror}", param)
        return path


class Command(click.Command):
    """A command that refuses to write over a file that it reads, or to write a file twice."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, unless two of its parameters name one file and one of them is new."""
        files = [
            (parameter, ctx.params[parameter.name])
            for parameter in self.params
            if isinstance(parameter.type, click.Path)
            and parameter.name is not None
            and ctx.params.get(parameter.name) is not None
        ]
        for (one, path), (other, second) in combinations(files, 2):
            new = isinstance(one.type, NewFile) or isinstance(other.type, NewFile)
            if new and _same(path, second):
                raise click.UsageError(
                    f"{_name(one)} and {_name(other)} name the same file, {str(path)!r}, which "
                    "would be overwritten.",
                    ctx,
                )
        return super().invoke(ctx)


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there yet
        return one.resolve() == other.resolve()


def _name(parameter: click.Parameter) -> str:
    option = isinstance(parameter, click.Option)
    return parameter.opts[-1] if option else parameter.human_readable_name
