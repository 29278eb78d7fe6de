"""How a text table is written: separator, quotes, decimal mark and encoding, given or detected."""

import codecs
import csv
import re
from dataclasses import dataclass, replace

from exactree.cli.endings import BadTable

__all__ = ["SEPARATORS", "WORDS", "TextForm", "decoded", "difference_in_words", "sniffed"]

SEPARATORS = ",;\t|"
# Words for separators that are not seen.
WORDS = {"\t": "tab", " ": "blank"}
# Enough to detect a separator or an encoding.
_SAMPLE = 2**16
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # begins with that of UTF-16
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


# Frequent encodings other than UTF-8 and cp1252, in whose short texts detection would often err.
_ENCODINGS = (
    "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "koi8_r", "cp932",
    "gb18030", "big5", "cp949", "euc_jp",
)  # fmt: skip
_LONG_RUN = re.compile(r"[^\x00-\x7f]{3}")
_SYMBOL_IN_WORD = re.compile(r"[^\W\d_][¢£¤¥¦§¨¬¯±²³¶\xb8¹¼½¾¿¡]+[^\W\d_]")


@dataclass(frozen=True)
class TextForm:
    """How a table is written; what is None is detected.

    Parameters
    ----------
    separator : str, optional
        The character between cells.
    quote : str, optional
        The character around cells that contain a separator.
    decimal : str, optional
        The decimal mark, "." or ",".
    encoding : str, optional
        The encoding of the file.
    missing : tuple of str
        Cells that are missing values, besides those that always are, in upper or lower case.
    """

    separator: str | None = None
    quote: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    missing: tuple[str, ...] = ()


def decoded(data: bytes, path: object, encoding: str | None) -> tuple[str, str]:
    """Return the text of a file, and its encoding.

    Parameters
    ----------
    data : bytes
        The content of the file.
    path : object
        The file, for messages.
    encoding : str or None
        The encoding; detected if it is None.

    Raises
    ------
    BadTable
        If the bytes are not text in this encoding, or in any that is detected.
    """
    if encoding is None:
        marks = (name for mark, name in _BYTE_ORDER_MARKS.items() if data.startswith(mark))
        encoding = next(marks, None) or _detected_encoding(data, path)
    try:
        text = data.decode(encoding)
    except UnicodeError as error:
        hint = "without --encoding the encoding is detected."
        raise BadTable(f"{path} is not text in {encoding}: {error}.", hint) from error
    if "\0" in text:
        raise BadTable(
            f"{path} is not a text file: it contains zero bytes.",
            "save it as CSV; for text in UTF-16 use --encoding utf-16.",
        )
    return text, encoding


def _detected_encoding(data: bytes, path: object) -> str:
    """Return "utf-8" if the bytes are in it, else the most likely encoding."""
    try:
        data.decode("utf-8")
        return "utf-8"
    except UnicodeDecodeError:
        pass
    from charset_normalizer import from_bytes

    # Only lines with other characters than ASCII distinguish encodings.
    telling = b"\n".join(line for line in data.splitlines() if not line.isascii())[:_SAMPLE]
    if _is_western(telling) and b"\0" not in data:
        return "cp1252"
    best = None if b"\0" in data else from_bytes(telling, cp_isolation=list(_ENCODINGS)).best()
    if best is None:
        raise BadTable(
            f"{path} is not a text file in UTF-8, and no other encoding was detected.",
            "save it as CSV in UTF-8, or name its encoding, as in --encoding cp1252.",
        )
    return best.encoding


def _is_western(data: bytes) -> bool:
    """Return whether bytes look like text of Western Europe in the encoding of Windows, cp1252.

    Such text has accented letters among letters of ASCII. In other alphabets there are longer runs
    of other characters, and in other encodings of Latin letters there are symbols within words.
    """
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return False
    return not (_LONG_RUN.search(text) or _SYMBOL_IN_WORD.search(text))


def sniffed(text: str, form: TextForm) -> TextForm:
    """Return the form with separator and quotes, detected in the beginning of a text.

    Parameters
    ----------
    text : str
        The text of a table.
    form : TextForm
        What is given.
    """
    sample = text[:_SAMPLE]
    if len(text) > _SAMPLE and "\n" in sample:
        sample = sample[: sample.rindex("\n") + 1]
    try:
        found = csv.Sniffer().sniff(sample, delimiters=form.separator or SEPARATORS)
        separator, quote = found.delimiter, found.quotechar or '"'
    except csv.Error:  # one column, rows of different lengths, or a very long row
        header = text.partition("\n")[0]
        separator, quote = max(SEPARATORS, key=header.count), '"'
    return replace(form, separator=form.separator or separator, quote=form.quote or quote)


def difference_in_words(form: TextForm, given: TextForm, ending: str) -> str:
    """Return what was detected and is not as in most files, in words; empty if nothing is.

    Parameters
    ----------
    form : TextForm
        The form of a file.
    given : TextForm
        What the user gave.
    ending : str
        The ending of the file.
    """
    usual = "\t" if ending == ".tsv" else ","
    found = []
    if given.encoding is None and form.encoding not in ("utf-8", "utf-8-sig"):
        found.append(f"encoding {form.encoding} (--encoding)")
    if given.separator is None and form.separator != usual:
        separator = WORDS.get(form.separator or "", form.separator)
        found.append(f"separator {separator} (--sep)")
    if given.quote is None and form.quote != '"':
        found.append(f"quotes {form.quote} (--quote)")
    if given.decimal is None and form.decimal == ",":
        found.append("decimal commas (--decimal)")
    return ", ".join(found)
