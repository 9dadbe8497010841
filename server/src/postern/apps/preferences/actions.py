"""Writes of settings."""

from collections.abc import Mapping

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.preferences import queries
from postern.apps.preferences.models import PreferenceValue
from postern.apps.preferences.registry import Value
from postern.foundation.caller.actor import Actor
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID


@transaction.atomic
def change_settings(*, actor: Actor, changes: Mapping[str, Value]) -> None:
    """Change several settings at once; the audit record holds the old and new values of those that changed.

    Raises KeyError for a name that the registry does not contain. Values must be validated before.
    """
    present = queries.values(changes)
    before = _held({name: old for name, old in present.items() if changes[name] != old})
    changed = {name: changes[name] for name, old in before.items() if changes[name] != old}
    for name, new in changed.items():
        PreferenceValue.objects.filter(name=name).update(
            value=new, updated_by=actor.label[:260], date_updated=clock.now()
        )
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


def _held(present: Mapping[str, Value]) -> dict[str, Value]:
    """Current values of these settings, locked until the transaction ends.

    A setting without a row gets one with its current value, because only rows can be locked.
    """
    if not present:
        return {}
    rows = [PreferenceValue(name=name, value=value) for name, value in sorted(present.items())]
    PreferenceValue.objects.bulk_create(rows, ignore_conflicts=True)
    held = PreferenceValue.objects.select_for_update().filter(name__in=present).order_by("name")
    list(held.values_list("pk"))
    queries.forget()
    return queries.values(present)
