"""What organizations and users own in this app.

An organization with live sessions cannot be deleted. Finished sessions are records and stay after its deletion.
"""

from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.apps.orgs import facade as orgs
from postern.apps.sessions.sessions.actions.revocation import end_everything
from postern.apps.sessions.sessions.queries import live_sessions
from postern.apps.users import facade as users
from postern.apps.users.models import User
from postern.foundation.caller.actor import Actor


def _sessions(user: User) -> users.CredentialRows:
    rows = live_sessions().filter(user_id=user.pk)
    return [{"asset": row.asset, "date_start": row.date_start, "remote_addr": row.remote_addr} for row in rows]


def _end_sessions(actor: Actor, user: User) -> int:
    return end_everything(actor=actor, user_id=user.pk)


HOLDINGS: Final = (orgs.Holding(label=_("Live sessions"), rows=live_sessions),)
CREDENTIALS: Final = (users.CredentialKind(name="live_sessions", rows=_sessions, end=_end_sessions),)
