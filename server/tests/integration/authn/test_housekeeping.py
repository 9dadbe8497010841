import hashlib
import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from factories.ssh_proof import make_key
from postern.apps.authn import housekeeping
from postern.apps.authn.models import BearerToken, LoginSession, PastSignatures, SignInGuard, UsedSignature
from postern.apps.authn.signatures import past_signatures, ssh_proofs
from postern.apps.authn.tasks import forget_old_sign_ins
from postern.apps.users.models import Invitation, SetPasswordLink, User
from postern.apps.users.tasks import forget_old_links
from postern.foundation.database.batches import delete_in_batches
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, new_token
from postern.kernel.ssh_keys.public_keys import parse_public_key

pytestmark = pytest.mark.django_db


def test_housekeeping_deletes_expired_rows_and_keeps_the_others(browser: Browser, ann: User):
    browser.sign_in("ann", "wrong")
    browser.sign_in("ann")
    APIClient().post("/api/v1/authentication/auth/", {"username": "ann", "password": PASSWORD})
    UsedSignature.objects.create(signature_hash="a" * 64, date_expired=clock.now() + timedelta(minutes=1))
    tables = (Session, LoginSession, BearerToken, UsedSignature, SignInGuard)
    before = [table.objects.count() for table in tables]
    forget_old_sign_ins()
    assert [table.objects.count() for table in tables] == before
    long_ago = clock.now() - timedelta(days=100)
    Session.objects.update(expire_date=long_ago)
    for table in (LoginSession, BearerToken, UsedSignature):
        table.objects.update(date_expired=long_ago)
    SignInGuard.objects.update(date_last_failure=long_ago)
    forget_old_sign_ins()
    assert [table.objects.count() for table in tables] == [0] * 5


def test_housekeeping_keeps_locks(ann: User):
    now = clock.now()
    SignInGuard.objects.create(
        kind="address",
        key_hash="b" * 64,
        date_last_failure=now - timedelta(days=1),
        date_locked_until=now + timedelta(minutes=5),
    )
    forget_old_sign_ins()
    assert SignInGuard.objects.count() == 1


def test_k5_tokens_do_not_depend_on_the_seeded_generator():
    random.seed(1)
    first = [new_token() for _ in range(3)]
    random.seed(1)
    assert not set(first) & {new_token() for _ in range(3)}


def test_signatures_are_deleted_in_batches_or_packed_while_their_key_exists(ann: User):
    _key, line = make_key()
    User.objects.filter(pk=ann.pk).update(public_key=line)
    held, long_ago = ssh_proofs.hash_of_key(parse_public_key(line).blob), clock.now() - timedelta(days=100)
    kinds: list[dict[str, Any]] = [{}, {"user_id": ann.pk, "key_hash": held}, {"user_id": ann.pk, "key_hash": "f" * 64}]
    UsedSignature.objects.bulk_create(
        UsedSignature(signature_hash=_hash(number), date_expired=long_ago, **kinds[number % 3]) for number in range(30)
    )
    housekeeping._forget_signatures(clock.now(), batch_rows=4)
    assert not UsedSignature.objects.exists()
    assert set(PastSignatures.objects.values_list("key_hash", flat=True)) == {held}
    stored = [number for number in range(30) if past_signatures.is_stored(_signature(ann, held, number))]
    assert stored == [number for number in range(30) if number % 3 == 1]


def test_signatures_of_an_existing_key_take_a_bounded_number_of_rows(ann: User, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(past_signatures, "_MAX_PER_ROW", 20)
    _key, line = make_key()
    User.objects.filter(pk=ann.pk).update(public_key=line)
    held = ssh_proofs.hash_of_key(parse_public_key(line).blob)
    for first in range(0, 8_000, 1_000):
        past_signatures.remember(_signature(ann, held, number) for number in range(first, first + 1_000))
        past_signatures.remember(_signature(ann, held, number) for number in range(first, first + 1_000))
    assert PastSignatures.objects.count() <= 256
    assert max(len(bytes(row.digests)) for row in PastSignatures.objects.all()) == 20 * 8
    assert past_signatures.is_stored(_signature(ann, held, 7_999))
    assert not past_signatures.is_stored(_signature(ann, held, 0)), "the oldest signatures are dropped"
    past_signatures.delete_without_key()
    assert PastSignatures.objects.exists()
    User.objects.filter(pk=ann.pk).update(public_key="")
    past_signatures.delete_without_key()
    assert not PastSignatures.objects.exists()


def _hash(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def _signature(user: User, key_hash: str, number: int) -> past_signatures.Signature:
    return past_signatures.Signature(user.pk, key_hash, _hash(number))


def test_expired_links_and_invitations_are_deleted_after_a_while(
    ann: User, as_admin: APIClient, make_user: Callable[..., User]
):
    path = f"/api/v1/users/users/{ann.pk}/password/reset/"
    for _ in range(2):
        assert as_admin.patch(path).status_code == 200
    over, working = SetPasswordLink.objects.order_by("date_created")
    for age_days, left in ((30, 2), (100, 1)):
        SetPasswordLink.objects.filter(pk=over.pk).update(date_expired=clock.now() - timedelta(days=age_days))
        forget_old_links()
        assert SetPasswordLink.objects.count() == left
    assert SetPasswordLink.objects.get() == working
    invitations = [
        Invitation.objects.create(org_id=DEFAULT_ORG_ID, addressee="x", date_expired=clock.now() - timedelta(days=days))
        for days in (1, 100)
    ]
    forget_old_links()
    assert list(Invitation.objects.all()) == invitations[:1]


def test_rows_are_deleted_in_batches(ann: User):
    BearerToken.objects.bulk_create(
        BearerToken(user=ann, token_hash=str(number), epoch=0, date_expired=clock.now()) for number in range(10)
    )
    assert delete_in_batches(BearerToken.objects.filter(token_hash__lt="8"), batch_rows=3) == 8
    assert BearerToken.objects.count() == 2
