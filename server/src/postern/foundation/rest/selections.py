"""`spm` selections: a list of ids kept for a while, so that a long selection fits into a URL.

K67: the token is random, lives ten minutes at most and belongs to one person in one organization. With another's
token one gets an empty list, and what it is used for checks every row again.
"""

from collections.abc import Sequence
from typing import Final

from django.core.cache import cache

from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.kernel.ids import new_token, token_hash

LIFETIME_S: Final = 300
MAX_IDS: Final = 100_000


def keep(ids: Sequence[str], actor: Actor, scope: OrgScope) -> str:
    """Keep a selection; returns its token."""
    token = new_token()
    cache.set(_key(token, actor, scope), list(ids), LIFETIME_S)
    return token


def find(token: str, actor: Actor, scope: OrgScope) -> list[str]:
    """The ids kept under `token`; empty when it is unknown, expired or somebody else's."""
    kept = cache.get(_key(token, actor, scope))
    return list(kept) if isinstance(kept, list) else []


def _key(token: str, actor: Actor, scope: OrgScope) -> str:
    return f"selection:{token_hash(f'{token}:{actor.user_id}:{scope.org_id}')}"
