"""What organizations own in this app: asset permissions and application permissions."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.apps.orgs import facade as orgs
from postern.apps.perms.application_grants.models import ApplicationPermission
from postern.apps.perms.grants.models import AssetPermission

HOLDINGS: Final = (
    orgs.Holding(label=_("Asset permissions"), rows=AssetPermission.objects.all, statistic="asset_perms_amount"),
    orgs.Holding(
        label=_("Application permissions"), rows=ApplicationPermission.objects.all, statistic="app_perms_amount"
    ),
)
