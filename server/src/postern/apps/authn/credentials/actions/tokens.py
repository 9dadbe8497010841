"""Bearer tokens and access keys."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction

from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.apps.authn.credentials import callers
from postern.apps.authn.credentials.errors import TooManyAccessKeys
from postern.apps.authn.credentials.events import CredentialsEnded
from postern.apps.authn.credentials.models import AccessKey, BearerToken
from postern.apps.authn.known_places import places
from postern.apps.authn.signatures.models import UsedSignature
from postern.apps.users import facade as users
from postern.apps.users.accounts import service_accounts
from postern.apps.users.credentials.rules import mfa_is_forced
from postern.apps.users.models import User
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.machine import secret_files
from postern.kernel import clock
from postern.kernel.ids import new_token, same, token_hash
from postern.kernel.secret import Secret

TOKEN_LIFETIME: Final = timedelta(seconds=86_400)
MAX_ACCESS_KEYS: Final = 20
#: Columns of a key that can be changed after its creation.
_CHANGEABLE: Final = frozenset({"comment", "is_active", "date_expired"})
_NONCE_BYTES: Final = 32
_TOUCH_EVERY: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new bearer token with its text. The text is returned once and not stored."""

    token: Secret
    expires_at: datetime


@transaction.atomic
def issue_token(*, actor: Actor, user: User, remote_addr: str, mfa: bool) -> IssuedToken:
    """Create a bearer token for a user whose factors have been verified. `mfa`: the second factor was verified."""
    token, now = new_token(), clock.now()
    row = BearerToken.objects.create(
        user=user,
        token_hash=token_hash(token),
        epoch=user.session_epoch,
        remote_addr=remote_addr[:64],
        mfa=mfa,
        date_mfa_verified=now if mfa else None,
        date_expired=now + TOKEN_LIFETIME,
    )
    audits.record_change(
        actor=actor, action="create", target=row, new={"user": str(user)}, event=audits.Event.BEARER_TOKEN_ISSUED
    )
    return IssuedToken(token=Secret(token), expires_at=row.date_expired)


def find_token(token: str) -> BearerToken | None:
    """The token with its user, or None when it is no longer valid."""
    row = BearerToken.objects.select_related("user").filter(token_hash=token_hash(token)).first()
    if row is None or row.date_revoked is not None or row.date_expired <= clock.now():
        return None
    if row.epoch != row.user.session_epoch or not row.user.is_valid:
        return None
    if not row.mfa and mfa_is_forced(row.user):
        return None
    return row


@transaction.atomic
def revoke_token(*, actor: Actor, token: BearerToken) -> None:
    """Revoke a bearer token."""
    if BearerToken.objects.filter(pk=token.pk, date_revoked__isnull=True).update(date_revoked=clock.now()) != 1:
        return
    audits.record_change(actor=actor, action="update", target=token, event=audits.Event.BEARER_TOKEN_REVOKED)
    _publish_ended(token.user_id, callers.name_of_token(token.pk))


@transaction.atomic
def end_tokens(*, user_id: UUID, keep_epoch: int | None = None) -> int:
    """Revoke all bearer tokens of a user; returns their number. `keep_epoch`: keep those created under the current
    password.

    Call it in the transaction that records the reason.
    """
    rows = BearerToken.objects.filter(user_id=user_id, date_revoked__isnull=True, date_expired__gt=clock.now())
    if keep_epoch is not None:
        rows = rows.exclude(epoch=keep_epoch)
    ids = list(rows.select_for_update().order_by("pk").values_list("pk", flat=True))
    BearerToken.objects.filter(pk__in=ids).update(date_revoked=clock.now())
    _publish_ended(user_id, *(callers.name_of_token(pk) for pk in ids))
    return len(ids)


def _publish_ended(user_id: UUID, *credentials: str) -> None:
    if credentials:
        events.publish(CredentialsEnded(user_id=user_id, credentials=frozenset(credentials)))


def find_key(key_id: UUID) -> AccessKey | None:
    """The key with its owner if the key is active and the account may be used, else None. The key may have expired.

    `callers.conditions` checks the owner's other conditions.
    """
    key = AccessKey.objects.select_related("user").filter(pk=key_id, is_active=True).first()
    if key is None or not key.user.is_valid:
        return None
    return key


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A new access key with its secret, which is shown once."""

    key: AccessKey
    secret: Secret


@transaction.atomic
def create_access_key(
    *, actor: Actor, user: User, comment: str = "", date_expired: datetime | None = None
) -> IssuedKey:
    """Create an access key for the caller. Raises TooManyAccessKeys, OwnServiceAccount."""
    service_accounts.refuse_itself(actor, users.hold(actor, user))
    return make_key(actor=actor, user=user, comment=comment, date_expired=date_expired)


def make_key(
    *, actor: Actor, user: User, comment: str, date_expired: datetime | None, is_active: bool = True
) -> IssuedKey:
    """Create an access key of a user whose row is locked. Raises TooManyAccessKeys.

    Must run inside the caller's transaction.
    """
    if AccessKey.objects.filter(user=user).count() >= MAX_ACCESS_KEYS:
        raise TooManyAccessKeys(MAX_ACCESS_KEYS)
    key = AccessKey.objects.create(
        user=user,
        nonce=secrets.token_bytes(_NONCE_BYTES),
        comment=comment,
        date_expired=date_expired,
        is_active=is_active,
        maker_id=actor.user_id if actor.user_id != user.pk else None,
        is_of_service=user.is_service_account,
        created_by=actor.label[:260],
    )
    new = {"user": str(user), "comment": comment, "date_expired": date_expired, "is_active": is_active}
    audits.record_change(actor=actor, action="create", target=key, new=new)
    return IssuedKey(key=key, secret=secret_of(key))


@transaction.atomic
def set_access_key_active(*, actor: Actor, key: AccessKey, is_active: bool) -> AccessKey:
    """Switch the caller's access key on or off. A key that is off is refused at once."""
    return change_access_key(actor=actor, key=key, values={"is_active": is_active})


@transaction.atomic
def change_access_key(*, actor: Actor, key: AccessKey, values: Mapping[str, object]) -> AccessKey:
    """Change comment, end or state of the caller's access key. Raises OwnServiceAccount."""
    service_accounts.refuse_itself(actor, users.hold(actor, key.user))
    return change_key(actor=actor, key=key, values=values)


def change_key(*, actor: Actor, key: AccessKey, values: Mapping[str, object]) -> AccessKey:
    """Change comment, end or state of a key whose user is locked. A key that is switched off is refused at once.

    Must run inside the caller's transaction.
    """
    old, new = recorded.assign(key, {name: value for name, value in values.items() if name in _CHANGEABLE})
    if new:
        key.save(update_fields=sorted(new))
        audits.record_change(actor=actor, action="update", target=key, old=old, new=new)
        if not key.is_active:
            _publish_ended(key.user_id, callers.name_of_key(key.pk))
    return key


@transaction.atomic
def delete_access_key(*, actor: Actor, key: AccessKey) -> None:
    """Delete the caller's access key."""
    service_accounts.refuse_itself(actor, key.user)
    recorded.delete_row(actor=actor, row=key, old={"user": str(key.user), "is_active": key.is_active})
    _publish_ended(key.user_id, callers.name_of_key(key.pk))


@transaction.atomic
def delete_access_keys(*, user_id: UUID) -> int:
    """Delete all access keys of a user; returns their number. Call it in the transaction that records the reason."""
    ids = list(
        AccessKey.objects.select_for_update().filter(user_id=user_id).order_by("pk").values_list("pk", flat=True)
    )
    AccessKey.objects.filter(pk__in=ids).delete()
    _publish_ended(user_id, *(callers.name_of_key(pk) for pk in ids))
    return len(ids)


def secret_of(key: AccessKey) -> Secret:
    """The secret of a key, in the form of a UUID: derived, never stored.

    Verifying a signature needs the secret itself, so a hash is not enough. The secret is derived from the key's nonce
    with a key outside the database: a copy of the table alone cannot sign anything.
    """
    digest = hmac.digest(_derivation_key(), key.pk.bytes + bytes(key.nonce), "sha256")
    return Secret(str(UUID(bytes=digest[:16], version=4)))


def _derivation_key() -> bytes:
    text = secret_files.read_or_create(
        settings.POSTERN.secrets_dir / "access-keys.key", lambda: secrets.token_urlsafe(48)
    )
    return text.encode("ascii")


def signature_fits(key: AccessKey, signed_text: str, signature: str) -> bool:
    """Whether `signature` (base64) is the HMAC-SHA-256 of `signed_text` under the key's secret."""
    digest = hmac.new(secret_of(key).reveal().encode("ascii"), signed_text.encode("utf-8"), hashlib.sha256).digest()
    return same(base64.b64encode(digest).decode("ascii"), signature)


def take_signature(signature: str, *, valid_for: timedelta) -> bool:
    """Record that a signature was used; False when it was used before (K69: access keys are shown once and refused when
    off).
    """
    now = clock.now()
    try:
        with transaction.atomic():
            UsedSignature.objects.create(signature_hash=token_hash(signature), date_expired=now + valid_for)
    except IntegrityError:
        return False
    return True


def note_key_use(key: AccessKey, remote_addr: str) -> None:
    """Record use and address of a key, at most once a minute."""
    now = clock.now()
    if key.date_last_used is None or now - key.date_last_used >= _TOUCH_EVERY:
        AccessKey.objects.filter(pk=key.pk).update(date_last_used=now)
        places.remember_address(key.user, remote_addr)
