"""What retention would delete if it ran now. Nothing is changed."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Max, Min, Q, QuerySet, Sum

from postern.apps.orgs import facade as orgs
from postern.apps.sessions.recordings import keeping
from postern.apps.sessions.sessions import queries
from postern.apps.sessions.sessions.models import Session
from postern.contracts.enums import SessionState
from postern.kernel import clock


@dataclass(frozen=True, slots=True)
class Amount:
    """Sessions, how many of them have a stored recording, and the bytes of those. `oldest` and `newest`: their ends."""

    sessions: int = 0
    recordings: int = 0
    bytes: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None


@dataclass(frozen=True, slots=True)
class Forecast:
    """What goes in an organization, and what would go if it were not on hold."""

    org_id: UUID
    org_name: str
    due: Amount
    held: Amount


def forecast(org_id: UUID | None, *, days: int | None = None) -> list[Forecast]:
    """The organizations with something to delete or on hold, by name. `org_id` None: all.

    `days`: as if the organization had chosen these days, which are within the limits.
    """
    rules, now = keeping.rules(), clock.now()
    if org_id is not None and days is not None:
        rules = replace(rules, org_days={**rules.org_days, org_id: days})
    due = keeping.due_by_age(rules, now)
    above = keeping.excess(rules, queries.deletable_sessions().filter(due))
    due |= keeping.due_by_size(rules, now, above)
    ended = Session.objects.filter(due, state=SessionState.ENDED.value)
    if org_id is not None:
        ended = ended.filter(org_id=org_id)
    amounts: dict[UUID, dict[str, Amount]] = defaultdict(dict)
    for name, rows in (("due", ended.filter(~queries.is_on_hold())), ("held", ended.filter(queries.is_on_hold()))):
        for key, amount in _by_organization(rows):
            amounts[key][name] = amount
    names = orgs.names()
    named = [
        Forecast(key, names.get(key, str(key)), found.get("due", Amount()), found.get("held", Amount()))
        for key, found in amounts.items()
    ]
    return sorted(named, key=lambda one: (one.org_name, one.org_id))


def _by_organization(rows: QuerySet[Session]) -> Iterable[tuple[UUID, Amount]]:
    stored = Q(recording__date_stored__isnull=False)
    figures: Any = (
        rows.order_by()
        .values("org_id")
        .annotate(
            sessions=Count("pk"),
            recordings=Count("recording", filter=stored),
            bytes=Sum("recording__size", filter=stored),
            oldest=Min("date_end"),
            newest=Max("date_end"),
        )
    )
    for row in figures:
        yield row.pop("org_id"), Amount(**{**row, "bytes": row["bytes"] or 0})
