"""Reads of sessions and what belongs to them."""

from typing import Any

from django.db.models import QuerySet

from postern.apps.sessions.models import Session
from postern.contracts.enums import SessionState


def session_rows(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Sessions with their recording and terminal, for lists."""
    return rows.select_related("terminal").prefetch_related("recording")


def live_sessions() -> QuerySet[Any]:
    """Sessions that are opening or active."""
    return Session.objects.exclude(state=SessionState.ENDED.value)
