"""A table as a page for people: one HTML file without scripts, links and foreign content.

Every text is escaped, and characters that a reader would not see are shown by their code, because hosts and their users
wrote them. The page forbids its reader's browser to load or run anything, also when it is opened from a disk.
"""

import io
from collections.abc import Mapping, Sequence
from typing import IO, Final

from django.utils.html import escape

from postern.foundation.rest.exchange.cells import Cell
from postern.kernel.visible_text import visible_text

CONTENT_TYPE: Final = "text/html; charset=utf-8"
EXTENSION: Final = "html"
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE: Final = """
:root{color-scheme:light dark}
body{font:14px/1.5 system-ui,sans-serif;margin:24px}
table{border-collapse:collapse;width:100%}
caption{text-align:start;padding-bottom:8px}
th,td{border:1px solid #8884;padding:4px 8px;text-align:start;vertical-align:top;unicode-bidi:isolate;
white-space:pre-wrap;overflow-wrap:anywhere}
thead th{position:sticky;top:0;background:Canvas}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 12px}
dd{margin:0;overflow-wrap:anywhere}
@media print{body{margin:0}thead th{position:static}}
"""


class HtmlReport:
    """Writes the page row by row; the first row holds the titles. `facts`: what the report is about, above the table."""

    def __init__(self, file: IO[bytes], *, language: str, title: str, facts: Mapping[str, str]) -> None:
        self._text = io.TextIOWrapper(file, encoding="utf-8", errors="replace", newline="\n", write_through=False)
        self._has_titles = False
        terms = "".join(f"<dt>{shown(name)}</dt><dd>{shown(value)}</dd>" for name, value in facts.items())
        self._text.write(
            f'<!doctype html>\n<html lang="{escape(language)}"><head><meta charset="utf-8">'
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
            '<meta name="viewport" content="width=device-width">'
            f"<title>{shown(title)}</title><style>{_STYLE}</style></head>\n"
            f"<body><h1>{shown(title)}</h1><dl>{terms}</dl>\n<table>"
        )

    def write(self, cells: Sequence[Cell]) -> None:
        if self._has_titles:
            self._text.write(f"<tr>{''.join(f'<td>{shown(cell)}</td>' for cell in cells)}</tr>\n")
            return
        self._has_titles = True
        titles = "".join(f'<th scope="col">{shown(cell)}</th>' for cell in cells)
        self._text.write(f"<thead><tr>{titles}</tr></thead>\n<tbody>\n")

    def finish(self) -> None:
        self._text.write("</tbody></table></body></html>\n")
        self.discard()

    def discard(self) -> None:
        self._text.flush()
        self._text.detach()  # leaves the file open


def shown(cell: Cell) -> str:
    """The text of a cell in HTML."""
    return escape(visible_text("" if cell is None else str(cell)))
