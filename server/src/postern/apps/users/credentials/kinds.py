"""Interface to all credentials and open sessions of a user, most of which higher apps store: list and end them.

The kinds of this app are `OWN_KINDS`; higher apps register theirs in `holdings.py`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet

from postern.apps.users.accounts.models import User
from postern.apps.users.credentials.models import SetPasswordLink
from postern.foundation.caller.actor import Actor
from postern.foundation.database.prepared import PreparedQuery
from postern.foundation.provided import Provided
from postern.kernel import clock
from postern.kernel.ssh_keys.public_keys import PublicKeyProblem, parse_public_keys

#: Kinds that a user or an administrator may choose to end with a password change; all others end anyway.
CHOICES: Final = ("access_keys", "bearer_tokens", "public_keys")

Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of credential or open session. `rows` describes each so that the user recognises it, never with a
    secret.

    `end` runs inside the caller's transaction and returns the number of ended credentials.
    """

    name: str
    rows: Callable[[User], Rows]
    end: Callable[[Actor, User], int]


KINDS: Final = Provided[Sequence[Kind]]("the kinds of credentials")


def held_by(user: User) -> Mapping[str, Rows]:
    """All credentials and open sessions of the user, by kind."""
    return {kind.name: kind.rows(user) for kind in KINDS.value}


def end(actor: Actor, user: User, names: Iterable[str] | None = None) -> dict[str, int]:
    """End credentials of the user, of the named kinds or of all.

    Returns the number per kind, without kinds of which there were none.
    """
    wanted = None if names is None else set(names)
    ended = {kind.name: kind.end(actor, user) for kind in KINDS.value if wanted is None or kind.name in wanted}
    return {name: number for name, number in ended.items() if number}


def _public_keys(user: User) -> Rows:
    try:
        keys = parse_public_keys(user.public_key)
    except PublicKeyProblem:
        keys = ()
    return [{"algorithm": key.algorithm, "fingerprint": key.sha256, "comment": key.comment} for key in keys]


def _end_public_keys(actor: Actor, user: User) -> int:
    del actor
    number = len(_public_keys(user)) or int(bool(user.public_key))
    User.objects.filter(pk=user.pk).update(public_key="")
    user.public_key = ""
    return number


def void_links(user: User) -> int:
    """Void the set-password links for the user; returns their number.

    Part of every write that changes the user's rights, the source of the account, or its password.
    """
    # Most users have none, and this query is compiled once.
    if not _open_links().tuples(user_id=user.pk):
        return 0
    return _void(SetPasswordLink.objects.filter(user_id=user.pk))


@cache
def _open_links() -> PreparedQuery:
    return PreparedQuery(
        lambda user_id: SetPasswordLink.objects.filter(
            user_id=user_id, date_used__isnull=True, date_voided__isnull=True
        ).order_by(),
        stand_ins={"user_id": UUID(int=1)},
        columns=("id",),
    )


def _void(rows: QuerySet[SetPasswordLink]) -> int:
    working = rows.filter(date_used__isnull=True, date_voided__isnull=True, date_expired__gt=clock.now())
    return working.update(date_voided=clock.now())


def _links(user: User) -> Rows:
    rows = SetPasswordLink.objects.filter(user=user, date_used__isnull=True, date_voided__isnull=True)
    return [
        {"created_by": row.created_by, "date_created": row.date_created, "date_expired": row.date_expired}
        for row in rows.filter(date_expired__gt=clock.now())
    ]


def _end_links(actor: Actor, user: User) -> int:
    """Also void links that the user created for others: an attacker with an administrator's account may have handed
    them out.
    """
    del actor
    return void_links(user) + _void(SetPasswordLink.objects.filter(maker_id=user.pk))


OWN_KINDS: Final = (
    Kind(name="public_keys", rows=_public_keys, end=_end_public_keys),
    Kind(name="set_password_links", rows=_links, end=_end_links),
)
