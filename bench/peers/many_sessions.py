"""Fills an installation with sessions for `dashboard.py`.

    python many_sessions.py SESSIONS DAYS PEOPLE ASSETS

The sessions of random people on random assets are spread evenly over the days up to now; every thousandth is live.
Prints the number of sessions. The data folder and the database are those of the environment.
"""

import os
import sys
from collections.abc import Iterator
from datetime import timedelta
from random import Random
from typing import Any, Final
from uuid import UUID

from many_assets import make_administrator

_BATCH: Final = 5_000
_FIRST_PERSON: Final = 1_000_000
_FIRST_ASSET: Final = 2_000_000
_LIVE_EVERY: Final = 1_000


def fill(sessions: int, days: int, people: int, assets: int) -> int:
    from postern.apps.sessions.models import Session  # noqa: PLC0415 - needs the app registry
    from postern.contracts.enums import EndReason, SessionState  # noqa: PLC0415 - needs the app registry
    from postern.kernel import clock  # noqa: PLC0415 - needs the app registry
    from postern.kernel.ids import DEFAULT_ORG_ID  # noqa: PLC0415 - needs the app registry

    make_administrator()
    dice, now = Random(7), clock.now()  # noqa: S311 - the same sessions each time

    def rows() -> Iterator[Any]:
        for number in range(sessions):
            person, asset = dice.randrange(people), dice.randrange(assets)
            begun = now - timedelta(days=days) * number / sessions
            is_live = number % _LIVE_EVERY == 0
            yield Session(
                org_id=DEFAULT_ORG_ID,
                user_id=UUID(int=_FIRST_PERSON + person),
                user=f"Person {person}(person{person})",
                username=f"person{person}",
                asset_id=UUID(int=_FIRST_ASSET + asset),
                asset=f"host-{asset:06}",
                system_user_id=UUID(int=1),
                system_user="deploy",
                date_start=begun,
                state=SessionState.ACTIVE.value if is_live else SessionState.ENDED.value,
                date_end=None if is_live else begun,
                end_reason="" if is_live else EndReason.USER_CLOSED.value,
                # Otherwise the start of the product would add them to the evidence chain, as sessions of an early version.
                evidence_head="bench",
            )

    batch: list[Any] = []
    for row in rows():
        batch.append(row)
        if len(batch) == _BATCH:
            Session.objects.bulk_create(batch)
            batch = []
    Session.objects.bulk_create(batch)
    return Session.objects.count()


if __name__ == "__main__":
    os.environ["DJANGO_SETTINGS_MODULE"] = "postern.foundation.django_settings"
    import django

    django.setup()
    print(fill(*map(int, sys.argv[1:])))
