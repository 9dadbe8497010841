"""The SQL function with which SQLite's triggers keep the grams of pieces.

A table of grams without content can forget a row only if it is told the text of that row again. The text is in the piece,
deflated, so the trigger unpacks it.
"""

from typing import Any, Final

from postern.contracts.search.pieces import PieceDamaged, indexed_text

NAME: Final = "postern_grams"


def add_functions(*, connection: Any, **more: object) -> None:
    """Receiver of Django's signal about a new connection."""
    del more
    if connection.vendor == "sqlite":
        connection.connection.create_function(NAME, 2, _text, deterministic=True)


def _text(lines: bytes, marks: str) -> str:
    try:
        return indexed_text(lines, marks)
    except PieceDamaged:  # a session must be deletable whatever its rows contain
        return ""
