"""Concurrent edits of one form, undoing a change, and settings that the environment fixes."""

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from rest_framework.test import APIClient

from postern.apps.audits.models import AuditEvent
from postern.apps.preferences import facade
from postern.apps.preferences.actions import change_settings
from postern.apps.preferences.api import views
from postern.apps.preferences.environment import values_of
from postern.apps.preferences.registry import REGISTRY
from postern.apps.preferences.undoing import values_before
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.errors import SettingsError
from postern.kernel.secret import Secret

pytestmark = pytest.mark.django_db

URL = "/api/v1/settings/setting/?category=security"
STATE = "/api/v1/settings/setting/state/?category=security"
UNDO = "/api/v1/settings/setting/undo/"


def _version(client: APIClient) -> int:
    version: int = client.get(STATE).json()["version"]
    return version


def _save(client: APIClient, version: int, **changes: object) -> Any:
    return client.patch(f"{URL}&version={version}", changes, format="json")


def test_concurrent_change_is_not_overwritten(as_admin: APIClient) -> None:
    loaded = _version(as_admin)
    assert _save(as_admin, loaded, SECURITY_LOGIN_LIMIT_COUNT=5).status_code == 200
    late = _save(as_admin, loaded, SECURITY_LOGIN_LIMIT_COUNT=9)
    assert (late.status_code, late.json()["code"]) == (409, "settings_changed")
    assert "Adam(adam)" in late.json()["detail"]
    assert facade.get_int("SECURITY_LOGIN_LIMIT_COUNT") == 5
    assert _save(as_admin, _version(as_admin), SECURITY_LOGIN_LIMIT_COUNT=9).status_code == 200


def test_changes_of_different_settings_do_not_conflict(as_admin: APIClient) -> None:
    loaded = _version(as_admin)
    assert _save(as_admin, loaded, SECURITY_LOGIN_LIMIT_COUNT=5).status_code == 200
    assert _save(as_admin, loaded, SECURITY_MAX_IDLE_TIME=10).status_code == 200
    # a complete form contains the other person's new value unchanged
    assert _save(as_admin, loaded, SECURITY_LOGIN_LIMIT_COUNT=5, SECURITY_MAX_IDLE_TIME=11).status_code == 409
    assert facade.get_int("SECURITY_MAX_IDLE_TIME") == 10


def test_write_without_a_change_keeps_the_version(as_admin: APIClient) -> None:
    before = _version(as_admin)
    assert _save(as_admin, before, SECURITY_LOGIN_LIMIT_COUNT=7).status_code == 200
    assert _version(as_admin) == before
    assert not AuditEvent.objects.filter(event="settings.updated").exists()


@pytest.mark.parametrize("version", ["x", "-1", "1.5", "9" * 30])
def test_unreadable_versions_are_refused(as_admin: APIClient, version: str) -> None:
    answer = as_admin.patch(f"{URL}&version={version}", {"SECURITY_LOGIN_LIMIT_COUNT": 5})
    assert (answer.status_code, list(answer.json())) == (400, ["version"])


def test_state_contains_who_set_a_value(as_admin: APIClient) -> None:
    as_admin.patch(URL, {"SECURITY_LOGIN_LIMIT_COUNT": 5})
    fields = {field["name"]: field for field in as_admin.get(STATE).json()["settings"]}
    changed, other = fields["SECURITY_LOGIN_LIMIT_COUNT"], fields["SECURITY_LOGIN_LIMIT_TIME"]
    assert changed["is_set"]
    assert changed["set_by"]
    assert changed["date_set"]
    assert (other["is_set"], other["set_by"], other["date_set"]) == (False, "", None)
    names = [name for name in as_admin.get(URL).json() if not REGISTRY[name].is_dormant]
    assert list(fields) == names


def _record() -> AuditEvent:
    return AuditEvent.objects.filter(event="settings.updated").order_by("-sequence")[0]


def test_change_is_undone_from_its_audit_record(as_admin: APIClient) -> None:
    as_admin.patch(URL, {"SECURITY_LOGIN_LIMIT_COUNT": 5, "SECURITY_MAX_IDLE_TIME": 10})
    answer = as_admin.post(UNDO, {"record": str(_record().pk)})
    assert answer.status_code == 200
    assert answer.json() == {"SECURITY_LOGIN_LIMIT_COUNT": 7, "SECURITY_MAX_IDLE_TIME": 30}
    assert facade.get_int("SECURITY_LOGIN_LIMIT_COUNT") == 7
    undone = _record()
    assert (undone.old, undone.new) == (
        {"SECURITY_LOGIN_LIMIT_COUNT": 5, "SECURITY_MAX_IDLE_TIME": 10},
        {"SECURITY_LOGIN_LIMIT_COUNT": 7, "SECURITY_MAX_IDLE_TIME": 30},
    )


def test_undoing_does_not_overwrite_a_later_change(as_admin: APIClient) -> None:
    as_admin.patch(URL, {"SECURITY_LOGIN_LIMIT_COUNT": 5})
    first = _record()
    as_admin.patch(URL, {"SECURITY_LOGIN_LIMIT_COUNT": 9})
    assert as_admin.post(UNDO, {"record": str(first.pk)}).status_code == 409
    assert facade.get_int("SECURITY_LOGIN_LIMIT_COUNT") == 9


def test_change_during_an_undo_is_not_overwritten(as_admin: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "SECURITY_LOGIN_LIMIT_COUNT"
    assert _save(as_admin, _version(as_admin), **{name: 5}).status_code == 200

    def meanwhile(record: UUID) -> Any:
        before = values_before(record)
        change_settings(actor=SYSTEM, changes={name: 9})
        return before

    monkeypatch.setattr(views, "values_before", meanwhile)
    late = as_admin.post(UNDO, {"record": str(_record().pk)})
    assert (late.status_code, late.json()["code"]) == (409, "settings_changed")
    assert facade.get_int(name) == 9


def test_secrets_and_other_records_cannot_be_undone(as_admin: APIClient, as_org_admin: APIClient) -> None:
    as_admin.patch(URL.replace("security", "email"), {"EMAIL_HOST_PASSWORD": "correct horse"})
    of_secret = as_admin.post(UNDO, {"record": str(_record().pk)})
    unknown = as_admin.post(UNDO, {"record": str(uuid4())})
    assert [(response.status_code, response.json()["code"]) for response in (of_secret, unknown)] == [
        (400, "nothing_to_undo")
    ] * 2
    assert as_org_admin.post(UNDO, {"record": str(_record().pk)}).status_code == 403


def test_environment_fixes_a_setting(as_admin: APIClient, settings: Any) -> None:
    as_admin.patch(URL, {"SECURITY_LOGIN_LIMIT_COUNT": 5})
    fixed = (
        ("POSTERN_SET_SECURITY_LOGIN_LIMIT_COUNT", Secret("12")),
        ("POSTERN_SET_SECURITY_MFA_AUTH", Secret("2")),
        ("POSTERN_SET_SECURITY_WATERMARK_ENABLED", Secret("no")),
        ("POSTERN_SET_EMAIL_HOST_PASSWORD", Secret("from outside")),
    )
    settings.POSTERN = replace(settings.POSTERN, preferences=fixed)
    values = as_admin.get(URL).json()
    assert (values["SECURITY_LOGIN_LIMIT_COUNT"], values["SECURITY_MFA_AUTH"]) == (12, 2)
    assert values["SECURITY_WATERMARK_ENABLED"] is False
    secret = facade.get_secret("EMAIL_HOST_PASSWORD")
    assert secret is not None
    assert secret.reveal() == "from outside"
    fields = {field["name"]: field for field in as_admin.get(STATE).json()["settings"]}
    assert fields["SECURITY_LOGIN_LIMIT_COUNT"]["variable"] == "POSTERN_SET_SECURITY_LOGIN_LIMIT_COUNT"
    refused = as_admin.patch(URL, {"SECURITY_LOGIN_LIMIT_COUNT": 8, "SECURITY_MAX_IDLE_TIME": 10})
    assert (refused.status_code, list(refused.json())) == (400, ["SECURITY_LOGIN_LIMIT_COUNT"])
    assert "POSTERN_SET_SECURITY_LOGIN_LIMIT_COUNT" in refused.json()["SECURITY_LOGIN_LIMIT_COUNT"][0]
    assert facade.get_int("SECURITY_MAX_IDLE_TIME") == 30


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("NO_SUCH_SETTING", "1"),
        ("SECURITY_LOGIN_LIMIT_COUNT", "2"),
        ("SECURITY_LOGIN_LIMIT_COUNT", "many"),
        ("SECURITY_MFA_AUTH", "3"),
        ("SECURITY_WATERMARK_ENABLED", "perhaps"),
        ("SITE_URL", "javascript:alert(1)"),
        ("SITE_URL", ""),
        ("EMAIL_PORT", "smtp"),
        ("EMAIL_HOST_USER", "x" * 129),
    ],
)
def test_invalid_value_in_the_environment_prevents_the_start_and_names_the_variable(name: str, text: str) -> None:
    with pytest.raises(SettingsError, match=f"POSTERN_SET_{name}"):
        values_of(((f"POSTERN_SET_{name}", Secret(text)),))


def test_audit_records_use_the_labels_of_the_form(as_admin: APIClient) -> None:
    as_admin.patch(URL, {"SECURITY_MFA_AUTH": 2, "SECURITY_MAX_IDLE_TIME": 10})
    row = as_admin.get("/api/v1/audits/events/?event=settings.updated&limit=5", HTTP_ACCEPT_LANGUAGE="en").json()[
        "results"
    ][0]
    assert sorted(row["changes"], key=lambda change: change["field"]) == [
        {"field": "SECURITY_MAX_IDLE_TIME", "label": "Connection max idle time", "before": 30, "after": 10},
        {"field": "SECURITY_MFA_AUTH", "label": "Global MFA auth", "before": "Disabled", "after": "Only admin users"},
    ]
