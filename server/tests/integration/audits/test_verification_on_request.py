"""Auditors request a verification of the log. One verification runs at a time, and each organization gets its own
result.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event as Signal
from typing import Any

import pytest
from django.db import connection, transaction
from rest_framework.test import APIClient

from postern.apps.audits import facade, queries, verifications
from postern.apps.audits.catalogue import Event
from postern.apps.audits.fault_words import WORDS, words_of_fault
from postern.apps.audits.models import AuditChain, AuditEvent, Verification
from postern.apps.orgs.models import Organization
from postern.apps.orgs.roles import OrgRole
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID

VERIFICATION = "/api/v1/audits/verification/"
NOTHING_YET = {
    "is_waiting": False,
    "is_running": False,
    "is_interrupted": False,
    "date_finished": None,
    "records": None,
    "faults": None,
    "first_faults": [],
}


@pytest.fixture
def go_on() -> Signal:
    """A stop signal that is never set."""
    return Signal()


@transaction.atomic
def append_records(org_id: Any, times: int = 1) -> None:
    for _ in range(times):
        facade.record(actor=SYSTEM, org_id=org_id, event=Event.ASSET_UPDATED, object_type="Asset", object_name="web-1")


def cut_off_the_end(org_id: Any) -> None:
    """Manipulate the chain: its head claims more records than there are."""
    chain, _made = AuditChain.objects.get_or_create(org_id=org_id)
    AuditChain.objects.filter(org_id=org_id).update(sequence=chain.sequence + 3)


def get_verification(client: APIClient, org_id: Any = DEFAULT_ORG_ID, language: str = "en") -> dict[str, Any]:
    answer = client.get(VERIFICATION, headers={"X-JMS-ORG": str(org_id), "Accept-Language": language})
    assert answer.status_code == 200, answer.content
    body: dict[str, Any] = answer.json()
    return body


def request_verification(client: APIClient, org_id: Any = DEFAULT_ORG_ID) -> dict[str, Any]:
    answer = client.post(VERIFICATION, headers={"X-JMS-ORG": str(org_id)})
    assert answer.status_code == 202, answer.content
    body: dict[str, Any] = answer.json()
    return body


def recorded(event: Event) -> list[tuple[Any, dict[str, Any]]]:
    rows = AuditEvent.objects.filter(event=event.value).order_by("org_id", "sequence")
    return [(row.org_id, row.new or {}) for row in rows]


@pytest.mark.django_db(transaction=True)
def test_verification_waits_runs_and_returns_its_result(as_auditor: APIClient, go_on: Signal) -> None:
    assert get_verification(as_auditor) == NOTHING_YET
    assert verifications.work(stop=go_on) is False
    assert request_verification(as_auditor) == {**NOTHING_YET, "is_waiting": True}
    assert verifications.work(stop=go_on) is True
    after = get_verification(as_auditor)
    assert (after["is_waiting"], after["is_running"], after["is_interrupted"]) == (False, False, False)
    assert (after["records"], after["faults"], after["first_faults"]) == (1, 0, [])  # the record of the request itself
    assert after["date_finished"] is not None
    assert recorded(Event.VERIFICATION_REQUESTED) == [(DEFAULT_ORG_ID, {})]
    finished = recorded(Event.VERIFICATION_FINISHED)
    assert {org_id for org_id, _new in finished} == {ROOT_ORG_ID, DEFAULT_ORG_ID}
    assert (DEFAULT_ORG_ID, {"result": "whole", "records": 1, "faults": 0, "first": []}) in finished
    assert list(queries.verify()) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("language", "words"), [("en", "End of the log was cut off"), ("zh-hans", "日志末尾被截断")])
def test_faults_are_counted_and_listed(as_auditor: APIClient, go_on: Signal, language: str, words: str) -> None:
    append_records(DEFAULT_ORG_ID, 2)
    request_verification(as_auditor)
    cut_off_the_end(DEFAULT_ORG_ID)
    verifications.work(stop=go_on)
    after = get_verification(as_auditor, language=language)
    assert (after["records"], after["faults"]) == (3, 1)
    assert after["first_faults"] == [{"kind": "truncated", "kind_display": words, "place": "#6"}]
    results = {org_id: new["result"] for org_id, new in recorded(Event.VERIFICATION_FINISHED)}
    assert results == {DEFAULT_ORG_ID: "faults", ROOT_ORG_ID: "faults"}


@pytest.mark.django_db(transaction=True)
def test_auditor_gets_no_results_of_another_organization(
    make_user: Callable[..., User], client_of: Callable[[User | None], APIClient], go_on: Signal
) -> None:
    there = Organization.objects.create(name="Elsewhere")
    here = client_of(make_user("ann", org_role=OrgRole.AUDITOR))
    other = client_of(make_user("bob", org_role=OrgRole.AUDITOR, org_id=there.pk))
    root = client_of(make_user("ada", role="Admin"))
    append_records(DEFAULT_ORG_ID, 3)
    append_records(there.pk, 40)
    request_verification(here)
    cut_off_the_end(there.pk)
    verifications.work(stop=go_on)
    mine = get_verification(here)
    assert (mine["records"], mine["faults"], mine["first_faults"]) == (4, 0, [])
    theirs = get_verification(other, there.pk)
    assert (theirs["records"], theirs["faults"], len(theirs["first_faults"])) == (40, 1, 1)
    everything = get_verification(root, ROOT_ORG_ID)
    assert everything["records"] >= 44
    assert everything["faults"] == 1
    # The result is not recorded in the log of an organization that did not ask, and has only the numbers of the
    # organization itself.
    finished = dict(recorded(Event.VERIFICATION_FINISHED))
    assert set(finished) == {ROOT_ORG_ID, DEFAULT_ORG_ID}
    assert finished[DEFAULT_ORG_ID] == {"result": "whole", "records": 4, "faults": 0, "first": []}
    assert here.get(VERIFICATION, headers={"X-JMS-ORG": str(there.pk)}).status_code in {403, 404}
    assert here.post(VERIFICATION, headers={"X-JMS-ORG": str(there.pk)}).status_code in {403, 404}


@pytest.mark.django_db(transaction=True)
def test_twenty_concurrent_requests_start_one_verification(
    people: dict[str, User], client_of: Callable[[User | None], APIClient], go_on: Signal
) -> None:
    clients = [client_of(people[("auditor", "org_admin", "admin")[number % 3]]) for number in range(20)]

    def click(client: APIClient) -> int:
        try:
            return int(client.post(VERIFICATION, headers={"X-JMS-ORG": str(DEFAULT_ORG_ID)}).status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(click, clients)) == {202}
    assert Verification.objects.count() == 1
    assert len(recorded(Event.VERIFICATION_REQUESTED)) == 1
    assert verifications.work(stop=go_on) is True
    assert verifications.work(stop=go_on) is False
    assert len(recorded(Event.VERIFICATION_FINISHED)) == 2
    assert list(queries.verify()) == []


@pytest.mark.django_db(transaction=True)
def test_each_organization_that_joins_gets_its_own_result(
    make_user: Callable[..., User], client_of: Callable[[User | None], APIClient], go_on: Signal
) -> None:
    there = Organization.objects.create(name="Elsewhere")
    request_verification(client_of(make_user("ann", org_role=OrgRole.AUDITOR)))
    request_verification(client_of(make_user("bob", org_role=OrgRole.AUDITOR, org_id=there.pk)), there.pk)
    assert Verification.objects.count() == 1
    assert {org_id for org_id, _new in recorded(Event.VERIFICATION_REQUESTED)} == {DEFAULT_ORG_ID, there.pk}
    verifications.work(stop=go_on)
    assert {org_id for org_id, _new in recorded(Event.VERIFICATION_FINISHED)} == {
        ROOT_ORG_ID,
        DEFAULT_ORG_ID,
        there.pk,
    }


@pytest.mark.django_db(transaction=True)
def test_verification_of_a_killed_worker_is_interrupted(as_auditor: APIClient, go_on: Signal) -> None:
    request_verification(as_auditor)
    silent_since = clock.now() - verifications.SILENCE - timedelta(seconds=1)
    Verification.objects.update(state="running", date_beat=silent_since)
    stuck = get_verification(as_auditor)
    assert (stuck["is_running"], stuck["is_interrupted"], stuck["records"]) == (False, True, None)
    # the next round of the worker, or the next request, gives the verification up
    assert verifications.work(stop=go_on) is False
    assert recorded(Event.VERIFICATION_FINISHED) == [
        (ROOT_ORG_ID, {"result": "interrupted"}),
        (DEFAULT_ORG_ID, {"result": "interrupted"}),
    ]
    assert get_verification(as_auditor)["is_interrupted"] is True
    assert request_verification(as_auditor)["is_waiting"] is True
    assert verifications.work(stop=go_on) is True
    assert get_verification(as_auditor)["faults"] == 0
    assert Verification.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_request_replaces_a_verification_of_a_killed_worker(as_auditor: APIClient) -> None:
    request_verification(as_auditor)
    Verification.objects.update(state="running", date_beat=clock.now() - verifications.SILENCE * 2)
    assert request_verification(as_auditor)["is_waiting"] is True
    assert len(recorded(Event.VERIFICATION_REQUESTED)) == 2


@pytest.mark.django_db(transaction=True)
def test_running_verification_updates_its_heartbeat(
    as_auditor: APIClient, go_on: Signal, monkeypatch: pytest.MonkeyPatch
) -> None:
    beaten = Signal()
    monkeypatch.setattr(verifications, "_BEAT_S", 0.01)

    def slow(count: queries.Count) -> Any:
        long_ago = clock.now() - timedelta(seconds=50)
        Verification.objects.update(date_beat=long_ago)
        while not beaten.wait(0.01):
            if Verification.objects.get().date_beat > long_ago:
                beaten.set()
        assert get_verification(as_auditor)["is_running"] is True
        count.add(ROOT_ORG_ID)
        return iter(())

    monkeypatch.setattr(queries, "verify", slow)
    request_verification(as_auditor)
    assert verifications.work(stop=go_on) is True


@pytest.mark.django_db(transaction=True)
def test_result_of_a_verification_that_was_given_up_is_dropped(
    as_auditor: APIClient, go_on: Signal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overtaken(count: queries.Count) -> Any:
        Verification.objects.update(date_beat=clock.now() - verifications.SILENCE * 2)
        request_verification(as_auditor)
        return iter(())

    monkeypatch.setattr(queries, "verify", overtaken)
    request_verification(as_auditor)
    verifications.work(stop=go_on)
    assert get_verification(as_auditor)["is_waiting"] is True
    assert [new["result"] for _org_id, new in recorded(Event.VERIFICATION_FINISHED)] == ["interrupted"] * 2


@pytest.mark.django_db(transaction=True)
def test_stopping_worker_interrupts_a_long_verification(as_auditor: APIClient) -> None:
    request_verification(as_auditor)
    told_to_end = Signal()
    told_to_end.set()
    assert verifications.work(stop=told_to_end) is False
    assert get_verification(as_auditor)["is_interrupted"] is True


@pytest.mark.django_db(transaction=True)
def test_failed_verification_is_interrupted(
    as_auditor: APIClient, go_on: Signal, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(count: queries.Count) -> Any:
        raise OSError("the checkpoints cannot be read")

    monkeypatch.setattr(queries, "verify", failing)
    request_verification(as_auditor)
    with pytest.raises(OSError, match="checkpoints"):
        verifications.work(stop=go_on)
    assert get_verification(as_auditor)["is_interrupted"] is True


@pytest.mark.django_db(transaction=True)
def test_result_changed_in_the_database_is_not_shown(as_auditor: APIClient, go_on: Signal) -> None:
    request_verification(as_auditor)
    cut_off_the_end(DEFAULT_ORG_ID)
    verifications.work(stop=go_on)
    assert get_verification(as_auditor)["faults"] == 1
    row = Verification.objects.get()
    row.result[str(DEFAULT_ORG_ID)]["faults"] = 0
    Verification.objects.update(result=row.result)
    assert (get_verification(as_auditor)["faults"], get_verification(as_auditor)["is_interrupted"]) == (None, True)


@pytest.mark.django_db
def test_verification_is_for_auditors_and_administrators(
    people: dict[str, User], client_of: Callable[[User | None], APIClient], as_anonymous: APIClient
) -> None:
    for method, allowed in (("get", 200), ("post", 202)):
        statuses = {role: getattr(client_of(user), method)(VERIFICATION).status_code for role, user in people.items()}
        assert statuses == {
            "user": 403,
            "auditor": allowed,
            "org_admin": allowed,
            "system_auditor": allowed,
            "admin": allowed,
        }
        assert getattr(as_anonymous, method)(VERIFICATION).status_code == 401


def test_every_kind_of_fault_has_a_text() -> None:
    assert set(WORDS) == set(queries.FaultKind)
    assert words_of_fault("of_a_later_version") == "of_a_later_version"
