"""Consoles that follow the live sessions of an organization: subscriptions, and the right to follow."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Final, Protocol
from uuid import UUID

from django.db import Error as DatabaseError

from postern.apps.authn import facade as authn
from postern.apps.notifications import push
from postern.foundation.caller.scope import OrgScope
from postern.foundation.rest.rights import Right, holds
from postern.foundation.sockets.socket_database import in_thread

log = logging.getLogger(__name__)

#: Changes within this time are reported together, because a console reloads its list on every report.
GATHER_S: Final = 0.3


class _Layer(Protocol):
    async def group_add(self, group: str, channel: str) -> None: ...

    async def group_discard(self, group: str, channel: str) -> None: ...


def may_follow(login_session_id: UUID, org_id: UUID) -> bool:
    """Whether the user may read the list of sessions of this organization."""
    scope = OrgScope(org_id)
    actor = authn.actor_in(login_session_id, scope)
    return actor is not None and holds(Right.ORG_AUDITOR, actor, scope)


class Following:
    """The subscription of one socket to the live sessions of one organization. `tell(True)` means reload, `tell(False)`
    not permitted.

    The socket learns that something changed, but not what: the list answers that with its own permission check.
    """

    def __init__(
        self, layer: _Layer, channel: str, login_session_id: UUID, tell: Callable[[bool], Awaitable[None]]
    ) -> None:
        self._layer = layer
        self._channel = channel
        self._login_session_id = login_session_id
        self._tell = tell
        self._org_id: UUID | None = None
        self._telling: asyncio.Task[None] | None = None

    async def follow(self, org_id: UUID | None) -> None:
        """Follow this organization instead of the current organization; None follows none.

        Tells at once, so that no change is missed.
        """
        await self.leave()
        if org_id is None:
            return
        # Subscribe before checking the right: a change in between is then reported by one of the two.
        self._org_id = org_id
        await self._layer.group_add(push.group_of_sessions(org_id), self._channel)
        await self._tell_if_permitted(org_id)

    async def leave(self) -> None:
        """Stop listening."""
        org_id, self._org_id = self._org_id, None
        if self._telling is not None:
            self._telling.cancel()
            self._telling = None
        if org_id is not None:
            await self._layer.group_discard(push.group_of_sessions(org_id), self._channel)

    def changed(self) -> None:
        """The list may have changed: tell soon, once for several changes."""
        if self._org_id is not None and (self._telling is None or self._telling.done()):
            self._telling = asyncio.create_task(self._tell_soon(self._org_id))

    async def _tell_soon(self, org_id: UUID) -> None:
        await asyncio.sleep(GATHER_S)
        self._telling = None  # later changes start a new report
        with contextlib.suppress(OSError, RuntimeError):  # the client is gone; its socket ends by itself
            await self._tell_if_permitted(org_id)

    async def _tell_if_permitted(self, org_id: UUID) -> None:
        try:
            permitted: bool = await in_thread(may_follow)(self._login_session_id, org_id)
        except DatabaseError:
            log.warning("a change of live sessions could not be sent to a console")
            return
        if self._org_id != org_id:  # the socket follows another organization by now
            return
        if not permitted:
            await self.leave()
        await self._tell(permitted)
