"""What organizations own in this app: their members and groups."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.apps.orgs import facade as orgs
from postern.apps.users.accounts.models import Membership
from postern.apps.users.groups.models import UserGroup

HOLDINGS: Final = (
    orgs.Holding(label=_("People"), rows=Membership.objects.all, counted="user_id", statistic="users_amount"),
    orgs.Holding(label=_("User groups"), rows=UserGroup.objects.all, statistic="groups_amount"),
)
