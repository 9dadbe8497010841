"""Reads of sessions and what belongs to them."""

from typing import Any

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from postern.apps.sessions.models import Command, Session
from postern.contracts.enums import SessionState


def session_rows(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Sessions with their recording, terminal and number of commands, for lists."""
    amounts = Command.objects.filter(session_id=OuterRef("pk")).order_by().values("session_id").annotate(n=Count("pk"))
    found: QuerySet[Any] = rows.select_related("recording", "terminal").annotate(
        command_amount=Coalesce(Subquery(amounts.values("n"), output_field=IntegerField()), 0)
    )
    return found


def live_sessions() -> QuerySet[Any]:
    """Sessions that are opening or active."""
    return Session.objects.exclude(state=SessionState.ENDED.value)
