"""Links for users who forgot their password. Anybody can ask for a link, so it goes only to the mailbox of the user."""

from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.users.accounts import trail
from postern.apps.users.accounts.models import User
from postern.apps.users.credentials import link_mail
from postern.apps.users.credentials.actions.links import IssuedLink, standing_of
from postern.apps.users.credentials.models import SetPasswordLink
from postern.foundation.caller.actor import Actor
from postern.kernel import clock
from postern.kernel.ids import new_token, token_hash
from postern.kernel.secret import Secret

FORGOTTEN_LIFETIME: Final = timedelta(hours=1)


@transaction.atomic
def mail_forgotten(*, actor: Actor, user_id: UUID, link_id: UUID) -> None:
    """Queue a mail with a link for a local, valid user with a password. Does nothing when the link was made before.

    The password stays valid until the link is used. Other links stay valid too: a stranger who asks must not void the
    link of an administrator, or the link which the owner is about to use. The first that is used voids the others.

    A user without a usable password waits for the link of an administrator, who may have a reason not to trust the
    mailbox.
    """
    user = User.objects.select_for_update().filter(pk=user_id).first()
    if user is None or SetPasswordLink.objects.filter(pk=link_id).exists():
        return
    if not (user.is_local and user.is_valid and user.has_usable_password() and user.email):
        trail.record(actor, audits.Event.USER_PASSWORD_FORGOTTEN_REFUSED, user, action="other")
        return
    now, token = clock.now(), new_token()
    link = SetPasswordLink.objects.create(
        pk=link_id,
        user=user,
        token_hash=token_hash(token),
        created_by=actor.label[:128],
        by_system=True,  # its maker is unknown; `standing` ends it when the user changes
        standing=standing_of(user),
        date_created=now,
        date_expired=now + FORGOTTEN_LIFETIME,
    )
    trail.record(actor, audits.Event.USER_PASSWORD_FORGOTTEN, user, action="other")
    issued = IssuedLink(token=Secret(token), expires_at=link.date_expired)
    if not link_mail.queue(actor, user, issued, link_mail.LinkReason.FORGOTTEN):
        link.delete()  # the mail account was removed in the meantime: nobody gets to know this link
