"""Main program of the child: its argument is `csv`, `xlsx` or `any`; standard input is one line of JSON, then the file.

The line holds `fields` (title → field), `structured`, `lists` and `choices`: see `table.KnownColumns`. The answer is
`{"title": …, "data": …}` with exit status 0, or `{"problem": slug, "values": {…}}` with status 3 when the file is
refused.
"""

import json
import os
import sys
from typing import IO, Final

from postern.foundation.rest.exchange.reader import limits, table, texts, workbooks
from postern.foundation.rest.exchange.reader.problems import Unreadable

REFUSED: Final = 3


def main() -> int:
    limits.confine()
    limits.close_the_door()
    source, answer = sys.stdin.buffer, sys.stdout
    answer.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]  # a text wrapper, as always
    question = json.loads(source.readline())
    known = table.KnownColumns(
        question["fields"], frozenset(question["structured"]), frozenset(question["lists"]), question["choices"]
    )
    try:
        _read(sys.argv[1], source.read(), known, answer)
    except Unreadable as problem:
        return _refuse(answer, problem)
    except (MemoryError, RecursionError):
        return _refuse(answer, Unreadable("too_much"))
    answer.flush()
    return 0


def _refuse(answer: IO[str], problem: Unreadable) -> int:
    answer.flush()
    os.ftruncate(answer.fileno(), 0)
    os.lseek(answer.fileno(), 0, os.SEEK_SET)
    json.dump({"problem": problem.slug, "values": dict(problem.values)}, answer)
    answer.flush()
    return REFUSED


def _read(kind: str, data: bytes, known: table.KnownColumns, answer: IO[str]) -> None:
    if not data:
        raise Unreadable("empty")
    is_workbook = data.startswith((workbooks.ZIP_START, b"\xd0\xcf\x11\xe0"))
    if kind == "csv" and is_workbook:
        raise Unreadable("not_csv")
    as_workbook = kind == "xlsx" or is_workbook
    rows = workbooks.rows(data) if as_workbook else texts.rows(data, known.count)
    pairs = table.header(rows, known)
    encode = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode
    answer.write(f'{{"title": {encode(pairs)}, "data": [')
    separator = ""
    for row in table.values(rows, pairs, known):
        answer.write(separator + encode(row))
        separator = ", "
    if not separator:
        raise Unreadable("no_rows")
    answer.write("]}")


if __name__ == "__main__":
    sys.exit(main())
