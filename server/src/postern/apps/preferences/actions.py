"""Writes of settings."""

from collections.abc import Mapping
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.preferences import queries
from postern.apps.preferences.declarations.preference import Value
from postern.apps.preferences.environment import fixed_values
from postern.apps.preferences.errors import ChangedMeanwhile, ConflictingSettings, FixedByEnvironment
from postern.apps.preferences.events import SettingsChanged
from postern.apps.preferences.forms import order_of
from postern.apps.preferences.models import PreferenceValue, PreferenceVersion
from postern.apps.preferences.registry import REGISTRY
from postern.apps.preferences.secret_destinations import secrets_to_reenter
from postern.apps.preferences.setting_secrets import STORE
from postern.apps.preferences.sign_in_ways import SETTING, WAY_OF
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.kernel import clock
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import Secret

#: Placeholder of a secret in the audit record, which shows it as a mask.
_SOME_SECRET: Final = Secret("a secret")


@transaction.atomic
def change_settings(*, actor: Actor, changes: Mapping[str, Value], loaded: int | None = None) -> None:
    """Change several settings in one transaction. The audit record has the old and new values of changed settings.

    `loaded`: the version of the settings that the caller has loaded. An empty value of a secret setting keeps its
    secret, None removes it. The caller validates the values first. Raises KeyError for a name that is not in the
    registry, `FixedByEnvironment`, `ConflictingSettings`, and `ChangedMeanwhile` if another person has changed one of
    these settings since `loaded`.
    """
    present = PreferenceVersion.objects.select_for_update().get_or_create(pk=1)[0]
    queries.forget()
    secrets = {name: Secret(str(new)) for name, new in changes.items() if REGISTRY[name].is_secret and new}
    before = queries.values(name for name in changes if not REGISTRY[name].is_secret)
    unusable = queries.unusable(before)
    removed = [name for name, new in changes.items() if REGISTRY[name].is_secret and new is None]
    changed: dict[str, Value | Secret] = {
        **{name: changes[name] for name, old in before.items() if changes[name] != old or name in unusable},
        **secrets,
        **{name: None for name in removed if queries.is_set(name)},
    }
    if not changed:
        return
    _require_free(changed)
    _require_unchanged(changed, loaded)
    _require_one_encryption({**before, **changed})
    _require_limits_around_days(changed)
    _require_secrets(changed)
    _require_own_way(actor, changed)
    had_secret = {name for name, origin in queries.origins(None).items() if origin.is_set}
    present.version += 1
    present.save(update_fields=["version"])
    for name, new in changed.items():
        if isinstance(new, Secret):
            STORE.value.put(name, new)
        elif name in removed:
            STORE.value.drop(name)
            PreferenceValue.objects.filter(name=name).delete()
            continue
        PreferenceValue.objects.update_or_create(
            name=name,
            defaults={
                "value": True if isinstance(new, Secret) else new,
                "version": present.version,
                "updated_by": actor.label[:260],
                "date_updated": clock.now(),
            },
        )
    queries.forget()
    audits.record(
        actor=actor,
        org_id=ROOT_ORG_ID,
        event=audits.Event.SETTINGS_UPDATED,
        action="update",
        object_type="PreferenceValue",
        object_name=", ".join(changed),
        old={name: before.get(name, _SOME_SECRET if name in had_secret else None) for name in changed},
        new=changed,
    )
    events.publish(SettingsChanged(names=tuple(changed), version=present.version))


def _require_free(changed: Mapping[str, Value | Secret]) -> None:
    fixed = [name for name in fixed_values() if name in changed]
    if fixed:
        raise FixedByEnvironment({name: REGISTRY[name].variable for name in fixed})


def _require_unchanged(changed: Mapping[str, Value | Secret], loaded: int | None) -> None:
    if loaded is None:
        return
    newer = list(PreferenceValue.objects.filter(name__in=changed, version__gt=loaded).order_by("-version", "name"))
    if newer:
        raise ChangedMeanwhile(newer[0].updated_by, [str(REGISTRY[row.name].label) for row in newer])


def _require_secrets(changed: Mapping[str, Value | Secret]) -> None:
    """Require the secret again when its server or account changes.

    Otherwise the next call would send the stored secret to a server that it does not belong to.
    """
    missing = secrets_to_reenter(changed)
    if missing:
        raise ConflictingSettings(missing)


def _require_own_way(actor: Actor, changed: Mapping[str, Value | Secret]) -> None:
    if SETTING not in changed:
        return
    way = WAY_OF.value(actor)
    if way and way not in order_of(str(changed[SETTING])):
        text = _(
            "You are signed in by this way: %(way)s. Sign in by another one first, so that you know that it works."
        )
        labels = {str(value): str(label) for value, label in REGISTRY[SETTING].choices}
        raise ConflictingSettings({SETTING: text % {"way": labels[way]}})


def _require_limits_around_days(new: Mapping[str, Value | Secret]) -> None:
    days, shortest, longest = names = (
        "TERMINAL_SESSION_KEEP_DURATION",
        "TERMINAL_ORG_KEEP_SHORTEST",
        "TERMINAL_ORG_KEEP_LONGEST",
    )
    if new.keys().isdisjoint(names):
        return
    values = {name: int(str(value)) for name, value in {**queries.values(names), **new}.items() if name in names}
    faults: dict[str, str] = {}
    if values[shortest] > values[days]:
        faults[shortest] = _("The shortest keep duration must not be more than the session keep duration (%(days)d).")
    if 0 < values[longest] < values[days]:
        faults[longest] = _("The longest keep duration must not be less than the session keep duration (%(days)d).")
    if faults:
        raise ConflictingSettings({name: text % {"days": values[days]} for name, text in faults.items()})


def _require_one_encryption(new: Mapping[str, Value | Secret]) -> None:
    if "EMAIL_USE_SSL" not in new and "EMAIL_USE_TLS" not in new:
        return
    values = {**queries.values(("EMAIL_USE_SSL", "EMAIL_USE_TLS")), **new}
    if values["EMAIL_USE_SSL"] and values["EMAIL_USE_TLS"]:
        raise ConflictingSettings({"EMAIL_USE_TLS": _("Choose SSL or TLS: a connection uses one of the two.")})
