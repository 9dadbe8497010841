"""Reads of gateways: the route to an asset, and the credential for one sign-in (internal API only)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from postern.apps.assets import facade as assets
from postern.apps.assets.models import Domain
from postern.apps.vault.gateways.errors import GatewayUnusable
from postern.apps.vault.gateways.models import Gateway
from postern.apps.vault.gateways.places import place_of
from postern.apps.vault.sealed_secrets import secret_store
from postern.contracts.access import Credential
from postern.contracts.routes import Gateway as RouteGateway
from postern.contracts.routes import Route
from postern.foundation.phrases import Phrase
from postern.kernel.errors import NotFound

_UNKNOWN: Final = Phrase("vault.gateway_unknown", _("This gateway does not exist."))
_UNUSABLE: Final = Phrase(
    "vault.gateway_unusable",
    _("The gateway %(name)s has no username, or neither a password nor a private key. Tell an administrator."),
)

#: The columns of a gateway that the API shows; none is a secret.
_SHOWN: Final = (
    "id", "name", "ip", "port", "protocol", "username", "is_active", "is_connective", "ssh_key_fingerprint", "comment",
)  # fmt: skip


def in_order_of_trying(rows: QuerySet[Gateway]) -> QuerySet[Gateway]:
    """Gateways in the order in which sessions try them: those that answered last time, then by name."""
    return rows.order_by("-is_connective", "name", "pk")


def route_to(domain_id: UUID | None) -> Route:
    """The way to the assets of a domain, outermost stage first. Direct without a domain.

    A domain without gateways that is not reached through another domain is only a label: direct, too. In all other
    cases a stage whose gateways are all switched off is empty, and so is a domain on the way that has no gateway: it
    cannot be passed.
    """
    if domain_id is None:
        return Route()
    org_ids = Domain.objects.filter(pk=domain_id).values("org_id")
    links = dict(Domain.objects.filter(org_id__in=org_ids).values_list("pk", "reached_through_id"))
    way = assets.way_to(domain_id, links)
    stages: dict[UUID, list[RouteGateway]] = {step: [] for step in way[1:]}
    for row in in_order_of_trying(Gateway.objects.filter(domain_id__in=way)):
        stage = stages.setdefault(row.domain_id, [])
        if row.is_active:
            stage.append(RouteGateway(id=row.pk, name=row.name, host=row.ip, port=row.port, login_name=row.username))
    return Route(stages=tuple(tuple(stages[step]) for step in reversed(way) if step in stages))


def route_through(gateway_id: UUID) -> Route:
    """The way through exactly this gateway of its domain, whether it is active or not. Raises `NotFound`."""
    row = Gateway.objects.filter(pk=gateway_id).first()
    if row is None:
        raise NotFound(_UNKNOWN.say())
    only = RouteGateway(id=row.pk, name=row.name, host=row.ip, port=row.port, login_name=row.username)
    *before, _own_stage = route_to(row.domain_id).stages
    return Route(stages=(*before, (only,)))


def open_gateway_credential(gateway_id: UUID) -> Credential:
    """The secrets for one sign-in on a gateway. Raises `NotFound`, `GatewayUnusable`, `SecretUnreadable`."""
    row = Gateway.objects.filter(pk=gateway_id).first()
    if row is None:
        raise NotFound(_UNKNOWN.say())
    password = secret_store.get(place_of(row, "password"))
    private_key = secret_store.get(place_of(row, "private_key"))
    if not row.username or (password is None and private_key is None):
        raise GatewayUnusable(_UNUSABLE.say(name=row.name))
    return Credential(
        login_name=row.username,
        password=password.reveal() if password else "",
        private_key=private_key.reveal() if private_key else "",
    )


def names(ids: Iterable[UUID]) -> dict[UUID, str]:
    """The name of each existing gateway, by id."""
    return dict(Gateway.objects.filter(pk__in=set(ids)).values_list("pk", "name"))


class Gateways:
    """The lookups that the assets app requires (`assets.facade.GatewayDirectory`)."""

    def listed(self, domain_ids: Iterable[UUID]) -> Mapping[UUID, Sequence[Mapping[str, Any]]]:
        listed: defaultdict[UUID, list[Mapping[str, Any]]] = defaultdict(list)
        for row in in_order_of_trying(Gateway.objects.filter(domain_id__in=set(domain_ids))):
            listed[row.domain_id].append({name: getattr(row, name) for name in _SHOWN})
        return listed

    def names(self, gateway_ids: Iterable[UUID]) -> Mapping[UUID, str]:
        return names(gateway_ids)
