"""Wakes users' sockets after commit. The sockets read their data from the database, so a lost wake-up loses no data."""

import logging
from collections.abc import Collection
from typing import Final
from uuid import UUID

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction
from redis.exceptions import RedisError

from postern.kernel.ids import ROOT_ORG_ID

log = logging.getLogger(__name__)

#: Every open socket joins this group, for messages to many users.
EVERYBODY: Final = "site-messages.everybody"
UNREAD_CHANGED: Final = "unread.changed"
SIGNED_OUT: Final = "signed.out"
SESSIONS_CHANGED: Final = "sessions.changed"
#: Messages to more receivers than this use `EVERYBODY`.
_MANY: Final = 100


def group_of(user_id: UUID) -> str:
    """The group of a user's sockets."""
    return f"site-messages.user.{user_id}"


def group_of_login_session(login_session_id: UUID) -> str:
    """The group of the sockets of one browser sign-in."""
    return f"site-messages.sign-in.{login_session_id}"


def group_of_sessions(org_id: UUID) -> str:
    """The group of the sockets that follow an organization's live sessions.

    Those of the root organization follow all.
    """
    return f"live-sessions.{org_id}"


def sessions_changed(org_ids: Collection[UUID]) -> None:
    """Tell the sockets that follow these organizations that their live sessions have changed."""
    _send([group_of_sessions(org_id) for org_id in {*org_ids, ROOT_ORG_ID}], SESSIONS_CHANGED)


def unread_changed(user_ids: Collection[UUID]) -> None:
    """Tell the sockets of these users, after commit, that their number of unread messages has changed."""
    groups = [EVERYBODY] if len(user_ids) > _MANY else [group_of(user_id) for user_id in user_ids]
    transaction.on_commit(lambda: _send(groups, UNREAD_CHANGED))


def everybody_changed() -> None:
    """Tell the sockets of all users, after commit, that numbers of unread messages have changed."""
    transaction.on_commit(lambda: _send([EVERYBODY], UNREAD_CHANGED))


def signed_out(login_session_id: UUID) -> None:
    """Close the sockets of a browser sign-in that has ended."""
    transaction.on_commit(lambda: _send([group_of_login_session(login_session_id)], SIGNED_OUT))


def _send(groups: Collection[str], kind: str) -> None:
    layer = get_channel_layer()
    try:
        for group in groups:
            async_to_sync(layer.group_send)(group, {"type": kind})
    except (RedisError, OSError):
        log.warning("open consoles could not be notified: %s", kind)
