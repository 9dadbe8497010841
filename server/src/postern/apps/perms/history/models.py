"""The past of everything that decides about access: objects with their values, and links between them.

A row was true while `since <= t < until`, in microseconds since 1970 by the clock of the database. `OPEN` is the end of
rows that are true now. Triggers of the database write them (`triggers`), so that no way of writing misses them; nothing
else does. Names stay after an object was deleted.

A migration of these two tables begins with `RunPython` of `triggers.remove`: SQLite refuses to rename a table while a
trigger writes to it.
"""

from typing import Final

from django.db import models

from postern.foundation.models import SavedRow

#: The end of what has not ended.
OPEN: Final = 2**63 - 1


class ObjectKind(models.IntegerChoices):
    """Stored, so values must not change."""

    USER = 1, "user"
    USER_GROUP = 2, "user group"
    ASSET = 3, "asset"
    NODE = 4, "node"
    SYSTEM_USER = 5, "system user"
    ASSET_PERMISSION = 6, "asset permission"
    APPLICATION = 7, "application"
    APPLICATION_PERMISSION = 8, "application permission"


class LinkKind(models.IntegerChoices):
    """What `left` and `right` of a link are. Stored, so values must not change."""

    USER_IN_ORGANIZATION = 1, "user > organization, word: role"
    USER_IN_GROUP = 2, "user > user group"
    ASSET_IN_NODE = 3, "asset > node"
    ASSET_PROTOCOL = 4, "asset, word: protocol"
    PERMISSION_USER = 5, "asset permission > user"
    PERMISSION_USER_GROUP = 6, "asset permission > user group"
    PERMISSION_ASSET = 7, "asset permission > asset"
    PERMISSION_NODE = 8, "asset permission > node"
    PERMISSION_SYSTEM_USER = 9, "asset permission > system user"
    APPLICATION_PERMISSION_USER = 10, "application permission > user"
    APPLICATION_PERMISSION_USER_GROUP = 11, "application permission > user group"
    APPLICATION_PERMISSION_APPLICATION = 12, "application permission > application"
    APPLICATION_PERMISSION_SYSTEM_USER = 13, "application permission > system user"


class PastObject(SavedRow):
    """An object with the values that it had. Which columns are set depends on its kind (`sources`)."""

    id = models.BigAutoField(primary_key=True)
    kind = models.PositiveSmallIntegerField(choices=ObjectKind.choices)
    object_id = models.UUIDField()
    org_id = models.UUIDField(null=True)
    name = models.CharField(max_length=128)
    #: Username, address, protocol, or type of applications.
    word = models.CharField(max_length=128, db_default="")
    parent_id = models.UUIDField(null=True)
    is_active = models.BooleanField(null=True)
    date_start = models.DateTimeField(null=True)
    date_expired = models.DateTimeField(null=True)
    actions = models.PositiveSmallIntegerField(null=True)
    since = models.BigIntegerField()
    until = models.BigIntegerField(default=OPEN)

    class Meta:
        indexes = [
            models.Index(fields=("object_id", "until"), name="perms_pastobject_of_object"),
            models.Index(fields=("org_id", "kind", "until"), name="perms_pastobject_of_org"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.name}"


class PastLink(SavedRow):
    """A link between two objects, or of an object with a word."""

    id = models.BigAutoField(primary_key=True)
    kind = models.PositiveSmallIntegerField(choices=LinkKind.choices)
    left_id = models.UUIDField()
    right_id = models.UUIDField(null=True)
    word = models.CharField(max_length=16, db_default="")
    since = models.BigIntegerField()
    until = models.BigIntegerField(default=OPEN)

    class Meta:
        indexes = [
            # Whole, so that a reader need not look at the table, and a writer finds the open row of a link at once.
            models.Index(fields=("left_id", "kind", "right_id", "until", "since"), name="perms_pastlink_by_left"),
            models.Index(fields=("right_id", "kind", "until", "since", "left_id"), name="perms_pastlink_by_right"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.left_id} {self.right_id or self.word}"


class HistoryStart(SavedRow):
    """The instant from which the past is known, in one row."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    began = models.BigIntegerField()

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="perms_historystart_one")]

    def __str__(self) -> str:
        return str(self.began)
