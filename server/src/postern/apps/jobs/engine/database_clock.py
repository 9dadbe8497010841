"""The clock of the database, by which leases are judged."""

from datetime import timedelta
from typing import cast

from django.db import models
from django.db.models.functions import Now


def now_plus(duration: timedelta) -> models.Expression:
    """The time of the database, `duration` later, as an expression."""
    return cast("models.Expression", models.ExpressionWrapper(Now() + duration, output_field=models.DateTimeField()))
