"""`settings/{wecom,dingtalk,feishu}/testing/` against stand-ins of the services."""

from collections.abc import Iterator
from typing import Any

import pytest
from rest_framework.test import APIClient

from peers.company_apps import SECRET, Dingtalk, Feishu, Service, Wecom, serving
from postern.apps.audits.models import AuditEvent
from postern.apps.preferences.models import PreferenceValue

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

SERVICES = {"wecom": Wecom, "dingtalk": Dingtalk, "feishu": Feishu}
SECRETS = {"wecom": "WECOM_SECRET", "dingtalk": "DINGTALK_APPSECRET", "feishu": "FEISHU_APP_SECRET"}
ACCOUNTS = {"wecom": "WECOM_CORPID", "dingtalk": "DINGTALK_APPKEY", "feishu": "FEISHU_APP_ID"}
NAMES = sorted(SERVICES)


@pytest.fixture
def client(as_admin: APIClient) -> APIClient:
    as_admin.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    return as_admin


@pytest.fixture
def services() -> Iterator[dict[str, Service]]:
    wecom, dingtalk, feishu = Wecom(), Dingtalk(), Feishu()
    with serving(wecom), serving(dingtalk), serving(feishu):
        yield {"wecom": wecom, "dingtalk": dingtalk, "feishu": feishu}
    for service in (wecom, dingtalk, feishu):
        assert service.problems == []


def form(name: str, service: Service, **more: Any) -> dict[str, Any]:
    forms: dict[str, dict[str, Any]] = {
        "wecom": {
            "WECOM_CORPID": "corp-1",
            "WECOM_AGENTID": "1000002",
            "WECOM_API_URL": f"{service.base}/cgi-bin",
        },
        "dingtalk": {
            "DINGTALK_AGENTID": "1",
            "DINGTALK_APPKEY": "dingkey1",
            "DINGTALK_API_URL": f"{service.base}/v1.0",
        },
        "feishu": {"FEISHU_APP_ID": "cli_a1", "FEISHU_API_URL": f"{service.base}/open-apis"},
    }
    return {**forms[name], SECRETS[name]: SECRET, **more}


def url(name: str) -> str:
    return f"/api/v1/settings/{name}/testing/"


def category(name: str) -> str:
    return f"/api/v1/settings/setting/?category={name}"


@pytest.mark.parametrize("name", NAMES)
def test_valid_settings_are_accepted_before_they_are_saved(
    client: APIClient, services: dict[str, Service], name: str
) -> None:
    answer = client.post(url(name), form(name, services[name]))
    assert answer.status_code == 200, answer.content
    assert list(answer.json()) == ["msg"]
    assert not PreferenceValue.objects.exists()
    (record,) = AuditEvent.objects.filter(event="settings.provider_tested")
    assert record.resource == name
    assert record.new["accepted"] is True
    assert SECRET not in str(record.new)


@pytest.mark.parametrize("name", NAMES)
def test_wrong_secret_is_reported(client: APIClient, services: dict[str, Service], name: str) -> None:
    answer = client.post(url(name), form(name, services[name], **{SECRETS[name]: "wrong-secret"}))
    assert answer.status_code == 400
    assert "refuses" in answer.json()["error"]
    assert "wrong-secret" not in answer.content.decode()
    (record,) = AuditEvent.objects.filter(event="settings.provider_tested")
    assert record.new["reason"] == f"{name}.wrong_secret"


@pytest.mark.parametrize("name", NAMES)
def test_empty_secret_means_the_stored_secret(client: APIClient, services: dict[str, Service], name: str) -> None:
    saved = form(name, services[name])
    assert client.put(category(name), saved).status_code == 200
    for secret in ({}, {SECRETS[name]: ""}):
        sent = {key: value for key, value in saved.items() if key != SECRETS[name]} | secret
        assert client.post(url(name), sent).status_code == 200


@pytest.mark.parametrize("name", NAMES)
def test_stored_secret_is_sent_only_to_its_address_and_application(
    client: APIClient, services: dict[str, Service], name: str
) -> None:
    saved = form(name, services[name])
    assert client.put(category(name), saved).status_code == 200
    with serving(SERVICES[name]()) as thief:
        for moved in (
            form(name, thief, **{SECRETS[name]: ""}),
            {**saved, SECRETS[name]: "", ACCOUNTS[name]: "another"},
        ):
            answer = client.post(url(name), moved)
            assert answer.status_code == 400
            assert "stored one is only sent" in answer.json()["error"]
            refused = client.put(category(name), moved)
            assert refused.status_code == 400
            assert list(refused.json()) == [SECRETS[name]]
        assert thief.asked == []
    assert services[name].asked == []


def test_missing_secret_is_requested(client: APIClient, services: dict[str, Service]) -> None:
    answer = client.post(url("wecom"), form("wecom", services["wecom"], WECOM_SECRET=""))
    assert answer.status_code == 400
    assert "none is stored" in answer.json()["error"]


@pytest.mark.parametrize(
    "address",
    [
        "http://wecom.example.com/cgi-bin",
        "https://user@wecom.example.com",
        "https://wecom.example.com/?a=b",
        "https://wecom.example.com/",
        "javascript:alert(1)",
        "https://",
        "https://[::1",
        "wecom.example.com",
        "http://127.0.0.1.example.com",
    ],
)
def test_invalid_addresses_are_refused(client: APIClient, services: dict[str, Service], address: str) -> None:
    sent = form("wecom", services["wecom"], WECOM_QR_URL=address)
    for answer in (client.put(category("wecom"), sent), client.post(url("wecom"), sent)):
        assert answer.status_code == 400
        assert list(answer.json()) == ["WECOM_QR_URL"]
    assert services["wecom"].asked == []


@pytest.mark.parametrize("name", NAMES)
def test_secret_is_in_no_response(client: APIClient, services: dict[str, Service], name: str) -> None:
    answer = client.put(category(name), form(name, services[name]))
    assert answer.status_code == 200
    for response in (answer, client.get(category(name)), client.get("/api/v1/settings/setting/?category=all")):
        assert SECRET not in response.content.decode()


@pytest.mark.parametrize("name", NAMES)
def test_state_of_a_provider_is_public(client: APIClient, services: dict[str, Service], name: str) -> None:
    public, key = "/api/v1/settings/public/", f"AUTH_{name.upper()}"
    assert APIClient().get(public).json()["data"][key] is False
    assert client.put(category(name), form(name, services[name], **{key: True})).status_code == 200
    assert APIClient().get(public).json()["data"][key] is True


@pytest.mark.parametrize("name", NAMES)
def test_only_super_administrators_may_test(as_user: APIClient, name: str) -> None:
    assert as_user.post(url(name), {}).status_code == 403
    assert APIClient().post(url(name), {}).status_code == 401
