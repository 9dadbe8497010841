"""Tables of storages. Two of each are built in: `default`, which is this server, and `null`."""

from typing import Any, Final, Self
from uuid import UUID

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.apps.sessions.storages.kinds import CommandStorageType, ReplayStorageType
from postern.foundation.models import DatedModel, ScopedQuerySet

DEFAULT_COMMAND_STORAGE_ID: Final = UUID("00000000-0000-0000-0000-000000000003")
NULL_COMMAND_STORAGE_ID: Final = UUID("00000000-0000-0000-0000-000000000004")
DEFAULT_REPLAY_STORAGE_ID: Final = UUID("00000000-0000-0000-0000-000000000005")
NULL_REPLAY_STORAGE_ID: Final = UUID("00000000-0000-0000-0000-000000000006")

BUILT_IN: Final = frozenset(
    {DEFAULT_COMMAND_STORAGE_ID, NULL_COMMAND_STORAGE_ID, DEFAULT_REPLAY_STORAGE_ID, NULL_REPLAY_STORAGE_ID}
)
#: Names of the built-in storages, which terminals store.
DEFAULT_NAME: Final = "default"
NULL_NAME: Final = "null"


class OfInstallation(ScopedQuerySet):
    """Rows of the installation, for super administrators."""

    def visible_to(self, actor: Any, scope: Any) -> Self:
        del scope
        return self if actor.is_super_user else self.none()


class Storage(DatedModel):
    """What both kinds of storages have. Exactly one row of each table is the default."""

    name = models.CharField(_("Name"), max_length=128, unique=True)
    type = models.CharField(_("Type"), max_length=16)
    #: Values of the kind without the secrets, which are sealed (`places.py`).
    meta = models.JSONField(_("Connection"), default=dict)
    is_default = models.BooleanField(_("Default storage"), default=False)
    comment = models.TextField(_("Comment"), blank=True, default="", max_length=4096)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name

    @property
    def is_built_in(self) -> bool:
        return self.pk in BUILT_IN

    @property
    def keeps_nothing(self) -> bool:
        """Whether what is sent to it is lost."""
        return self.type == ReplayStorageType.NULL


class ReplayStorage(Storage):
    """A storage for recordings."""

    type = models.CharField(
        _("Type"), max_length=16, choices=ReplayStorageType.choices, default=ReplayStorageType.SERVER
    )

    objects = models.Manager.from_queryset(OfInstallation)()

    class Meta:
        verbose_name = _("Replay storage")
        verbose_name_plural = _("Replay storages")
        ordering = ("name", "id")
        constraints = [
            models.UniqueConstraint(
                fields=("is_default",), condition=models.Q(is_default=True), name="sessions_one_default_replay_storage"
            ),
            models.CheckConstraint(
                condition=models.Q(type__in=ReplayStorageType.values), name="sessions_replay_storage_type_known"
            ),
            models.CheckConstraint(
                condition=models.Q(is_default=False) | ~models.Q(type="null"),
                name="sessions_default_replay_storage_keeps",
            ),
        ]

    @property
    def is_remote(self) -> bool:
        """Whether its recordings lie on another machine, and not in the folder of this server."""
        return self.type not in {ReplayStorageType.NULL, ReplayStorageType.SERVER}


class CommandStorage(Storage):
    """A storage for commands."""

    type = models.CharField(
        _("Type"), max_length=16, choices=CommandStorageType.choices, default=CommandStorageType.SERVER
    )

    objects = models.Manager.from_queryset(OfInstallation)()

    class Meta:
        verbose_name = _("Command storage")
        verbose_name_plural = _("Command storages")
        ordering = ("name", "id")
        constraints = [
            models.UniqueConstraint(
                fields=("is_default",), condition=models.Q(is_default=True), name="sessions_one_default_command_storage"
            ),
            models.CheckConstraint(
                condition=models.Q(type__in=CommandStorageType.values), name="sessions_command_storage_type_known"
            ),
            models.CheckConstraint(
                condition=models.Q(is_default=False) | ~models.Q(type="null"),
                name="sessions_default_command_storage_keeps",
            ),
        ]
