"""Resolves what a user types (`web-1`, an address, an id; a system user or nothing) to one permitted target."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from postern.apps.assets.facade import AssetBrief, asset_briefs
from postern.apps.assets.models import Asset
from postern.apps.perms.decisions.decision import Decision, evaluate, without_details
from postern.apps.perms.decisions.naming import permissions_naming_asset, permissions_naming_user
from postern.apps.perms.decisions.queries import load_facts
from postern.apps.perms.granted.reach import Reach, Usable, Who, load_reach
from postern.apps.perms.grants.models import AssetPermission, PermissionSystemUser
from postern.apps.vault.models import SystemUser
from postern.contracts.access import Denial, ReachableAsset, ReachablePage, ReachableSystemUser
from postern.contracts.enums import DenialCode, Protocol
from postern.foundation.caller import identity
from postern.kernel.clock import now
from postern.kernel.ids import parse_id

#: For a name that matches more assets, only the first assets are returned.
MAX_CANDIDATES = 20
MAX_PAGE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedTarget:
    """One permitted target.

    `decision` is an allow with its actions and its end; `manual`: the user must enter the credential.
    """

    asset: AssetBrief
    port: int
    system_user: Usable
    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetAnswer:
    """Exactly one of `target` and `denial` is set. `candidates` come with the code `ambiguous`."""

    target: ResolvedTarget | None = None
    denial: Denial | None = None
    candidates: tuple[ReachableAsset, ...] = ()


def reachable_assets(
    *,
    user_id: UUID,
    search: str = "",
    protocol: Protocol | None = None,
    offset: int = 0,
    limit: int = 20,
    order_by: str = "hostname",
    at: datetime | None = None,
) -> ReachablePage:
    """A page of the user's reachable assets at `at` (default: now).

    Every word of `search` occurs in name, address or comment.
    """
    reach = load_reach(Who(user_id=user_id), at or now(), protocol)
    words = search.replace(",", " ").split()[:8]
    order = ("ip" if order_by == "ip" else "hostname", "pk")
    first, size = max(offset, 0), min(max(limit, 0), MAX_PAGE)
    if reach.indexed is not None:
        members = reach.indexed.assets()
        page = reach.indexed.page(reach.indexed.with_words(members, words), order, first, size)
        return ReachablePage(count=page.count, assets=_shown(page.keys, reach))
    rows = reach.assets()
    for word in words:
        rows = rows.filter(Q(hostname__icontains=word) | Q(ip__icontains=word) | Q(comment__icontains=word))
    rows = rows.order_by(*order)
    keys = list(rows.values_list("pk", flat=True)[first : first + size])
    return ReachablePage(count=rows.count(), assets=_shown(keys, reach))


def resolve_target(
    *, user_id: UUID, asset_ref: str, system_user_ref: str, protocol: Protocol, at: datetime | None = None
) -> TargetAnswer:
    """Resolve the asset and the system user that the user means, and decide.

    A name matches only assets that the user may reach, or that a permission (expired, switched off …) names for them.
    Users cannot find out which other assets exist by trying names.
    """
    instant = at or now()
    reach = Reach(Who(user_id=user_id), instant, protocol)
    matches = _matching_assets(reach, asset_ref)
    if len(matches) > 1:
        message = _("%(ref)s matches several assets; choose one by its name.") % {"ref": asset_ref}
        return TargetAnswer(
            denial=Denial(code=DenialCode.AMBIGUOUS, message=message), candidates=_shown(matches, reach)
        )
    if not matches:
        return TargetAnswer(denial=_why_no_asset(user_id, asset_ref, system_user_ref, protocol, instant))
    asset_id = matches[0]
    usable = [system_user for system_user in reach.usable([asset_id])[asset_id] if system_user.protocol is protocol]
    chosen = _matching_system_users(usable, system_user_ref)
    if not chosen:
        return TargetAnswer(denial=_why_no_system_user(user_id, asset_id, system_user_ref, protocol, instant))
    system_user = chosen[0]
    decision = evaluate(
        load_facts(user_id=user_id, asset_id=asset_id, system_user_id=system_user.id, protocol=protocol), instant
    )
    asset = asset_briefs([asset_id]).get(asset_id)
    if not decision.allowed or asset is None:
        return TargetAnswer(denial=_denial(decision))
    return TargetAnswer(
        target=ResolvedTarget(asset=asset, port=asset.protocols[protocol], system_user=system_user, decision=decision)
    )


def _matching_assets(reach: Reach, ref: str) -> list[UUID]:
    """Ids of reachable assets: by id, else by exact name, else by address, else by name ignoring case."""
    active = Asset.objects.filter(is_active=True).order_by("hostname", "pk")
    found_id = parse_id(ref)
    if found_id is not None:
        return list(reach.among(active.filter(pk=found_id)).values_list("pk", flat=True))
    # An index finds exact names and addresses, so few assets need a check. No index ignores case.
    for rows in (
        reach.among(active.filter(hostname=ref)),
        reach.among(active.filter(ip=ref)),
        reach.assets().filter(hostname__iexact=ref).order_by("hostname", "pk"),
    ):
        asset_ids = list(rows.values_list("pk", flat=True)[: MAX_CANDIDATES + 1])
        if asset_ids:
            return asset_ids[:MAX_CANDIDATES]
    return []


def _matching_system_users(usable: Sequence[Usable], ref: str) -> list[Usable]:
    """By id, name or login name; without a reference all, highest priority first."""
    if not ref:
        return list(usable)
    by_id = parse_id(ref)
    return (
        [system_user for system_user in usable if system_user.id == by_id]
        or [system_user for system_user in usable if system_user.name == ref]
        or [
            system_user
            for system_user in usable
            if system_user.username == ref and not system_user.username_same_with_user
        ]
    )


def _why_no_asset(user_id: UUID, asset_ref: str, system_user_ref: str, protocol: Protocol, at: datetime) -> Denial:
    """Why the asset is not reachable, if a permission names it for the user; else that the user has no permission."""
    found_id = parse_id(asset_ref)
    rows = (
        Asset.objects.filter(pk=found_id) if found_id else Asset.objects.filter(Q(hostname=asset_ref) | Q(ip=asset_ref))
    )
    for asset_id in rows.order_by("pk").values_list("pk", flat=True)[:MAX_CANDIDATES]:
        known = AssetPermission.objects.filter(pk__in=permissions_naming_user(user_id)).filter(
            pk__in=permissions_naming_asset(asset_id)
        )
        permissions = list(known.values_list("pk", flat=True))
        if permissions:
            named = PermissionSystemUser.objects.filter(assetpermission_id__in=permissions)
            return _near_miss(user_id, asset_id, named, system_user_ref, protocol=protocol, at=at)
        if found_id:
            message = _("No permission gives you access to this asset.")
            return Denial(code=DenialCode.NO_PERMISSION, message=message)
    message = _("There is no asset %(ref)s that you may reach.") % {"ref": asset_ref}
    return Denial(code=DenialCode.UNKNOWN_ASSET, message=message)


def _near_miss(
    user_id: UUID,
    asset_id: UUID,
    named: QuerySet[PermissionSystemUser],
    system_user_ref: str,
    *,
    protocol: Protocol,
    at: datetime,
) -> Denial:
    candidates = SystemUser.objects.filter(asset_permission_rows__in=named).distinct()
    by_id = parse_id(system_user_ref)
    if system_user_ref:
        wanted = Q(name=system_user_ref) | Q(username=system_user_ref)
        candidates = candidates.filter(Q(pk=by_id) if by_id else wanted)
    # Prefer a system user with the requested protocol, so that the reason is about the permission and not the protocol.
    rows = sorted(candidates, key=lambda row: (row.protocol != protocol.value, -row.priority, row.name))
    if not rows:
        return _unknown_system_user(system_user_ref)
    facts = load_facts(user_id=user_id, asset_id=asset_id, system_user_id=rows[0].pk, protocol=protocol)
    return _denial(evaluate(facts, at))


def _why_no_system_user(user_id: UUID, asset_id: UUID, ref: str, protocol: Protocol, at: datetime) -> Denial:
    by_id = parse_id(ref)
    wanted = Q(pk=by_id) if by_id else Q(name=ref) | Q(username=ref)
    permissions = AssetPermission.objects.filter(pk__in=permissions_naming_user(user_id)).filter(
        pk__in=permissions_naming_asset(asset_id)
    )
    named = PermissionSystemUser.objects.filter(assetpermission__in=permissions)
    row = SystemUser.objects.filter(wanted, asset_permission_rows__in=named).order_by("-priority").first()
    if row is None:
        return _unknown_system_user(ref)
    facts = load_facts(user_id=user_id, asset_id=asset_id, system_user_id=row.pk, protocol=protocol)
    return _denial(evaluate(facts, at))


def _unknown_system_user(ref: str) -> Denial:
    message = _("There is no system user %(ref)s that you may use on this asset.") % {"ref": ref}
    return Denial(code=DenialCode.UNKNOWN_SYSTEM_USER, message=message)


def _denial(decision: Decision) -> Denial:
    visible_decision = without_details(decision)
    return Denial(
        code=decision.denial_code or DenialCode.NO_PERMISSION,
        message=visible_decision.message,
        reasons=tuple(reason.code.value for reason in decision.reasons),
    )


def _shown(asset_ids: Sequence[UUID], reach: Reach) -> tuple[ReachableAsset, ...]:
    assets = asset_briefs(asset_ids)
    usable = reach.usable(asset_ids)
    org_names = {org_id: identity.org_name(org_id) for org_id in {asset.org_id for asset in assets.values()}}
    return tuple(
        ReachableAsset(
            id=asset.id,
            hostname=asset.hostname,
            ip=asset.ip,
            platform=asset.platform,
            comment=asset.comment,
            org_name=org_names[asset.org_id],
            system_users=tuple(
                ReachableSystemUser(
                    id=system_user.id,
                    name=system_user.name,
                    username=system_user.username,
                    protocol=system_user.protocol,
                    priority=system_user.priority,
                    manual=system_user.manual,
                )
                for system_user in usable.get(asset.id, ())
            ),
        )
        for asset in (assets[asset_id] for asset_id in asset_ids if asset_id in assets)
    )
