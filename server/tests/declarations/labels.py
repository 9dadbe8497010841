"""Labels, which assets carry."""

from declarations.plain import Plain

RESOURCE = Plain(
    path="assets/labels",
    kind="Label",
    values={"name": "colour", "value": "v"},
    lists={"assets": "assets/assets"},
    named="{name}:{value}",
    unique=frozenset({"name", "value"}),
    listed=False,
    more=frozenset({"category", "category_display", "get_category_display", "is_active", "asset_count"}),
)
