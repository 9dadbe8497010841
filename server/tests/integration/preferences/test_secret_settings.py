"""Settings that are secret: write-only, encrypted at rest, masked in the audit log."""

import pytest
from rest_framework.test import APIClient

from postern.apps.audits.models import AuditEvent
from postern.apps.preferences import facade
from postern.apps.preferences.models import PreferenceValue
from postern.apps.preferences.registry import REGISTRY
from postern.apps.vault.models import SealedSecret

pytestmark = pytest.mark.django_db

URL = "/api/v1/settings/setting/?category=email"
STATE = "/api/v1/settings/setting/state/?category=email"
PASSWORD = " correct horse "


def _is_set(client: APIClient) -> bool:
    fields = {field["name"]: field for field in client.get(STATE).json()["settings"]}
    assert fields["EMAIL_HOST_PASSWORD"]["is_secret"] is True
    is_set: bool = fields["EMAIL_HOST_PASSWORD"]["is_set"]
    return is_set


def test_secret_setting_is_write_only(as_admin: APIClient) -> None:
    assert not _is_set(as_admin)
    answer = as_admin.patch(URL, {"EMAIL_HOST_PASSWORD": PASSWORD, "EMAIL_HOST": "mail.example.test"})
    assert answer.status_code == 200
    for response in (answer, as_admin.get(URL), as_admin.get(URL.replace("email", "all")), as_admin.get(STATE)):
        assert "correct horse" not in response.content.decode()
    assert "EMAIL_HOST_PASSWORD" not in as_admin.get(URL).json()
    assert _is_set(as_admin)
    stored = facade.get_secret("EMAIL_HOST_PASSWORD")
    assert stored is not None
    assert stored.reveal() == PASSWORD
    assert PreferenceValue.objects.get(name="EMAIL_HOST_PASSWORD").value is True
    assert b"correct horse" not in bytes(SealedSecret.objects.get(table="preferences_preferencevalue").ciphertext)


def test_secret_setting_is_masked_in_the_audit_log(as_admin: APIClient) -> None:
    as_admin.patch(URL, {"EMAIL_HOST_PASSWORD": PASSWORD})
    as_admin.patch(URL, {"EMAIL_HOST_PASSWORD": "another one"})
    first, second = AuditEvent.objects.filter(event="settings.updated").order_by("sequence")
    assert (first.old, first.new) == ({"EMAIL_HOST_PASSWORD": None}, {"EMAIL_HOST_PASSWORD": "******"})
    assert (second.old, second.new) == ({"EMAIL_HOST_PASSWORD": "******"}, {"EMAIL_HOST_PASSWORD": "******"})


@pytest.mark.parametrize("body", [{"EMAIL_HOST_PASSWORD": ""}, {}])
def test_empty_secret_keeps_the_stored_secret(as_admin: APIClient, body: dict[str, str]) -> None:
    as_admin.patch(URL, {"EMAIL_HOST_PASSWORD": PASSWORD})
    form = {
        "EMAIL_HOST": "mail.example.test",
        "EMAIL_PORT": "465",
        "EMAIL_HOST_USER": "postern",
        "EMAIL_SUBJECT_PREFIX": "[P] ",
    }
    assert as_admin.put(URL, {**form, **body}).status_code == 200
    stored = facade.get_secret("EMAIL_HOST_PASSWORD")
    assert stored is not None
    assert stored.reveal() == PASSWORD


def test_null_removes_the_stored_secret_alone_or_with_its_account(as_admin: APIClient) -> None:
    account = {"EMAIL_HOST": "mail.example.test", "EMAIL_HOST_USER": "postern", "EMAIL_HOST_PASSWORD": PASSWORD}
    as_admin.patch(URL, account)
    answer = as_admin.patch(URL, {"EMAIL_HOST": "relay.example.test", "EMAIL_HOST_PASSWORD": None}, format="json")
    assert answer.status_code == 200, answer.content
    assert facade.get_secret("EMAIL_HOST_PASSWORD") is None
    assert not facade.is_set("EMAIL_HOST_PASSWORD")
    assert not SealedSecret.objects.exists()
    record = AuditEvent.objects.filter(event="settings.updated").latest("sequence")
    assert (record.old["EMAIL_HOST_PASSWORD"], record.new["EMAIL_HOST_PASSWORD"]) == ("******", None)
    # nothing to remove, so nothing to audit
    as_admin.patch(URL, {"EMAIL_HOST_PASSWORD": None}, format="json")
    assert AuditEvent.objects.filter(event="settings.updated").count() == 2


@pytest.mark.parametrize(
    "change", [{"EMAIL_HOST": "mail.attacker.test"}, {"EMAIL_PORT": "2525"}, {"EMAIL_HOST_USER": "eve@example.test"}]
)
def test_stored_password_is_not_used_for_another_mail_server(as_admin: APIClient, change: dict[str, str]) -> None:
    first = {"EMAIL_HOST": "mail.example.test", "EMAIL_HOST_USER": "ann@example.test", "EMAIL_HOST_PASSWORD": PASSWORD}
    assert as_admin.patch(URL, first).status_code == 200
    refused = as_admin.patch(URL, change)
    assert (refused.status_code, list(refused.json())) == (400, ["EMAIL_HOST_PASSWORD"])
    assert as_admin.get(URL).json()["EMAIL_HOST"] == "mail.example.test"
    assert as_admin.patch(URL, {"EMAIL_FROM": "gate@example.test"}).status_code == 200, "the password stays where it is"
    assert as_admin.patch(URL, {**change, "EMAIL_HOST_PASSWORD": "another"}).status_code == 200


def test_options_describe_a_secret_as_write_only(as_admin: APIClient) -> None:
    actions = as_admin.options(URL).json()["actions"]
    assert actions["PUT"]["EMAIL_HOST_PASSWORD"]["write_only"] is True
    secret = [name for name, setting in REGISTRY.items() if setting.is_secret]
    assert secret == [
        "EMAIL_HOST_PASSWORD",
        "AUTH_LDAP_BIND_PASSWORD",
        "WECOM_SECRET",
        "DINGTALK_APPSECRET",
        "FEISHU_APP_SECRET",
        "FEISHU_VERIFICATION_TOKEN",
    ]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"EMAIL_PORT": "smtp"}, "EMAIL_PORT"),
        ({"EMAIL_PORT": "65536"}, "EMAIL_PORT"),
        ({"EMAIL_PORT": "0"}, "EMAIL_PORT"),
        ({"EMAIL_FROM": "postern"}, "EMAIL_FROM"),
        ({"EMAIL_FROM": "a@example.com\nBcc: b@example.com"}, "EMAIL_FROM"),
        ({"EMAIL_RECIPIENT": "@example.com"}, "EMAIL_RECIPIENT"),
        ({"EMAIL_USE_SSL": True, "EMAIL_USE_TLS": True}, "EMAIL_USE_TLS"),
        ({"EMAIL_USE_TLS": True}, "EMAIL_USE_TLS"),  # SSL is on by default
        ({"EMAIL_HOST_USER": "x" * 129}, "EMAIL_HOST_USER"),
        ({"EMAIL_SUBJECT_PREFIX": "a\nb"}, "EMAIL_SUBJECT_PREFIX"),
    ],
)
def test_wrong_mail_settings_are_refused_at_their_field(
    as_admin: APIClient, change: dict[str, object], field: str
) -> None:
    answer = as_admin.patch(URL, change, format="json")
    assert (answer.status_code, list(answer.json())) == (400, [field])
    assert not PreferenceValue.objects.exists()


@pytest.mark.parametrize("sender", ["", "postern@example.com", "Postern <postern@example.com>"])
def test_sender_may_have_a_display_name(as_admin: APIClient, sender: str) -> None:
    assert as_admin.patch(URL, {"EMAIL_FROM": sender}).json()["EMAIL_FROM"] == sender
