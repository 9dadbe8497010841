"""Legal holds: who may place and remove them, what they protect, and what the audit log says."""

import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import ProtectedError
from rest_framework.test import APIClient

from factories.at_once import at_once
from factories.proxy_client import Proxy
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.models import Organization
from postern.apps.sessions.models import DoomedFile, Recording, Session, SessionHold
from postern.apps.sessions.recordings.actions.retention import forget_old_sessions
from postern.apps.sessions.sessions.actions import holds
from postern.apps.users.models import User
from postern.contracts import events
from postern.contracts.enums import EndReason
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.database.write_transaction import write_transaction
from postern.integrations.replay_storages.local_folder import LocalFolder
from postern.kernel import clock

HOLDS = "/api/v1/terminal/holds/"
SESSIONS = "/api/v1/terminal/sessions/"


@pytest.fixture
def old(proxy: Proxy, active: Session, replay_folder: Path) -> Session:
    """A session with a recording that retention would delete."""
    del replay_folder
    proxy.seal(active.pk, b"content")
    proxy.put(active.pk, b"content", 0, 7)
    proxy.tell(events.SessionEnded(session_id=active.pk, at=clock.now(), reason=EndReason.USER_CLOSED))
    end = clock.now() - timedelta(days=900)
    Session.objects.update(date_end=end, date_start=end - timedelta(minutes=1))
    active.refresh_from_db()
    return active


@pytest.fixture
def forget(replay_folder: Path) -> Callable[[], int]:
    """Runs retention; returns how many sessions it deleted."""
    return lambda: forget_old_sessions(actor=SYSTEM, storage=LocalFolder(replay_folder))


def place(client: APIClient, **body: Any) -> Any:
    return client.post(HOLDS, {"reason": "matter 7", **body}, format="json")


def audited(event: str) -> list[Any]:
    return list(AuditEvent.objects.filter(event=event).order_by("sequence"))


@pytest.mark.parametrize("kind", ["session", "user"])
def test_what_is_on_hold_stays_until_the_hold_is_removed_with_a_reason(
    old: Session, as_org_admin: APIClient, forget: Callable[[], int], replay_folder: Path, kind: str
) -> None:
    key = str(old.pk if kind == "session" else old.user_id)
    answer = place(as_org_admin, **{kind: key})
    assert answer.status_code == 201
    hold = answer.json()
    assert (hold["reason"], hold["created_by"], hold["date_end"]) == ("matter 7", "Olaf(olaf)", None)
    assert hold["session" if kind == "session" else "user_id"] == key
    assert as_org_admin.get(f"{SESSIONS}{old.pk}/").json()["is_on_hold"] is True
    assert [row["id"] for row in as_org_admin.get(f"{HOLDS}?covers={old.pk}").json()] == [hold["id"]]
    assert as_org_admin.get(f"{HOLDS}?covers={uuid4()}").json() == []
    assert as_org_admin.get(f"{HOLDS}?covers=x").status_code == 400
    file = replay_folder / Recording.objects.get().path
    assert forget() == 0
    assert file.exists()
    assert not DoomedFile.objects.exists()

    url = f"{HOLDS}{hold['id']}/release/"
    assert as_org_admin.post(url, {}, format="json").status_code == 400
    assert forget() == 0
    assert as_org_admin.post(url, {"reason": "closed"}, format="json").status_code == 204
    assert as_org_admin.post(url, {"reason": "closed"}, format="json").status_code == 404
    assert as_org_admin.get(f"{SESSIONS}{old.pk}/").json()["is_on_hold"] is False
    assert forget() == 1
    assert not file.exists()
    [placed], [released] = audited("hold.placed"), audited("hold.released")
    assert (placed.user, placed.resource_id, placed.new["reason"]) == ("Olaf(olaf)", key, "matter 7")
    assert (released.user, released.resource_id, released.new) == ("Olaf(olaf)", key, {"reason": "closed"})
    assert (released.old["reason"], released.old["created_by"]) == ("matter 7", "Olaf(olaf)")


def test_a_hold_of_a_person_covers_later_sessions_and_outlives_the_account(
    old: Session, proxy: Proxy, world: Any, as_admin: APIClient, forget: Callable[[], int]
) -> None:
    assert place(as_admin, user=str(old.user_id)).status_code == 201
    grant = proxy.authorize(world.user, "web-1").grant
    assert grant is not None
    rows = {row["id"]: row["is_on_hold"] for row in as_admin.get(SESSIONS).json()}
    assert rows == {str(old.pk): True, str(grant.session_id): True}
    assert as_admin.delete(f"/api/v1/users/users/{old.user_id}/").status_code == 204
    assert not User.objects.filter(pk=old.user_id).exists()
    assert forget() == 0
    # The person is known by their sessions, so that a further hold can be placed.
    again = place(as_admin, user=str(old.user_id), reason="matter 8")
    assert (again.status_code, again.json()["name"]) == (201, old.user)


def test_a_hold_of_a_person_is_for_one_organization(
    old: Session, as_org_admin: APIClient, forget: Callable[[], int]
) -> None:
    assert place(as_org_admin, user=str(old.user_id)).status_code == 201
    other = Organization.objects.create(name="Other")
    Session.objects.update(org_id=other.pk)
    assert forget() == 1


def test_a_hold_has_no_effect_after_its_end(old: Session, as_org_admin: APIClient, forget: Callable[[], int]) -> None:
    end = clock.now() + timedelta(days=1)
    assert place(as_org_admin, session=str(old.pk), date_end=end.isoformat()).status_code == 201
    assert forget() == 0
    SessionHold.objects.update(date_end=clock.now() - timedelta(seconds=1))
    assert as_org_admin.get(f"{SESSIONS}{old.pk}/").json()["is_on_hold"] is False
    assert forget() == 1
    assert as_org_admin.get(HOLDS).json() == []
    assert not SessionHold.objects.exists()
    [ended] = audited("hold.ended")
    assert (ended.resource_id, ended.old["reason"]) == (str(old.pk), "matter 7")


def test_two_matters_hold_the_same_session_independently(
    old: Session, as_org_admin: APIClient, forget: Callable[[], int]
) -> None:
    first, second = (
        place(as_org_admin, session=str(old.pk)),
        place(as_org_admin, session=str(old.pk), reason="matter 8"),
    )
    assert (first.status_code, second.status_code) == (201, 201)
    as_org_admin.post(f"{HOLDS}{first.json()['id']}/release/", {"reason": "closed"}, format="json")
    assert forget() == 0
    assert [row["reason"] for row in as_org_admin.get(f"{HOLDS}?session={old.pk}").json()] == ["matter 8"]


def test_the_same_hold_again_changes_nothing_and_another_end_is_refused(old: Session, as_org_admin: APIClient) -> None:
    first = place(as_org_admin, session=str(old.pk))
    again = place(as_org_admin, session=str(old.pk))
    assert (again.status_code, again.json()["id"]) == (201, first.json()["id"])
    end = (clock.now() + timedelta(days=1)).isoformat()
    differs = place(as_org_admin, session=str(old.pk), date_end=end)
    assert (differs.status_code, differs.json()["code"]) == (409, "hold_differs")
    assert len(audited("hold.placed")) == 1


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"session": None},
        {"session": "{id}", "user": "{id}"},
        {"session": "{id}", "reason": ""},
        {"session": "{id}", "reason": "two\nlines"},
        {"session": "{id}", "reason": "x" * 513},
        {"session": "{id}", "date_end": "2020-01-01T00:00:00Z"},
        {"session": "{id}", "until": "2099-01-01T00:00:00Z"},
        {"session": "x"},
    ],
)
def test_bad_holds_are_refused(old: Session, as_org_admin: APIClient, body: dict[str, Any]) -> None:
    filled = {name: str(old.pk) if value == "{id}" else value for name, value in body.items()}
    assert place(as_org_admin, **filled).status_code == 400
    assert not SessionHold.objects.exists()


def test_k74_auditors_see_holds_and_only_administrators_place_and_remove_them(
    old: Session, as_auditor: APIClient, as_user: APIClient, as_org_admin: APIClient
) -> None:
    hold = place(as_org_admin, session=str(old.pk)).json()
    for client in (as_auditor, as_user):
        assert place(client, session=str(old.pk), reason="mine").status_code == 403
        assert client.post(f"{HOLDS}{hold['id']}/release/", {"reason": "x"}, format="json").status_code == 403
    assert [row["id"] for row in as_auditor.get(HOLDS).json()] == [hold["id"]]
    assert as_user.get(HOLDS).status_code == 403
    assert SessionHold.objects.count() == 1


@pytest.mark.parametrize("kind", ["session", "user"])
def test_nobody_removes_a_hold_of_their_own_sessions(
    old: Session, as_admin: APIClient, as_org_admin: APIClient, people: dict[str, User], kind: str
) -> None:
    person = people["org_admin"]
    Session.objects.update(user_id=person.pk)
    key = str(old.pk if kind == "session" else person.pk)
    url = f"{HOLDS}{place(as_org_admin, **{kind: key}).json()['id']}/release/"
    refused = as_org_admin.post(url, {"reason": "closed"}, format="json")
    assert (refused.status_code, refused.json()["code"]) == (403, "own_hold")
    assert SessionHold.objects.exists()
    assert as_admin.post(url, {"reason": "closed"}, format="json").status_code == 204


def test_k63_sessions_and_people_of_another_organization_are_not_found(
    old: Session, as_org_admin: APIClient, make_user: Callable[..., User]
) -> None:
    other = Organization.objects.create(name="Other")
    stranger = make_user("stranger", org_id=other.pk)
    Session.objects.update(org_id=other.pk)
    User.objects.filter(pk=old.user_id).delete()
    for body in ({"session": str(old.pk)}, {"user": str(stranger.pk)}, {"user": str(old.user_id)}):
        assert place(as_org_admin, **body).status_code == 404
    assert place(as_org_admin, session=str(uuid4())).status_code == 404
    assert not SessionHold.objects.exists()


def test_the_list_of_sessions_can_be_narrowed_to_those_on_hold(old: Session, as_org_admin: APIClient) -> None:
    def listed(value: str) -> list[str]:
        return [row["id"] for row in as_org_admin.get(f"{SESSIONS}?is_on_hold={value}").json()]

    assert (listed("1"), listed("0")) == ([], [str(old.pk)])
    place(as_org_admin, session=str(old.pk))
    assert (listed("1"), listed("0")) == ([str(old.pk)], [])
    assert as_org_admin.get(f"{SESSIONS}?is_on_hold=x").status_code == 400


def test_the_database_refuses_to_delete_a_session_with_a_hold(old: Session, as_org_admin: APIClient) -> None:
    place(as_org_admin, session=str(old.pk))
    with pytest.raises(ProtectedError):
        old.delete()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["session", "person"])
def test_retention_waits_for_a_hold_that_is_being_placed(old: Session, forget: Callable[[], int], kind: str) -> None:
    placed, forgotten = threading.Event(), threading.Event()

    def hold() -> int:
        with write_transaction():
            if kind == "session":
                holds.hold_session(actor=SYSTEM, session_id=old.pk, reason="matter 7", date_end=None)
            else:
                holds.hold_person(
                    actor=SYSTEM,
                    org_id=old.org_id,
                    user_id=old.user_id,
                    name=old.user,
                    reason="matter 7",
                    date_end=None,
                )
            placed.set()
            forgotten.wait(0.5)  # in vain: retention waits for the commit
        return 0

    def run() -> int:
        placed.wait(60)
        try:
            return forget()
        finally:
            forgotten.set()

    assert at_once(hold, run) == [0, 0]
    assert Session.objects.get().pk == old.pk
    assert SessionHold.objects.exists()
