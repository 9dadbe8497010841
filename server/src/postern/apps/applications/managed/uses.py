"""Uses of applications and by applications, so that nothing is deleted behind the back of those who rely on it.

Permissions belong to an app in a higher layer, which provides how to count them.
"""

from collections.abc import Callable, Sequence
from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.apps.applications.managed.models import Application
from postern.apps.assets.models import Domain
from postern.foundation.database.uses import Use
from postern.foundation.provided import Provided

OTHERS: Final = Provided[Sequence[Callable[[Application], Use]]]("the uses of applications by other apps")


def of_domain(domain: Domain) -> Use:
    """The applications in a domain."""
    return Use.by(_("Applications"), Application.objects.filter(domain=domain), "name")
