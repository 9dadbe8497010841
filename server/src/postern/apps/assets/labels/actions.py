"""Writes of labels."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from postern.apps.assets.tree.models import Asset, Label
from postern.apps.audits import facade as audits
from postern.foundation.caller.actor import Actor
from postern.foundation.database import row_locks

#: The audit row names the assets of a label up to this many; of more it tells the number.
_NAMED_IN_AUDIT: Final = 50


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
