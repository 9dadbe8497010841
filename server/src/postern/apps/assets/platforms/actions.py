"""Writes of platforms."""

from collections.abc import Mapping
from typing import Any, Final

from django.core.management.color import no_style
from django.db import connection, transaction
from django.utils.translation import gettext as _

from postern.apps.assets.platforms import queries
from postern.apps.assets.platforms.errors import InternalPlatform, PlatformInUse
from postern.apps.assets.platforms.models import Platform, PlatformBase
from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.foundation.caller.actor import Actor

#: Ids, names and meta of the built-in platforms (contract: conventions section 14).
BUILT_IN_PLATFORMS: Final[tuple[tuple[int, str, PlatformBase, dict[str, str] | None], ...]] = (
    (1, "Linux", PlatformBase.LINUX, None),
    (2, "Unix", PlatformBase.UNIX, None),
    (3, "MacOS", PlatformBase.MACOS, None),
    (4, "BSD", PlatformBase.BSD, None),
    (5, "Windows", PlatformBase.WINDOWS, None),
    (6, "Windows2016", PlatformBase.WINDOWS, {"security": "tls"}),
    (7, "Other", PlatformBase.OTHER, None),
)


@transaction.atomic
def ensure_platforms() -> None:
    """Create missing built-in platforms."""
    existing = set(Platform.objects.filter(internal=True).values_list("id", flat=True))
    missing = [row for row in BUILT_IN_PLATFORMS if row[0] not in existing]
    if not missing:
        return
    Platform.objects.bulk_create(
        [Platform(id=number, name=name, base=base, internal=True, meta=meta) for number, name, base, meta in missing]
    )
    # PostgreSQL sequences ignore explicit ids: without this statement the next platform would get id 1.
    for statement in connection.ops.sequence_reset_sql(no_style(), [Platform]):
        with connection.cursor() as cursor:
            cursor.execute(statement)


@transaction.atomic
def create_platform(*, actor: Actor, values: Mapping[str, Any]) -> Platform:
    platform = Platform(**{**values, "internal": False})
    platform.save(force_insert=True)
    audits.record_change(actor=actor, action="create", target=platform, new=dict(values))
    return platform


@transaction.atomic
def update_platform(*, actor: Actor, platform: Platform, values: Mapping[str, Any]) -> Platform:
    """Change a custom platform. Raises `InternalPlatform` for a built-in platform."""
    row: Platform = Platform.objects.select_for_update(no_key=True).get(pk=platform.pk)
    _require_own(row)
    old, new = recorded.assign(row, {name: value for name, value in values.items() if name != "internal"})
    if new:
        row.save()
        audits.record_change(actor=actor, action="update", target=row, old=old, new=new)
    return row


@transaction.atomic
def delete_platform(*, actor: Actor, platform: Platform) -> None:
    """Delete a custom platform that no asset uses. Raises `InternalPlatform` and `PlatformInUse`.

    Asks before it deletes: the database's own refusal would load every asset of the platform.
    """
    _require_own(platform)
    _require_unused(Platform.objects.select_for_update().get(pk=platform.pk))
    old = {name: getattr(platform, name) for name in ("name", "base", "charset", "meta", "comment")}
    recorded.delete_row(actor=actor, row=platform, old=old)


def _require_own(platform: Platform) -> None:
    if platform.internal:
        raise InternalPlatform(
            _("The platform %(name)s is built in and cannot be changed or deleted.") % {"name": platform.name}
        )


def _require_unused(platform: Platform) -> None:
    used = queries.usage_of(platform)
    if not used.count:
        return
    names = ", ".join(used.examples)
    if used.count > len(used.examples):
        names += _(" and %(count)d more") % {"count": used.count - len(used.examples)}
    raise PlatformInUse(
        _(
            "The platform %(name)s cannot be deleted, because assets use it: %(assets)s. Give them another platform first."
        )
        % {"name": platform.name, "assets": names}
    )
