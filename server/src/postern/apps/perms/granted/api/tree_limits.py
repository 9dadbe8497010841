"""How many assets a tree holds, and how a tree says that it does not hold all."""

from collections.abc import Sequence
from typing import Any, Final

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from postern.apps.assets.models import Asset
from postern.apps.perms.granted.indexed import IndexedReach, Members, Page

#: As many as the largest installation that is measured has.
MAX_TREE_ASSETS = 100_000
#: Id of the leaf that says that assets are missing.
CUT: Final = "cut"


def first_assets(rows: QuerySet[Asset]) -> tuple[list[Asset], bool]:
    """As many of the assets as a tree holds, and whether there are more."""
    first = list(rows[: MAX_TREE_ASSETS + 1])
    return first[:MAX_TREE_ASSETS], len(first) > MAX_TREE_ASSETS


def first_page(index: IndexedReach, members: Members, order: tuple[Any, ...]) -> Page:
    """The same of these members, from the index."""
    return index.page(members, order, 0, MAX_TREE_ASSETS)


def is_cut(page: Page) -> bool:
    """Whether the page does not hold all its assets."""
    return page.count > MAX_TREE_ASSETS


def told(tree: Sequence[Any], *, cut: bool, parent_key: str = "") -> list[Any]:
    """The tree; one that is cut gets a last leaf that says so and cannot be chosen."""
    if not cut:
        return list(tree)
    text = _("Only the first %(most)s assets are shown. Search for the others.") % {"most": f"{MAX_TREE_ASSETS:,}"}
    leaf = {
        "id": CUT,
        "name": text,
        "title": text,
        "pId": parent_key,
        "iconSkin": "file",
        "isParent": False,
        "open": False,
        "chkDisabled": True,
        "meta": {"type": "note", "data": {"id": CUT}},
    }
    return [*tree, leaf]
