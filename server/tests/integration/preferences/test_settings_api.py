"""`settings/public/` and `settings/setting/`."""

from dataclasses import replace
from typing import Any

import pytest
from rest_framework.test import APIClient

from postern.apps.audits.models import AuditEvent
from postern.apps.preferences import facade
from postern.apps.preferences.actions import change_settings
from postern.apps.preferences.declarations.preference import Category
from postern.apps.preferences.forms import shown
from postern.apps.preferences.models import PreferenceValue
from postern.apps.preferences.registry import PASSWORD_RULES, REGISTRY, of_category
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.configuration.environ import Address
from postern.foundation.requests import request_memory

pytestmark = pytest.mark.django_db

URL = "/api/v1/settings/setting/"


@pytest.mark.spec("S3-007", "S3-008", "S3-009", "S7-013")
def test_public_settings_need_no_sign_in(as_anonymous: APIClient) -> None:
    public = as_anonymous.get("/api/v1/settings/public/").json()["data"]
    assert {"favicon", "logo_index", "logo_logout"} <= set(public["LOGO_URLS"])
    assert all(url.startswith("/ui/") for url in public["LOGO_URLS"].values())
    assert public["LOGIN_TITLE"]
    assert public["XPACK_ENABLED"] is True
    assert public["XPACK_LICENSE_IS_VALID"] is False
    assert public["TICKETS_ENABLED"] is False
    assert public["SECURITY_COMMAND_EXECUTION"] is True
    assert public["SECURITY_MFA_VERIFY_TTL"] == 3600
    assert set(public["PASSWORD_RULE"]) == set(PASSWORD_RULES)


@pytest.mark.spec("S5-020", "S5-021")
def test_password_rules_require_length_and_no_composition_by_default() -> None:
    kinds = ("UPPER_CASE", "LOWER_CASE", "NUMBER", "SPECIAL_CHAR")
    assert [facade.get_bool(f"SECURITY_PASSWORD_{kind}") for kind in kinds] == [False] * 4
    assert facade.get_int("SECURITY_PASSWORD_MIN_LENGTH") == 12


def test_public_settings_contain_only_public_values(as_anonymous: APIClient) -> None:
    public_names = set(as_anonymous.get("/api/v1/settings/public/").json()["data"])
    secret = {name for name, setting in REGISTRY.items() if not setting.is_public}
    assert not public_names & secret


@pytest.mark.parametrize("category", list(Category))
def test_settings_of_a_category_are_those_in_the_registry(as_admin: APIClient, category: Category) -> None:
    values = as_admin.get(f"{URL}?category={category}").json()
    assert values == {
        setting.name: shown(setting.name, setting.unset()) for setting in of_category(category) if not setting.is_secret
    }


def test_site_address_is_derived_from_the_installation_until_it_is_set(as_admin: APIClient, settings: Any) -> None:
    settings.POSTERN = replace(settings.POSTERN, http=Address("127.0.0.1", 18180), allowed_hosts=(), https=False)
    assert as_admin.get(URL).json()["SITE_URL"] == "http://localhost:18180"
    as_admin.patch(URL, {"SITE_URL": "https://gate.example.test"})
    assert as_admin.get(URL).json()["SITE_URL"] == "https://gate.example.test"


@pytest.mark.parametrize("category", ["nonsense", "LDAP", "we_com", "BASIC"])
@pytest.mark.parametrize("method", ["get", "put", "patch", "options"])
def test_unknown_settings_category_is_404_and_changes_nothing(as_admin: APIClient, category: str, method: str) -> None:
    before = as_admin.get(URL).json()
    body = {} if method == "get" else {"data": {"SITE_URL": "https://other.example.test"}}
    answer = getattr(as_admin, method)(f"{URL}?category={category}", **body)
    assert (answer.status_code, answer.json()["code"]) == (404, "object_does_not_exist")
    assert as_admin.get(URL).json() == before


def test_default_category_is_the_basic_settings(as_admin: APIClient) -> None:
    assert "SITE_URL" in as_admin.get(URL).json()
    assert "SITE_URL" in as_admin.get(f"{URL}?category=").json()
    assert "SITE_URL" in as_admin.get(URL).json()
    all_settings = as_admin.get(f"{URL}?category=all").json()
    assert {"SITE_URL", "SECURITY_LOGIN_LIMIT_COUNT", "TERMINAL_PASSWORD_AUTH"} <= set(all_settings)


def test_changed_settings_take_effect_and_are_audited(as_admin: APIClient) -> None:
    answer = as_admin.patch(f"{URL}?category=security", {"SECURITY_LOGIN_LIMIT_COUNT": 5, "SECURITY_MAX_IDLE_TIME": 30})
    assert answer.status_code == 200
    assert answer.json()["SECURITY_LOGIN_LIMIT_COUNT"] == 5
    assert facade.get_int("SECURITY_LOGIN_LIMIT_COUNT") == 5
    event = AuditEvent.objects.get(event="settings.updated")
    assert event.old == {"SECURITY_LOGIN_LIMIT_COUNT": 7}
    assert event.new == {"SECURITY_LOGIN_LIMIT_COUNT": 5}


@pytest.mark.parametrize(
    ("category", "change"),
    [
        ("security", {"SECURITY_LOGIN_LIMIT_COUNT": 2}),
        ("security", {"SECURITY_LOGIN_LIMIT_COUNT": "many"}),
        ("security", {"SECURITY_PASSWORD_MIN_LENGTH": 5}),
        ("security", {"SECURITY_MFA_AUTH": 3}),
        ("basic", {"SITE_URL": "javascript:alert(1)"}),
        ("basic", {"SITE_URL": ""}),
        ("terminal", {"TERMINAL_ASSET_LIST_SORT_BY": "password"}),
    ],
)
def test_settings_with_a_wrong_value_are_refused(as_admin: APIClient, category: str, change: dict[str, object]) -> None:
    answer = as_admin.patch(f"{URL}?category={category}", change)
    assert answer.status_code == 400
    assert set(answer.json()) == set(change)


@pytest.mark.spec("S5-027", "S5-028", "S5-029")
@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("SECURITY_LOGIN_LIMIT_COUNT", 3),
        ("SECURITY_LOGIN_LIMIT_TIME", 5),
        ("SECURITY_PASSWORD_MIN_LENGTH", 6),
        ("SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH", 6),
    ],
)
def test_settings_below_their_minimum_are_refused(as_admin: APIClient, name: str, least: int) -> None:
    url = f"{URL}?category=security"
    assert as_admin.patch(url, {name: least - 1}).status_code == 400
    assert as_admin.patch(url, {name: least}).json()[name] == least


def test_settings_of_another_category_are_not_changed(as_admin: APIClient) -> None:
    as_admin.patch(f"{URL}?category=basic", {"SECURITY_LOGIN_LIMIT_COUNT": 99, "SITE_URL": "https://pam.example.test"})
    assert facade.get_int("SECURITY_LOGIN_LIMIT_COUNT") == 7


def test_put_requires_the_required_settings(as_admin: APIClient) -> None:
    assert set(as_admin.put(f"{URL}?category=basic", {}).json()) == {"SITE_URL"}


def test_settings_options_describe_the_form(as_admin: APIClient) -> None:
    actions = as_admin.options(f"{URL}?category=security").json()["actions"]
    assert set(actions) == {"GET", "PUT", "PATCH"}
    field = actions["PUT"]["SECURITY_LOGIN_LIMIT_COUNT"]
    assert (field["type"], field["min_value"], field["max_value"], field["required"]) == ("integer", 3, 99_999, True)
    assert [choice["value"] for choice in actions["PUT"]["SECURITY_MFA_AUTH"]["choices"]] == [0, 1, 2]


def test_settings_are_only_for_the_system_administrator(as_org_admin: APIClient, as_user: APIClient) -> None:
    for client in (as_org_admin, as_user):
        assert client.get(URL).status_code == 403
        assert client.patch(URL, {}).status_code == 403
        assert client.options(URL).status_code == 403


def test_reading_a_setting_with_the_wrong_type_raises_an_error() -> None:
    with pytest.raises(TypeError):
        facade.get_bool("SECURITY_LOGIN_LIMIT_COUNT")
    with pytest.raises(KeyError):
        facade.get_int("NO_SUCH_SETTING")


def test_setting_changed_by_another_process_is_seen_by_the_next_request(as_admin: APIClient) -> None:
    url = f"{URL}?category=security"
    for value in (5, 7):
        PreferenceValue.objects.update_or_create(name="SECURITY_LOGIN_LIMIT_COUNT", defaults={"value": value})
        assert as_admin.get(url).json()["SECURITY_LOGIN_LIMIT_COUNT"] == value


def test_setting_changed_in_a_request_is_read_again_in_that_request() -> None:
    with request_memory.of_request():
        assert facade.get_int("SECURITY_LOGIN_LIMIT_COUNT") == REGISTRY["SECURITY_LOGIN_LIMIT_COUNT"].default
        change_settings(actor=SYSTEM, changes={"SECURITY_LOGIN_LIMIT_COUNT": 4})
        assert facade.get_int("SECURITY_LOGIN_LIMIT_COUNT") == 4


@pytest.mark.parametrize(
    "address",
    ["http://ann:pw@example.com/", "http://example.com/?x=1", "http://example.com/#x", "http://exam\u202eple.com/"],
)
def test_site_address_must_be_a_valid_beginning_of_links(as_admin: APIClient, address: str) -> None:
    answer = as_admin.patch(f"{URL}?category=basic", {"SITE_URL": address}, format="json")
    assert (answer.status_code, set(answer.json())) == (400, {"SITE_URL"})
    good = {"SITE_URL": "https://postern.example.com"}
    assert as_admin.patch(f"{URL}?category=basic", good, format="json").status_code == 200
