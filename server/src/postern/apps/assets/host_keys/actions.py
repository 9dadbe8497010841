"""Host keys of targets and gateways (K52: the key of a host is pinned for its address and the way to it).

The first connection pins the key and later connections compare it. Only a user can replace it, by forgetting the old
key.
"""

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

import msgspec
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from postern.apps.assets.assets import gateways
from postern.apps.assets.host_keys.errors import BadHostKey
from postern.apps.assets.host_keys.events import HostKeyChanged
from postern.apps.assets.host_keys.models import MAX_VIA, HostKey
from postern.apps.assets.tree.models import Asset
from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.contracts.access import HostKeyAnswer
from postern.contracts.enums import HostKeyVerdict
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.kernel.clock import now
from postern.kernel.errors import NotFound

_MAX_KEY_LINE: Final = 16_384
_MAX_TYPE: Final = 64
_MAX_NAME: Final = 255


class _Key(NamedTuple):
    """A key line without its comment, its type, and `SHA256:…`."""

    kind: str
    line: str
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whose host key it is: exactly one of `asset_id` and `gateway_id` is set."""

    name: str
    org_id: UUID
    asset_id: UUID | None = None
    gateway_id: UUID | None = None

    @property
    def shown(self) -> dict[str, str]:
        """The owner as the audit record stores it."""
        return {"asset" if self.asset_id else "gateway": self.name}

    @property
    def condition(self) -> Q:
        """Selects the rows of the owner."""
        return Q(asset=self.asset_id) if self.asset_id else Q(gateway_id=self.gateway_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a key was seen. `via` names the gateways that were passed, "" for none."""

    host: str
    port: int
    via: str


def check_host_key(*, actor: Actor, asset_id: UUID, host: str, port: int, via: str, public_key: str) -> HostKeyAnswer:
    """Compare the host key of a target with the key pinned for (asset, address, port, hop).

    The first use pins the key. A different key is refused and audited, and the pinned key stays. Raises `BadHostKey`
    for text that is not a key line, `NotFound` for an unknown asset.
    """
    key = _parse(public_key)
    place = Place(host=host, port=port, via=via)
    # The usual case is one statement and waits for no lock of the asset.
    return _seen_again(Q(asset=asset_id), place, key) or _check_of_asset(actor, asset_id, place, key)


@transaction.atomic
def _check_of_asset(actor: Actor, asset_id: UUID, place: Place, key: _Key) -> HostKeyAnswer:
    # The row lock makes two simultaneous first connections agree on one key.
    asset = Asset.objects.select_for_update(of=("self",)).filter(pk=asset_id).first()
    if asset is None:
        raise NotFound(_("The asset was not found. It may have been deleted."))
    answer = _compare(actor, Owner(name=str(asset), org_id=asset.org_id, asset_id=asset.pk), place, key)
    return (
        msgspec.structs.replace(answer, message=_changed_asset(asset, answer, key)) if _is_changed(answer) else answer
    )


def _seen_again(owner: Q, place: Place, key: _Key) -> HostKeyAnswer | None:
    """The answer for a key that is pinned there already, which is noted; None for every other key."""
    pinned = HostKey.objects.filter(owner, host=place.host, port=place.port, via=place.via, public_key=key.line)
    if not pinned.update(date_last_seen=now()):
        return None
    return HostKeyAnswer(verdict=HostKeyVerdict.MATCH, pinned_fingerprint=key.fingerprint)


@transaction.atomic
def check_gateway_host_key(
    *, actor: Actor, gateway: Owner, host: str, port: int, via: str, public_key: str
) -> HostKeyAnswer:
    """Compare the host key of a gateway as `check_host_key` does. The caller has locked the gateway's row."""
    key = _parse(public_key)
    answer = _compare(actor, gateway, Place(host=host, port=port, via=via), key)
    return (
        msgspec.structs.replace(answer, message=_changed_gateway(gateway, answer, key))
        if _is_changed(answer)
        else answer
    )


def _compare(actor: Actor, owner: Owner, place: Place, key: _Key) -> HostKeyAnswer:
    if len(place.host) > _MAX_NAME or len(place.via) > MAX_VIA:
        raise _no_key()
    if (seen := _seen_again(owner.condition, place, key)) is not None:
        return seen
    pinned = HostKey.objects.filter(owner.condition).filter(host=place.host, port=place.port, via=place.via).first()
    if pinned is None:
        pinned = HostKey.objects.create(
            org_id=owner.org_id,
            asset_id=owner.asset_id,
            gateway_id=owner.gateway_id,
            host=place.host,
            port=place.port,
            via=place.via,
            key_type=key.kind,
            public_key=key.line,
            fingerprint=key.fingerprint,
            date_last_seen=now(),
            created_by=actor.label,
        )
        audits.record_change(
            actor=actor,
            action="create",
            event=audits.Event.HOST_KEY_PINNED,
            target=pinned,
            new={**owner.shown, "via": place.via, "fingerprint": key.fingerprint, "key_type": key.kind},
        )
        return HostKeyAnswer(verdict=HostKeyVerdict.PINNED, pinned_fingerprint=key.fingerprint)
    pinned.refused_fingerprint, pinned.date_refused = key.fingerprint, now()
    pinned.save(update_fields=["refused_fingerprint", "date_refused"])
    audits.record_change(
        actor=actor,
        action="other",
        event=audits.Event.HOST_KEY_REFUSED,
        target=pinned,
        old={"fingerprint": pinned.fingerprint},
        new={**owner.shown, "via": place.via, "shown_fingerprint": key.fingerprint, "shown_key_type": key.kind},
    )
    events.publish(
        HostKeyChanged(
            org_id=owner.org_id,
            asset_id=owner.asset_id,
            host=place.host,
            port=place.port,
            shown_fingerprint=key.fingerprint,
            gateway_id=owner.gateway_id,
        )
    )
    return HostKeyAnswer(verdict=HostKeyVerdict.CHANGED, pinned_fingerprint=pinned.fingerprint)


def _is_changed(answer: HostKeyAnswer) -> bool:
    return answer.verdict is HostKeyVerdict.CHANGED


def _changed_asset(asset: Asset, answer: HostKeyAnswer, key: _Key) -> str:
    return _(
        "The host key of %(asset)s has changed: the host sent %(shown)s, but %(pinned)s is on record. Somebody "
        "may be intercepting the connection, or the host was reinstalled. The connection was refused. An "
        "administrator who knows the reason can forget the old key on the page of the asset."
    ) % {"asset": asset.hostname, "shown": key.fingerprint, "pinned": answer.pinned_fingerprint}


def _changed_gateway(gateway: Owner, answer: HostKeyAnswer, key: _Key) -> str:
    return _(
        "The host key of the gateway %(gateway)s has changed: it sent %(shown)s, but %(pinned)s is on record. Somebody "
        "may be intercepting the connection, or the gateway was reinstalled. The connection was refused. An "
        "administrator who knows the reason can forget the old key on the page of the gateway."
    ) % {"gateway": gateway.name, "shown": key.fingerprint, "pinned": answer.pinned_fingerprint}


@transaction.atomic
def forget_host_keys_of(*, gateway_id: UUID) -> None:
    """Delete the pinned keys of a gateway that is being deleted; the record of the gateway's deletion tells it."""
    HostKey.objects.filter(gateway_id=gateway_id).delete()


@transaction.atomic
def forget_host_key(*, actor: Actor, host_key: HostKey) -> None:
    """Delete a pinned key, so that the next connection pins the key it receives."""
    owner = _shown_owner(host_key)
    old = {**owner, "via": host_key.via, "fingerprint": host_key.fingerprint}
    recorded.delete_row(actor=actor, row=host_key, old=old, event=audits.Event.HOST_KEY_FORGOTTEN)


def _shown_owner(host_key: HostKey) -> dict[str, str]:
    if host_key.gateway_id is None:
        return {"asset": str(host_key.asset)}
    return {"gateway": gateways.names([host_key.gateway_id]).get(host_key.gateway_id, str(host_key.gateway_id))}


def _parse(public_key: str) -> _Key:
    """Read a key line; its comment is dropped."""
    parts = public_key[: _MAX_KEY_LINE + 1].split()
    blob = _decoded(parts[1]) if len(public_key) <= _MAX_KEY_LINE and len(parts) > 1 else b""
    # The blob repeats the key type: a 32-bit length and the name.
    length = int.from_bytes(blob[:4], "big")
    if not blob or blob[4 : 4 + length] != parts[0].encode("utf-8") or len(parts[0]) > _MAX_TYPE:
        raise _no_key()
    digest = base64.b64encode(hashlib.sha256(blob).digest()).decode("ascii").rstrip("=")
    return _Key(kind=parts[0], line=f"{parts[0]} {parts[1]}", fingerprint=f"SHA256:{digest}")


def _no_key() -> BadHostKey:
    """SSH and WinRM over HTTPS have keys, of a host and of a certificate. Which of them was spoken is not known here."""
    return BadHostKey(
        _(
            "The target did not show a valid key. Check that the port belongs to the service that the asset names for "
            "it: SSH, or WinRM over HTTPS."
        )
    )


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return b""
