"""What organizations own in this app: applications."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.apps.applications.managed.models import Application
from postern.apps.orgs import facade as orgs

HOLDINGS: Final = (
    orgs.Holding(label=_("Applications"), rows=Application.objects.all, statistic="applications_amount"),
)
