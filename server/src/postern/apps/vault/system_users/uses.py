"""What uses a system user, so that it is not deleted behind the back of those who rely on it.

Permissions and tasks belong to apps in higher layers, which provide how to count them.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.apps.assets.models import Asset
from postern.apps.vault.system_users.models import SystemUser, SystemUserAsset, SystemUserNode
from postern.foundation.database.uses import Use
from postern.foundation.provided import Provided

OTHERS: Final = Provided[Sequence[Callable[[SystemUser], Use]]]("the uses of system users by other apps")


def uses_of(system_user: SystemUser) -> Iterator[Use]:
    """Each kind of use. Users and command filters that are bound to it are settings of the system user itself."""
    for use in OTHERS.value:
        yield use(system_user)
    managed = Asset.objects.filter(admin_user_id=system_user.pk)
    yield Use.by(_("Assets whose admin user it is"), managed, "hostname")
    nodes = SystemUserNode.objects.filter(systemuser=system_user)
    yield Use.by(_("Nodes that it is on"), nodes, "node__full_value")
    accounts = SystemUserAsset.objects.filter(systemuser=system_user)
    yield Use.by(_("Accounts on assets"), accounts, "asset__hostname")
