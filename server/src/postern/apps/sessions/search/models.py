"""Tables of the index of recordings. They are as secret as the recordings, and are deleted with the sessions.

The grams of the pieces are beside these tables, in what each database has for them (migration 0029): in SQLite in the
table `sessions_recordinggrams`, which triggers keep; in PostgreSQL in the column `grams` of the pieces.
"""

from typing import Any, Final

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.sessions.sessions.models import Session
from postern.foundation.models import SavedRow
from postern.kernel import clock

#: After it could not be read so many times a recording is not tried again.
MOST_TRIES: Final = 5
#: Room for the marks of a session and of all kinds of lines.
_MARKS_CHARS: Final = 24


class RecordingIndex(SavedRow):
    """How far a stored recording is indexed. Its pieces count only when `date_indexed` is set.

    A worker claims a due row by moving `date_due` ahead, and moves it further ahead as long as it works.
    """

    session = models.OneToOneField(Session, on_delete=models.CASCADE, primary_key=True, related_name="search_index")
    #: Copy of the session's value, so that the recordings of an organization are counted from one index.
    org_id = models.UUIDField(editable=False)
    #: Copy of the session's value: the newest are indexed first.
    date_start = models.DateTimeField()
    #: Which keys its pieces have (`keys.py`). Given by the first worker, and never changed.
    place = models.BigIntegerField(null=True, unique=True)
    date_due = models.DateTimeField(default=clock.now)
    #: How often the recording could not be read because of what it contains.
    tries = models.PositiveSmallIntegerField(default=0)
    #: How often in a row something else failed, such as its storage. The pauses grow with it.
    faults = models.PositiveSmallIntegerField(default=0)
    #: Why the last try failed.
    reason = models.JSONField(null=True)
    date_indexed = models.DateTimeField(null=True)
    #: False when a part of the recording could not be read.
    is_whole = models.BooleanField(default=True)
    #: When the recording began, from its header.
    date_recorded = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("Index of a recording")
        ordering = ("-date_start", "session")
        indexes = [
            models.Index(
                fields=("-date_start", "session"),
                condition=models.Q(date_indexed__isnull=True),
                name="sessions_index_waiting",
            ),
            # For the numbers beside the hits of an organization.
            models.Index(
                fields=("org_id",),
                condition=models.Q(date_indexed__isnull=True, reason__isnull=True),
                name="sessions_index_new_of_org",
            ),
            models.Index(
                fields=("org_id",),
                condition=models.Q(date_indexed__isnull=True, reason__isnull=False),
                name="sessions_index_failed_of_org",
            ),
            models.Index(
                fields=("org_id",),
                condition=models.Q(date_indexed__isnull=False, is_whole=False),
                name="sessions_index_part_of_org",
            ),
        ]

    def __str__(self) -> str:
        return f"index of {self.session_id}"


class RecordingPiece(SavedRow):
    """Some lines of a recording (`contracts/search/pieces.py`). Its key says where it comes among all pieces (`keys.py`).

    `marks`: the marks of the session and of the kinds of its lines (`contracts/search/marks.py`).
    """

    id = models.BigIntegerField(primary_key=True)
    index = models.ForeignKey(RecordingIndex, on_delete=models.CASCADE, related_name="pieces")
    first_ms = models.BigIntegerField()
    last_ms = models.BigIntegerField()
    marks = models.CharField(max_length=_MARKS_CHARS)
    lines = models.BinaryField()

    objects: models.Manager[Any] = models.Manager()

    class Meta:
        verbose_name = _("Piece of the index of a recording")
        ordering = ("id",)

    def __str__(self) -> str:
        return f"piece {self.id} of {self.index_id}"
