"""Reads of organizations."""

from functools import cache
from uuid import UUID

from postern.apps.orgs.models import Organization
from postern.foundation.caller import identity
from postern.foundation.database.prepared import PreparedQuery
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID, parse_id

ALIASES = {"default": DEFAULT_ORG_ID, "root": ROOT_ORG_ID}


def find_org_id(text: str) -> UUID | None:
    """Id of the organization that `text` names: an id, `default`, `root`, or a name."""
    alias = ALIASES.get(text.lower())
    if alias is not None:
        return alias
    parsed = parse_id(text)
    if parsed == ROOT_ORG_ID:
        return ROOT_ORG_ID
    if parsed is None:
        return Organization.objects.filter(name=text).values_list("pk", flat=True).first()
    return parsed if _existing().tuples(pk=parsed) else None


def name_of(org_id: UUID) -> str:
    """Name of an organization, including the root; empty when it does not exist."""
    if org_id == ROOT_ORG_ID:
        return identity.root_org_name()
    name_rows = _name().tuples(pk=org_id)
    return str(name_rows[0][0]) if name_rows else ""


def names() -> dict[UUID, str]:
    """Names of all organizations, including the root."""
    return {ROOT_ORG_ID: identity.root_org_name(), **dict(Organization.objects.values_list("pk", "name"))}


@cache
def _existing() -> PreparedQuery:
    """Whether an organization with this id exists. Prepared, because every request needs it."""
    return PreparedQuery(
        lambda pk: Organization.objects.filter(pk=pk).order_by(), stand_ins={"pk": UUID(int=1)}, columns=("id",)
    )


@cache
def _name() -> PreparedQuery:
    """Name by id. Prepared, because every list needs it."""
    return PreparedQuery(
        lambda pk: Organization.objects.filter(pk=pk).order_by(), stand_ins={"pk": UUID(int=1)}, columns=("name",)
    )


def find(org_id: UUID) -> Organization | None:
    """The stored organization; None for the root."""
    return Organization.objects.filter(pk=org_id).first()
