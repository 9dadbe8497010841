"""Showing the secret of one application account to an administrator, who has proved their second factor again.

Each look is audited before the answer leaves.
"""

from uuid import UUID

from django.utils.translation import gettext as _

from postern.apps.applications.accounts.actions import record_look
from postern.apps.applications.accounts.models import ApplicationAccountSecret, key_of
from postern.apps.applications.accounts.queries import secret_of
from postern.apps.vault import facade as vault
from postern.apps.vault.models import SystemUser
from postern.contracts.enums import Protocol
from postern.foundation import licensing
from postern.foundation.caller import identity
from postern.foundation.caller.actor import Actor
from postern.foundation.database.write_transaction import write_transaction
from postern.kernel.errors import NotFound


def reveal_on_application(*, actor: Actor, system_user: SystemUser, application_id: UUID) -> dict[str, str]:
    """The secrets by name for a sign-in on this application; "" for a secret that is not stored.

    Raises NotFound without such an account, LicenceRequired, SecretUnreadable.
    """
    return vault.read_outside(lambda: _reveal(actor, system_user, application_id))


@write_transaction()
def _reveal(actor: Actor, system_user: SystemUser, application_id: UUID) -> dict[str, str]:
    identity.require_standing(actor)
    rows = ApplicationAccountSecret.objects.select_related("application", "systemuser")
    account = rows.filter(pk=key_of(application_id, system_user.pk), org_id=system_user.org_id).first()
    if account is None:
        raise NotFound(_("No permission grants this application with this system user."))
    if account.application.declaration.needs_licence:
        licensing.require()
    stored = secret_of(account)
    record_look(actor=actor, rows=[account], via="item")
    secret = stored.reveal() if stored is not None else ""
    is_token = system_user.protocol == Protocol.K8S
    return {"password": "" if is_token else secret, "private_key": "", "token": secret if is_token else ""}
