"""Forgetting what has lost its meaning."""

from datetime import datetime, timedelta
from typing import Final

from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Q

from postern.apps.authn import ssh_proofs
from postern.apps.authn.lockout import MAX_ADDRESS_LOCK
from postern.apps.authn.models import (
    BearerToken,
    KnownPlace,
    LoginSession,
    PendingSignIn,
    ProxySignIn,
    SignInGuard,
    UsedSignature,
)
from postern.apps.users.models import User
from postern.foundation.actor import Actor
from postern.kernel import clock

#: The login log keeps sign-ins for good; these rows only serve the list of one's own sign-ins.
_KEEP_ENDED: Final = timedelta(days=90)
#: A ticket that is shown late is told apart from one that never was.
_KEEP_PROXY_SIGN_INS: Final = timedelta(days=1)


@transaction.atomic
def forget_old(*, actor: Actor) -> None:
    """Delete browser sessions, tokens, signatures, ended sign-ins and counts whose time is over. Harmless to repeat."""
    del actor  # nothing that anybody could ask about later is lost, so there is nothing to audit
    now = clock.now()
    Session.objects.filter(expire_date__lte=now).delete()
    _forget_signatures(now)
    PendingSignIn.objects.filter(date_expired__lte=now).delete()
    KnownPlace.objects.filter(date_expired__lte=now).delete()
    BearerToken.objects.filter(date_expired__lte=now - _KEEP_ENDED).delete()
    LoginSession.objects.filter(date_expired__lte=now - _KEEP_ENDED).delete()
    ProxySignIn.objects.filter(date_expired__lte=now - _KEEP_PROXY_SIGN_INS).delete()
    quiet = Q(date_locked_until__isnull=True) | Q(date_locked_until__lte=now - MAX_ADDRESS_LOCK)
    SignInGuard.objects.filter(quiet, date_last_failure__lte=now - MAX_ADDRESS_LOCK).delete()


def _forget_signatures(now: datetime) -> None:
    """Those that would be refused anyway. An SSH signature would be taken again as long as its person holds the key."""
    over = UsedSignature.objects.filter(date_expired__lte=now)
    pairs = set(over.exclude(key_hash="").values_list("user_id", "key_hash"))
    keys = dict(User.objects.filter(pk__in={user_id for user_id, _ in pairs}).values_list("pk", "public_key"))
    for user_id, key_hash in pairs:
        if user_id is not None and ssh_proofs.holds_hash(keys.get(user_id, ""), key_hash):
            over.filter(user_id=user_id, key_hash=key_hash).update(date_expired=now + ssh_proofs.REMEMBERED)
    over.delete()
