"""Reads the state of each step towards a first connection."""

from datetime import datetime

from django.db.models import Q

from postern.apps.assets.models import Asset, Connectivity
from postern.apps.perms.models import AssetPermission
from postern.apps.sessions.models import Session
from postern.apps.users.models import Membership, User
from postern.apps.vault.models import SystemUser
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope


def host(scope: OrgScope) -> Asset | None:
    """A host to show in the step of the host: a host that was reached if there is any, otherwise the newest."""
    rows = Asset.objects.all() if scope.is_root else Asset.objects.filter(org_id=scope.org_id)
    rows = rows.only("id", "hostname", "connectivity", "connectivity_reason", "connectivity_sentence")
    reached = rows.filter(connectivity=Connectivity.OK).order_by().first()
    return reached or rows.order_by("-date_created", "-pk").first()


def steps(actor: Actor, scope: OrgScope, at: datetime) -> dict[str, bool]:
    """Step → whether it is done. In the root organization, a step counts as done if any organization has done it."""
    own = Q() if scope.is_root else Q(org_id=scope.org_id)
    if scope.is_root:
        others = User.objects.filter(~Q(pk=actor.user_id)).exists()
    else:
        others = Membership.objects.filter(own, ~Q(user_id=actor.user_id)).exists()
    valid = AssetPermission.objects.filter(own, is_active=True, date_start__lte=at, date_expired__gt=at)
    somebody = Q(user_rows__isnull=False) | Q(user_group_rows__isnull=False)
    something = Q(asset_rows__isnull=False) | Q(node_rows__isnull=False)
    return {
        "account": SystemUser.objects.filter(own).exists(),
        "host": Asset.objects.filter(own).exists(),
        "person": others,
        "permission": valid.filter(somebody).filter(something).exists(),
        "connect": Session.objects.filter(own).exists(),
    }
