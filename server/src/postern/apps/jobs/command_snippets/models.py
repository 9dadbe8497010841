"""Table of saved commands."""

from typing import Final, Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from postern.foundation.caller.actor import Actor
from postern.foundation.models import DatedModel, ScopedQuerySet

#: Characters of a command: what the command filters read at most of one line.
MAX_COMMAND: Final = 16_384
#: Saved commands of one person.
MAX_OF_ONE: Final = 200


class _Own(ScopedQuerySet):
    def visible_to(self, actor: Actor, scope: object) -> Self:
        """The person's own, in every organization."""
        del scope
        return self.owned_by(actor)

    def owned_by(self, actor: Actor) -> Self:
        return self.filter(user_id=actor.user_id) if actor.user_id is not None else self.none()


class CommandSnippet(DatedModel):
    """A command under a name. It belongs to a person, not to an organization."""

    user = models.ForeignKey("users.User", models.CASCADE, related_name="+", editable=False)
    name = models.CharField(_("Name"), max_length=64)
    command = models.TextField(_("Command"), max_length=MAX_COMMAND)

    objects = models.Manager.from_queryset(_Own)()

    class Meta:
        ordering = ("name", "id")
        verbose_name = _("Saved command")
        verbose_name_plural = _("Saved commands")
        constraints = [models.UniqueConstraint(fields=("user", "name"), name="jobs_commandsnippet_unique")]

    def __str__(self) -> str:
        return self.name
