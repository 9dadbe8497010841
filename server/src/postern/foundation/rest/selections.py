"""`spm` selections: a stored list of ids, so that a long selection fits into a URL.

The token is random, expires after `LIFETIME_S` and belongs to one person in one organization (K67: stored selections
are private and short-lived). Another user's token yields an empty list, as an expired token does. Callers check the
caller's rights to each row again.
"""

from collections.abc import Sequence
from typing import Final

from django.core.cache import cache
from django.utils.translation import gettext as _

from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.kernel.errors import PosternError
from postern.kernel.ids import new_token, token_hash

LIFETIME_S: Final = 300
MAX_IDS: Final = 100_000


def keep(ids: Sequence[str], actor: Actor, scope: OrgScope) -> str:
    """Store a selection and return its token."""
    token = new_token()
    cache.set(_key(token, actor, scope), list(ids), LIFETIME_S)
    return token


def find(token: str, actor: Actor, scope: OrgScope) -> list[str] | None:
    """The ids stored under `token`; None when the token is unknown, expired or belongs to somebody else."""
    ids = cache.get(_key(token, actor, scope))
    return list(ids) if isinstance(ids, list) else None


class SelectionLapsed(PosternError):
    """A write or an export names a selection that is not there: it would do nothing and seem to have succeeded."""

    code = "selection_required"
    status = 400

    def __init__(self) -> None:
        super().__init__(_("The selection has expired, and nothing was done. Select the objects again."))


def _key(token: str, actor: Actor, scope: OrgScope) -> str:
    return f"selection:{token_hash(f'{token}:{actor.user_id}:{scope.org_id}')}"
