"""Writes of settings."""

from collections.abc import Mapping

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.preferences import queries
from postern.apps.preferences.models import PreferenceValue
from postern.apps.preferences.registry import Value
from postern.foundation.actor import Actor
from postern.kernel.ids import ROOT_ORG_ID


@transaction.atomic
def change_settings(*, actor: Actor, changes: Mapping[str, Value]) -> None:
    """Set several settings at once; the log tells the old and the new value of those that changed.

    Raises KeyError for a name that the registry does not know. Values must have been validated.
    """
    before = queries.values(changes)
    changed = {name: changes[name] for name, old in before.items() if changes[name] != old}
    for name, new in changed.items():
        PreferenceValue.objects.update_or_create(name=name, defaults={"value": new, "updated_by": actor.label[:260]})
    queries.forget()
    if changed:
        audits.record(
            actor=actor,
            org_id=ROOT_ORG_ID,
            event=audits.Event.SETTINGS_UPDATED,
            action="update",
            object_type="PreferenceValue",
            object_name=", ".join(changed),
            old={name: before[name] for name in changed},
            new=changed,
        )
