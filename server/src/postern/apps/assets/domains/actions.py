"""Writes of domains. The assets of a domain are changed by the actions of assets, with a record for each asset."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from postern.apps.assets.assets import gateways
from postern.apps.assets.assets.actions.assets import update_assets
from postern.apps.assets.domains import chains
from postern.apps.assets.domains.errors import WayRefused
from postern.apps.assets.domains.uses import OTHERS
from postern.apps.assets.tree.actions import hold as hold_trees
from postern.apps.assets.tree.models import Asset, Domain
from postern.apps.audits import facade as audits
from postern.apps.audits import recorded
from postern.foundation.caller.actor import Actor
from postern.foundation.database import row_locks
from postern.foundation.database.uses import Use, require_unused

Values = Mapping[str, Any]


def hold(org_ids: Collection[UUID], domains: Sequence[Domain], values: Sequence[Values], *, deleting: bool) -> None:
    """Lock what a write of domains needs. The lock of the tree comes first: two writes cannot close a circle together."""
    hold_trees(org_ids)
    row_locks.lock(Domain, [row.pk for row in domains], deleting=deleting)
    row_locks.share(Domain, (), required={item["reached_through"].pk for item in values if item.get("reached_through")})


@transaction.atomic
def create_domain(*, actor: Actor, org_id: UUID, values: Values) -> Domain:
    """Create a domain. `values`: columns, and `assets` (list of `Asset`), which leave the domains they were in.

    Raises `WayRefused`.
    """
    hold_trees([org_id])
    columns = {name: value for name, value in values.items() if name != "assets"}
    row = Domain(org_id=org_id, created_by=actor.label, **columns)
    _require_a_way(row)
    row.save(force_insert=True)
    assets = _own(row, values.get("assets") or ())
    update_assets(actor=actor, pairs=[(asset, {"domain": row}) for asset in assets])
    shown = {"assets": recorded.shortened({asset.hostname for asset in assets})} if assets else {}
    audits.record_change(actor=actor, action="create", target=row, new={**_shown(columns), **shown})
    return row


@transaction.atomic
def update_domain(*, actor: Actor, domain: Domain, values: Values) -> Domain:
    """Change the given values. A given list of assets replaces the current list. Raises `WayRefused`."""
    hold_trees([domain.org_id])
    row: Domain = Domain.objects.select_for_update(of=("self",), no_key=True).get(pk=domain.pk)
    old, new = recorded.assign(row, {name: value for name, value in values.items() if name != "assets"})
    if new:
        _require_a_way(row)
        row.save()
    before, after = _shown(old), _shown(new)
    if values.get("assets") is not None:
        names_before, names_after = _replace_assets(actor, row, values["assets"])
        if names_before != names_after:
            before["assets"], after["assets"] = names_before, names_after
    if after:
        audits.record_change(actor=actor, action="update", target=row, old=before, new=after)
    return row


@transaction.atomic
def delete_domain(*, actor: Actor, domain: Domain) -> None:
    """Delete a domain that nothing refers to. Its assets, its gateways and the domains behind it protect it.

    Asks before it deletes: the database's own refusal would load every asset of the domain. Raises StillUsed.
    """
    row_locks.lock(Domain, [domain.pk], deleting=True)
    require_unused(domain.name, _uses(domain))
    through = domain.reached_through.name if domain.reached_through else None
    old = {"name": domain.name, "reached_through": through, "comment": domain.comment}
    recorded.delete_row(actor=actor, row=domain, old=old)


def _uses(domain: Domain) -> Iterator[Use]:
    yield Use.by(gettext_lazy("Assets"), Asset.objects.filter(domain=domain), "hostname")
    yield Use(label=gettext_lazy("Gateways"), **_gateways(domain))
    for use in OTHERS.value:
        yield use(domain)
    yield Use.by(gettext_lazy("Domains behind it"), Domain.objects.filter(reached_through=domain), "name")


def _gateways(domain: Domain) -> dict[str, Any]:
    names = [str(row["name"]) for row in gateways.listed([domain.pk]).get(domain.pk, ())]
    return {"count": len(names), "names": tuple(names[:3])}


def _replace_assets(actor: Actor, domain: Domain, assets: Sequence[Asset]) -> tuple[list[str], list[str]]:
    wanted = {asset.pk: asset for asset in _own(domain, assets)}
    present = {asset.pk: asset for asset in Asset.objects.filter(domain=domain)}
    leaving: list[tuple[Asset, Values]] = [
        (asset, {"domain": None}) for key, asset in present.items() if key not in wanted
    ]
    joining: list[tuple[Asset, Values]] = [
        (asset, {"domain": domain}) for key, asset in wanted.items() if key not in present
    ]
    update_assets(actor=actor, pairs=[*leaving, *joining])
    before = {asset.hostname for asset in present.values()}
    after = {asset.hostname for asset in wanted.values()}
    return recorded.shortened(before, besides=after), recorded.shortened(after, besides=before)


def _own(domain: Domain, assets: Sequence[Asset]) -> list[Asset]:
    """The assets, without assets of other organizations (K68: rows refer to their own organization only)."""
    return [asset for asset in assets if asset.org_id == domain.org_id]


def _require_a_way(domain: Domain) -> None:
    through = domain.reached_through
    if through is None:
        return
    if through.org_id != domain.org_id:
        raise WayRefused(_("This object belongs to another organization."))
    links = dict(Domain.objects.filter(org_id=domain.org_id).values_list("pk", "reached_through_id"))
    links[domain.pk] = through.pk
    if chains.is_circular(domain.pk, links):
        raise WayRefused(
            _("The domain %(other)s is itself reached through this domain. Choose a domain outside of this circle.")
            % {"other": through.name}
        )
    if chains.longest_way_over(domain.pk, links) > chains.MAX_STAGES:
        raise WayRefused(
            _("The way would pass through more than %(number)d domains. Choose a domain that is nearer.")
            % {"number": chains.MAX_STAGES}
        )


def _shown(columns: Values) -> dict[str, Any]:
    """The columns as the audit record stores them."""
    return {name: value.name if isinstance(value, Domain) else value for name, value in columns.items()}
