"""Reads of organizations."""

from functools import cache
from uuid import UUID

from postern.apps.orgs.models import Organization
from postern.foundation import identity
from postern.foundation.prepared import PreparedQuery
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
    if parsed is None:
        return Organization.objects.filter(name=text).values_list("pk", flat=True).first()
    return parsed if _existing().tuples(pk=parsed) else None


def names() -> dict[UUID, str]:
    """The names of all organizations, the root included."""
    return {ROOT_ORG_ID: identity.root_org_name(), **dict(_names().tuples())}


@cache
def _existing() -> PreparedQuery:
    """Whether there is an organization of this id: every request asks."""
    return PreparedQuery(
        lambda pk: Organization.objects.filter(pk=pk).order_by(), stand_ins={"pk": UUID(int=1)}, columns=("id",)
    )


@cache
def _names() -> PreparedQuery:
    """Id and name of each: every list asks."""
    return PreparedQuery(Organization.objects.all, columns=("id", "name"))


def find(org_id: UUID) -> Organization | None:
    """The stored organization; None for the root."""
    return Organization.objects.filter(pk=org_id).first()
