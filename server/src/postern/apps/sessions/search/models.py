"""Tables of the index of recordings. They are as secret as the recordings, and are deleted with the sessions.

The grams of the pieces are beside these tables, in what each database has for them (migration 0028): in SQLite in the
table `sessions_recordinggrams`, which triggers keep; in PostgreSQL in the column `grams` of the pieces.
"""

from typing import Any, Final

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.sessions.sessions.models import Session
from postern.foundation.models import SavedRow
from postern.kernel import clock

#: After so many failures a recording is not tried again.
MOST_TRIES: Final = 5


class RecordingIndex(SavedRow):
    """How far a stored recording is indexed. Its pieces count only when `date_indexed` is set.

    A worker claims a due row by moving `date_due` ahead, and moves it further ahead as long as it works.
    """

    session = models.OneToOneField(Session, on_delete=models.CASCADE, primary_key=True, related_name="search_index")
    #: Copy of the session's value: the newest are indexed first.
    date_start = models.DateTimeField()
    date_due = models.DateTimeField(default=clock.now)
    tries = models.PositiveSmallIntegerField(default=0)
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
            )
        ]

    def __str__(self) -> str:
        return f"index of {self.session_id}"


class RecordingPiece(SavedRow):
    """Some lines of a recording (`contracts/search/pieces.py`). `kinds`: the first letters of the kinds of its lines."""

    id = models.BigAutoField(primary_key=True)
    index = models.ForeignKey(RecordingIndex, on_delete=models.CASCADE, related_name="pieces", db_index=False)
    number = models.PositiveIntegerField()
    first_ms = models.BigIntegerField()
    last_ms = models.BigIntegerField()
    kinds = models.CharField(max_length=4)
    lines = models.BinaryField()

    objects: models.Manager[Any] = models.Manager()

    class Meta:
        verbose_name = _("Piece of the index of a recording")
        ordering = ("index", "number")
        constraints = [models.UniqueConstraint(fields=("index", "number"), name="sessions_piece_place")]

    def __str__(self) -> str:
        return f"piece {self.number} of {self.index_id}"
