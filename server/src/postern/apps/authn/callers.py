"""Whether what made a call still holds when the call writes: the browser's sign-in, the bearer token, the access key."""

from uuid import UUID

from postern.apps.authn.models import AccessKey, BearerToken, LoginSession
from postern.foundation.actor import Actor
from postern.kernel import clock

_ACCESS_KEY, _TOKEN = "access_key", "token"


def credential_of(auth: object) -> str | None:
    """Which key or token was shown, for the log and for `still_holds`: its id, never its secret."""
    match auth:
        case AccessKey():
            return f"{_ACCESS_KEY}:{auth.pk}"
        case BearerToken():
            return f"{_TOKEN}:{auth.pk}"
        case _:
            return None


def still_holds(actor: Actor) -> bool:
    """Whether it was not ended since. Locks its row: whoever ends it waits until the caller's write is stored, or came before."""
    now = clock.now()
    if actor.login_session is not None:
        sessions = LoginSession.objects.filter(
            pk=UUID(actor.login_session), date_ended__isnull=True, date_expired__gt=now
        )
        return bool(sessions.select_for_update().values_list("pk"))
    kind, _separator, text = (actor.credential or "").partition(":")
    if kind == _TOKEN:
        tokens = BearerToken.objects.filter(pk=UUID(text), date_revoked__isnull=True, date_expired__gt=now)
        return bool(tokens.select_for_update().values_list("pk"))
    if kind == _ACCESS_KEY:
        return bool(AccessKey.objects.filter(pk=UUID(text), is_active=True).select_for_update().values_list("pk"))
    return True
