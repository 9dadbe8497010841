"""Bearer tokens, access keys and the facade for proxies; and each restriction for each kind of credential."""

from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from factories.signed_request import signed
from factories.ssh_proof import PROXY_ID, make_key, signed_request
from postern.apps.authn import facade
from postern.apps.authn.credentials.actions import login_sessions
from postern.apps.authn.models import BearerToken
from postern.apps.users.models import User
from postern.apps.users.people.actions import people
from postern.apps.users.people.actions.people import PersonInput
from postern.contracts.access import SignInAnswer
from postern.contracts.enums import DenialCode, LoginFrom
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import DEFAULT, ROOT
from postern.kernel import clock

PROFILE = "/api/v1/users/profile/"
KEYS = "/api/v1/authentication/access-keys/"
KEY, KEY_LINE = make_key()
pytestmark = pytest.mark.django_db


def bearer(token: str) -> APIClient:
    return APIClient(HTTP_AUTHORIZATION=f"Bearer {token}", enforce_csrf_checks=True)


def get_token(username: str = "ann") -> str:
    answer = APIClient().post("/api/v1/authentication/auth/", {"username": username, "password": PASSWORD})
    assert answer.status_code == 201, answer.content
    return str(answer.json()["token"])


# --- bearer tokens ---


@pytest.mark.parametrize("path", ["/api/v1/authentication/auth/", "/api/v1/authentication/tokens/"])
def test_token_answer_has_the_shape_of_the_contract_and_works_without_csrf(ann: User, path: str):
    answer = APIClient().post(path, {"username": "ann", "password": PASSWORD})
    assert answer.status_code == 201
    body = answer.json()
    assert body["keyword"] == "Bearer"
    assert body["user"]["username"] == "ann"
    client = bearer(body["token"])
    assert client.get(PROFILE).status_code == 200
    assert client.patch(PROFILE, {"phone": "1"}).status_code == 200


def test_k18_token_table_holds_only_hashes(ann: User):
    token = get_token()
    assert not BearerToken.objects.filter(token_hash__contains=token[:20]).exists()


def test_token_refusals_have_codes(make_person: Callable[..., User]):
    make_person("due", need_update_password=True)
    wrong = APIClient().post("/api/v1/authentication/auth/", {"username": "due", "password": "wrong"})
    assert (wrong.status_code, wrong.json()["error"]) == (400, "password_failed")
    due = APIClient().post("/api/v1/authentication/auth/", {"username": "due", "password": PASSWORD})
    assert (due.status_code, due.json()["error"]) == (400, "password_expired")


def test_expired_and_unknown_tokens_are_401(ann: User):
    token = get_token()
    BearerToken.objects.update(date_expired=clock.now())
    for text in (token, "made-up"):
        answer = bearer(text).get(PROFILE)
        assert answer.status_code == 401
        assert answer.json()["code"] == "authentication_failed"


def test_token_can_be_revoked_by_its_owner(ann: User):
    client = bearer(get_token())
    assert client.post("/api/v1/authentication/sign-out/").status_code == 200
    assert client.get(PROFILE).status_code == 401


def test_k16_access_keys_and_sessions_of_other_users_are_not_found(
    key: dict[str, str], make_person: Callable[..., User], browser: Browser
):
    make_person("bob")
    other = Browser()
    other.sign_in("bob")
    assert other.get(KEYS).json() == []
    for method in (other.get, other.delete):
        assert method(f"{KEYS}{key['id']}/").status_code == 404
    assert other.patch(f"{KEYS}{key['id']}/", {"is_active": False}).status_code == 404
    mine = browser.get("/api/v1/authentication/login-sessions/").json()
    assert other.delete(f"/api/v1/authentication/login-sessions/{mine[0]['id']}/").status_code == 404


def test_own_sign_ins_are_listed_and_ended(ann: User):
    first, second = Browser("192.0.2.1"), Browser("192.0.2.2")
    first.sign_in("ann")
    second.sign_in("ann")
    rows = first.get("/api/v1/authentication/login-sessions/").json()
    assert {(row["remote_addr"], row["is_current"]) for row in rows} == {("192.0.2.1", True), ("192.0.2.2", False)}
    other = next(row["id"] for row in rows if not row["is_current"])
    assert first.delete(f"/api/v1/authentication/login-sessions/{other}/").status_code == 204
    assert second.get(PROFILE).status_code == 401
    assert first.get(PROFILE).status_code == 200
    ended = next(row for row in first.get("/api/v1/authentication/login-sessions/").json() if row["id"] == other)
    assert (ended["date_ended"] is None, ended["end_reason"]) == (False, "ended_by_self")
    assert first.delete(f"/api/v1/authentication/login-sessions/{other}/").status_code == 404


# --- every restriction for every credential (K51: restrictions hold for every kind of credential) ---


def _disable(user: User) -> None:
    people.update_user(actor=SYSTEM, scope=ROOT, user=user, person=PersonInput(columns={"is_active": False}))


def _expire(user: User) -> None:
    User.objects.filter(pk=user.pk).update(date_expired=clock.now())


def _password_due(user: User) -> None:
    User.objects.filter(pk=user.pk).update(need_update_password=True)


def _delete(user: User) -> None:
    people.delete_user(actor=SYSTEM, scope=ROOT, user=user)


def _mfa_due(user: User) -> None:
    User.objects.filter(pk=user.pk).update(mfa_level=2)


@pytest.mark.parametrize("restrict", [_disable, _expire, _password_due, _delete, _mfa_due])
@pytest.mark.parametrize(
    "credential", ["session", "bearer", "access_key", "ssh_password", "ssh_key", "ticket", "websocket"]
)
def test_k51_k40_each_restriction_applies_to_each_credential(
    browser: Browser, key: dict[str, str], ann: User, credential: str, restrict: Callable[[User], None]
):
    User.objects.filter(pk=ann.pk).update(public_key=KEY_LINE)
    ticket = ssh("ssh_key").ticket
    path = "/api/v1/authentication/login-sessions/"
    token = get_token()

    def passes() -> bool:
        if credential == "session":
            return browser.get(path).status_code == 200
        if credential == "bearer":
            return bearer(token).get(path).status_code == 200
        if credential == "access_key":
            return APIClient().get(path, **signed(key["id"], key["secret"], path)).status_code == 200
        if credential == "websocket":
            return facade.web_sign_in(browser.session, DEFAULT, remote_addr="192.0.2.10") is not None
        if credential == "ticket":
            return facade.ticket_holder(ticket, proxy_id=PROXY_ID, remote_addr="192.0.2.9").fault is None
        return ssh(credential).user is not None

    assert passes()
    restrict(User.objects.get(pk=ann.pk))
    assert not passes()


def ssh(credential: str) -> SignInAnswer:
    if credential == "ssh_password":
        return facade.check_password(
            username="ann",
            password=PASSWORD,
            remote_addr="192.0.2.9",
            login_from=LoginFrom.SSH_TERMINAL,
            proxy_id=PROXY_ID,
        )
    return facade.sign_in_with_public_key(
        username="ann",
        proof=facade.read_proof(*signed_request(KEY, "ann")),
        attempt="1",
        remote_addr="192.0.2.9",
        login_from=LoginFrom.SSH_TERMINAL,
        proxy_id=PROXY_ID,
    )


# --- proxies ---


def test_facade_password_check_returns_the_user(ann: User):
    User.objects.filter(pk=ann.pk).update(language="en")
    answer = ssh("ssh_password")
    assert answer.user is not None
    assert (answer.user.id, answer.user.username, answer.user.language) == (ann.pk, "ann", "en")


def test_user_created_by_another_person_has_no_language(make_person: Callable[..., User]):
    make_person("new")
    answer = facade.check_password(
        username="new",
        password=PASSWORD,
        remote_addr="1.2.3.4",
        login_from=LoginFrom.SSH_TERMINAL,
        proxy_id=PROXY_ID,
    )
    assert answer.user is not None
    assert answer.user.language == ""


def test_k8_key_offer_is_not_a_sign_in_and_only_own_keys_are_acceptable(ann: User):
    def new_line() -> str:
        key = ed25519.Ed25519PrivateKey.generate().public_key()
        return key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()

    own, other = new_line(), new_line()
    User.objects.filter(pk=ann.pk).update(public_key=own)
    assert facade.public_key_acceptable(username="ann", public_key=own) is True
    assert facade.public_key_acceptable(username="ann", public_key=other) is False
    for stranger in ("nobody", "an", "anna", "zoe", "Aaron", "0", "", "管理员"):
        # The query also reads the users before and after this name. Their keys must not match.
        assert facade.public_key_acceptable(username=stranger, public_key=own) is False
    assert facade.public_key_acceptable(username="ANN", public_key=own) is True
    User.objects.filter(pk=ann.pk).update(source="ldap")
    assert facade.public_key_acceptable(username="ann", public_key=own) is False
    refused = ssh("ssh_key")
    assert refused.denial is not None
    assert refused.denial.code is DenialCode.BAD_CREDENTIALS


def test_k8_public_key_in_the_token_call_is_not_a_credential(ann: User):
    User.objects.filter(pk=ann.pk).update(public_key="ssh-ed25519 AAAA")
    body = {"username": "ann", "password": "", "public_key": "ssh-ed25519 AAAA"}
    assert APIClient().post("/api/v1/authentication/auth/", body).status_code == 400


@pytest.mark.parametrize(("installation", "words"), [("zh-hans", "用户名或密码"), ("en", "incorrect")])
def test_facade_denial_uses_the_language_of_the_installation_until_the_user_is_known(
    make_person: Callable[..., User], settings: Any, installation: str, words: str
):
    settings.LANGUAGE_CODE = installation
    make_person("eve", language="en", is_active=False)
    wrong = facade.check_password(
        username="eve", password="wrong", remote_addr="1.2.3.4", login_from=LoginFrom.SSH_TERMINAL, proxy_id=PROXY_ID
    )
    for_unknown_name = facade.check_password(
        username="who", password="wrong", remote_addr="1.2.3.4", login_from=LoginFrom.SSH_TERMINAL, proxy_id=PROXY_ID
    )
    right = facade.check_password(
        username="eve", password=PASSWORD, remote_addr="1.2.3.4", login_from=LoginFrom.SSH_TERMINAL, proxy_id=PROXY_ID
    )
    assert wrong == for_unknown_name
    assert wrong.denial is not None
    assert words in wrong.denial.message
    assert right.denial is not None
    assert right.denial.code is DenialCode.USER_INACTIVE
    assert right.denial.message == "This account is disabled. Ask an administrator to activate it."


def test_facade_websocket_sign_in_has_role_bits_in_the_scope_and_ends_with_the_session(
    browser: Browser, make_person: Callable[..., User]
):
    make_person("aud", org_role="Auditor")
    browser.sign_in("aud")
    signed_in = facade.web_sign_in(browser.session, DEFAULT, remote_addr="192.0.2.10")
    assert signed_in is not None
    assert int(signed_in.actor.bits) == 3
    assert facade.login_session_is_open(signed_in.login_session_id)
    browser.post("/api/v1/authentication/sign-out/")
    assert not facade.login_session_is_open(signed_in.login_session_id)
    assert login_sessions.find_open(signed_in.login_session_id) is None


def test_k51_an_expired_account_neither_reads_nor_changes_its_own_data(
    browser: Browser, key: dict[str, str], ann: User
):
    program = bearer(get_token())
    signature = signed(key["id"], key["secret"], PROFILE)
    assert (browser.get(PROFILE).status_code, program.get(PROFILE).status_code) == (200, 200)
    _expire(ann)
    assert (browser.get(PROFILE).status_code, program.get(PROFILE).status_code) == (401, 401)
    assert APIClient().get(PROFILE, **signature).status_code == 401
    assert browser.patch(PROFILE, {"phone": "1"}).status_code in {401, 403}
    new = {"old_password": PASSWORD, "new_password": "river-Stone-77-x", "new_password_again": "river-Stone-77-x"}
    assert browser.put(f"{PROFILE}password/", new).status_code in {401, 403}
    assert User.objects.get(pk=ann.pk).check_password(PASSWORD)
