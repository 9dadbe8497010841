"""Installing a licence, what it shows and which features it opens."""

import base64
import json
from collections.abc import Iterator
from datetime import timedelta
from unittest import mock

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from factories.hearing import Hearing
from factories.licences import forget_issuers, licence_file, licence_of, today, trust_issuer
from postern.apps.audits.models import AuditEvent
from postern.apps.licence import actions, queries
from postern.apps.licence.errors import LicenceRefused
from postern.apps.licence.events import LicenceExpiring
from postern.apps.licence.models import InstalledLicence
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

pytestmark = pytest.mark.django_db

DETAIL = "/api/v1/xpack/license/detail"
IMPORT = "/api/v1/xpack/license/import"
PUBLIC = "/api/v1/settings/public/"


@pytest.fixture(autouse=True)
def _one_issuer() -> Iterator[None]:
    trust_issuer()
    yield
    forget_issuers()


def upload(client: APIClient, data: bytes) -> dict[str, object]:
    answer = client.post(IMPORT, {"file": SimpleUploadedFile("licence.json", data)}, format="multipart")
    assert answer.status_code == 200, answer.content
    body: dict[str, object] = answer.json()
    return body


def days_later(days: int) -> "mock._patch[object]":
    return mock.patch.object(clock, "today", return_value=today() + timedelta(days=days))  # type: ignore[return-value]  # the patcher is a context manager of its own type


@pytest.mark.spec("S7-015", "S7-025")
def test_imported_licence_is_shown_and_opens_the_licensed_features(as_admin: APIClient) -> None:
    assert as_admin.get(PUBLIC).json()["data"]["XPACK_LICENSE_IS_VALID"] is False
    body = upload(as_admin, licence_file(30, asset_count=500))
    assert body["status"] is True
    assert "Example & Sons" in str(body["msg"])
    detail = as_admin.get(DETAIL).json()
    assert detail["date_expired"] == (today() + timedelta(days=30)).isoformat()
    assert (detail["corporation"], detail["subscription_id"], detail["edition"]) == (
        "Example & Sons",
        "sub-1",
        "enterprise",
    )
    assert (detail["asset_count"], detail["is_valid"], detail["days_left"]) == (500, True, 30)
    public = as_admin.get(PUBLIC).json()["data"]
    assert (public["XPACK_ENABLED"], public["XPACK_LICENSE_IS_VALID"]) == (True, True)
    event = AuditEvent.objects.get(event="licence.installed")
    assert event.new is not None
    assert event.new["corporation"] == "Example & Sons"


@pytest.mark.spec("S1-007")
def test_product_works_without_a_licence_and_the_detail_says_why(as_admin: APIClient) -> None:
    detail = as_admin.get(DETAIL).json()
    assert (detail["is_valid"], detail["date_expired"], detail["days_left"]) == (False, None, None)
    assert detail["message"]
    assert as_admin.get("/api/v1/users/users/").status_code == 200
    assert as_admin.get("/api/v1/assets/assets/").status_code == 200
    assert as_admin.get("/api/v1/orgs/orgs/current/").status_code == 200


def test_detail_uses_one_day_although_midnight_passes(as_admin: APIClient) -> None:
    upload(as_admin, licence_file(0))
    with mock.patch.object(clock, "today", side_effect=[today() + timedelta(days=later) for later in range(9)]):
        detail = as_admin.get(DETAIL).json()
    assert (detail["is_valid"], detail["is_expired"], detail["days_left"]) == (True, False, 0)


def test_licence_is_for_super_administrators(
    as_org_admin: APIClient, as_user: APIClient, as_anonymous: APIClient
) -> None:
    for client, status in ((as_org_admin, 403), (as_user, 403), (as_anonymous, 401)):
        assert client.get(DETAIL).status_code == status
        assert client.post(IMPORT, {"file": SimpleUploadedFile("l", b"x")}, format="multipart").status_code == status


def _forged() -> bytes:
    """A licence with more assets than were signed."""
    envelope = json.loads(licence_file())
    stated = json.loads(base64.b64decode(envelope["payload"]))
    stated["asset_count"] = 1_000_000
    envelope["payload"] = base64.b64encode(json.dumps(stated).encode()).decode()
    return json.dumps(envelope).encode()


def _wrong_signature() -> bytes:
    envelope = json.loads(licence_file())
    envelope["signature"] = base64.b64encode(bytes(64)).decode()
    return json.dumps(envelope).encode()


def _of_another_format() -> bytes:
    return json.dumps({**json.loads(licence_file()), "format": "postern-licence/9"}).encode()


@pytest.mark.spec("S1-043")
@pytest.mark.parametrize(
    ("data", "fault"),
    [
        pytest.param(_forged(), "forged", id="another payload"),
        pytest.param(_wrong_signature(), "forged", id="another signature"),
        pytest.param(licence_file(issuer=Ed25519PrivateKey.generate()), "untrusted", id="another issuer"),
        pytest.param(licence_file(-1), "expired", id="expired yesterday"),
        pytest.param(licence_file(900, date_issued=today() + timedelta(days=1)), "not_yet", id="begins tomorrow"),
        pytest.param(licence_file()[:-40], "unreadable", id="truncated"),
        pytest.param(b"", "unreadable", id="empty"),
        pytest.param(b"\xff\xfe\x00", "unreadable", id="no text"),
        pytest.param(b"[" * 16_000, "unreadable", id="deep"),
        pytest.param(_of_another_format(), "unreadable", id="another format"),
        pytest.param(licence_file() + b" " * 20_000, "too_large", id="oversized"),
    ],
)
def test_k75_invalid_licence_is_refused_with_a_reason_and_changes_nothing(
    as_admin: APIClient, data: bytes, fault: str
) -> None:
    assert upload(as_admin, licence_file(10))["status"] is True
    body = upload(as_admin, data)
    assert body["status"] is False
    assert body["msg"]
    assert as_admin.get(DETAIL).json()["days_left"] == 10
    event = AuditEvent.objects.get(event="licence.refused")
    assert event.new == {"why": fault}


def test_k75_without_a_trusted_issuer_there_is_no_licence(as_admin: APIClient) -> None:
    forget_issuers()
    assert upload(as_admin, licence_file())["status"] is False
    assert not InstalledLicence.objects.exists()


def test_licence_without_a_file_is_refused(as_admin: APIClient) -> None:
    for body, form in (({}, "multipart"), ({"file": "text"}, "json"), ({"file": "text"}, "multipart")):
        answer = as_admin.post(IMPORT, body, format=form)
        assert (answer.status_code, list(answer.json())) == (400, ["file"])


def test_licence_closes_at_once_when_its_issuer_is_no_longer_trusted(as_admin: APIClient) -> None:
    upload(as_admin, licence_file())
    assert queries.state().is_valid
    forget_issuers()
    assert not queries.state().is_valid


def test_issuer_key_that_others_may_write_is_not_trusted() -> None:
    trust_issuer().chmod(0o666)
    with pytest.raises(LicenceRefused):
        actions.install(actor=SYSTEM, data=licence_file())


@pytest.mark.spec("S4-044")
def test_licence_is_expired_when_its_days_left_are_below_0(as_admin: APIClient) -> None:
    upload(as_admin, licence_file(3))
    with days_later(3):
        detail = as_admin.get(DETAIL).json()
        assert (detail["days_left"], detail["is_expired"], detail["is_valid"]) == (0, False, True)
    with days_later(4):
        detail = as_admin.get(DETAIL).json()
        assert (detail["days_left"], detail["is_expired"], detail["is_valid"]) == (-1, True, False)
        assert as_admin.get(PUBLIC).json()["data"]["XPACK_LICENSE_IS_VALID"] is False


@pytest.mark.spec("S4-045")
@pytest.mark.parametrize(("days", "warns"), [(-1, False), (0, True), (6, True), (7, False), (30, False)])
def test_licence_warns_when_fewer_than_7_days_are_left(as_admin: APIClient, days: int, warns: bool) -> None:
    upload(as_admin, licence_file(60))
    with days_later(60 - days):
        assert as_admin.get(DETAIL).json()["is_expiring"] is warns
    assert licence_of(days).is_expiring(today()) is warns


@pytest.mark.django_db(transaction=True)
def test_approaching_end_is_announced_once_a_day_and_the_end_once(hear: Hearing) -> None:
    published = hear(LicenceExpiring)
    assert actions.warn_of_end() is False
    actions.install(actor=SYSTEM, data=licence_file(8))
    assert actions.warn_of_end() is False
    for day in (2, 2, 3, 8, 9, 10, 11):
        with days_later(day):
            actions.warn_of_end()
    assert [event.days_left for event in published] == [6, 5, 0, -1]
