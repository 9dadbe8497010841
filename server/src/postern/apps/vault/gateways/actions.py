"""Writes of gateways.

Secrets go into the encrypted store; audit records only say that they changed.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.assets import facade as assets
from postern.apps.assets.models import Asset, Domain
from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.apps.vault.gateways.errors import LastGateway
from postern.apps.vault.gateways.models import Gateway
from postern.apps.vault.gateways.places import GATEWAYS, place_of
from postern.apps.vault.sealed_secrets import outside, secret_store
from postern.apps.vault.system_users.errors import FieldRefused
from postern.apps.vault.system_users.rules import Plan, cleared_secrets, take_secrets
from postern.contracts.access import HostKeyAnswer
from postern.contracts.routes import Gateway as RouteGateway
from postern.foundation.caller.actor import Actor
from postern.foundation.database import row_locks
from postern.kernel.errors import NotFound
from postern.kernel.ids import new_id

_SECRETS: Final = ("password", "private_key")
_COLUMNS: Final = ("name", "ip", "port", "protocol", "username", "is_active", "comment")


def hold(
    org_ids: Collection[UUID],
    gateways: Sequence[Gateway],
    values: Sequence[Mapping[str, Any]],
    *,
    deleting: bool = False,
) -> None:
    """Lock what a write of gateways needs. The lock of the tree comes first, as in writes of assets and domains."""
    assets.hold_trees(org_ids)
    keys = [row.pk for row in gateways]
    row_locks.lock(Gateway, keys, deleting=deleting)
    row_locks.share(Domain, (), required={item["domain"].pk for item in values if item.get("domain")})
    secret_store.lock_all(GATEWAYS, keys, deleting=deleting)


@transaction.atomic
def create_gateway(*, actor: Actor, org_id: UUID, values: Mapping[str, Any]) -> Gateway:
    """Create a gateway. `values`: columns, `domain`, `password`, `private_key`."""
    assets.hold_trees([org_id])
    made = _plan(values)
    if "password" in values and not made.secrets:
        raise FieldRefused("password", _("A gateway needs a password or a private key to sign in with."))
    row = Gateway(id=outside.repeatable("id", new_id), org_id=org_id, created_by=actor.label, **made.columns)
    _take_public_key(row, made)
    row.save(force_insert=True)
    secret_store.put_all(place_of(row, ""), made.secrets)
    shown = {**_columns_of(row), "domain": row.domain.name}
    audits.record_change(actor=actor, action="create", target=row, new={**shown, **secret_store.masked(made.secrets)})
    return row


@transaction.atomic
def update_gateway(*, actor: Actor, gateway: Gateway, values: Mapping[str, Any]) -> Gateway:
    """Change the given values. An empty secret keeps the stored secret, and null removes it. A gateway stays in its domain."""
    row: Gateway = Gateway.objects.select_for_update(of=("self",), no_key=True).get(pk=gateway.pk)
    made = _plan(values)
    held = secret_store.held_columns(place_of(row, ""))
    made.cleared = cleared_secrets(values, held)
    old, new = recorded.assign(row, {name: value for name, value in made.columns.items() if name in _COLUMNS})
    if not new and not made.secrets and not made.cleared:  # no change, so nothing to audit
        return row
    _take_public_key(row, made)
    row.save()
    secret_store.put_all(place_of(row, ""), made.secrets)
    for name in made.cleared:
        secret_store.drop(place_of(row, name))
    secrets = {*made.secrets, *made.cleared}
    audits.record_change(
        actor=actor,
        action="update",
        target=row,
        old={**old, **secret_store.masked(secrets, held)},
        new={**new, **secret_store.masked(secrets, set(made.secrets))},
    )
    return row


@transaction.atomic
def delete_gateway(*, actor: Actor, gateway: Gateway) -> None:
    """Delete a gateway with its secrets and pinned host keys. Raises `LastGateway`."""
    hold([gateway.org_id], [gateway], (), deleting=True)
    _require_another(gateway)
    old = {**_columns_of(gateway), "domain": gateway.domain.name}
    secret_store.drop_all(place_of(gateway, ""))
    assets.forget_host_keys_of(gateway_id=gateway.pk)
    recorded.delete_row(actor=actor, row=gateway, old=old)


@transaction.atomic
def check_host_key(*, actor: Actor, gateway_id: UUID, via: str, public_key: str) -> HostKeyAnswer:
    """Compare the host key that a gateway sent with the pinned key. Raises `NotFound`, `BadHostKey`."""
    # The row lock makes two simultaneous first connections agree on one key.
    row = Gateway.objects.select_for_update(of=("self",)).filter(pk=gateway_id).first()
    if row is None:
        raise NotFound(_("This gateway does not exist."))
    owner = assets.HostKeyOwner(name=row.name, org_id=row.org_id, gateway_id=row.pk)
    return assets.check_gateway_host_key(
        actor=actor, gateway=owner, host=row.ip, port=row.port, via=via, public_key=public_key
    )


def note_answer(stage: Sequence[RouteGateway], gateway_id: UUID) -> None:
    """A gateway of a stage has answered: those that are tried before it have not. Later sessions try them last.

    An observation, so no audit record; rows are written only when the observation differs.
    """
    tried = [gateway.id for gateway in stage]
    silent = tried[: tried.index(gateway_id)]
    Gateway.objects.filter(pk=gateway_id, is_connective=False).update(is_connective=True)
    if silent:
        Gateway.objects.filter(pk__in=silent, is_connective=True).update(is_connective=False)


def note_silence(gateway_id: UUID) -> None:
    """A gateway did not let anybody through: sessions try it last. An observation, so no audit record."""
    Gateway.objects.filter(pk=gateway_id, is_connective=True).update(is_connective=False)


def _require_another(gateway: Gateway) -> None:
    """Refuse to turn a domain with assets into a label, because they would be connected to directly."""
    others = Gateway.objects.filter(domain_id=gateway.domain_id).exclude(pk=gateway.pk)
    if others.exists():
        return
    count = Asset.objects.filter(domain_id=gateway.domain_id).count()
    if count:
        raise LastGateway(
            _(
                "%(gateway)s is the last gateway of the domain %(domain)s, which has %(count)d assets. Without it they "
                "would be connected to directly. Deactivate the gateway, add another one first, or take the assets "
                "out of the domain."
            )
            % {"gateway": gateway.name, "domain": gateway.domain.name, "count": count}
        )


def _plan(values: Mapping[str, Any]) -> Plan:
    made = Plan({name: value for name, value in values.items() if name not in {*_SECRETS, "public_key"}})
    take_secrets(made, values)
    return made


def _columns_of(row: Gateway) -> dict[str, Any]:
    return {name: getattr(row, name) for name in _COLUMNS}


def _take_public_key(row: Gateway, made: Plan) -> None:
    if made.key is not None:
        row.public_key, row.ssh_key_fingerprint = made.key.public_key, made.key.fingerprint
    elif "private_key" in made.cleared:
        row.public_key, row.ssh_key_fingerprint = "", ""
