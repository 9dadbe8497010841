"""Abstract tables that every app builds on, and the one doorway to rows: `visible_to(actor, scope)`.

class Asset(OrgOwnedModel):
    hostname = models.CharField(max_length=128)
    objects = ScopedManager()

Asset.objects.visible_to(actor, scope).filter(...)
"""

from typing import Any, Self

from django.db import DatabaseError, models
from django.utils.translation import gettext_lazy as _

from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.kernel import clock
from postern.kernel.ids import new_id


class ScopedQuerySet(models.QuerySet[Any]):
    """Rows of organization-owned tables. API code reads through `visible_to` only."""

    def in_scope(self, scope: OrgScope) -> Self:
        """Rows of the organization, or of all when the scope is the root."""
        return self if scope.is_root else self.filter(org_id=scope.org_id)

    def visible_to(self, actor: Actor, scope: OrgScope) -> Self:
        """Rows that `actor` may see in `scope`.

        The default is for records of an organization: its administrators and auditors see them all, nobody else
        any. Tables that belong to persons override `owned_by`, which adds what the person himself may see.
        """
        rows = self.in_scope(scope)
        if actor.is_org_auditor:
            return rows
        return rows.owned_by(actor)

    def owned_by(self, actor: Actor) -> Self:
        """Rows that belong to the person, whatever his role. Default: none."""
        del actor
        return self.none()


ScopedManager = models.Manager.from_queryset(ScopedQuerySet)


class SavedRow(models.Model):
    """A row that only `create` makes: saving one that somebody else has deleted meanwhile raises its `DoesNotExist`.

    Django's own `save` would insert it again, with everything that others did to it undone.
    """

    class Meta:
        abstract = True

    def save(self, **kwargs: Any) -> None:
        if self._state.adding or kwargs.get("force_insert"):
            super().save(**kwargs)
            return
        if kwargs.get("update_fields") is None:
            kwargs["force_update"] = True
        try:
            super().save(**kwargs)
        except DatabaseError as error:
            if (
                type(error) is DatabaseError
            ):  # Django's own: the update met no row. Those of the database are subclasses.
                raise self.DoesNotExist(f"{self._meta.object_name} {self.pk} is gone") from None
            raise


class PosternModel(SavedRow):
    """A row with a random identifier. `objects` of subclasses comes from a queryset with `visible_to`."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)

    class Meta:
        abstract = True


class DatedModel(PosternModel):
    """A row that knows when, and by whom, it was made."""

    created_by = models.CharField(_("Created by"), max_length=128, blank=True, default="", editable=False)
    date_created = models.DateTimeField(_("Date created"), auto_now_add=True)
    date_updated = models.DateTimeField(_("Date updated"), auto_now=True)

    class Meta:
        abstract = True


class OrgOwnedModel(DatedModel):
    """A row that belongs to one organization, never to the root."""

    org_id = models.UUIDField(_("Organization"), db_index=True, editable=False)
    comment = models.TextField(_("Comment"), blank=True, default="")

    class Meta:
        abstract = True


class OutboxMessage(SavedRow):
    """A message that waits for its receiver (see `outbox`)."""

    id = models.BigAutoField(primary_key=True)
    topic = models.CharField(max_length=64)
    payload = models.JSONField()
    attempts = models.PositiveIntegerField(default=0)
    date_created = models.DateTimeField(default=clock.now)
    date_due = models.DateTimeField(default=clock.now)

    class Meta:
        indexes = [models.Index(fields=["date_due", "id"], name="foundation_outbox_due")]

    def __str__(self) -> str:
        return f"{self.topic} #{self.pk}"
