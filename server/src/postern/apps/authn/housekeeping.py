"""Deletes expired rows of every table of this app that grows with use.

Authenticator apps, passkeys, recovery codes and access keys are not deleted here, because each user has few of them.
"""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from postern.apps.authn.credentials.models import BearerToken, LoginSession
from postern.apps.authn.external.models import ExternalRequest
from postern.apps.authn.known_places.models import KnownPlace, TrustedBrowser
from postern.apps.authn.lock_out.lockout import MAX_ADDRESS_LOCK
from postern.apps.authn.lock_out.models import SignInGuard
from postern.apps.authn.passkeys.models import PasskeyRequest
from postern.apps.authn.proxies.models import AnsweredSignIn, ProxySignIn
from postern.apps.authn.puzzles.models import UsedPuzzle
from postern.apps.authn.saml.models import SamlAnswer
from postern.apps.authn.second_factors.models import PendingSignIn
from postern.apps.authn.signatures import past_signatures, ssh_proofs
from postern.apps.authn.signatures.models import UsedSignature
from postern.apps.authn.ssh_codes.models import SshCode
from postern.apps.authn.sso_links.models import SsoLink
from postern.apps.users.models import User
from postern.foundation.caller.actor import Actor
from postern.foundation.database.batches import BATCH_ROWS, delete_in_batches
from postern.kernel import clock

#: Retention of ended sign-ins for the list of the user's own sign-ins. The login log keeps sign-ins permanently.
_KEEP_ENDED: Final = timedelta(days=90)
#: Retention of expired tickets, to distinguish them from tickets that never existed.
_KEEP_PROXY_SIGN_INS: Final = timedelta(days=1)
#: Maximum number of batches of signatures in one run. The next run continues.
_MOST_BATCHES: Final = 500


def forget_old(*, actor: Actor) -> None:
    """Delete browser sessions, tokens, signatures, ended sign-ins and counters that have expired. Safe to repeat.

    Each batch has its own transaction, so concurrent sign-ins do not wait for the whole run.
    """
    del actor  # the deleted rows have no further use, so there is nothing to audit
    now = clock.now()
    delete_in_batches(Session.objects.filter(expire_date__lte=now))
    _forget_signatures(now)
    past_signatures.delete_without_key()
    delete_in_batches(AnsweredSignIn.objects.filter(date_expired__lte=now))
    delete_in_batches(PendingSignIn.objects.filter(date_expired__lte=now))
    delete_in_batches(ExternalRequest.objects.filter(date_expired__lte=now))
    delete_in_batches(_ended_saml_answers(now))
    delete_in_batches(UsedPuzzle.objects.filter(date_expired__lte=now))
    delete_in_batches(SshCode.objects.filter(date_expired__lte=now))
    delete_in_batches(SsoLink.objects.filter(date_expired__lte=now))
    delete_in_batches(PasskeyRequest.objects.filter(date_expired__lte=now))
    delete_in_batches(TrustedBrowser.objects.filter(date_expired__lte=now))
    delete_in_batches(KnownPlace.objects.filter(date_expired__lte=now))
    delete_in_batches(BearerToken.objects.filter(date_expired__lte=now - _KEEP_ENDED))
    delete_in_batches(LoginSession.objects.filter(date_expired__lte=now - _KEEP_ENDED))
    delete_in_batches(ProxySignIn.objects.filter(date_expired__lte=now - _KEEP_PROXY_SIGN_INS))
    quiet = Q(date_locked_until__isnull=True) | Q(date_locked_until__lte=now - MAX_ADDRESS_LOCK)
    delete_in_batches(SignInGuard.objects.filter(quiet, date_last_failure__lte=now - MAX_ADDRESS_LOCK))


def _ended_saml_answers(now: datetime) -> QuerySet[SamlAnswer]:
    """Expired answers without an open sign-in. An open sign-in needs its answer for signing out at the provider."""
    open_ones = LoginSession.objects.filter(
        provider_session=OuterRef("assertion_hash"), date_ended__isnull=True, date_expired__gt=now
    )
    pending = PendingSignIn.objects.filter(provider_session=OuterRef("assertion_hash"))
    return SamlAnswer.objects.filter(~Exists(open_ones), ~Exists(pending), date_expired__lte=now)


def _forget_signatures(now: datetime, *, batch_rows: int = BATCH_ROWS) -> None:
    """Delete signatures that are refused as expired.

    SSH signatures do not expire while the user has the key, so they are packed first.
    """
    for _ in range(_MOST_BATCHES):
        if _forget_batch(now, batch_rows) < batch_rows:
            return


@transaction.atomic
def _forget_batch(now: datetime, batch_rows: int) -> int:
    """Delete the oldest expired signatures of the table; returns their number."""
    over = UsedSignature.objects.select_for_update(skip_locked=connection.features.has_select_for_update_skip_locked)
    over = over.filter(date_expired__lte=now).order_by("date_expired", "pk")
    batch = list(over.values_list("pk", "user_id", "key_hash", "signature_hash")[:batch_rows])
    owners = {user_id for _pk, user_id, key_hash, _hash in batch if key_hash and user_id is not None}
    keys = dict(User.objects.filter(pk__in=owners).values_list("pk", "public_key"))
    has_key: dict[tuple[UUID, str], bool] = {}
    past: list[past_signatures.Signature] = []
    for _pk, user_id, key_hash, signature_hash in batch:
        if user_id is None or not key_hash:
            continue
        if (user_id, key_hash) not in has_key:
            has_key[user_id, key_hash] = ssh_proofs.holds_hash(keys.get(user_id, ""), key_hash)
        if has_key[user_id, key_hash]:
            past.append(past_signatures.Signature(user_id, key_hash, signature_hash))
    past_signatures.remember(past)
    UsedSignature.objects.filter(pk__in=[pk for pk, *_ in batch]).delete()
    return len(batch)
