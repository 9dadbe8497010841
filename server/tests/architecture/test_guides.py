"""Pages that the console shows under Help."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

_DOCS: Final = Path(__file__).parents[3] / "docs"
_PAGES: Final = sorted([*(_DOCS / "guide").glob("*.md"), *(_DOCS / "reference").glob("*.md")])
_RULE: Final = re.compile(r"\|(\s*:?-+:?\s*\|)+")


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.stem)
def test_tables_name_all_their_columns_for_screen_readers(page: Path) -> None:
    lines = page.read_text().splitlines()
    headers = [line for line, below in pairwise(lines) if line.startswith("|") and _RULE.fullmatch(below.strip())]
    assert [
        header for header in headers if any(not cell.strip() for cell in header.strip().strip("|").split("|"))
    ] == []
