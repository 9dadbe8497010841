"""Forgotten passwords: the same response for every name, at most one mail, and a link that works once within an hour."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import timedelta
from unittest import mock

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.response import Response
from rest_framework.test import APIClient

from factories.mail import use_mail_server
from factories.puzzles import post_solving
from peers.mail_server import Mailbox, serving
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.forgotten_passwords import asking
from postern.apps.notifications import mailing
from postern.apps.notifications.models import MessageDelivery
from postern.apps.preferences.actions import change_settings
from postern.apps.users import facade as users
from postern.apps.users.credentials.actions.links import issue_set_password_link
from postern.apps.users.models import SetPasswordLink, User
from postern.foundation.bus import outbox
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.models import OutboxMessage
from postern.kernel import clock

pytestmark = pytest.mark.django_db

FORGOT = "/api/v1/authentication/password/forgot/"
SET = "/api/v1/authentication/set-password/"
NEW = "emerald harbour twenty"
ON_ITS_WAY = "If the account exists, a mail is on its way."


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    box = Mailbox()
    with serving(box) as port:
        use_mail_server(port)
        yield box


@pytest.fixture
def ann(make_user: Callable[..., User]) -> User:
    user = make_user("ann", language="en")
    user.set_password("violet anchor seventeen")
    user.save()
    return user


def ask(name: str, address: str = "192.0.2.1") -> Response:
    client = APIClient(REMOTE_ADDR=address)
    answer: Response = post_solving(client, FORGOT, {"username": name}, HTTP_ACCEPT_LANGUAGE="en")
    return answer


def deliver() -> int:
    """Do the work of the worker. Returns the number of sent mails."""
    outbox.drain()
    return mailing.send_due()


def token_of(mailbox: Mailbox) -> str:
    match = re.search(r"https://gate\.example\.com/ui/set-password#(\S+)", mailbox.received[-1].body("plain"))
    assert match is not None
    return match.group(1)


def redeem(token: str) -> int:
    return int(APIClient().post(SET, {"token": token, "new_password": NEW}).status_code)


def events_of(name: str) -> int:
    return AuditEvent.objects.filter(event=name).count()


def later(by: timedelta) -> AbstractContextManager[object]:
    return mock.patch.object(clock, "now", return_value=clock.now() + by)


@pytest.mark.parametrize("name", ["ann", " ANN ", "ann@example.test", "Ann@Example.TEST"])
def test_link_is_mailed_and_works_once(mailbox: Mailbox, ann: User, name: str) -> None:
    former = ann.password
    answer = ask(name)
    assert (answer.status_code, answer.json()) == (200, {"msg": ON_ITS_WAY})
    assert deliver() == 1
    assert mailbox.received[0].recipient == "ann@example.test"
    assert "within 1 hour:" in mailbox.received[0].body("plain")
    ann.refresh_from_db()
    assert ann.password == former, "the password is valid until another is chosen"
    token = token_of(mailbox)
    assert [redeem(token), redeem(token)] == [200, 400]
    ann.refresh_from_db()
    assert ann.check_password(NEW)
    assert events_of("user.password_forgotten") == 1


def test_no_link_is_mailed_where_passwords_of_local_users_are_off(mailbox: Mailbox, ann: User) -> None:
    change_settings(actor=SYSTEM, changes={"SECURITY_SIGN_IN_WAYS": ["ldap", "passkey"]})
    assert "switched off" in ask("ann").json()["msg"]
    assert ask("nobody").json() == ask("ann").json()
    assert deliver() == 0
    assert events_of("user.password_forgotten") == 0


_WITHOUT_MAIL: dict[str, dict[str, object]] = {
    "directory": {"source": "ldap"},
    "disabled": {"is_active": False},
    "expired": {"date_expired": clock.now() - timedelta(days=1)},
    "waits for the link of an administrator": {"password": "!void"},
}


@pytest.mark.parametrize("change", _WITHOUT_MAIL.values(), ids=_WITHOUT_MAIL)
def test_other_accounts_get_the_same_response_and_no_mail(
    mailbox: Mailbox, ann: User, change: dict[str, object]
) -> None:
    User.objects.filter(pk=ann.pk).update(**change)
    answer = ask("ann")
    assert (answer.status_code, answer.json()) == (200, {"msg": ON_ITS_WAY})
    assert deliver() == 0
    assert not SetPasswordLink.objects.exists()
    assert not MessageDelivery.objects.exists()
    assert events_of("user.password_forgotten_refused") == 1


def test_unknown_name_gets_the_same_response_and_writes(mailbox: Mailbox, ann: User) -> None:
    ask("warm-up")
    statements = []
    # The last name is in the pause of the first name. Its response must not be faster.
    for name in ("ann", "nobody-here", "ann@example.test"):
        with CaptureQueriesContext(connection) as captured:
            answer = ask(name)
        assert (answer.status_code, answer.json()) == (200, {"msg": ON_ITS_WAY})
        statements.append([re.sub(r"'[^']*'|[0-9a-f]{32,}|\d+", "?", query["sql"])[:60] for query in captured])
    assert statements[0] == statements[1] == statements[2]
    assert "nobody-here" not in str(list(OutboxMessage.objects.values()))
    assert deliver() == 1
    assert not AuditEvent.objects.filter(resource__contains="nobody-here").exists()


def test_mails_have_growing_pauses_and_a_limit_of_five_a_day(mailbox: Mailbox, ann: User) -> None:
    sent, start = (
        [],
        clock.now() + timedelta(minutes=1),
    )  # later than the default times of the rows, which are not patched
    for minutes in (0, 4, 5, 15, 21, 60, 82, 200, 330, 600, 900, 1400):
        with mock.patch.object(clock, "now", return_value=start + timedelta(minutes=minutes)):
            assert ask("ann@example.test" if minutes % 2 else "ann").status_code == 200
            if deliver():
                sent.append(minutes)
    assert sent == [0, 5, 21, 82, 330]


def test_limit_of_an_address_applies_to_all_names(mailbox: Mailbox) -> None:
    change_settings(
        actor=SYSTEM, changes={"SECURITY_LOGIN_CAPTCHA_ENABLED": False}
    )  # solving thirty puzzles would take long
    for number in range(asking.ADDRESS_LIMIT):
        assert ask(f"nobody-{number}").status_code == 200
    refused = ask("somebody")
    assert refused.status_code == 429
    assert 3500 < int(refused.headers["Retry-After"]) <= 3600
    assert ask("somebody", "198.51.100.7").status_code == 200
    with later(asking.ADDRESS_WINDOW + timedelta(seconds=1)):
        assert ask("somebody").status_code == 200


def test_missing_mail_server_is_reported_and_nothing_is_stored(ann: User) -> None:
    answers = [ask(name).json() for name in ("ann", "nobody")]
    assert answers[0] == answers[1]
    assert "Mail is not set up" in answers[0]["msg"]
    assert not OutboxMessage.objects.exists()
    assert APIClient().get("/api/v1/settings/public/").json()["data"]["MAIL_CONFIGURED"] is False


def test_link_expires_after_an_hour(mailbox: Mailbox, ann: User) -> None:
    ask("ann")
    deliver()
    token = token_of(mailbox)
    with later(timedelta(minutes=61)):
        assert redeem(token) == 400
    assert redeem(token) == 200


_ENDS: dict[str, dict[str, object]] = {
    "role": {"role": "Admin"},
    "source": {"source": "ldap"},
    "state": {"is_active": False},
    "password": {"password": "pbkdf2_sha256$1$x$y"},
    "mail address": {"email": "ann@elsewhere.example.test"},
}


@pytest.mark.parametrize("change", _ENDS.values(), ids=_ENDS)
def test_change_of_the_user_voids_the_link(mailbox: Mailbox, ann: User, change: dict[str, object]) -> None:
    ask("ann")
    deliver()
    User.objects.filter(pk=ann.pk).update(**change)
    assert redeem(token_of(mailbox)) == 400


def test_request_of_a_stranger_does_not_void_the_link_of_an_administrator(mailbox: Mailbox, ann: User) -> None:
    link = issue_set_password_link(actor=SYSTEM, user=ann, void_password=False).token.reveal()
    ask("ann")
    deliver()
    assert redeem(link) == 200
    assert redeem(token_of(mailbox)) == 400, "the first that is used voids the others"


def test_repeated_delivery_of_the_event_makes_one_link(mailbox: Mailbox, ann: User) -> None:
    ask("ann")
    deliver()
    link = SetPasswordLink.objects.get()
    users.mail_forgotten(actor=SYSTEM, user_id=ann.pk, link_id=link.pk)
    assert SetPasswordLink.objects.count() == MessageDelivery.objects.count() == 1


def test_page_of_the_contract_redirects_to_the_console() -> None:
    answer = APIClient().get("/core/auth/password/forgot/")
    assert (answer.status_code, answer["Location"]) == (302, "/ui/set-password?forgot=1")
