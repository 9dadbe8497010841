from collections.abc import Callable
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_ssh_private_key
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from factories.hearing import Hearing
from factories.second_factor import App
from postern.apps.authn.credentials.events import LoginSessionEnded
from postern.apps.orgs.models import Organization
from postern.apps.preferences import queries
from postern.apps.users.credentials.actions.passwords import remember_password
from postern.apps.users.models import Membership, User
from postern.kernel import clock

PROFILE = "/api/v1/users/profile/"
OWN_PASSWORD = "/api/v1/users/profile/password/"
OWN_KEY = "/api/v1/users/profile/public-key/"
NEW = "copper lantern drifting 9"
pytestmark = pytest.mark.django_db


def change(browser: Browser, old: str = PASSWORD, new: str = NEW, again: str | None = None):
    body = {"old_password": old, "new_password": new, "new_password_again": new if again is None else again}
    return browser.put(OWN_PASSWORD, body)


@pytest.mark.spec("S3-001", "S3-002", "S7-004")
def test_profile_has_the_fields_that_the_console_uses(browser: Browser, ann: User):
    browser.sign_in("ann")
    profile = browser.get(PROFILE).json()
    assert profile.keys() >= {
        "id", "name", "username", "is_first_login", "is_superuser", "is_org_admin", "role", "source", "email", "phone",
        "current_org_roles", "admin_or_audit_orgs", "user_all_orgs", "mfa_enabled", "mfa_force_enabled", "mfa_level",
        "mfa_level_display", "can_public_key_auth", "is_wecom_bound", "date_password_last_updated", "public_key_comment",
        "public_key_hash_md5", "guide_url",
    }  # fmt: skip
    assert (profile["role"], profile["current_org_roles"], profile["is_superuser"]) == ("User", ["User"], False)
    assert [org["name"] for org in profile["user_all_orgs"]] == ["Default"]
    assert profile["admin_or_audit_orgs"] == []


@pytest.mark.spec("S3-003")
def test_profile_gives_roles_and_permissions_per_organization(browser: Browser, make_person: Callable[..., User]):
    olaf = make_person("olaf", org_role="Admin")
    other = Organization.objects.create(name="Branch")
    Membership.objects.create(user=olaf, org=other, role="Auditor")
    browser.sign_in("olaf")
    profile = browser.get(PROFILE).json()
    standing = {row["org_name"]: (row["roles"], row["permissions"]) for row in profile["roles"]}
    assert standing == {"Default": (["OrgAdmin", "User"], 19), "Branch": (["OrgAuditor"], 3)}
    assert profile["permissions"] == 19
    in_branch = browser.get(PROFILE, HTTP_X_JMS_ORG=str(other.pk)).json()
    assert (in_branch["permissions"], in_branch["current_org_roles"]) == (3, ["Auditor"])
    assert {org["name"] for org in profile["admin_or_audit_orgs"]} == {"Default", "Branch"}


def test_profile_of_the_system_administrator_lists_all_organizations_root_first(
    browser: Browser, make_person: Callable[..., User]
):
    make_person("adam", role="Admin")
    browser.sign_in("adam")
    profile = browser.get(PROFILE).json()
    assert profile["admin_or_audit_orgs"][0]["is_root"]
    assert profile["permissions"] == 147
    root = browser.get(PROFILE, HTTP_X_JMS_ORG="00000000-0000-0000-0000-000000000000").json()
    assert root["current_org_roles"] == ["Admin"]


def test_k68_profile_is_readable_in_an_organization_that_the_user_left(browser: Browser, ann: User):
    other = Organization.objects.create(name="Branch")
    browser.sign_in("ann")
    assert browser.get(PROFILE, HTTP_X_JMS_ORG=str(other.pk)).json()["permissions"] == 1
    sessions = "/api/v1/users/groups/"
    assert browser.get(sessions, HTTP_X_JMS_ORG=str(other.pk)).status_code == 403


def test_profile_read_only_fields_are_not_changed(browser: Browser, ann: User):
    browser.sign_in("ann")
    body = {"username": "root", "role": "Admin", "email": "x@y.test", "phone": "+49 1", "is_active": False,
            "need_update_password": True, "source": "ldap", "date_expired": None, "org_roles": ["Admin"]}  # fmt: skip
    answer = browser.patch(PROFILE, body)
    assert answer.status_code == 200
    ann.refresh_from_db()
    assert (ann.username, ann.role, ann.email, ann.phone, ann.is_active) == (
        "ann", "User", "ann@example.test", "+49 1", True,
    )  # fmt: skip
    assert not ann.need_update_password
    assert list(ann.memberships.values_list("role", flat=True)) == ["User"]


def test_sign_in_sets_the_language_of_the_browser_and_the_user_can_unset_it(browser: Browser, ann: User):
    for unknown in ("", "*", "de-DE,de;q=0.9"):
        browser.defaults["HTTP_ACCEPT_LANGUAGE"] = unknown
        browser.sign_in("ann")
        ann.refresh_from_db()
        assert ann.language == "", "a client that names no language of ours has chosen none"
    browser.cookies["django_language"] = "en"
    browser.sign_in("ann")
    assert browser.get("/api/v1/users/profile/").json()["language"] == "en"
    browser.cookies["django_language"] = "zh-hans"
    browser.sign_in("ann")
    assert browser.get("/api/v1/users/profile/").json()["language"] == "en", "another browser does not choose again"
    given_up = browser.patch("/api/v1/users/profile/", {"language": ""}, format="json")
    assert given_up.status_code == 200, given_up.content
    ann.refresh_from_db()
    assert ann.language == ""
    assert browser.patch("/api/v1/users/profile/", {"language": "de"}, format="json").status_code == 400


def test_profile_has_first_login_and_required_mfa(browser: Browser, ann: User):
    app = App(ann)
    User.objects.filter(pk=ann.pk).update(is_first_login=True, mfa_level=2)
    browser.sign_in("ann")
    browser.post("/api/v1/authentication/mfa/challenge/", {"code": app.code()})
    answer = browser.put(PROFILE, {"is_first_login": False, "terms": True, "mfa_level": 0})
    assert answer.status_code == 200
    assert (answer.json()["is_first_login"], answer.json()["mfa_level"]) == (False, 2)


# --- password ---


def test_change_password_keeps_this_session_and_ends_the_others(
    ann: User, hear: Hearing, django_capture_on_commit_callbacks: Callable[..., object]
):
    first, second = Browser("192.0.2.1"), Browser("192.0.2.2")
    first.sign_in("ann")
    second.sign_in("ann")
    key_before = first.cookies["sessionid"].value
    ended = hear(LoginSessionEnded)
    with django_capture_on_commit_callbacks(execute=True):
        assert change(first).status_code == 200
    assert first.cookies["sessionid"].value != key_before
    assert first.get(PROFILE).status_code == 200
    assert second.get(PROFILE).status_code == 401
    assert [event.reason for event in ended] == ["password_changed"]
    assert Browser().sign_in("ann").status_code == 400
    assert Browser().sign_in("ann", NEW).status_code == 200


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"old": "wrong"}, "old_password"),
        ({"again": "something else entirely"}, "new_password_again"),
        pytest.param({"new": "short"}, "new_password", marks=pytest.mark.spec("S5-019")),
        ({"new": "password1234"}, "new_password"),
        ({"new": PASSWORD}, "new_password"),
    ],
)
def test_change_password_refusals_are_errors_of_the_field(
    browser: Browser, ann: User, body: dict[str, str], field: str
):
    remember_password(ann)
    browser.cookies["django_language"] = "en"
    browser.sign_in("ann")
    answer = change(browser, **body)
    assert answer.status_code == 400
    assert list(answer.json()) == [field]
    if body == {"new": "short"}:
        assert answer.json()[field] == ["Password minimum length 12"]
    ann.refresh_from_db()
    assert ann.check_password(PASSWORD)


def test_change_password_refuses_the_last_five_passwords(browser: Browser, ann: User):
    remember_password(ann)
    browser.sign_in("ann")
    chain = [f"{NEW} number {number}" for number in range(5)]
    old = PASSWORD
    for new in chain:
        assert change(browser, old, new).status_code == 200
        old = new
    assert change(browser, old, chain[0]).status_code == 400
    assert change(browser, old, PASSWORD).status_code == 200, "the sixth last is forgotten"


def test_due_password_allows_only_profile_password_and_sign_out(browser: Browser, make_person: Callable[..., User]):
    make_person("due", role="Admin", need_update_password=True)
    answer = browser.sign_in("due")
    assert answer.json()["must_change_password"] is True
    assert browser.get(PROFILE).json()["need_update_password"] is True
    for call in (
        lambda: browser.get("/api/v1/users/users/"),
        lambda: browser.get("/api/v1/authentication/access-keys/"),
        lambda: browser.post("/api/v1/authentication/access-keys/"),
        lambda: browser.patch(PROFILE, {"phone": "1"}),
        lambda: browser.put(OWN_KEY, {"public_key": ""}),
    ):
        refused = call()
        assert refused.status_code == 403
        assert refused.json()["code"] == "password_must_change"
    assert change(browser).status_code == 200
    assert browser.get("/api/v1/users/users/").status_code == 200


@pytest.mark.spec("S4-046")
def test_expired_password_must_be_changed(browser: Browser, ann: User, monkeypatch: pytest.MonkeyPatch):
    real = queries.values
    monkeypatch.setattr(queries, "values", lambda names: {**real(names), "SECURITY_PASSWORD_EXPIRATION_TIME": 90})
    User.objects.filter(pk=ann.pk).update(date_password_last_updated=clock.now() - timedelta(days=89))
    assert browser.sign_in("ann").json()["must_change_password"] is False
    assert browser.get(PROFILE).json()["password_days_left"] == 1
    User.objects.filter(pk=ann.pk).update(date_password_last_updated=clock.now() - timedelta(days=90))
    assert browser.get("/api/v1/authentication/access-keys/").status_code == 403


def test_password_of_a_directory_account_cannot_be_changed_here(browser: Browser, ann: User):
    browser.sign_in("ann")
    User.objects.filter(pk=ann.pk).update(source="ldap")
    answer = change(browser)
    assert (answer.status_code, answer.json()["code"]) == (400, "only_local_users_are_allowed")


# --- public keys ---


def line(comment: str = "", *, rsa_bits: int = 0) -> str:
    key = (
        rsa.generate_private_key(65537, rsa_bits).public_key()
        if rsa_bits
        else ed25519.Ed25519PrivateKey.generate().public_key()
    )
    return f"{key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()} {comment}".strip()


def test_own_public_keys_are_shown_by_fingerprint_only(browser: Browser, ann: User):
    browser.sign_in("ann")
    two = f"{line('desk')}\n{line('laptop')}"
    answer = browser.put(OWN_KEY, {"public_key": two})
    assert answer.status_code == 200
    assert answer.json()["public_key_comment"] == "desk, laptop"
    assert answer.json()["public_key_hash_md5"].count(":") == 30
    assert "public_key" not in answer.json()
    assert "public_key" not in browser.get(PROFILE).json()
    ann.refresh_from_db()
    assert ann.public_key == two


@pytest.mark.parametrize(
    "text", ["hello", line(rsa_bits=1024), f"{line()}\ngarbage"], ids=["word", "weak", "second-line"]
)
def test_invalid_public_key_is_an_error_of_the_field(browser: Browser, ann: User, text: str):
    browser.sign_in("ann")
    answer = browser.put(OWN_KEY, {"public_key": text})
    assert answer.status_code == 400
    assert list(answer.json()) == ["public_key"]


def test_generated_key_pair_signs_its_owner_in_and_the_private_key_is_not_stored(browser: Browser, ann: User):
    browser.sign_in("ann")
    answer = browser.post(f"{OWN_KEY}generate/")
    assert answer.status_code == 200
    assert answer["Content-Disposition"] == 'attachment; filename="ann.pem"'
    private = load_ssh_private_key(answer.content, None)
    assert isinstance(private, ed25519.Ed25519PrivateKey)
    own = private.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    ann.refresh_from_db()
    assert ann.public_key == f"{own} ann@postern"
    assert browser.get(f"{OWN_KEY}generate/").status_code == 405


def test_k73_options_show_no_secret_and_mark_write_only_fields(browser: Browser, ann: User):
    User.objects.filter(pk=ann.pk).update(public_key=line("secret-comment"))
    browser.sign_in("ann")
    for path in (PROFILE, OWN_KEY, OWN_PASSWORD):
        answer = browser.options(path)
        assert answer.status_code == 200
        assert "secret-comment" not in answer.content.decode()
    fields = browser.options(OWN_PASSWORD).json()["actions"]["PUT"]
    assert all(fields[name]["write_only"] and fields[name]["required"] for name in ("old_password", "new_password"))


def test_profile_queries_do_not_depend_on_the_number_of_organizations(browser: Browser, ann: User):
    for number in range(10):
        org = Organization.objects.create(name=f"Branch {number}")
        Membership.objects.create(user=ann, org=org, role="Admin")
    browser.sign_in("ann")
    with CaptureQueriesContext(connection) as queries:
        assert browser.get(PROFILE).status_code == 200
    assert len(queries) <= 15, [query["sql"] for query in queries]


def test_key_is_updated_only_at_the_address_of_the_own_id(
    as_org_admin: APIClient, people: dict[str, User], make_user: Callable[..., User]
) -> None:
    own, other = people["org_admin"], make_user("zoe")
    for user, status in ((own, 200), (other, 404)):
        answer = as_org_admin.put(f"/api/v1/users/users/{user.pk}/pubkey/update/", {"public_key": line("desk")})
        assert answer.status_code == status, answer.content
        user.refresh_from_db()
        assert bool(user.public_key) == (status == 200)


def test_own_second_factor_is_not_reset_without_a_code(as_org_admin: APIClient) -> None:
    answer = as_org_admin.get("/api/v1/users/otp/reset/", headers={"Accept-Language": "en"})
    assert (answer.status_code, answer.json()) == (
        401,
        {"error": "Change your own MFA on your profile page. You need an MFA code there."},
    )
