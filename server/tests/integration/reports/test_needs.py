"""`GET index/needs/`: what needs a person, by organization and by the rights of the caller."""

from collections.abc import Callable
from datetime import timedelta
from threading import Event as Signal
from typing import Any, Final
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.grants import grant, grant_application, make_application, make_asset, make_system_user
from postern.apps.assets import facade as assets
from postern.apps.assets.models import Asset, Connectivity
from postern.apps.audits import verifications
from postern.apps.audits.models import AuditChain
from postern.apps.orgs.facade import create_organization
from postern.apps.perms.models import AssetPermission, HistoryStart
from postern.apps.reports.needs import findings
from postern.apps.sessions import facade as sessions
from postern.apps.sessions.models import Recording, RecordingCopy, Session, Terminal
from postern.apps.users.models import User
from postern.contracts.enums import EndReason, RiskLevel, SessionState
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID

pytestmark = pytest.mark.django_db

URL: Final = "/api/v1/index/needs/"
DAY: Final = timedelta(days=1)


def needs(client: APIClient, org: UUID = DEFAULT_ORG_ID) -> dict[str, int]:
    answer = client.get(URL, headers={"X-JMS-ORG": str(org)})
    assert answer.status_code == 200, answer.content
    return {need["kind"]: need["count"] for need in answer.json()["results"]}


def session(*, risk: RiskLevel = RiskLevel.DANGEROUS, live: bool = True, org_id: UUID = DEFAULT_ORG_ID) -> Session:
    begun = clock.now()
    state: dict[str, Any] = {"state": SessionState.ACTIVE.value}
    if not live:
        state = {
            "state": SessionState.ENDED.value, "date_end": begun, "end_reason": EndReason.USER_CLOSED.value,
        }  # fmt: skip
    return Session.objects.create(
        org_id=org_id, user_id=uuid4(), user="Ann(ann)", username="ann", asset_id=uuid4(), asset="web",
        system_user_id=uuid4(), system_user="root", risk_level=risk.value, date_start=begun, **state,
    )  # fmt: skip


def test_nothing_needs_anybody_in_a_new_organization(as_admin: APIClient) -> None:
    answer = as_admin.get(URL).json()
    assert answer["results"] == []
    assert answer["date"]


def test_live_sessions_with_a_dangerous_command_come_with_their_only_session(as_auditor: APIClient) -> None:
    session(live=False)
    session(risk=RiskLevel.ORDINARY)
    one = session()
    (need,) = as_auditor.get(URL).json()["results"]
    assert need == {
        "kind": "risky_sessions", "count": 1, "is_more": False,
        "session": {"id": str(one.pk), "user": "Ann(ann)", "asset": "web"},
    }  # fmt: skip
    session()
    (need,) = as_auditor.get(URL).json()["results"]
    assert (need["count"], need["session"]) == (2, None)


@pytest.mark.skipif(connection.vendor != "sqlite", reason="reads the plan of SQLite")
def test_live_sessions_are_found_without_those_that_ended() -> None:
    for org_id, index in ((DEFAULT_ORG_ID, "sessions_live"), (None, "sessions_live")):
        with CaptureQueriesContext(connection) as queries:
            sessions.risky_sessions(org_id, 10)
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {queries[0]['sql']}")
            assert index in str(cursor.fetchall())


def test_assets_that_did_not_answer_are_counted_while_they_are_active(as_org_admin: APIClient) -> None:
    for name, connectivity, is_active in (
        ("a", Connectivity.FAILED, True),
        ("b", Connectivity.FAILED, False),
        ("c", Connectivity.OK, True),
    ):
        row = make_asset(name, is_active=is_active)
        Asset.objects.filter(pk=row.pk).update(connectivity=connectivity)
    assert needs(as_org_admin) == {"unreachable_assets": 1}
    with CaptureQueriesContext(connection) as queries:
        assert assets.unreachable_assets(DEFAULT_ORG_ID, 10) == 1
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {queries[0]['sql']}")
            assert "assets_asset_unreachable" in str(cursor.fetchall())


def test_permissions_that_end_or_are_unused_are_those_of_the_review(
    as_org_admin: APIClient, make_user: Callable[..., User]
) -> None:
    HistoryStart.objects.update(began=int((clock.now() - 365 * DAY).timestamp() * 1e6))
    named: dict[str, Any] = {
        "users": [make_user("ann")],
        "assets": [make_asset()],
        "system_users": [make_system_user()],
    }
    grant("ending", date_expired=clock.now() + 20 * DAY, **named)
    grant("later", date_expired=clock.now() + 40 * DAY, **named)
    grant("old", date_start=clock.now() - 200 * DAY, **named)
    AssetPermission.objects.filter(name="old").update(date_created=clock.now() - 200 * DAY)
    of_application = {
        "users": named["users"],
        "applications": [make_application()],
        "system_users": [make_system_user(protocol="mysql")],
    }
    grant_application("ending", date_expired=clock.now() + 20 * DAY, **of_application)
    assert needs(as_org_admin) == {
        "permissions_ending": 1, "application_permissions_ending": 1, "permissions_unused": 1,
    }  # fmt: skip
    for need, of in (("ending", "asset"), ("unused", "asset"), ("ending", "application")):
        listed = as_org_admin.get(f"/api/v1/perms/reviews/{of}-permissions/", {"finding": need}).json()
        assert len(listed) == 1


def test_proxies_and_copies_need_a_system_administrator(
    as_admin: APIClient, as_org_admin: APIClient, as_auditor: APIClient
) -> None:
    Terminal.objects.create(name="waits", secret_hash="x")
    heard = clock.now() - 3 * DAY
    Terminal.objects.create(name="silent", secret_hash="y", is_accepted=True, date_last_heartbeat=heard)
    Terminal.objects.create(
        name="drained", secret_hash="z", is_accepted=True, is_draining=True, date_last_heartbeat=heard
    )
    recording = Recording.objects.create(session=session(risk=RiskLevel.ORDINARY), path="x", date_stored=clock.now())
    copy = RecordingCopy.objects.create(recording=recording, tries=5, reason={"code": "x"})
    assert needs(as_admin) == {"silent_terminals": 1, "waiting_terminals": 1}
    copy.tries = 6
    copy.save()
    assert needs(as_admin) == {"silent_terminals": 1, "waiting_terminals": 1, "failing_copies": 1}
    assert needs(as_org_admin) == needs(as_auditor) == {}


def test_faults_of_the_log_are_told_to_those_who_may_read_it(as_admin: APIClient, as_org_admin: APIClient) -> None:
    other = create_organization(actor=SYSTEM, name="other").pk
    AuditChain.objects.get_or_create(org_id=other)
    AuditChain.objects.filter(org_id=other).update(sequence=F("sequence") + 3)  # its end was cut off
    as_admin.post("/api/v1/audits/verification/")
    assert verifications.work(stop=Signal())
    assert needs(as_admin, ROOT_ORG_ID) == needs(as_admin, other) == {"audit_faults": 1}
    assert needs(as_org_admin) == {}


def test_an_organization_sees_its_own_and_the_global_one_all(
    as_admin: APIClient, as_org_admin: APIClient, as_user: APIClient
) -> None:
    other = create_organization(actor=SYSTEM, name="other").pk
    session(org_id=other)
    session(org_id=other)
    session()
    assert needs(as_org_admin) == {"risky_sessions": 1}
    assert needs(as_admin, ROOT_ORG_ID) == {"risky_sessions": 3}
    assert as_org_admin.get(URL, headers={"X-JMS-ORG": str(other)}).status_code == 403
    assert as_user.get(URL).status_code == 403


def test_large_numbers_are_not_counted_to_their_end(as_admin: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "COUNTED", 2)
    for _ in range(4):
        session()
    (need,) = as_admin.get(URL).json()["results"]
    assert (need["count"], need["is_more"]) == (2, True)
