"""The tasks that use a system user, for the refusal to delete it.

Only those that run by themselves count. Every other task is a record of work, and running it again tells what is gone.
"""

from django.utils.translation import gettext_lazy as _

from postern.apps.jobs.host_tasks.models import HostTask
from postern.apps.vault.models import SystemUser
from postern.foundation.database.uses import Use


def by_tasks(system_user: SystemUser) -> Use:
    """The periodic tasks that name the system user."""
    key = str(system_user.pk)
    rows = HostTask.objects.filter(org_id=system_user.org_id, is_periodic=True).order_by("name", "pk")
    names = [
        name
        for name, argument in rows.values_list("name", "argument").iterator()
        if key in (argument.get("system_users") or ())
    ]
    return Use(label=_("Periodic tasks"), count=len(names), names=tuple(names[:3]))
