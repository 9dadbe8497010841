"""Writes of what assets refer to: platforms, labels; and of a person's stars."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.core.management.color import no_style
from django.db import connection, transaction
from django.utils.translation import gettext as _

from postern.apps.assets.errors import InternalPlatform
from postern.apps.assets.models import Asset, FavoriteAsset, Label, Platform, PlatformBase
from postern.apps.audits import facade as audits
from postern.foundation.actor import Actor

#: Ids, names and meta of the platforms that every installation has (contract: conventions section 14).
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
    """Make the built-in platforms that are missing."""
    existing = set(Platform.objects.filter(internal=True).values_list("id", flat=True))
    missing = [row for row in BUILT_IN_PLATFORMS if row[0] not in existing]
    if not missing:
        return
    Platform.objects.bulk_create(
        [Platform(id=number, name=name, base=base, internal=True, meta=meta) for number, name, base, meta in missing]
    )
    # PostgreSQL does not count explicit ids: without this the next platform would get id 1
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
    """Change a platform of one's own. Raises `InternalPlatform` for a built-in one."""
    _require_own(platform)
    changed: Platform = _update(actor, platform, {name: value for name, value in values.items() if name != "internal"})
    return changed


@transaction.atomic
def delete_platform(*, actor: Actor, platform: Platform) -> None:
    """Delete a platform of one's own that no asset uses."""
    _require_own(platform)
    platform_id = platform.pk
    platform.delete()
    platform.pk = platform_id  # the audit chain's lock comes last, as in every write
    audits.record_change(actor=actor, action="delete", target=platform, old={"name": platform.name})


def _require_own(platform: Platform) -> None:
    if platform.internal:
        raise InternalPlatform(_("The platform %(name)s is built in and stays as it is.") % {"name": platform.name})


@transaction.atomic
def create_label(*, actor: Actor, org_id: UUID, values: Mapping[str, Any]) -> Label:
    """`values`: columns, and `assets` (list of `Asset`)."""
    columns = {name: value for name, value in values.items() if name != "assets"}
    label = Label(org_id=org_id, created_by=actor.label, **columns)
    label.save(force_insert=True)
    _set_assets(label, values.get("assets"))
    audits.record_change(actor=actor, action="create", target=label, new=columns)
    return label


@transaction.atomic
def update_label(*, actor: Actor, label: Label, values: Mapping[str, Any]) -> Label:
    columns = {name: value for name, value in values.items() if name != "assets"}
    label = _update(actor, label, columns)
    _set_assets(label, values.get("assets"))
    return label


@transaction.atomic
def delete_label(*, actor: Actor, label: Label) -> None:
    label_id = label.pk
    label.delete()
    label.pk = label_id  # the audit chain's lock comes last, as in every write
    audits.record_change(actor=actor, action="delete", target=label, old={"name": label.name, "value": label.value})


def _set_assets(label: Label, assets: Sequence[Asset] | None) -> None:
    if assets is not None:
        label.assets.set([asset for asset in assets if asset.org_id == label.org_id])


def _update(actor: Actor, row: Any, values: Mapping[str, Any]) -> Any:
    old = {name: getattr(row, name) for name in values}
    for name, value in values.items():
        setattr(row, name, value)
    row.save()
    changed = [name for name in values if old[name] != values[name]]
    audits.record_change(
        actor=actor,
        action="update",
        target=row,
        old={name: old[name] for name in changed},
        new={name: values[name] for name in changed},
    )
    return row


@transaction.atomic
def add_favorite(*, user_id: UUID, asset: Asset) -> FavoriteAsset:
    """Star an asset; a star that is there stays. Stars are a convenience of the person: they leave no audit row."""
    row, _created = FavoriteAsset.objects.get_or_create(user_id=user_id, asset=asset)
    return row


@transaction.atomic
def remove_favorite(*, favorite: FavoriteAsset) -> None:
    favorite.delete()
