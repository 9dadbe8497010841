"""The sending side of a terminal's control channel: wakes its channel layer group after commit."""

import logging
from collections.abc import Iterable
from uuid import UUID

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.db import transaction
from redis.exceptions import RedisError

log = logging.getLogger(__name__)


def group_of(terminal_id: UUID) -> str:
    """Name of the channel group that the control channel of a terminal joins."""
    return f"terminal.{terminal_id}"


def wake(terminal_id: UUID) -> None:
    """There are new orders for the terminal: its control channel sends them after commit.

    A heartbeat repeats lost calls.
    """
    _send(terminal_id, "orders.waiting")


def close(terminal_id: UUID) -> None:
    """Close the control channel of a terminal that lost its access, after commit."""
    _send(terminal_id, "terminal.closed")


def send_settings(terminal_ids: Iterable[UUID]) -> None:
    """The settings that terminals share have changed: their control channels send them after commit."""
    for terminal_id in terminal_ids:
        _send(terminal_id, "settings.changed")


def _send(terminal_id: UUID, kind: str) -> None:
    def send() -> None:
        layer = get_channel_layer()
        try:
            async_to_sync(layer.group_send)(group_of(terminal_id), {"type": kind})
        except (RedisError, OSError):
            log.warning("the control channel of terminal %s could not be reached", terminal_id)

    transaction.on_commit(send)
