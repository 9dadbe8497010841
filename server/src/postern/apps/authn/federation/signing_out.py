"""Handles the report of a provider that a person signed out there: ends the sign-ins that the provider made."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import TypeVar
from uuid import UUID

from django.core.cache import cache
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from postern.apps.authn.credentials.actions.login_sessions import sign_out
from postern.apps.authn.credentials.models import LoginEnd, LoginSession
from postern.apps.authn.federation.models import FederatedProvider
from postern.apps.authn.federation.queries import StoredProviders
from postern.apps.authn.proxies.actions import proxy_sign_ins
from postern.apps.authn.second_factors.models import PendingSignIn
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.database.write_transaction import write_transaction
from postern.integrations.web_apis.failures import WebApiFailed
from postern.kernel.errors import Unavailable

P = TypeVar("P", bound=FederatedProvider)


def provider_of(login_session: LoginSession, kind: str, providers: StoredProviders[P]) -> P | None:
    """The provider of a sign-in, if it uses this protocol."""
    made_by, _colon, slug = login_session.backend.partition(":")
    return providers.by_slug(slug) if made_by == kind else None


@contextmanager
def taken_once(used: str, seconds: int, replayed: Callable[[], WebApiFailed]) -> Iterator[None]:
    """A write transaction that processes a message once. If it fails, nothing has changed, and the provider may repeat
    it.

    `used`: the cache key of the message. `seconds`: longer than the message is accepted. Raises `replayed`,
    Unavailable.
    """
    try:
        is_first = cache.add(used, 1, seconds)
    except RedisError:
        raise Unavailable(_("The report cannot be checked now. Try again in a moment.")) from None
    if not is_first:
        raise replayed()
    try:
        with write_transaction():
            yield
    except BaseException:
        cache.delete(used)
        raise


def end_sign_ins(user_id: UUID, backend: str, sessions: Collection[str]) -> int:
    """End the sign-ins of a user with a provider: in browsers, pending, and over SSH with a code of such a sign-in.
    Returns the number of ended browser sign-ins.

    `sessions`: hashes of sessions at the provider; empty for all. The caller has locked the user (`users.hold_epoch`).
    """
    pending = PendingSignIn.objects.filter(user_id=user_id, backend=backend)
    open_sessions = LoginSession.objects.filter(user_id=user_id, backend=backend, date_ended__isnull=True)
    if sessions:
        pending = pending.filter(provider_session__in=list(sessions))
        open_sessions = open_sessions.filter(provider_session__in=list(sessions))
    pending.delete()
    proxy_sign_ins.end_of_codes(user_id, sessions)
    login_sessions = list(open_sessions.select_related("user").order_by("pk"))
    for login_session in login_sessions:
        sign_out(actor=SYSTEM, login_session=login_session, reason=LoginEnd.BY_PROVIDER)
    return len(login_sessions)
