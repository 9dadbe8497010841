"""`postern user` on the server restores access to an account when nobody can sign in to the console."""

import argparse
from datetime import timedelta

import pytest
from django.conf import settings
from rest_framework.test import APIClient

from factories.browser import Browser
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.models import TotpDevice
from postern.apps.users.models import User
from postern.entrypoints import user_commands
from postern.kernel import clock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_waits")]
NEW_PASSWORD = "river-Stone-lantern-77"


def run_command(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers()

    def add(name: str, command: user_commands.Command) -> argparse.ArgumentParser:
        added = commands.add_parser(name)
        added.set_defaults(run=command)
        return added

    user_commands.add_to(add, lambda: None)
    parsed = parser.parse_args(arguments)
    return int(parsed.run(parsed, settings.POSTERN))


def recorded() -> set[str]:
    return set(AuditEvent.objects.filter(user="System").values_list("event", flat=True))


def test_disabled_account_with_a_lost_password_is_restored(ann: User, capsys: pytest.CaptureFixture[str]):
    past = clock.now() - timedelta(days=1)
    User.objects.filter(pk=ann.pk).update(is_active=False, date_expired=past)
    assert run_command("link", "ann") == 1
    assert "postern user enable ann" in capsys.readouterr().out
    assert run_command("enable", "ann") == 0
    assert run_command("link", "ann") == 0
    token = capsys.readouterr().out.split("/ui/set-password#")[1].splitlines()[0]
    body = {"token": token, "new_password": NEW_PASSWORD}
    answers = [APIClient().post("/api/v1/authentication/set-password/", body, format="json") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 400], "the link works once"
    assert Browser().sign_in("ann", NEW_PASSWORD).json()["next"] == "/ui/"
    assert {"user.updated", "user.set_password_link_issued"} <= recorded()


def test_user_of_a_deleted_provider_becomes_local(ann: User, capsys: pytest.CaptureFixture[str]):
    User.objects.filter(pk=ann.pk).update(source="openid")
    assert run_command("link", "ann") == 1
    assert "--local" in capsys.readouterr().out
    assert run_command("link", "ann", "--local") == 0
    assert User.objects.get(pk=ann.pk).is_local


def test_lost_second_factor_is_removed(ann: User):
    TotpDevice.objects.create(user=ann, date_confirmed=clock.now())
    User.objects.filter(pk=ann.pk).update(mfa_level=2)
    assert Browser().sign_in("ann").json()["error"] == "mfa_required"
    assert run_command("reset-mfa", "ann") == 0
    assert Browser().sign_in("ann").json()["error"] == "mfa_unset"
    assert "mfa.reset" in recorded()


def test_unknown_name_changes_nothing(ann: User, capsys: pytest.CaptureFixture[str]):
    before = recorded()
    for name in ("enable", "link", "reset-mfa"):
        assert run_command(name, "nobody") == 1
        assert "nothing was done" in capsys.readouterr().out
    assert recorded() == before
