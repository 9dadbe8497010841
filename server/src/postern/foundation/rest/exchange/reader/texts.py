"""From the bytes of a csv file to rows of cells: encoding, separator, quotes."""

import codecs
import csv
import io
from collections.abc import Callable, Iterator
from typing import Final

from postern.foundation.rest.exchange.reader.limits import MAX_CELL_CHARS
from postern.foundation.rest.exchange.reader.problems import Unreadable

_MARKS: Final = (  # UTF-32 first: its byte-order mark begins with that of UTF-16
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_SEPARATORS: Final = ",;\t"
_SAMPLE_BYTES: Final = 4_096
_CONTROL_LIMIT: Final = 0x20
_FINE_CONTROLS: Final = frozenset("\t\r\n\x0b\x0c")

#: Loaded now, because no file can be opened later (`limits.close_the_door`).
for _encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "gb18030"):
    codecs.lookup(_encoding)


def rows(data: bytes, known_titles: Callable[[list[str]], int]) -> Iterator[tuple[int, list[str]]]:
    """(line number, cells) of each record. The chosen separator gives the first record most known titles."""
    text = decoded(data)
    csv.field_size_limit(MAX_CELL_CHARS)
    separator = max(_SEPARATORS, key=lambda candidate: _fitness(text, candidate, known_titles))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            slug = "cell_too_long" if "field larger" in str(error) else "quotes"
            raise Unreadable(slug, line=reader.line_num) from None
        if cells is None:
            return
        yield reader.line_num, cells


def decoded(data: bytes) -> str:
    """The text of a file in UTF-8, UTF-16, UTF-32 or GB18030 (which includes GBK). Raises Unreadable."""
    for encoding in _candidates(data):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\x00" in text:
            raise Unreadable("nul")
        sample = text[:_SAMPLE_BYTES]
        if any(ord(character) < _CONTROL_LIMIT and character not in _FINE_CONTROLS for character in sample):
            raise Unreadable("binary")
        return text
    raise Unreadable("encoding")


def _candidates(data: bytes) -> tuple[str, ...]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return (encoding,)
    sample = data[:_SAMPLE_BYTES]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    # No byte-order mark: separators and line ends are ASCII, so in UTF-16 every other byte of them is NUL.
    many = len(sample) // 16
    if odd > max(many, 4 * even):
        return ("utf-16-le",)
    if even > max(many, 4 * odd):
        return ("utf-16-be",)
    return ("utf-8", "gb18030")


def _fitness(text: str, separator: str, known_titles: Callable[[list[str]], int]) -> int:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                return known_titles(cells)
    except csv.Error:
        return -1
    return 0
