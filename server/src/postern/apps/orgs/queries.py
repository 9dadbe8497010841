"""Reads of organizations."""

from uuid import UUID

from postern.apps.orgs.models import Organization
from postern.foundation import identity
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID, parse_id

ALIASES = {"default": DEFAULT_ORG_ID, "root": ROOT_ORG_ID}


def find_org_id(text: str) -> UUID | None:
    """The organization that `text` means: an id, `default`, `root`, or a name."""
    alias = ALIASES.get(text.lower())
    if alias is not None:
        return alias
    parsed = parse_id(text)
    if parsed == ROOT_ORG_ID:
        return ROOT_ORG_ID
    rows = Organization.objects.filter(pk=parsed) if parsed else Organization.objects.filter(name=text)
    return rows.values_list("pk", flat=True).first()


def names() -> dict[UUID, str]:
    """The names of all organizations, the root included."""
    return {ROOT_ORG_ID: identity.root_org_name(), **dict(Organization.objects.values_list("pk", "name"))}


def find(org_id: UUID) -> Organization | None:
    """The stored organization; None for the root."""
    return Organization.objects.filter(pk=org_id).first()
