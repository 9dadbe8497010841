"""The tree of applications: root, categories, types, applications (contract: applications, "Tree"). Pure functions."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.utils.translation import gettext as _

from postern.apps.applications.kinds.declarations import DECLARATIONS, Category, types_of

ROOT: Final = "applications"
_ICONS: Final[Mapping[str, str]] = {Category.DB: "database", Category.REMOTE_APP: "chrome", Category.CLOUD: "cloud"}


class Leaf(NamedTuple):
    """An application, in the order of its columns."""

    id: UUID
    name: str
    category: str
    type: str


def tree(
    leaves: Iterable[Leaf], amounts: Mapping[str, int], *, show_count: bool, root: str = "", above: str = ROOT
) -> list[dict[str, Any]]:
    """The nodes in the order of a walk. `amounts`: number of applications of each type that is shown. `root`: name of the
    root; without it, the categories are below the node `above`.
    """
    nodes: list[dict[str, Any]] = []
    if root:
        meta: dict[str, Any] = {"type": "applications_root"}
        nodes.append(node(ROOT, _titled(root, sum(amounts.values()), show_count), "", meta=meta, is_open=True))
    by_type: dict[str, list[Leaf]] = {}
    for leaf in leaves:
        by_type.setdefault(leaf.type, []).append(leaf)
    prefix = above
    for category in Category:
        shown = [declaration for declaration in types_of(category) if declaration.type in amounts]
        if not shown:
            continue
        category_id = f"{prefix}_{category.value}"
        data = {"name": str(category.label), "value": category.value}
        amount = sum(amounts[declaration.type] for declaration in shown)
        title = _titled(str(category.label), amount, show_count)
        nodes.append(node(category_id, title, above, meta={"type": "category", "data": data}, is_open=True))
        for declaration in shown:
            type_id, words = f"{prefix}_{declaration.type.value}", str(declaration.type.label)
            meta = {"type": "type", "data": {"name": words, "value": declaration.type.value}}
            nodes.append(node(type_id, _titled(words, amounts[declaration.type], show_count), category_id, meta=meta))
            nodes += [_leaf(leaf, type_id) for leaf in by_type.get(declaration.type, ())]
    return nodes


def root_name() -> str:
    """The name of the administrators' root."""
    return _("Applications")


def every_type(*, with_licensed: bool) -> list[str]:
    """The types that a tree shows although no application has them."""
    return [kind for kind, declaration in DECLARATIONS.items() if with_licensed or not declaration.needs_licence]


def node(
    key: str, name: str, parent: str, *, meta: Mapping[str, Any], is_open: bool = False, icon: str = ""
) -> dict[str, Any]:
    """One node. Leaves have an icon."""
    return {
        "id": key,
        "name": name,
        "title": name,
        "pId": parent,
        "isParent": not icon,
        "open": is_open,
        "iconSkin": icon,
        "nocheck": False,
        "meta": dict(meta),
    }


def _leaf(leaf: Leaf, parent: str) -> dict[str, Any]:
    meta = {"type": "application", "data": {"category": leaf.category, "type": leaf.type}}
    return node(str(leaf.id), leaf.name, parent, meta=meta, icon=_ICONS[leaf.category])


def _titled(name: str, amount: int, show_count: bool) -> str:
    return f"{name} ({amount})" if show_count else name
