"""The provider reports that a person signed out there: what they opened by it ends here, too."""

from collections.abc import Collection
from uuid import UUID

from postern.apps.authn.credentials.actions.login_sessions import sign_out
from postern.apps.authn.credentials.models import LoginEnd, LoginSession
from postern.apps.authn.proxies.actions import proxy_sign_ins
from postern.apps.authn.second_factors.models import PendingSignIn
from postern.foundation.caller.actor import SYSTEM


def end_sign_ins(user_id: UUID, backend: str, sessions: Collection[str]) -> int:
    """End the sign-ins of a user by a provider, also those that wait for a second factor and those over SSH that came
    from them; returns the number of browsers.

    `sessions`: hashes of sessions at the provider; empty for all. The caller has locked the user (`users.hold_epoch`).
    """
    pending = PendingSignIn.objects.filter(user_id=user_id, backend=backend)
    ours = LoginSession.objects.filter(user_id=user_id, backend=backend, date_ended__isnull=True)
    if sessions:
        pending = pending.filter(provider_session__in=list(sessions))
        ours = ours.filter(provider_session__in=list(sessions))
    pending.delete()
    proxy_sign_ins.end_of_codes(user_id, sessions)
    found = list(ours.select_related("user").order_by("pk"))
    for one in found:
        sign_out(actor=SYSTEM, login_session=one, reason=LoginEnd.BY_PROVIDER)
    return len(found)
