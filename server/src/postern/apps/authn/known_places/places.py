"""Places from which a user has signed in before: browsers by cookie, addresses by a recent completed sign-in.

Wrong passwords from unknown places lock an account for unknown places only. A known place has its own counter.
"""

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final
from uuid import UUID

from django.core.signing import BadSignature, Signer
from django.db.models import F

from postern.apps.authn.known_places.models import KnownPlace, PlaceKind
from postern.apps.users.models import User, username_key
from postern.foundation.database import row_writes
from postern.foundation.database.prepared import PreparedObjects, PreparedQuery
from postern.kernel import clock
from postern.kernel.addresses import address_key
from postern.kernel.ids import new_token, token_hash

DEVICE_LIFETIME: Final = timedelta(days=90)
ADDRESS_LIFETIME: Final = timedelta(days=30)
#: Limit per user and kind; the least recently used place is removed first.
_MAX_PLACES: Final = 20
_TOUCH_EVERY: Final = timedelta(minutes=1)
_SALT: Final = "postern.known-device"
_MAX_NAME_CHARS: Final = 512
_MAX_COOKIE_CHARS: Final = 256


def device_cookie_text(user: User, token: str) -> str:
    """Value of a device cookie: a token with a signature for its user."""
    return Signer(salt=f"{_SALT}:{user.pk}").sign(token)


def find(username: str, remote_addr: str, device: str = "", *, locked: bool = False) -> list[KnownPlace]:
    """The known places of this name that match an attempt: first the device, then the address.

    One query, for existing and other names. `locked`: lock the rows until the transaction ends.
    """
    rows = _matching(locked=locked).all(
        name=username_key(username[:_MAX_NAME_CHARS]),
        now=clock.now(),
        address=_address_hash(remote_addr),
        device=token_hash(_token_of(device)),
    )
    by_kind = {row.kind: row for row in rows if row.kind == PlaceKind.ADDRESS or _fits(row, device)}
    return [by_kind[kind] for kind in (PlaceKind.DEVICE, PlaceKind.ADDRESS) if kind in by_kind]


@cache
def _matching(*, locked: bool) -> PreparedObjects[KnownPlace]:
    """Prepared, because every password needs it."""
    places = KnownPlace.objects.select_for_update(of=("self",)) if locked else KnownPlace.objects.all()
    return PreparedObjects(
        KnownPlace,
        lambda name, now, address, device: places.filter(
            user__username_key=name,
            epoch=F("user__session_epoch"),
            date_expired__gt=now,
            key_hash__in=[address, device],
        ).order_by("date_created"),
        stand_ins={
            "name": "stand-in",
            "now": datetime.max.replace(tzinfo=UTC),
            "address": "of-address",
            "device": "of-device",
        },
    )


def is_known_address(remote_addr: str) -> bool:
    """Whether any user has recently signed in from this address."""
    rows = KnownPlace.objects.filter(kind=PlaceKind.ADDRESS, key_hash=_address_hash(remote_addr))
    return rows.filter(epoch=F("user__session_epoch"), date_expired__gt=clock.now()).exists()


def remember_address(user: User, remote_addr: str) -> None:
    """Record the address of a completed sign-in, in that sign-in's transaction."""
    if not remote_addr:
        return
    key_hash = _address_hash(remote_addr)
    place = _address_of_user().first(user_id=user.pk, key_hash=key_hash)
    if place is None:
        _add(user, PlaceKind.ADDRESS, key_hash, ADDRESS_LIFETIME)
    else:
        _touch(user, place, ADDRESS_LIFETIME)


def remember_device(user: User, device: str) -> str | None:
    """Record the browser of a completed sign-in; returns the value of a new cookie when the browser needs one."""
    for place in find(user.username, "", device) if device else ():
        _touch(user, place, DEVICE_LIFETIME)
        return None
    token = new_token()
    _add(user, PlaceKind.DEVICE, token_hash(token), DEVICE_LIFETIME)
    return device_cookie_text(user, token)


def keep_through_password_change(user: User, *, former_epoch: int, remote_addr: str, device: str) -> None:
    """Keep this place known after the user changed their own password here. The new session epoch voids other places."""
    hashes = [_address_hash(remote_addr), token_hash(_token_of(device))]
    KnownPlace.objects.filter(user=user, epoch=former_epoch, key_hash__in=hashes).update(epoch=user.session_epoch)


def forget_all(user: User) -> int:
    """Delete all known places of a user; returns their number."""
    return KnownPlace.objects.filter(user=user).delete()[0]


@cache
def _address_of_user() -> PreparedObjects[KnownPlace]:
    return PreparedObjects(
        KnownPlace,
        lambda user_id, key_hash: KnownPlace.objects.filter(
            user_id=user_id, kind=PlaceKind.ADDRESS, key_hash=key_hash
        ).order_by(),
        stand_ins={"user_id": UUID(int=1), "key_hash": "stand-in"},
    )


@cache
def _surplus() -> PreparedQuery:
    return PreparedQuery(
        lambda user_id, kind: KnownPlace.objects.filter(user_id=user_id, kind=kind).order_by("-date_last_used")[
            _MAX_PLACES:
        ],
        stand_ins={"user_id": UUID(int=1), "kind": "stand-in"},
        columns=("id",),
    )


def _add(user: User, kind: PlaceKind, key_hash: str, lifetime: timedelta) -> None:
    place = KnownPlace(
        user=user, kind=kind, key_hash=key_hash, epoch=user.session_epoch, date_expired=clock.now() + lifetime
    )
    # Another process may have inserted the same address at the same time.
    row_writes.insert([place], unless_present=True)
    row_writes.delete([KnownPlace(pk=key) for (key,) in _surplus().tuples(user_id=user.pk, kind=kind.value)])


def _touch(user: User, place: KnownPlace, lifetime: timedelta) -> None:
    now = clock.now()
    if place.epoch != user.session_epoch or now - place.date_last_used >= _TOUCH_EVERY:
        expired = now + lifetime
        KnownPlace.objects.filter(pk=place.pk).update(
            epoch=user.session_epoch, date_last_used=now, date_expired=expired
        )


def _address_hash(remote_addr: str) -> str:
    return token_hash(f"address:{address_key(remote_addr)}")


def _token_of(device: str) -> str:
    """The token in a cookie's value; its signature is not verified yet."""
    return device[:_MAX_COOKIE_CHARS].rpartition(":")[0]


def _fits(row: KnownPlace, device: str) -> bool:
    try:
        return token_hash(Signer(salt=f"{_SALT}:{row.user_id}").unsign(device[:_MAX_COOKIE_CHARS])) == row.key_hash
    except BadSignature:
        return False
