"""Finds the values that undo an audit record of changed settings."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.preferences import queries
from postern.apps.preferences.declarations.preference import Value
from postern.apps.preferences.errors import NothingToUndo
from postern.apps.preferences.registry import REGISTRY
from postern.kernel.errors import Conflict


def values_before(record_id: UUID) -> dict[str, Value]:
    """The values that the settings had before the recorded change.

    Secrets cannot be restored, because the record does not have them. Raises `NothingToUndo` for a record of another
    event or of secrets only, and `Conflict` if a setting was changed again since.
    """
    recorded = audits.recorded_change(audits.Event.SETTINGS_UPDATED, record_id)
    if recorded is None:
        raise NothingToUndo(_("This record of the audit log is not a change of settings."))
    restorable = {name: recorded.old[name] for name in recorded.old if _can_be_restored(name)}
    if not restorable:
        raise NothingToUndo(_("The record holds no values that could be restored. Secrets must be entered again."))
    changed_again = _changed_again(recorded.new, queries.values(restorable))
    if changed_again:
        raise Conflict(
            _("These settings were changed again since: %(names)s. Undo the later change first.")
            % {"names": ", ".join(str(REGISTRY[name].label) for name in changed_again)}
        )
    return restorable


def _can_be_restored(name: str) -> bool:
    return name in REGISTRY and not REGISTRY[name].is_secret and REGISTRY[name].category is not None


def _changed_again(recorded: Mapping[str, Any], present: Mapping[str, Value]) -> list[str]:
    return [name for name, value in present.items() if recorded.get(name) != value]
