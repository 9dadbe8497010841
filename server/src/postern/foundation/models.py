"""Abstract models of all apps. API code reads rows only through `visible_to(actor, scope)`.

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
    """Rows of tables that belong to an organization. API code reads them through `visible_to` only."""

    def in_scope(self, scope: OrgScope) -> Self:
        """Rows of the organization; all rows when the scope is the root."""
        return self if scope.is_root else self.filter(org_id=scope.org_id)

    def visible_to(self, actor: Actor, scope: OrgScope) -> Self:
        """Rows that `actor` may see in `scope`.

        By default an organization's administrators and auditors see all of its rows, and nobody else sees any. Tables
        of personal rows override `owned_by` to add the rows of the person.
        """
        rows = self.in_scope(scope)
        if actor.is_org_auditor:
            return rows
        return rows.owned_by(actor)

    def owned_by(self, actor: Actor) -> Self:
        """Rows that belong to the person, whatever their role. None by default."""
        del actor
        return self.none()


ScopedManager = models.Manager.from_queryset(ScopedQuerySet)


class SavedRow(models.Model):
    """A row that only `create` inserts. Saving a row that was deleted meanwhile raises its `DoesNotExist`.

    Django's `save` would insert the row again and undo the deletion.
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
            # Django raises exactly this class when the update matched no row. Errors from the database are subclasses.
            if type(error) is DatabaseError:
                raise self.DoesNotExist(f"{self._meta.object_name} {self.pk} is gone") from None
            raise


class PosternModel(SavedRow):
    """A row with a random id. `objects` of subclasses is made from a queryset with `visible_to`."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)

    class Meta:
        abstract = True


class CreatorField(models.CharField):  # type: ignore[type-arg]  # Django knows no parameters at run time
    """The label of the actor who made a row, as far as it fits: a name and a username are longer together than the
    column, and a database refuses what is too long.
    """

    def get_prep_value(self, value: Any) -> Any:
        return super().get_prep_value(value[: self.max_length] if isinstance(value, str) else value)

    def deconstruct(self) -> Any:
        """As a plain text column: migrations need not know how values are cut."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", args, kwargs


class DatedModel(PosternModel):
    """A row with its creator and its times of creation and last update."""

    created_by = CreatorField(_("Created by"), max_length=128, blank=True, default="", editable=False)
    date_created = models.DateTimeField(_("Date created"), auto_now_add=True)
    date_updated = models.DateTimeField(_("Date updated"), auto_now=True)

    class Meta:
        abstract = True


class OrgOwnedModel(DatedModel):
    """A row that belongs to one organization, never to the root organization."""

    org_id = models.UUIDField(_("Organization"), db_index=True, editable=False)
    comment = models.TextField(_("Comment"), blank=True, default="")

    class Meta:
        abstract = True


class PlainModel(OrgOwnedModel):
    """A table of columns and lists of other objects. An organization that has a row of it cannot be deleted.

    `Meta.verbose_name_plural` names the rows to the person who tries.
    """

    class Meta:
        abstract = True


class OutboxMessage(SavedRow):
    """A stored event that waits for its receiver (see `outbox`)."""

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
