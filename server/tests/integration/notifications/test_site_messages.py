"""A user's own messages: sent, listed, counted and read; and never those of other users."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.grants import make_group
from postern.apps.audits.models import AuditEvent
from postern.apps.notifications import actions
from postern.apps.notifications.models import SiteMessage, SiteMessageReceipt
from postern.apps.orgs.models import Organization
from postern.apps.users.models import User, UserGroup
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

pytestmark = pytest.mark.django_db

MESSAGES = "/api/v1/notifications/site-message/"
SEND = f"{MESSAGES}send/"
READ = f"{MESSAGES}mark-as-read/"
TOTAL = f"{MESSAGES}unread-total/"


def send(client: APIClient, **body: Any) -> Any:
    return client.post(SEND, {"subject": "Hello", "message": "<p>there</p>", **body})


@pytest.fixture
def sent(as_admin: APIClient, people: dict[str, User]) -> None:
    """Twenty messages for Uma."""
    for number in range(20):
        actions.send(actor=SYSTEM, subject=f"number {number}", message=f"<p>{number}</p>", users=[people["user"]])


@pytest.mark.spec("S3-011", "S3-012")
def test_message_has_content_and_sender(as_admin: APIClient, as_user: APIClient, people: dict[str, User]) -> None:
    group = make_group("Night shift", users=[people["auditor"]])
    answer = send(as_admin, user_ids=[str(people["user"].pk)], group_ids=[str(group.pk)])
    assert (answer.status_code, answer.json()) == (200, {"detail": "ok"})
    (row,) = as_user.get(MESSAGES).json()
    assert (row["subject"], row["message"], row["has_read"], row["read_at"]) == ("Hello", "<p>there</p>", False, None)
    assert (row["sender"], row["sender_display"]) == (str(people["admin"].pk), "Adam(adam)")
    assert row["receivers"] == ["Uma(uma)", "Night shift"]
    assert (row["message_type"], row["is_broadcast"]) == ("SiteMessage", False)
    assert row["date_created"] == row["date_delivered"]
    assert row["date_created"]
    assert as_user.get(f"{MESSAGES}{row['id']}/").json() == row
    event = AuditEvent.objects.get(event="site_message.sent")
    assert event.new is not None
    assert event.new["receivers"] == 2


@pytest.mark.spec("S7-037", "S9-007")
@pytest.mark.usefixtures("sent")
def test_unread_messages_come_in_pages_of_15_newest_first(as_user: APIClient) -> None:
    page = as_user.get(f"{MESSAGES}?offset=0&limit=15&has_read=false").json()
    assert page["count"] == 20
    assert [row["subject"] for row in page["results"]] == [f"number {number}" for number in range(19, 4, -1)]
    assert as_user.get(f"{MESSAGES}?offset=0&has_read=false").json() == page | {
        "next": as_user.get(f"{MESSAGES}?offset=0&has_read=false").json()["next"]
    }
    assert len(as_user.get(f"{MESSAGES}?offset=15&limit=15").json()["results"]) == 5
    assert len(as_user.get(MESSAGES).json()) == 20
    assert as_user.get(f"{MESSAGES}?has_read=true&limit=15").json()["count"] == 0
    assert as_user.get(f"{MESSAGES}?has_read=perhaps").status_code == 400


@pytest.mark.spec("S4-022", "S7-038")
@pytest.mark.usefixtures("sent")
def test_message_marked_as_read_is_no_longer_unread(as_user: APIClient) -> None:
    ids = [row["id"] for row in as_user.get(f"{MESSAGES}?offset=0&limit=15").json()["results"][:2]]
    assert as_user.get(TOTAL).json() == {"total": 20}
    answer = as_user.patch(READ, {"ids": ids})
    assert (answer.status_code, answer.json()) == (200, {"detail": "ok"})
    assert as_user.get(TOTAL).json() == {"total": 18}
    read = as_user.get(f"{MESSAGES}?has_read=true").json()
    assert {row["id"] for row in read} == set(ids)
    assert all(row["read_at"] for row in read)
    before = AuditEvent.objects.count()
    assert as_user.patch(READ, {"ids": ids}).status_code == 200
    assert AuditEvent.objects.count() == before, "reading twice is no event"


@pytest.mark.parametrize("body", [{}, {"ids": "x"}, {"ids": ["x"]}, {"ids": None}, []])
def test_mark_as_read_needs_ids(as_user: APIClient, body: Any) -> None:
    assert as_user.patch(READ, body).status_code == 400


def test_k16_messages_of_other_users_are_neither_seen_nor_marked(
    as_admin: APIClient, as_user: APIClient, as_auditor: APIClient, people: dict[str, User]
) -> None:
    send(as_admin, user_ids=[str(people["user"].pk)])
    receipt = SiteMessageReceipt.objects.get()
    for client in (as_auditor, as_admin):
        assert client.get(MESSAGES).json() == []
        assert client.get(f"{MESSAGES}{receipt.pk}/").status_code == 404
        assert client.get(TOTAL).json() == {"total": 0}
        assert client.patch(READ, {"ids": [str(receipt.pk)]}).status_code == 200
        receipt.refresh_from_db()
        assert receipt.has_read is False
    assert as_user.get(f"{MESSAGES}{receipt.message_id}/").status_code == 404


@pytest.mark.parametrize("role", ["user", "auditor", "org_admin", "system_auditor"])
def test_only_super_administrators_send(
    role: str, people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    assert send(client_of(people[role]), is_broadcast=True).status_code == 403
    assert not SiteMessage.objects.exists()


def test_broadcast_reaches_every_valid_user_once(
    as_admin: APIClient, people: dict[str, User], make_user: Callable[..., User]
) -> None:
    other = Organization.objects.create(name="Other")
    far, gone = make_user("far", org_id=other.pk), make_user("gone", is_active=False)
    late = make_user("late", date_expired=clock.now() - timedelta(days=1))
    assert send(as_admin, is_broadcast=True).status_code == 200
    receivers = set(SiteMessageReceipt.objects.values_list("user__username", flat=True))
    assert {far.username, *(user.username for user in people.values())} <= receivers
    assert not {gone.username, late.username} & receivers
    assert SiteMessage.objects.get().addressed_to == []


def test_groups_of_other_organizations_are_found_and_written_to(
    as_admin: APIClient, as_user: APIClient, make_user: Callable[..., User]
) -> None:
    other = Organization.objects.create(name="Other")
    far = make_user("far", org_id=other.pk)
    group = UserGroup.objects.create(name="night shift", org_id=other.pk)
    group.users.add(far)
    here = as_admin.get("/api/v1/users/groups/?search=night").json()
    (found,) = as_admin.get("/api/v1/users/groups/?search=night&oid=root&limit=10&offset=0").json()["results"]
    assert (here, found["id"], found["org_name"]) == ([], str(group.pk), "Other")
    assert as_user.get("/api/v1/users/groups/?oid=root").status_code == 403
    assert send(as_admin, group_ids=[found["id"]]).status_code == 200
    assert list(SiteMessageReceipt.objects.values_list("user__username", flat=True)) == ["far"]
    assert SiteMessage.objects.get().addressed_to == ["night shift"]


def test_user_named_several_times_gets_one_message(as_admin: APIClient, people: dict[str, User]) -> None:
    groups = [make_group(users=[people["user"]]) for _ in range(2)]
    ids = [str(people["user"].pk)] * 2
    assert send(as_admin, user_ids=ids, group_ids=[str(group.pk) for group in groups]).status_code == 200
    assert SiteMessageReceipt.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "user_ids"),
        ({"user_ids": [str(uuid4())]}, "user_ids"),
        ({"group_ids": ["x"]}, "group_ids"),
        ({"is_broadcast": True, "subject": ""}, "subject"),
        ({"is_broadcast": True, "subject": "x" * 257}, "subject"),
        ({"is_broadcast": True, "message": ""}, "message"),
        ({"is_broadcast": True, "message": "<script>x</script><br>"}, "message"),
        ({"is_broadcast": True, "message": "x" * 20_001}, "message"),
    ],
)
def test_invalid_message_is_refused(as_admin: APIClient, body: dict[str, Any], field: str) -> None:
    answer = send(as_admin, **body)
    assert (answer.status_code, list(answer.json())) == (400, [field])
    assert not SiteMessage.objects.exists()


@pytest.mark.spec("S3-014")
def test_k3_message_is_stored_and_shown_without_scripts(as_admin: APIClient, as_user: APIClient) -> None:
    hostile = (
        "<p onclick=x()>ok <a href='javascript:x()'>a</a><img src=x onerror=alert(1)><script>alert(1)</script></p>"
    )
    assert send(as_admin, is_broadcast=True, message=hostile, subject="<b>plain</b>").status_code == 200
    (row,) = as_user.get(MESSAGES).json()
    assert row["message"] == '<p>ok <a rel="noopener noreferrer nofollow">a</a></p>'
    assert row["subject"] == "<b>plain</b>", "a subject is text: the console shows it as it is"
    assert "script" not in SiteMessage.objects.get().message


@pytest.mark.usefixtures("sent")
def test_list_takes_no_query_for_each_message(as_user: APIClient) -> None:
    def queries(limit: int) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert as_user.get(f"{MESSAGES}?offset=0&limit={limit}").status_code == 200
        return len(captured)

    assert queries(20) == queries(1)


def test_name_of_a_deleted_sender_stays_and_messages_of_a_deleted_receiver_go(
    as_admin: APIClient, people: dict[str, User]
) -> None:
    send(as_admin, user_ids=[str(people["user"].pk), str(people["auditor"].pk)])
    people["admin"].delete()
    people["auditor"].delete()
    message = SiteMessage.objects.get()
    assert (message.sender_id, message.sender_display) == (None, "Adam(adam)")
    assert SiteMessageReceipt.objects.count() == 1


@pytest.mark.usefixtures("sent")
def test_old_messages_are_deleted() -> None:
    SiteMessage.objects.filter(subject="number 3").update(date_created=clock.now() - actions.KEPT - timedelta(days=1))
    assert actions.forget_old(actor=SYSTEM, now=clock.now()) == 1
    assert SiteMessage.objects.count() == 19
    assert SiteMessageReceipt.objects.count() == 19
    assert actions.forget_old(actor=SYSTEM, now=clock.now()) == 0
