"""A walk through every setting that a form offers: each changes what the product does."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from factories.grants import grant, make_asset
from factories.proxy_client import Proxy, World
from postern.apps.preferences.actions import change_settings
from postern.apps.preferences.declarations.preference import Category, Value
from postern.apps.preferences.registry import of_category
from postern.apps.sessions.models import Session
from postern.apps.sessions.recordings.actions.retention import forget_old_sessions
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM
from postern.integrations.replay_storages.local_folder import LocalFolder
from postern.kernel import clock

pytestmark = pytest.mark.django_db

USERS: Final = "/api/v1/users/users/"
TESTS: Final = Path(__file__).resolve().parents[2]
SENTENCE: Final = "violet anchor seventeen"


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What the proofs act on."""

    admin: APIClient
    anonymous: APIClient
    proxy: Proxy
    world: World
    folder: Path

    def created(self, password: str, role: str = "User") -> int:
        """The status of the answer when an administrator makes a user with this password."""
        name = f"u{User.objects.count()}"
        body = {
            "name": name,
            "username": name,
            "email": f"{name}@example.test",
            "password_strategy": "custom",
            "password": password,
            "role": role,
        }
        status: int = self.admin.post(USERS, body, format="json").status_code
        return status

    def reachable(self) -> list[str]:
        """The names of the assets that the SSH menu lists for the user, in its order."""
        page = self.proxy.reachable(self.world.user, search="", offset=0, limit=10)
        return [asset.hostname for asset in page.assets]

    def public(self) -> dict[str, Any]:
        """The public settings."""
        data: dict[str, Any] = self.anonymous.get("/api/v1/settings/public/").json()["data"]
        return data


@pytest.fixture
def ground(as_admin: APIClient, as_anonymous: APIClient, proxy: Proxy, world: World, tmp_path: Path) -> Ground:
    return Ground(admin=as_admin, anonymous=as_anonymous, proxy=proxy, world=world, folder=tmp_path)


def set_to(**changes: Value) -> None:
    change_settings(actor=SYSTEM, changes=changes)


def site_url(ground: Ground) -> None:
    user = ground.world.user
    User.objects.filter(pk=user.pk).update(is_first_login=True)
    set_to(SITE_URL="https://gate.example.test")
    answer = ground.proxy.authorize(user, "web-1")
    assert answer.denial is not None
    assert "https://gate.example.test" in answer.denial.message


def guide_url(ground: Ground) -> None:
    set_to(USER_GUIDE_URL="https://guide.example.test/")
    assert ground.admin.get("/api/v1/users/profile/").json()["guide_url"] == "https://guide.example.test/"


def forgot_password_url(ground: Ground) -> None:
    set_to(FORGOT_PASSWORD_URL="https://help.example.test/")
    assert ground.public()["FORGOT_PASSWORD_URL"] == "https://help.example.test/"


def root_name(ground: Ground) -> None:
    root = "00000000-0000-0000-0000-000000000000"
    set_to(GLOBAL_ORG_DISPLAY_NAME="The whole company")
    assert ground.admin.get(f"/api/v1/orgs/orgs/current/?oid={root}").json()["name"] == "The whole company"


def order_of_assets(ground: Ground) -> None:
    second = make_asset("another", ip="127.0.0.9")
    grant("to another", users=[ground.world.user], assets=[second], system_users=[ground.world.system_user])
    set_to(TERMINAL_ASSET_LIST_SORT_BY="hostname")
    assert ground.reachable() == ["another", "web-1"]
    set_to(TERMINAL_ASSET_LIST_SORT_BY="ip")
    assert ground.reachable() == ["web-1", "another"]


def of_proxies(name: str, field: str, value: Value) -> Callable[[Ground], None]:
    """The setting reaches proxies in the answer to a heartbeat (what they do with it: their own tests)."""

    def proof(ground: Ground) -> None:
        assert getattr(ground.proxy.beat().settings, field) != value
        set_to(**{name: value})
        assert getattr(ground.proxy.beat().settings, field) == value

    return proof


def kept_days(ground: Ground) -> None:
    opened = ground.proxy.authorize(ground.world.user, "web-1")
    assert opened.grant is not None
    end = clock.now() - timedelta(days=20)
    Session.objects.update(date_start=end, date_end=end, state="ended", end_reason="user_closed")
    storage = LocalFolder(ground.folder)
    assert forget_old_sessions(actor=SYSTEM, storage=storage) == 0
    set_to(TERMINAL_SESSION_KEEP_DURATION=10)
    assert forget_old_sessions(actor=SYSTEM, storage=storage) == 1


def idle_minutes(ground: Ground) -> None:
    set_to(SECURITY_MAX_IDLE_TIME=3)
    answer = ground.proxy.authorize(ground.world.user, "web-1")
    assert answer.grant is not None
    assert answer.grant.idle_timeout_s == 180


@pytest.mark.spec("S9-048")
def test_max_idle_time_is_in_minutes(ground: Ground) -> None:
    idle_minutes(ground)


@pytest.mark.spec("S9-047")
def test_interval_of_heartbeats_is_in_seconds(ground: Ground) -> None:
    assert ground.proxy.beat().settings.heartbeat_interval_s == 5
    set_to(TERMINAL_HEARTBEAT_INTERVAL=20)
    assert ground.proxy.beat().settings.heartbeat_interval_s == 20


def watermark(ground: Ground) -> None:
    set_to(SECURITY_WATERMARK_ENABLED=False)
    assert ground.public()["SECURITY_WATERMARK_ENABLED"] is False


def _failed(times: int) -> list[str]:
    return [Browser().sign_in("nobody", "wrong").json()["error"] for _ in range(times)]


def failures(ground: Ground) -> None:
    del ground
    set_to(SECURITY_LOGIN_LIMIT_COUNT=3)
    assert _failed(3) == ["password_failed", "password_failed", "block_login"]


def locked_minutes(ground: Ground) -> None:
    del ground
    set_to(SECURITY_LOGIN_LIMIT_COUNT=3, SECURITY_LOGIN_LIMIT_TIME=47)
    _failed(3)
    assert "47" in Browser().sign_in("nobody", "wrong").json()["msg"]


def password_days(ground: Ground) -> None:
    user = ground.world.user
    user.set_password(PASSWORD)
    user.date_password_last_updated = clock.now() - timedelta(days=40)
    user.save()
    assert not Browser().sign_in(user.username).json().get("must_change_password")
    set_to(SECURITY_PASSWORD_EXPIRATION_TIME=30)
    assert Browser().sign_in(user.username).json()["must_change_password"] is True


def password_history(ground: Ground) -> None:
    user = ground.world.user
    user.set_password(PASSWORD)
    user.save()

    def changed(old: str, new: str) -> int:
        browser = Browser()
        browser.sign_in(user.username, old)
        body = {"old_password": old, "new_password": new, "new_password_again": new}
        status: int = browser.put("/api/v1/users/profile/password/", body).status_code
        return status

    first, second = "copper lantern drifting 9", "meadow signal turning 12"
    assert [changed(PASSWORD, first), changed(first, second), changed(second, first)] == [200, 200, 400]
    set_to(OLD_PASSWORD_HISTORY_LIMIT_COUNT=0)
    assert changed(second, first) == 200


def refuses(name: str, value: Value, password: str, better: str, role: str = "User") -> Callable[[Ground], None]:
    """A password that was good enough before the setting is refused after it; a better one is not."""

    def proof(ground: Ground) -> None:
        assert ground.created(password, role) == 201
        set_to(**{name: value})
        assert ground.created(password, role) == 400
        assert ground.created(better, role) == 201

    return proof


#: The proof of each setting: a function here, or `file::test` of a test that changes the setting and asserts its effect.
PROOFS: Final[Mapping[str, Callable[[Ground], None] | str]] = {
    "SITE_URL": site_url,
    "USER_GUIDE_URL": guide_url,
    "FORGOT_PASSWORD_URL": forgot_password_url,
    "GLOBAL_ORG_DISPLAY_NAME": root_name,
    "TERMINAL_PASSWORD_AUTH": of_proxies("TERMINAL_PASSWORD_AUTH", "password_auth", value=False),
    "TERMINAL_CODE_AUTH": of_proxies("TERMINAL_CODE_AUTH", "code_auth", value=False),
    "TERMINAL_PUBLIC_KEY_AUTH": of_proxies("TERMINAL_PUBLIC_KEY_AUTH", "public_key_auth", value=False),
    "TERMINAL_USER_CA_KEYS": (
        "integration/authn/test_ssh_certificates.py::"
        "test_certificate_signs_in_without_a_key_in_the_profile_and_is_audited"
    ),
    "TERMINAL_SEARCH_RECORDINGS": "integration/sessions/test_index_of_recordings.py::test_the_switch",
    "TERMINAL_REVOKED_CERTIFICATES": (
        "integration/authn/test_ssh_certificates.py::test_revoked_certificate_is_refused_and_its_ticket_is_void"
    ),
    "TERMINAL_ASSET_LIST_SORT_BY": order_of_assets,
    "TERMINAL_ASSET_LIST_PAGE_SIZE": of_proxies("TERMINAL_ASSET_LIST_PAGE_SIZE", "asset_list_page_size", "25"),
    "TERMINAL_SESSION_KEEP_DURATION": kept_days,
    "TERMINAL_RISK_KEEP_DURATION": "integration/sessions/test_retention_rules.py::test_dangerous_sessions_are_kept_longer",
    **dict.fromkeys(
        ("TERMINAL_ORG_KEEP_SHORTEST", "TERMINAL_ORG_KEEP_LONGEST"),
        "integration/sessions/test_retention_rules.py::test_an_organization_chooses_its_days_within_the_limits",
    ),
    **dict.fromkeys(
        ("TERMINAL_LOCAL_RECORDINGS_LIMIT", "TERMINAL_LOCAL_RECORDINGS_MIN_AGE"),
        "integration/sessions/test_retention_rules.py::test_above_the_size_limit_the_oldest_go_first",
    ),
    "SECURITY_COMMAND_EXECUTION": (
        "integration/jobs/test_batch_commands.py::test_setting_turns_batch_commands_off_for_ordinary_users"
    ),
    "SECURITY_SERVICE_ACCOUNT_REGISTRATION": (
        "integration/sessions/test_registrations.py::test_disabled_registration_is_400_as_in_the_contract"
    ),
    "SECURITY_PROXY_CREDENTIALS_PER_MINUTE": of_proxies(
        "SECURITY_PROXY_CREDENTIALS_PER_MINUTE", "credentials_a_minute", 90
    ),
    "SECURITY_MAX_IDLE_TIME": idle_minutes,
    "SECURITY_WATERMARK_ENABLED": watermark,
    "SECURITY_MFA_AUTH": (
        "integration/authn/test_mfa_sign_in.py::test_setting_requires_mfa_of_everybody_or_of_administrators"
    ),
    "SECURITY_TRUSTED_BROWSER_DAYS": (
        "integration/authn/test_trusted_browsers.py::test_password_alone_signs_in_only_in_the_trusted_browser"
    ),
    "SECURITY_SSH_KEY_PIN": (
        "integration/authn/test_ssh_signatures.py::test_security_keys_need_their_pin_only_if_the_setting_requires_it"
    ),
    "SECURITY_SIGN_IN_WAYS": (
        "integration/authn/test_sign_in_ways.py::test_passwords_of_local_users_are_refused_in_page_api_and_ssh"
    ),
    "AUTH_SSO": "integration/authn/test_sso_links.py::test_links_are_off_until_an_administrator_switches_them_on",
    "AUTH_SSO_AUTHKEY_TTL": ("integration/authn/test_sso_links.py::test_link_expires_after_the_seconds_of_the_setting"),
    "SECURITY_LOGIN_CAPTCHA_ENABLED": "integration/authn/test_puzzles.py::test_setting_switches_puzzles_off",
    "SECURITY_LOGIN_LIMIT_COUNT": failures,
    "SECURITY_LOGIN_LIMIT_TIME": locked_minutes,
    "SECURITY_PASSWORD_EXPIRATION_TIME": password_days,
    "OLD_PASSWORD_HISTORY_LIMIT_COUNT": password_history,
    "SECURITY_PASSWORD_MIN_LENGTH": refuses("SECURITY_PASSWORD_MIN_LENGTH", 24, SENTENCE, f"{SENTENCE} more"),
    "SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH": refuses(
        "SECURITY_ADMIN_USER_PASSWORD_MIN_LENGTH", 24, SENTENCE, f"{SENTENCE} more", "Admin"
    ),
    "SECURITY_PASSWORD_UPPER_CASE": refuses("SECURITY_PASSWORD_UPPER_CASE", True, SENTENCE, SENTENCE.title()),
    "SECURITY_PASSWORD_LOWER_CASE": refuses("SECURITY_PASSWORD_LOWER_CASE", True, SENTENCE.upper(), SENTENCE.title()),
    "SECURITY_PASSWORD_NUMBER": refuses("SECURITY_PASSWORD_NUMBER", True, SENTENCE, f"{SENTENCE} 17"),
    "SECURITY_PASSWORD_SPECIAL_CHAR": refuses(
        "SECURITY_PASSWORD_SPECIAL_CHAR", True, SENTENCE.replace(" ", "x"), f"{SENTENCE}!"
    ),
}

WALKED: Final = tuple(
    setting.name
    for category in (Category.BASIC, Category.TERMINAL, Category.SECURITY)
    for setting in of_category(category)
    if not setting.is_dormant
)


@pytest.mark.parametrize("name", WALKED)
def test_every_setting_of_a_form_is_obeyed(ground: Ground, name: str) -> None:
    proof = PROOFS[name]
    if callable(proof):
        proof(ground)
        return
    file, test = proof.split("::")
    text = (TESTS / file).read_text()
    assert f"def {test}" in text
    assert name in text


def test_no_proof_is_left_of_a_setting_that_is_gone() -> None:
    assert set(PROOFS) == set(WALKED)
