"""Writes of what assets refer to: platforms, labels; and of a person's stars."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, Literal
from uuid import UUID

from django.core.management.color import no_style
from django.db import connection, transaction
from django.utils.translation import gettext as _

from postern.apps.assets.errors import InternalPlatform
from postern.apps.assets.models import Asset, FavoriteAsset, Label, Platform, PlatformBase
from postern.apps.audits import facade as audits
from postern.foundation.caller.actor import Actor
from postern.foundation.database import row_locks

#: The audit row names the assets of a label up to this many; of more it tells the number.
_NAMED_IN_AUDIT: Final = 50

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
    row = Platform.objects.select_for_update(no_key=True).get(pk=platform.pk)
    _require_own(row)
    changed: Platform = _update(actor, row, {name: value for name, value in values.items() if name != "internal"})
    return changed


@transaction.atomic
def delete_platform(*, actor: Actor, platform: Platform) -> None:
    """Delete a platform of one's own that no asset uses."""
    _require_own(platform)
    platform_id = platform.pk
    platform.delete()
    platform.pk = platform_id  # the audit chain's lock comes last, as in every write
    old = {name: getattr(platform, name) for name in ("name", "base", "charset", "meta", "comment")}
    audits.record_change(actor=actor, action="delete", target=platform, old=old)


def _require_own(platform: Platform) -> None:
    if platform.internal:
        raise InternalPlatform(_("The platform %(name)s is built in and stays as it is.") % {"name": platform.name})


def hold_labelled(label_ids: Collection[UUID], asset_ids: Collection[UUID]) -> None:
    """Keep the assets that carry these labels, or are to carry them, until the transaction ends (`row_locks`)."""
    carriers = Asset.labels.through.objects.filter(label_id__in=label_ids).order_by()
    row_locks.share(Asset, carriers.values_list("asset_id", flat=True), required=asset_ids)


@transaction.atomic
def create_label(*, actor: Actor, org_id: UUID, values: Mapping[str, Any]) -> Label:
    """`values`: columns, and `assets` (list of `Asset`)."""
    columns = {name: value for name, value in values.items() if name != "assets"}
    label = Label(org_id=org_id, created_by=actor.label, **columns)
    label.save(force_insert=True)
    told: dict[str, Any] = dict(columns)
    if values.get("assets"):
        _, told["assets"] = _set_assets(label, values["assets"])
    audits.record_change(actor=actor, action="create", target=label, new=told)
    return label


@transaction.atomic
def update_label(*, actor: Actor, label: Label, values: Mapping[str, Any]) -> Label:
    """Change what `values` names (as for `create_label`); `assets` becomes exactly the set that carries the label."""
    label = Label.objects.select_for_update(no_key=True).get(pk=label.pk)
    columns = {name: value for name, value in values.items() if name != "assets"}
    old = {name: getattr(label, name) for name in columns if getattr(label, name) != columns[name]}
    new = {name: columns[name] for name in old}
    if new:
        for name, value in new.items():
            setattr(label, name, value)
        label.save()
    if values.get("assets") is not None:
        before, after = _set_assets(label, values["assets"])
        if before != after:
            old["assets"], new["assets"] = before, after
    if new:
        audits.record_change(actor=actor, action="update", target=label, old=old, new=new)
    return label


@transaction.atomic
def delete_label(*, actor: Actor, label: Label) -> None:
    """Delete a label; the assets that carried it stay."""
    label_id = label.pk
    carried = _told(set(label.assets.values_list("hostname", flat=True)))
    label.delete()
    label.pk = label_id  # the audit chain's lock comes last, as in every write
    old = {"name": label.name, "value": label.value, "assets": carried}
    audits.record_change(actor=actor, action="delete", target=label, old=old)


def _set_assets(label: Label, assets: Sequence[Asset]) -> tuple[list[str], list[str]]:
    """Make `assets` exactly those that carry the label; answers what the audit row says of before and after."""
    before = set(label.assets.values_list("hostname", flat=True))
    label.assets.set([asset for asset in assets if asset.org_id == label.org_id])
    after = set(label.assets.values_list("hostname", flat=True))
    return _told(before, besides=after), _told(after, besides=before)


def _told(names: Collection[str], besides: Collection[str] = ()) -> list[str]:
    """Host names for an audit row: all of a few; of many those that are not in `besides`, and how many there are."""
    if len(names) <= _NAMED_IN_AUDIT:
        return sorted(names)
    apart = sorted(set(names) - set(besides))[:_NAMED_IN_AUDIT]
    return [*apart, f"… ({len(names)})"]


def _update(actor: Actor, row: Any, values: Mapping[str, Any]) -> Any:
    old = {name: getattr(row, name) for name in values if getattr(row, name) != values[name]}
    if not old:  # said again what is so already: nothing to tell
        return row
    new = {name: values[name] for name in old}
    for name, value in new.items():
        setattr(row, name, value)
    row.save()
    audits.record_change(actor=actor, action="update", target=row, old=old, new=new)
    return row


@transaction.atomic
def add_favorite(*, actor: Actor, user_id: UUID, asset: Asset) -> FavoriteAsset:
    """Star an asset; a star that is there stays."""
    row, created = FavoriteAsset.objects.get_or_create(user_id=user_id, asset=asset)
    if created:
        _record_star(actor, "create", row)
    return row


@transaction.atomic
def remove_favorite(*, actor: Actor, favorite: FavoriteAsset) -> None:
    """Take a star away."""
    favorite_id = favorite.pk
    favorite.delete()
    favorite.pk = favorite_id  # the audit chain's lock comes last, as in every write
    _record_star(actor, "delete", favorite)


def _record_star(actor: Actor, action: Literal["create", "delete"], row: FavoriteAsset) -> None:
    shown = {"user": actor.label}
    audits.record(
        actor=actor,
        org_id=row.asset.org_id,
        event=audits.Event.FAVORITEASSET_CREATED if action == "create" else audits.Event.FAVORITEASSET_DELETED,
        action=action,
        object_type="FavoriteAsset",
        object_id=str(row.pk),
        object_name=str(row.asset),
        old=shown if action == "delete" else None,
        new=shown if action == "create" else None,
    )
