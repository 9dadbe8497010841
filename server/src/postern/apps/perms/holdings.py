"""What organizations own of this app: asset permissions."""

from django.utils.translation import gettext_lazy as _

from postern.apps.orgs import facade as orgs
from postern.apps.perms.models import AssetPermission


def register() -> None:
    """Tell the organizations; called once, when the app registry is ready."""
    orgs.register_holding(
        orgs.Holding(label=_("Asset permissions"), rows=AssetPermission.objects.all, statistic="asset_perms_amount")
    )
