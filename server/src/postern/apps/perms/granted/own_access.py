"""Why a user can or cannot connect to an asset, before a system user is chosen, and the possible next steps."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import Exists, OuterRef
from django.utils.translation import gettext as _

from postern.apps.assets.models import Asset
from postern.apps.orgs.roles import OrgRole
from postern.apps.perms.decisions.decision import Decision, Named, Reason, evaluate, without_details
from postern.apps.perms.decisions.queries import load_facts_of_asset
from postern.apps.users.models import Membership, SystemRole, User
from postern.apps.vault.models import SystemUser, SystemUserAsset, SystemUserType
from postern.contracts.enums import Protocol
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.kernel.clock import now

#: Number of administrators that are named to a user who has to ask for access.
_MOST_NAMED: Final = 5
UNKNOWN_OR_NOT_GRANTED: Final = "no_grant"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnAccess:
    """The answer. `asset` is None for users who must not learn that it exists.

    `may_grant`: the user may create the missing permission; `system_user` is the system user to name in it, when only
    one is possible. `ask`: names of administrators, for all other users.
    """

    allowed: bool
    reasons: tuple[Reason, ...]
    code: str
    message: str
    asset: Named | None = None
    may_grant: bool = False
    system_user: Named | None = None
    ask: tuple[str, ...] = ()


def explain_own_access(
    *, actor: Actor, scope: OrgScope, user_id: UUID, asset_id: UUID, protocol: Protocol
) -> OwnAccess:
    """May the user connect to the asset with any system user, and why (not)?

    Administrators of the asset's organization see every reason. Other users see the main reason, and only when a
    permission names both them and the asset. A user without such a permission does not even learn whether the asset
    exists.
    """
    facts = load_facts_of_asset(user_id=user_id, asset_id=asset_id, protocol=protocol)
    decision = evaluate(facts, now())
    administers = actor.is_org_admin and Asset.objects.visible_to(actor, scope).filter(pk=asset_id).exists()
    if not administers and not facts.grants:
        message = _("This asset does not exist, or no permission gives you access to it.")
        return OwnAccess(
            allowed=False,
            reasons=(),
            code=UNKNOWN_OR_NOT_GRANTED,
            message=message,
            ask=_administrators(scope.org_id, user_id),
        )
    asset = Named(facts.asset.id, facts.asset.name) if facts.asset is not None else None
    visible_decision = decision if administers else without_details(decision)
    may_grant = administers and not scope.is_root
    return OwnAccess(
        allowed=decision.allowed,
        reasons=visible_decision.reasons,
        code=_code(decision),
        message=visible_decision.message,
        asset=asset,
        may_grant=may_grant,
        system_user=_account_of(asset_id, scope, protocol) if may_grant else None,
        ask=() if administers or decision.allowed else _administrators(_org_of(asset_id, scope), user_id),
    )


def _code(decision: Decision) -> str:
    return decision.reasons[0].code.value


def _org_of(asset_id: UUID, scope: OrgScope) -> UUID:
    return Asset.objects.filter(pk=asset_id).values_list("org_id", flat=True).first() or scope.org_id


def _account_of(asset_id: UUID, scope: OrgScope, protocol: Protocol) -> Named | None:
    """The only system user of this protocol on the asset or, if the asset has none, in the organization; None for
    several.
    """
    system_users = SystemUser.objects.filter(type=SystemUserType.COMMON, protocol=protocol.value).order_by("pk")
    on_asset = SystemUserAsset.objects.filter(asset_id=asset_id).values("systemuser_id")
    rows = list(system_users.filter(pk__in=on_asset)[:2]) or list(system_users.filter(org_id=scope.org_id)[:2])
    return Named(rows[0].pk, rows[0].name) if len(rows) == 1 else None


def _administrators(org_id: UUID, user_id: UUID) -> tuple[str, ...]:
    """Names of users who may grant access: administrators of this organization, else those of the installation. A user
    who does not belong to the organization learns nobody of it.
    """
    members = Membership.objects.filter(org_id=org_id)
    role = members.filter(user_id=OuterRef("pk"), role=OrgRole.ADMIN)
    people = User.objects.valid().people().order_by("name", "pk").values_list("name", flat=True)
    own = tuple(people.filter(Exists(role), Exists(members.filter(user_id=user_id)))[:_MOST_NAMED])
    return own or tuple(people.filter(role=SystemRole.ADMIN)[:_MOST_NAMED])
