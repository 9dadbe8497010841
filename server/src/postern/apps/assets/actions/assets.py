"""Writes of assets."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from postern.apps.assets import change_log
from postern.apps.assets.actions.placement import set_nodes
from postern.apps.assets.actions.tree import ensure_path
from postern.apps.assets.events import AssetsChanged, AssetsDeleted
from postern.apps.assets.models import Asset, AssetProtocol, Label, TreeChangeKind
from postern.apps.assets.protocols import ProtocolPort
from postern.apps.audits import facade as audits
from postern.foundation import events
from postern.foundation.actor import Actor

#: Lists that hang on an asset; all else in `values` is a column.
_LISTS: Final = ("protocols", "nodes", "node_paths", "labels")


@transaction.atomic
def create_asset(*, actor: Actor, org_id: UUID, values: Mapping[str, Any]) -> Asset:
    """A new asset.

    `values`: columns of `Asset`, and `protocols` (list of `ProtocolPort`), `nodes` (list of `Node`; none is the root),
    `node_paths` (full values, made on demand; replaces `nodes`), `labels` (list of `Label`).
    """
    write = change_log.begin(org_id)
    asset = Asset(org_id=org_id, created_by=actor.label, dense_id=write.take_dense_ids(1)[0], **_columns(values))
    asset.save(force_insert=True)
    _set_protocols(asset, values.get("protocols") or [])
    set_nodes(write, asset, _node_ids(actor, asset, values) or ())
    if "labels" in values:
        asset.labels.set(_own(values["labels"], org_id))
    write.touch(TreeChangeKind.ASSET, [asset.pk])
    audits.record_change(actor=actor, action="create", target=asset, new=_snapshot(asset))
    events.publish(AssetsChanged(org_id=org_id))
    return asset


@transaction.atomic
def update_asset(*, actor: Actor, asset: Asset, values: Mapping[str, Any]) -> Asset:
    """Change what `values` names (as for `create_asset`) and nothing else."""
    write = change_log.begin(asset.org_id)
    asset = Asset.objects.select_for_update(of=("self",)).select_related("platform").get(pk=asset.pk)
    old = _snapshot(asset)
    for name, value in _columns(values).items():
        setattr(asset, name, value)
    lists_stay = not values.keys() & set(_LISTS)
    if lists_stay and _column_snapshot(asset).items() <= old.items():  # said again what is so already: nothing to tell
        return asset
    asset.save()
    if values.get("protocols"):
        _set_protocols(asset, values["protocols"])
    node_ids = _node_ids(actor, asset, values)
    if node_ids is not None:
        set_nodes(write, asset, node_ids)
    if "labels" in values:
        asset.labels.set(_own(values["labels"], asset.org_id))
    new = {**old, **_column_snapshot(asset)} if lists_stay else _snapshot(asset)
    changed = [name for name in new if new[name] != old[name]]
    if not changed:
        return asset
    write.touch(TreeChangeKind.ASSET, [asset.pk])
    audits.record_change(
        actor=actor,
        action="update",
        target=asset,
        old={name: old[name] for name in changed},
        new={name: new[name] for name in changed},
    )
    events.publish(AssetsChanged(org_id=asset.org_id))
    return asset


@transaction.atomic
def delete_asset(*, actor: Actor, asset: Asset) -> None:
    """Delete an asset with its protocols, places, stars and pinned host keys."""
    write = change_log.begin(asset.org_id)
    org_id, asset_id = asset.org_id, asset.pk
    write.touch(TreeChangeKind.NODE, list(asset.node_rows.values_list("node_id", flat=True)))
    write.touch(TreeChangeKind.ASSET, [asset_id])
    old = _snapshot(asset)
    asset.delete()
    # The lock of the audit chain comes last, when this write waits for no other lock any more
    asset.pk = asset_id
    audits.record_change(actor=actor, action="delete", target=asset, old=old)
    events.publish(AssetsDeleted(org_id=org_id, asset_ids=(asset_id,)))
    events.publish(AssetsChanged(org_id=org_id))


@transaction.atomic
def clear_admin_user(*, admin_user_id: UUID) -> None:
    """Forget an admin user that is going away (called by the vault, which writes the audit row)."""
    Asset.objects.filter(admin_user_id=admin_user_id).update(admin_user_id=None)


def _columns(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in _LISTS}


def _node_ids(actor: Actor, asset: Asset, values: Mapping[str, Any]) -> Collection[UUID] | None:
    """The wanted places, or None when the call does not speak of them."""
    if values.get("node_paths"):
        return [ensure_path(actor=actor, org_id=asset.org_id, path=path).pk for path in values["node_paths"]]
    if values.get("nodes"):
        return [node.pk for node in values["nodes"]]
    return None


def _set_protocols(asset: Asset, protocols: Sequence[ProtocolPort]) -> None:
    asset.protocol_rows.all().delete()
    AssetProtocol.objects.bulk_create(
        [
            AssetProtocol(asset=asset, name=item.name.value, port=item.port, position=position)
            for position, item in enumerate(protocols)
        ]
    )


def _own(labels: Sequence[Label], org_id: UUID) -> list[Label]:
    return [label for label in labels if label.org_id == org_id]


def _snapshot(asset: Asset) -> dict[str, Any]:
    """What the audit row shows of an asset."""
    shown = _column_snapshot(asset)
    shown["protocols"] = [str(row) for row in AssetProtocol.objects.filter(asset=asset)]
    shown["nodes"] = sorted(asset.nodes.values_list("full_value", flat=True))
    shown["labels"] = sorted(str(label) for label in asset.labels.all())
    return shown


def _column_snapshot(asset: Asset) -> dict[str, Any]:
    skipped = {"id", "dense_id", "date_created", "date_updated", "created_by", "org_id"}
    columns = {field.attname: getattr(asset, field.attname) for field in Asset._meta.concrete_fields}  # noqa: SLF001 - the documented model API
    return {name: _plain(value) for name, value in columns.items() if name not in skipped}


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | bool) else str(value)
