"""Pages that the console shows under Help."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

_DOCS: Final = Path(__file__).parents[3] / "docs"
_PAGES: Final = sorted([*(_DOCS / "guide").glob("*.md"), *(_DOCS / "reference").glob("*.md")])
_RULE: Final = re.compile(r"\|(\s*:?-+:?\s*\|)+")
_FENCED: Final = re.compile(r"^[ ]*```.*?^[ ]*```$", re.DOTALL | re.MULTILINE)
_LINK: Final = re.compile(r"\]\(([^)\s]+)\)")
_HEADING: Final = re.compile(r"^(#+) (.+)$", re.MULTILINE)
_MADE: Final = re.compile(r"^<!-- Written by `make gen`", re.MULTILINE)
_ORIGINALS: Final = [page for page in _PAGES if not page.stem.endswith(".zh")]


def _translated(page: Path) -> Path:
    return page.with_suffix(".zh.md")


def _needs_chinese(page: Path) -> bool:
    """Guides, references that are made from declarations, and other references that have a Chinese page."""
    return page.parent.name == "guide" or bool(_MADE.search(page.read_text())) or _translated(page).exists()


_TRANSLATED: Final = [page for page in _ORIGINALS if _needs_chinese(page)]


def _outline(page: Path) -> dict[str, list[str]]:
    """What a translation must share with its page: everything except the words."""
    text = page.read_text()
    blocks = _FENCED.findall(text)
    prose = _FENCED.sub("", text)
    return {
        "headings": [level for level, _ in _HEADING.findall(prose)],
        "code": [re.sub(r"(^|\s)#.*", "", block, flags=re.MULTILINE) for block in blocks],
        "tables": [str(line.count("|")) for line in prose.splitlines() if line.startswith("|")],
        "links": [link.partition("#")[0] for link in _LINK.findall(prose)],
    }


def _anchors(page: Path) -> set[str]:
    """The anchors of a page, by the rule of the console's `anchorOf`."""
    headings = [
        re.sub(r"[`*]|\[|\]\([^)]*\)", "", words) for _, words in _HEADING.findall(_FENCED.sub("", page.read_text()))
    ]
    return {re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", words.lower()).strip()) for words in headings}


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.stem)
def test_tables_name_all_their_columns_for_screen_readers(page: Path) -> None:
    lines = page.read_text().splitlines()
    headers = [line for line, below in pairwise(lines) if line.startswith("|") and _RULE.fullmatch(below.strip())]
    assert [
        header for header in headers if any(not cell.strip() for cell in header.strip().strip("|").split("|"))
    ] == []


@pytest.mark.parametrize("page", _TRANSLATED, ids=lambda page: page.stem)
def test_every_guide_and_made_reference_has_a_chinese_page_with_the_same_outline(page: Path) -> None:
    assert _outline(_translated(page)) == _outline(page)


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.stem)
def test_links_lead_to_a_heading_of_the_page_that_the_console_opens(page: Path) -> None:
    lost = []
    for link in _LINK.findall(_FENCED.sub("", page.read_text())):
        if re.match(r"https?:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if path and page.stem.endswith(".zh") and _translated(target).exists():
            target = _translated(target)
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in _anchors(target)):
            lost.append(link)
    assert lost == []
