"""Public interface of organizations for other apps."""

import contextlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.core.cache import cache
from django.http import HttpRequest
from django.utils.translation import gettext as _
from redis.exceptions import RedisError
from rest_framework.request import Request

from postern.apps.orgs import queries, tenancy
from postern.apps.orgs.actions import create_organization, delete_organization, update_organization
from postern.apps.orgs.errors import UnknownOrganization
from postern.apps.orgs.tenancy import STATISTICS, Holding, Lifecycle
from postern.foundation import licensing
from postern.foundation.caller import identity
from postern.foundation.caller.scope import OrgScope
from postern.kernel.ids import DEFAULT_ORG_ID

__all__ = [
    "STATISTICS",
    "Holding",
    "Lifecycle",
    "Naming",
    "UnknownOrganization",
    "create_organization",
    "delete_organization",
    "describe",
    "find_scope",
    "names",
    "naming_of",
    "require_licence_beyond_default",
    "statistics",
    "update_organization",
]

_MAX_CHARS = 128
#: Counts of an organization with more objects than this are cached for so many seconds.
_MANY_OBJECTS: Final = 10_000
_STATISTICS_S: Final = 60
_STATISTICS_KEY: Final = "orgs.statistics."


@dataclass(frozen=True, slots=True)
class Naming:
    """How a request names its organization.

    `is_kept`: by the cookie, which a browser keeps and nobody chose for this request.
    """

    text: str
    is_kept: bool


def naming_of(request: Request | HttpRequest) -> Naming | None:
    """The organization that the request names: query `oid`, header X-JMS-ORG, cookie X-JMS-ORG, in this order; None
    without any.
    """
    chosen = request.GET.get("oid") or request.headers.get("X-JMS-ORG")
    if chosen:
        return Naming(chosen, is_kept=False)
    cookie = request.COOKIES.get("X-JMS-ORG")
    return Naming(cookie, is_kept=True) if cookie else None


def find_scope(text: str) -> OrgScope:
    """The scope of an organization given by id, name, `default` or `root`. Raises UnknownOrganization."""
    org_id = queries.find_org_id(text) if len(text) <= _MAX_CHARS and "\x00" not in text else None
    if org_id is None:
        raise UnknownOrganization(_("This organization does not exist. Choose another one."))
    return OrgScope(org_id)


def name_of(org_id: UUID) -> str:
    """Name of an organization, including the root; empty when it does not exist."""
    return queries.name_of(org_id)


def names() -> Mapping[UUID, str]:
    """Names of all organizations by id."""
    return queries.names()


def describe(scope: OrgScope) -> dict[str, object]:
    """Description of a scope's organization for the console: id, name, is_default, is_root, comment."""
    org = queries.find(scope.org_id)
    return {
        "id": str(scope.org_id),
        "name": org.name if org else identity.root_org_name(),
        "is_default": scope.is_default,
        "is_root": scope.is_root,
        "comment": org.comment if org else "",
    }


def statistics(org_ids: Collection[UUID]) -> dict[UUID, dict[str, int]]:
    """Number of users, assets … of each organization: `resource_statistics` of the contract. One query.

    Counts of an organization with more than 10,000 objects are at most a minute old, because counting them reads an
    index entry for each object. Without Redis all are counted.
    """
    holdings = [holding for holding in tenancy.HOLDINGS.value if holding.statistic]
    keys = {f"{_STATISTICS_KEY}{org_id}": org_id for org_id in org_ids}
    statistics_by_org = {keys[key]: amounts for key, amounts in _kept(keys).items()}
    counted = tenancy.counts(holdings, [org_id for org_id in org_ids if org_id not in statistics_by_org])
    for org_id, amounts in counted.items():
        statistics_by_org[org_id] = dict.fromkeys(STATISTICS, 0)
        for number, amount in amounts.items():
            statistics_by_org[org_id][holdings[number].statistic] = amount
    costly = {
        key: statistics_by_org[org_id]
        for key, org_id in keys.items()
        if org_id in counted and sum(counted[org_id].values()) > _MANY_OBJECTS
    }
    if costly:
        with contextlib.suppress(RedisError):
            cache.set_many(costly, _STATISTICS_S)
    return statistics_by_org


def _kept(keys: Collection[str]) -> dict[str, dict[str, int]]:
    try:
        return cache.get_many(keys)
    except RedisError:
        return {}


def require_licence_beyond_default(org_id: UUID) -> None:
    """Require a licence to grant rights in any organization but the default one, or to change it.

    Revoking rights needs none.
    """
    if org_id != DEFAULT_ORG_ID:
        licensing.require()
