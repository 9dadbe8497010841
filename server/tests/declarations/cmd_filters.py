"""Command filters. Their rules have tests of their own (`tests/integration/acls`)."""

from declarations.plain import Plain

RESOURCE = Plain(
    path="assets/cmd-filters",
    kind="CommandFilter",
    values={"name": "no-shutdown", "unresolved": "confirm"},
    lists={"system_users": "assets/system-users"},
    unique=frozenset({"name"}),
    more=frozenset({"is_active", "unresolved_display", "rules", "date_updated", "created_by"}),
)
