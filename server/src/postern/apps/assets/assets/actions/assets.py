"""Writes of assets. Every write takes one or many assets and uses the same few queries for all of them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction

from postern.apps.assets.assets import admin_users
from postern.apps.assets.assets.actions import belongings
from postern.apps.assets.assets.actions.belongings import LISTS
from postern.apps.assets.tree import change_log
from postern.apps.assets.tree.events import AssetsChanged, AssetsDeleted
from postern.apps.assets.tree.models import Asset, TreeChangeKind
from postern.apps.audits import facade as audits
from postern.foundation.bus import events
from postern.foundation.caller.actor import Actor
from postern.foundation.database import row_locks, row_writes

#: Requested values of one asset: columns of `Asset`, and the lists named in `LISTS`.
Values = Mapping[str, Any]


def create_asset(*, actor: Actor, org_id: UUID, values: Values) -> Asset:
    """Create an asset.

    `values`: columns of `Asset`, and `protocols` (list of `ProtocolPort`), `nodes` (list of `Node`; empty means the
    root node), `node_paths` (full values, created where missing; replaces `nodes`), `labels` (list of `Label`).
    """
    return create_assets(actor=actor, org_id=org_id, items=[values])[0]


@transaction.atomic
def create_assets(*, actor: Actor, org_id: UUID, items: Sequence[Values]) -> list[Asset]:
    """Create assets, all or none; returns them in the given order."""
    write = change_log.begin(org_id, new_assets=len(items))
    admin_users.hold(items)
    assets = [
        Asset(org_id=org_id, created_by=actor.label, dense_id=number, **_columns(values))
        for values, number in zip(items, write.dense_ids, strict=True)
    ]
    row_writes.insert(assets)
    lists = belongings.give(actor, write, list(zip(assets, items, strict=True)))
    write.touch(TreeChangeKind.ASSET, [asset.pk for asset in assets])
    changes = [audits.Change(asset, new={**_column_snapshot(asset), **lists[asset.pk]}) for asset in assets]
    audits.record_changes(actor=actor, action="create", changes=changes)
    events.publish(AssetsChanged(org_id=org_id))
    return assets


def update_asset(*, actor: Actor, asset: Asset, values: Values) -> Asset:
    """Change the values that are given (as for `create_asset`) and no others."""
    return update_assets(actor=actor, pairs=[(asset, values)])[0]


@transaction.atomic
def update_assets(*, actor: Actor, pairs: Sequence[tuple[Asset, Values]]) -> list[Asset]:
    """Update many assets, each with its own values, all or none; returns them in the given order."""
    changed: dict[UUID, Asset] = {}
    for org_id, some in _by_organization(pairs).items():
        changed |= _update_in(actor, org_id, some)
    return [changed[asset.pk] for asset, _values in pairs]


def _update_in(actor: Actor, org_id: UUID, pairs: Sequence[tuple[Asset, Values]]) -> dict[UUID, Asset]:
    write = change_log.begin(org_id)
    admin_users.hold(values for _asset, values in pairs)
    wanted = {asset.pk: values for asset, values in pairs}
    assets = _locked(list(wanted))
    pairs_with_lists = [(assets[key], values) for key, values in wanted.items() if values.keys() & LISTS]
    old = {key: _column_snapshot(asset) for key, asset in assets.items()}
    lists = belongings.replace(actor, write, pairs_with_lists)
    changes: list[audits.Change] = []
    written: set[str] = set()
    for key, values in wanted.items():
        asset, columns = assets[key], _columns(values)
        for name, value in columns.items():
            setattr(asset, name, value)
        before, after = lists.get(key, ({}, {}))
        before, after = {**old[key], **before}, {**_column_snapshot(asset), **after}
        names = [name for name in after if after[name] != before[name]]
        if names:  # no change, so nothing to write or audit
            written.update(name for name in names if name in old[key])
            old_and_new = ({name: before[name] for name in names}, {name: after[name] for name in names})
            changes.append(audits.Change(asset, *old_and_new))
    if changes:
        touched: list[Any] = [change.target for change in changes]
        row_writes.change(touched, (*sorted(written), "date_updated"))
        write.touch(TreeChangeKind.ASSET, [asset.pk for asset in touched])
        audits.record_changes(actor=actor, action="update", changes=changes)
        events.publish(AssetsChanged(org_id=org_id))
    return assets


def delete_asset(*, actor: Actor, asset: Asset) -> None:
    """Delete an asset with its protocols, node placements, favourites and pinned host keys."""
    delete_assets(actor=actor, assets=[asset])


@transaction.atomic
def delete_assets(*, actor: Actor, assets: Sequence[Asset]) -> None:
    """Delete many assets, all or none."""
    for org_id, some in _by_organization([(asset, {}) for asset in assets]).items():
        _delete_in(actor, org_id, [asset for asset, _nothing in some])


def _delete_in(actor: Actor, org_id: UUID, assets: Sequence[Asset]) -> None:
    write = change_log.begin(org_id)
    keys = [asset.pk for asset in assets]
    row_locks.lock(Asset, keys, deleting=True)
    lists = belongings.shown(keys)
    write.touch(TreeChangeKind.NODE, belongings.nodes_of(keys))
    write.touch(TreeChangeKind.ASSET, keys)
    Asset.objects.filter(pk__in=keys).delete()
    # The lock of the audit chain is taken last, when this write waits for no other lock.
    changes = [audits.Change(asset, old={**_column_snapshot(asset), **lists[asset.pk]}) for asset in assets]
    audits.record_changes(actor=actor, action="delete", changes=changes)
    events.publish(AssetsDeleted(org_id=org_id, asset_ids=tuple(keys)))
    events.publish(AssetsChanged(org_id=org_id))


def _locked(keys: Sequence[UUID]) -> dict[UUID, Asset]:
    """Current rows, locked for update. Raises `Asset.DoesNotExist` when a row no longer exists."""
    rows = Asset.objects.select_for_update(of=("self",), no_key=True).select_related("platform").filter(pk__in=keys)
    locked_assets = {row.pk: row for row in rows.order_by("pk")}
    if len(locked_assets) < len(set(keys)):
        raise Asset.DoesNotExist
    return locked_assets


def _by_organization(pairs: Iterable[tuple[Asset, Values]]) -> dict[UUID, list[tuple[Asset, Values]]]:
    pairs_by_org: defaultdict[UUID, list[tuple[Asset, Values]]] = defaultdict(list)
    for asset, values in pairs:
        pairs_by_org[asset.org_id].append((asset, values))
    # Always lock in key order, so that concurrent writes cannot deadlock.
    return dict(sorted(pairs_by_org.items(), key=lambda item: str(item[0])))


def _columns(values: Values) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in LISTS}


def _column_snapshot(asset: Asset) -> dict[str, Any]:
    """The asset's own columns as the audit record stores them."""
    return {name: _plain(getattr(asset, name)) for name in _SHOWN}


_SHOWN = tuple(
    column.attname
    for column in Asset._meta.concrete_fields  # noqa: SLF001 - the documented model API
    if column.attname not in {"id", "dense_id", "date_created", "date_updated", "created_by", "org_id"}
)


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | bool) else str(value)
