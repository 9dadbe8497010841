"""Warnings before a password or an account ends: who gets them, when, and never twice."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from unittest import mock

import pytest
from django.db import connection

from factories.mail import use_mail_server
from peers.mail_server import Mailbox, serving
from postern.apps.notifications import actions, expiry_warnings, mailing
from postern.apps.notifications.models import ExpiryWarning, SiteMessage, SiteMessageReceipt
from postern.apps.preferences.actions import change_settings
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

pytestmark = pytest.mark.django_db


@pytest.fixture
def expiring() -> None:
    """Passwords expire after 90 days."""
    change_settings(actor=SYSTEM, changes={"SECURITY_PASSWORD_EXPIRATION_TIME": 90})


def with_password_of(user: User, **age: float) -> User:
    User.objects.filter(pk=user.pk).update(date_password_last_updated=clock.now() - timedelta(**age))
    return user


def ends_in(user: User, **left: float) -> User:
    User.objects.filter(pk=user.pk).update(date_expired=clock.now() + timedelta(**left))
    return user


def later(**delta: float) -> Any:
    return mock.patch.object(expiry_warnings.clock, "now", return_value=clock.now() + timedelta(**delta))


def told() -> dict[str, str]:
    """Subjects of the site messages by username."""
    rows = SiteMessageReceipt.objects.select_related("message", "user")
    return {row.user.username: row.message.subject for row in rows}


@pytest.mark.spec("S4-047")
@pytest.mark.usefixtures("expiring")
def test_password_that_ends_within_five_days_is_announced_in_the_language_of_its_user(
    make_user: Callable[..., User],
) -> None:
    with_password_of(make_user("uma", language="en"), days=85, minutes=1)
    with_password_of(make_user("zhang", language="zh-hans"), days=89, minutes=1)
    with_password_of(make_user("early"), days=84, hours=23)
    with_password_of(make_user("over"), days=90, minutes=1)
    mailbox = Mailbox()
    with serving(mailbox) as port:
        use_mail_server(port)
        assert expiry_warnings.warn_due() == 2
        assert mailing.send_due() == 2
    assert told() == {"uma": "Your password expires within 5 days", "zhang": "你的密码将在 1 天内过期"}
    received = {letter.recipient: letter for letter in mailbox.received}
    letter = received["uma@example.test"]
    assert letter.message["Subject"] == "[Postern] Your password expires within 5 days"
    assert "https://gate.example.com/ui/users/profile" in letter.body("html")
    assert "uma expires on 20" in letter.body("plain")


@pytest.mark.usefixtures("expiring")
def test_once_a_day_and_no_more_after_the_password_was_changed(make_user: Callable[..., User]) -> None:
    uma = with_password_of(make_user("uma", language="en"), days=86)
    assert [expiry_warnings.warn_due() for _run in range(3)] == [1, 0, 0]
    with later(days=1):
        assert [expiry_warnings.warn_due() for _run in range(2)] == [1, 0]
    with_password_of(uma, seconds=1)
    with later(days=2):
        assert expiry_warnings.warn_due() == 0
    assert ExpiryWarning.objects.count() == 2


@pytest.mark.spec("S5-023")
def test_nobody_is_warned_while_passwords_do_not_expire(make_user: Callable[..., User]) -> None:
    with_password_of(make_user("uma"), days=9998)
    assert expiry_warnings.warn_due() == 0


@pytest.mark.usefixtures("expiring")
def test_only_passwords_that_are_used_here_are_announced(make_user: Callable[..., User]) -> None:
    with_password_of(make_user("ldap", source="ldap"), days=86)
    with_password_of(make_user("must", need_update_password=True), days=86)
    with_password_of(make_user("off"), days=86)
    User.objects.filter(username="off").update(is_active=False)
    assert expiry_warnings.warn_due() == 0


def test_account_that_ends_within_five_days_is_announced_whatever_its_source(make_user: Callable[..., User]) -> None:
    ends_in(make_user("uma", language="en"), days=4, hours=1)
    ends_in(make_user("ldap", source="ldap", language="en"), hours=1)
    ends_in(make_user("far"), days=5, minutes=1)
    ends_in(make_user("gone"), minutes=-1)
    assert expiry_warnings.warn_due() == 2
    assert expiry_warnings.warn_due() == 0
    assert told() == {"uma": "Your account ends within 5 days", "ldap": "Your account ends within 1 day"}


def test_process_that_dies_before_its_commit_leaves_neither_warning_nor_message(
    make_user: Callable[..., User],
) -> None:
    ends_in(make_user("uma"), days=1)
    with mock.patch.object(actions, "_store", side_effect=SystemExit), pytest.raises(SystemExit):
        expiry_warnings.warn_due()
    assert not ExpiryWarning.objects.exists()
    assert not SiteMessage.objects.exists()
    assert expiry_warnings.warn_due() == 1


@pytest.mark.django_db(transaction=True)
def test_several_workers_at_once_warn_each_user_once(make_user: Callable[..., User]) -> None:
    for number in range(8):
        ends_in(make_user(f"user{number}"), days=2)
    counts: list[int] = []
    problems: list[Exception] = []
    start = threading.Barrier(4)

    def run() -> None:
        start.wait()
        try:
            counts.append(expiry_warnings.warn_due())
        except Exception as error:  # noqa: BLE001 - shown by the assertion below
            problems.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert sum(counts) == 8
    assert SiteMessageReceipt.objects.count() == 8


def test_old_warnings_are_deleted(make_user: Callable[..., User]) -> None:
    ends_in(make_user("uma"), days=1)
    expiry_warnings.warn_due()
    ExpiryWarning.objects.update(date_created=clock.now() - actions.KEPT - timedelta(days=1))
    actions.forget_old(actor=SYSTEM, now=clock.now())
    assert not ExpiryWarning.objects.exists()
