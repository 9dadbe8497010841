"""Sessions of a user, and of an asset, on one day."""

from typing import ClassVar

from django.db import models

from postern.apps.sessions.sessions.models import NAME_CHARS
from postern.foundation.models import SavedRow


class UsedKind(models.IntegerChoices):
    """What was used, or who used it."""

    USER = 1
    ASSET = 2


class DayUse(SavedRow):
    """The sessions of one user, or of one asset, that began on a day, in one organization.

    `name` is the one that the sessions show; `last` the begin of the newest of them.
    """

    org_id = models.UUIDField()
    day = models.DateField()
    kind = models.PositiveSmallIntegerField(choices=UsedKind.choices)
    object_id = models.UUIDField()
    name = models.CharField(max_length=NAME_CHARS * 2 + 2)
    sessions = models.PositiveIntegerField()
    last = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=("org_id", "kind", "day", "object_id"), name="sessions_day_use_unique"),
        ]
        indexes: ClassVar = [models.Index(fields=("kind", "day", "object_id"), name="sessions_day_use_of_day")]


class CountedDay(SavedRow):
    """A day that was counted, in the time zone in which it is a day."""

    day = models.DateField(unique=True)
    zone = models.CharField(max_length=64)
