"""Host keys of targets (K52: the key of a host is pinned for its address).

The first connection pins the key and later connections compare it. Only a user can replace it, by forgetting the old
key.
"""

import base64
import binascii
import hashlib
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.assets.host_keys.errors import BadHostKey
from postern.apps.assets.host_keys.events import HostKeyChanged
from postern.apps.assets.host_keys.models import HostKey
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


@transaction.atomic
def check_host_key(*, actor: Actor, asset_id: UUID, host: str, port: int, via: str, public_key: str) -> HostKeyAnswer:
    """Compare the host key of a target with the key pinned for (asset, address, port, hop).

    The first use pins the key. A different key is refused and audited, and the pinned key stays. Raises `BadHostKey`
    for text that is not a key line, `NotFound` for an unknown asset.
    """
    key_type, line, fingerprint = _parse(public_key)
    if len(host) > _MAX_NAME or len(via) > _MAX_NAME:
        raise BadHostKey(_("The target did not send a valid host key. Check that its port belongs to an SSH server."))
    # The row lock makes two simultaneous first connections agree on one key.
    asset = Asset.objects.select_for_update().filter(pk=asset_id).first()
    if asset is None:
        raise NotFound(_("The asset was not found. It may have been deleted."))
    pinned = HostKey.objects.filter(asset=asset, host=host, port=port, via=via).first()
    if pinned is None:
        pinned = HostKey.objects.create(
            org_id=asset.org_id,
            asset=asset,
            host=host,
            port=port,
            via=via,
            key_type=key_type,
            public_key=line,
            fingerprint=fingerprint,
            date_last_seen=now(),
            created_by=actor.label,
        )
        audits.record_change(
            actor=actor,
            action="create",
            event=audits.Event.HOST_KEY_PINNED,
            target=pinned,
            new={"asset": str(asset), "via": via, "fingerprint": fingerprint, "key_type": key_type},
        )
        return HostKeyAnswer(verdict=HostKeyVerdict.PINNED, pinned_fingerprint=fingerprint)
    if pinned.public_key == line:
        pinned.date_last_seen = now()
        pinned.save(update_fields=["date_last_seen"])
        return HostKeyAnswer(verdict=HostKeyVerdict.MATCH, pinned_fingerprint=fingerprint)
    pinned.refused_fingerprint, pinned.date_refused = fingerprint, now()
    pinned.save(update_fields=["refused_fingerprint", "date_refused"])
    audits.record_change(
        actor=actor,
        action="other",
        event=audits.Event.HOST_KEY_REFUSED,
        target=pinned,
        old={"fingerprint": pinned.fingerprint},
        new={"asset": str(asset), "via": via, "shown_fingerprint": fingerprint, "shown_key_type": key_type},
    )
    events.publish(
        HostKeyChanged(org_id=asset.org_id, asset_id=asset.pk, host=host, port=port, shown_fingerprint=fingerprint)
    )
    message = _(
        "The host key of %(asset)s has changed: the host sent %(shown)s, but %(pinned)s is on record. Somebody "
        "may be intercepting the connection, or the host was reinstalled. The connection was refused. An "
        "administrator who knows the reason can forget the old key on the page of the asset."
    ) % {"asset": asset.hostname, "shown": fingerprint, "pinned": pinned.fingerprint}
    return HostKeyAnswer(verdict=HostKeyVerdict.CHANGED, pinned_fingerprint=pinned.fingerprint, message=message)


@transaction.atomic
def forget_host_key(*, actor: Actor, host_key: HostKey) -> None:
    """Delete a pinned key, so that the next connection pins the key it receives."""
    old = {"asset": str(host_key.asset), "via": host_key.via, "fingerprint": host_key.fingerprint}
    recorded.delete_row(actor=actor, row=host_key, old=old, event=audits.Event.HOST_KEY_FORGOTTEN)


def _parse(public_key: str) -> tuple[str, str, str]:
    """Type, normalised line without its comment, and fingerprint of a key line."""
    parts = public_key[: _MAX_KEY_LINE + 1].split()
    blob = _decoded(parts[1]) if len(public_key) <= _MAX_KEY_LINE and len(parts) > 1 else b""
    # The blob repeats the key type: a 32-bit length and the name.
    length = int.from_bytes(blob[:4], "big")
    if not blob or blob[4 : 4 + length] != parts[0].encode("utf-8") or len(parts[0]) > _MAX_TYPE:
        raise BadHostKey(_("The target did not send a valid host key. Check that its port belongs to an SSH server."))
    digest = base64.b64encode(hashlib.sha256(blob).digest()).decode("ascii").rstrip("=")
    return parts[0], f"{parts[0]} {parts[1]}", f"SHA256:{digest}"


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return b""
