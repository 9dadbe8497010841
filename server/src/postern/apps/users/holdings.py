"""What organizations own of this app: their people and groups."""

from django.utils.translation import gettext_lazy as _

from postern.apps.orgs import facade as orgs
from postern.apps.users.models import Membership, UserGroup


def register() -> None:
    """Tell the organizations; called once, when the app registry is ready."""
    orgs.register_holding(
        orgs.Holding(label=_("People"), rows=Membership.objects.all, counted="user_id", statistic="users_amount")
    )
    orgs.register_holding(orgs.Holding(label=_("User groups"), rows=UserGroup.objects.all, statistic="groups_amount"))
