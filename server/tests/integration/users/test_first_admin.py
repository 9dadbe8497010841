from pathlib import Path

import pytest

from postern.apps.audits.models import AuditEvent
from postern.apps.authn.callers.conditions import Condition, unmet
from postern.apps.users.models import User
from postern.apps.users.people.actions.first_admin import ensure_first_admin
from postern.foundation.settings import Settings

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nobody(db: None) -> None:
    User.objects.all().delete()


def load(tmp_path: Path, password: str = "") -> Settings:
    return Settings.load({"POSTERN_HOME": str(tmp_path), "POSTERN_ADMIN_PASSWORD": password})


def test_k10_first_administrator_gets_a_generated_password_that_must_be_changed(tmp_path: Path):
    first = ensure_first_admin(load(tmp_path))
    admin = User.objects.get()
    assert first.created
    assert first.made_up_password is not None
    password = first.made_up_password.reveal()
    assert len(password) >= 16
    assert admin.check_password(password)
    assert (admin.username, admin.role, admin.need_update_password) == ("admin", "Admin", True)
    assert admin.email.endswith(".invalid")
    assert password not in str([event.__dict__ for event in AuditEvent.objects.all()])


def test_first_administrator_gets_the_password_of_the_settings(tmp_path: Path):
    first = ensure_first_admin(load(tmp_path, "a password of one's own"))
    admin = User.objects.get()
    assert first.made_up_password is None
    assert admin.check_password("a password of one's own")
    assert not admin.need_update_password


def test_first_administrator_with_a_generated_password_must_confirm_the_recording_notice_before_a_session(
    tmp_path: Path,
):
    ensure_first_admin(load(tmp_path))
    User.objects.update(need_update_password=False)
    assert unmet(User.objects.get()) is Condition.NOTICE


def test_first_administrator_with_a_password_of_the_settings_works_in_scripts_at_once(tmp_path: Path):
    ensure_first_admin(load(tmp_path, "a password of one's own"))
    assert unmet(User.objects.get()) is None


def test_first_administrator_is_created_once(tmp_path: Path):
    ensure_first_admin(load(tmp_path))
    hashed = User.objects.get().password
    again = ensure_first_admin(load(tmp_path, "another one"))
    assert (again.created, again.made_up_password) == (False, None)
    assert User.objects.get().password == hashed


def test_first_administrators_of_two_installations_have_different_passwords(tmp_path: Path):
    first = ensure_first_admin(load(tmp_path))
    User.objects.all().delete()
    second = ensure_first_admin(load(tmp_path))
    assert first.made_up_password is not None
    assert second.made_up_password is not None
    assert first.made_up_password.reveal() != second.made_up_password.reveal()
