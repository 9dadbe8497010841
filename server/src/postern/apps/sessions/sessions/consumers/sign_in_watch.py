"""Watches the browser sign-in behind a socket or a transfer that outlives the check at its beginning."""

import asyncio
import logging
from enum import Enum, auto
from typing import Final
from uuid import UUID

from django.db import Error as DatabaseError

from postern.apps.authn import facade as authn
from postern.foundation.sockets.socket_database import in_thread
from postern.kernel.clock import monotonic_s

log = logging.getLogger(__name__)

#: Interval of the check (K40: what ends, ends everywhere within seconds; five here).
RECHECK_S: Final = 3.0
#: How long a socket stays open while the sign-in cannot be checked, because the database is down. Nobody can sign out
#: then either.
UNCHECKED_S: Final = 60.0


class Standing(Enum):
    """Why a sign-in no longer carries what it has opened."""

    SIGNED_OUT = auto()
    UNCHECKED = auto()


async def until_signed_out(login_session_id: UUID) -> Standing:
    """Return when the sign-in has ended, or could not be checked for too long.

    A short outage of the database ends nothing.
    """
    is_open = in_thread(authn.login_session_is_open)
    checked_s = monotonic_s()
    while True:
        try:
            if not await is_open(login_session_id):
                return Standing.SIGNED_OUT
            checked_s = monotonic_s()
        except DatabaseError:
            log.warning("the sign-in of a browser could not be checked")
            if monotonic_s() - checked_s > UNCHECKED_S:
                return Standing.UNCHECKED
        await asyncio.sleep(RECHECK_S)
