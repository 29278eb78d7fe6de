"""Options of several commands, and parameter types in addition to those of click."""

import codecs
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from exactree.cli.text_form import WORDS

if TYPE_CHECKING:
    Kind = click.ParamType[Any]
else:
    Kind = click.ParamType  # older releases of click have no type argument


def _whole(text: str) -> int | None:
    """Return a natural number, or None if the text is not one or has too many digits."""
    try:
        return int(text) if text.isdecimal() else None
    except ValueError:  # more digits than Python reads
        return None


class OrWord(Kind):
    """An integer of at least 0 or a positive number, or a word: "none" for no limit, "auto"."""

    def __init__(self, number: type[int] | type[float], *words: str) -> None:
        self.number, self.words = number, words
        self.name = "|".join(("integer" if number is int else "number", *words))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, the word, or None for "none"."""
        if str(value).lower() in self.words:
            word = str(value).lower()
            return None if word == "none" else word
        try:
            number = self.number(value)
        except ValueError:
            number = None
        if number is None or not (number >= 0 if self.number is int else number > 0):
            allowed = "an integer of at least 0" if self.number is int else "a positive number"
            words = " nor ".join(repr(word) for word in self.words)
            self.fail(f"{value!r} is neither {allowed} nor {words}", param)
        return number


class Quantities(Kind):
    """Names of quantities, separated by commas.

    The allowed names depend on the number of trees; see `problem_options.py`.
    """

    name = "quantities"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a tuple of the names."""
        if isinstance(value, tuple):  # click converts defaults again
            return value
        return tuple(name.strip() for name in str(value).split(","))


class Counts(Kind):
    """Integers of at least 1, separated by commas."""

    name = "integers"
    allowed = "a list of integers >= 1, separated by commas"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a tuple of the numbers."""
        if isinstance(value, tuple):
            return value
        numbers = [_whole(word.strip()) for word in str(value).split(",")]
        if not all(numbers):
            self.fail(f"{value!r} is not {self.allowed}", param)
        return tuple(numbers)


class RowNumbers(Counts):
    """Numbers of rows, separated by commas."""

    name = "rows"
    allowed = (
        "a list of rows, separated by commas; rows are counted from 1, the first row of the table"
    )


class LeavesOfOption(Kind):
    """A label and the maximum leaves that predict it, as LABEL=COUNT.

    COUNT alone is the maximum for one label, whichever is best.
    """

    name = "label=count|count"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the label as a string, or None if there is none, and the number."""
        if isinstance(value, tuple):  # click converts defaults again
            return value
        label, sign, number = str(value).rpartition("=")
        count = _whole(number)
        if count is None:
            self.fail(f"{value!r} is not LABEL=COUNT with a count of at least 0", param)
        return label if sign else None, count


class ClassWeight(Kind):
    """The word "balanced", or a label and the factor on its weight, as LABEL=FACTOR."""

    name = "balanced|label=factor"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return "balanced", or the label as a string and the factor."""
        if isinstance(value, tuple) or value == "balanced":
            return value
        label, sign, factor = str(value).rpartition("=")
        if not sign:
            self.fail(f"{value!r} is neither balanced nor LABEL=FACTOR", param)
        return label, Exact().convert(factor, param, ctx)


class PriceOf(Kind):
    """The price of a change of a column, as COLUMN=PRICE."""

    name = "column=price"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the column and the price."""
        if isinstance(value, tuple):
            return value
        column, sign, price = str(value).rpartition("=")
        if not sign:
            self.fail(f"{value!r} is not COLUMN=PRICE", param)
        return column, Exact().convert(price, param, ctx)


class CostOf(Kind):
    """The cost of predicting a label for rows of another label, as TRUE,PREDICTED=COST."""

    name = "true,predicted=cost"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return both labels as strings, and the cost."""
        if isinstance(value, tuple):
            return value
        labels, sign, cost = str(value).rpartition("=")
        true, comma, predicted = labels.partition(",")
        if not sign or not comma:
            self.fail(f"{value!r} is not TRUE,PREDICTED=COST", param)
        return true, predicted, Exact().convert(cost, param, ctx)


class Exact(Kind):
    """A number of at least 0 with its exact value: 0.01 is 1/100."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number as an integer if possible, else as a fraction."""
        try:
            number = Fraction(value)
        except (ValueError, ZeroDivisionError):
            self.fail(f"{value!r} is not a number", param)
        if number < 0:
            self.fail(f"{value!r} is negative", param)
        return int(number) if number.denominator == 1 else number


class CountOrShare(Kind):
    """A number of rows, or a share of all rows between 0 and 1."""

    name = "count|share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return an integer of at least 1 or a float in (0, 1)."""
        try:
            number = int(value) if str(value).lstrip("+").isdigit() else float(value)
        except ValueError:
            number = 0
        if not (0 < number < 1 or (isinstance(number, int) and number >= 1)):
            self.fail(f"{value!r} is neither a count of at least 1 nor a share in (0, 1)", param)
        return number


class Separator(Kind):
    """One character, or one of the words "tab" and "blank"."""

    name = "character|tab|blank"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the character."""
        characters = {word: character for character, word in WORDS.items()} | {"\\t": "\t"}
        character = characters.get(value, value)
        if len(character) != 1 or character in '"\r\n':
            self.fail(f"{value!r} is neither one character nor tab nor blank", param)
        return character


class EncodingName(Kind):
    """The name of an encoding that Python knows."""

    name = "name"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name."""
        try:
            "".encode(codecs.lookup(value).name)  # refuses codecs that are not of text
        except LookupError:
            self.fail(f"{value!r} is not an encoding, such as utf-8, cp1252 or utf-16", param)
        return value


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as one JSON object."
)

quiet_option = click.option("--quiet", is_flag=True, help="Print nothing but errors.")


def time_limit_option(of: str) -> Callable[[Any], Any]:
    """Return the option of a time limit, with the help text `of`."""
    return click.option(
        "--time-limit", type=OrWord(float, "none"), default=60, show_default=True, help=of
    )
