"""Sign-in with a password of the directory, at every place that accepts passwords."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from django.db import connection
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from factories.two_administrators import make_person
from peers.mail_server import misbehaving, silent
from peers.slapd import PARTNERS, ROOT_DN, ROOT_PASSWORD, STAFF, Slapd, Someone, serving
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.errors import SignInRefused
from postern.apps.authn.lock_out.errors import SignInLocked
from postern.apps.authn.lock_out.models import SignInGuard
from postern.apps.authn.sign_in.actions.sign_in import confirm_password
from postern.apps.authn.sign_in.errors import WrongCredentials
from postern.apps.directory import arrivals, passwords
from postern.apps.directory.models import DirectoryIdentity
from postern.apps.directory.people import Person
from postern.apps.preferences import actions as settings_writes
from postern.apps.preferences.models import PreferenceValue
from postern.apps.users.models import Membership, Source, User
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import OrgScope
from postern.integrations.directory.messages import Result
from postern.kernel.errors import Unavailable
from postern.kernel.ids import DEFAULT_ORG_ID

__all__ = ["make_person"]

pytestmark = pytest.mark.django_db

AUTH: Final = "/api/v1/authentication/auth/"
ANN: Final = Someone("ann", "Ann Lee")
BOB: Final = Someone("bob", base=PARTNERS)


@pytest.fixture(autouse=True)
def _end_pause_after_timeout() -> Iterator[None]:
    yield
    passwords.silence.end()


@pytest.fixture(scope="module")
def slapd() -> Iterator[Slapd]:
    with serving([ANN, BOB]) as server:
        yield server


@pytest.fixture
def configure(slapd: Slapd) -> Callable[..., None]:
    def change(**more: Any) -> None:
        settings_writes.change_settings(
            actor=SYSTEM,
            changes={
                "AUTH_LDAP_SERVER_URI": slapd.uri,
                "AUTH_LDAP_BIND_DN": ROOT_DN,
                "AUTH_LDAP_BIND_PASSWORD": ROOT_PASSWORD,
                "AUTH_LDAP_SEARCH_OU": f"{STAFF}|{PARTNERS}",
                "AUTH_LDAP_SEARCH_FILTER": "(|(uid=%(user)s)(mail=%(user)s))",
                "AUTH_LDAP_USER_ATTR_MAP": json.dumps({"username": "uid", "name": "sn", "email": "mail"}),
                "AUTH_LDAP": True,
                **more,
            },
        )

    change()
    return change


def ldap_user(name: str = "ann", **more: Any) -> User:
    return User.objects.create(
        **{
            "username": name,
            "name": name,
            "email": f"{name}@example.com",
            "source": Source.LDAP,
            "is_first_login": False,
            "password": "!",
            **more,
        }
    )


def confirm(username: str, password: str) -> User:
    return confirm_password(username=username, password=password, remote_addr="192.0.2.1")


def failures_of(username: str) -> int:
    return sum(SignInGuard.objects.filter(kind="account").values_list("failures", flat=True))


@pytest.mark.spec("S1-047")
@pytest.mark.usefixtures("configure")
def test_user_of_the_directory_signs_in(client_of: Callable[[User | None], APIClient]) -> None:
    user = ldap_user()
    answer = client_of(None).post(AUTH, {"username": "ann", "password": ANN.password}, format="json")
    assert answer.status_code == 201, answer.content
    assert answer.json()["user"]["username"] == "ann"
    assert DirectoryIdentity.objects.get(user=user).uid
    stored = json.dumps(list(AuditEvent.objects.values("new", "old", "resource")), default=str)
    assert ANN.password not in stored


@pytest.mark.usefixtures("configure")
def test_wrong_unknown_and_empty_get_the_same_response(client_of: Callable[[User | None], APIClient]) -> None:
    ldap_user()
    answers = [
        client_of(None).post(AUTH, {"username": name, "password": password}, format="json").json()
        for name, password in [("ann", "wrong"), ("nobody", "wrong"), ("*", "wrong"), ("bob", BOB.password)]
    ]
    assert len({json.dumps(answer, sort_keys=True) for answer in answers}) == 1
    assert failures_of("ann") == 4, "each was counted"
    with pytest.raises(WrongCredentials):
        confirm("ann", "")


@pytest.mark.usefixtures("configure")
def test_local_password_of_a_directory_user_is_refused() -> None:
    user = ldap_user()
    user.set_password("local one 123")
    user.save()
    with pytest.raises(WrongCredentials):
        confirm("ann", "local one 123")


def test_password_of_a_local_account_is_not_sent_to_the_directory(
    configure: Callable[..., None], people: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[str, str]] = []
    real = passwords.judge

    def judge(name: str, password: str) -> passwords.Judgement:
        calls.append((name, password))
        return real(name, password)

    monkeypatch.setattr(passwords, "judge", judge)
    local = ldap_user(source=Source.LOCAL)
    local.set_password("local one 123")
    local.save()
    assert confirm("ann", "local one 123") == local
    assert calls == [], "a right local password needs no query"
    for password in (ANN.password, "wrong"):
        with pytest.raises(WrongCredentials):
            confirm("ann", password)
    assert [name == "ann" or password in {ANN.password, "wrong"} for name, password in calls] == [False, False]


def test_directory_users_cannot_sign_in_while_it_is_off(configure: Callable[..., None]) -> None:
    ldap_user()
    assert confirm("ann", ANN.password).username == "ann"
    configure(AUTH_LDAP=False)
    with pytest.raises(WrongCredentials):
        confirm("ann", ANN.password)


def test_unreachable_directory_is_not_a_wrong_password(
    configure: Callable[..., None], client_of: Callable[[User | None], APIClient]
) -> None:
    ldap_user()
    configure(AUTH_LDAP_SERVER_URI="ldap://127.0.0.1:1")
    answer = client_of(None).post(AUTH, {"username": "ann", "password": ANN.password}, format="json")
    assert answer.status_code == 503
    assert failures_of("ann") == 0
    with pytest.raises(WrongCredentials):
        confirm("nobody", "x")  # the same answer as for other unknown names


def test_hanging_directory_ends_with_the_deadline(
    configure: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    ldap_user()
    monkeypatch.setattr(passwords, "LIMIT_S", 0.5)
    with misbehaving(silent) as port:
        configure(AUTH_LDAP_SERVER_URI=f"ldap://127.0.0.1:{port}")
        with pytest.raises(Unavailable):
            confirm("ann", ANN.password)


@pytest.mark.usefixtures("without_waits")
@pytest.mark.usefixtures("configure")
def test_locked_account_is_locked_under_each_name_of_the_directory() -> None:
    ldap_user()
    assert confirm("ann", ANN.password).username == "ann"  # links the user to the person of the directory
    assert confirm("ann@example.com", ANN.password).username == "ann"
    for number in range(9):
        with pytest.raises(SignInRefused):
            confirm_password(username="ann", password="wrong", remote_addr=f"198.51.100.{number}")
    with pytest.raises(SignInLocked):
        confirm_password(username="ann@example.com", password=ANN.password, remote_addr="203.0.113.9")


def test_directory_after_a_timeout_is_not_queried_and_local_users_do_not_wait(
    configure: Callable[..., None], make_person: Callable[..., User], monkeypatch: pytest.MonkeyPatch
) -> None:
    ldap_user()
    local = make_person("lee")
    monkeypatch.setattr(passwords, "LIMIT_S", 0.5)
    with misbehaving(silent) as port:
        configure(AUTH_LDAP_SERVER_URI=f"ldap://127.0.0.1:{port}")
        with pytest.raises(Unavailable):
            confirm("ann", ANN.password)
        monkeypatch.setattr(passwords, "LIMIT_S", 600.0)  # a query would now block until the test times out
        with pytest.raises(Unavailable):
            confirm("ann", ANN.password)
        with pytest.raises(WrongCredentials):
            confirm("lee", "wrong")
        assert confirm("lee", PASSWORD) == local
        monkeypatch.setattr(passwords, "LIMIT_S", 0.5)
        passwords.silence.end()
        with pytest.raises(Unavailable):
            confirm("ann", ANN.password)
    monkeypatch.setattr(passwords, "LIMIT_S", 8.0)
    configure()
    assert confirm("ann", ANN.password).username == "ann", "changed settings end the pause"


@pytest.mark.usefixtures("configure")
def test_hanging_sign_ins_occupy_few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    ldap_user()
    for _slot in range(passwords._MAX_CONCURRENT):
        assert passwords._slots.acquire(blocking=False)
    try:
        with pytest.raises(Unavailable):
            confirm("ann", ANN.password)
    finally:
        for _slot in range(passwords._MAX_CONCURRENT):
            passwords._slots.release()
    assert confirm("ann", ANN.password).username == "ann"


def test_first_sign_in_creates_a_user_only_when_allowed(configure: Callable[..., None]) -> None:
    with pytest.raises(WrongCredentials):
        confirm("ann", ANN.password)
    assert not User.objects.filter(username="ann").exists()
    configure(AUTH_LDAP_CREATE_AT_SIGN_IN=True)
    with pytest.raises(WrongCredentials):
        confirm("ann", "wrong")
    assert not User.objects.filter(username="ann").exists()
    user = confirm("ann", ANN.password)
    assert (user.source, user.role, user.name) == (Source.LDAP, "User", "Ann Lee")
    (membership,) = Membership.objects.filter(user=user)
    assert (membership.org_id, membership.role) == (DEFAULT_ORG_ID, "User")
    assert confirm("ann@example.com", ANN.password) == user, "the filter admits mail addresses"


def test_disabled_way_creates_no_user_and_refuses_directory_users(configure: Callable[..., None]) -> None:
    configure(AUTH_LDAP_CREATE_AT_SIGN_IN=True)
    PreferenceValue.objects.create(name="SECURITY_SIGN_IN_WAYS", value="password,passkey")
    browser = Browser()
    assert browser.sign_in("ann", ANN.password).json()["error"] == "password_failed"
    assert not User.objects.filter(username="ann").exists()
    ldap_user()
    assert browser.sign_in("ann", ANN.password).json()["error"] == "backend_not_match"
    PreferenceValue.objects.filter(name="SECURITY_SIGN_IN_WAYS").update(value="ldap")
    assert browser.sign_in("ann", ANN.password).status_code == 200


@pytest.mark.usefixtures("configure")
def test_different_person_with_the_same_name_is_refused() -> None:
    user = ldap_user()
    DirectoryIdentity.objects.create(user=user, uid="11111111-1111-1111-1111-111111111111")
    with pytest.raises(WrongCredentials):
        confirm("ann", ANN.password)


@pytest.mark.usefixtures("configure")
def test_renamed_person_signs_in_under_the_new_name() -> None:
    scope = OrgScope(DEFAULT_ORG_ID)
    earlier = arrivals.admit(actor=SYSTEM, scope=scope, person=Person("x", "uid=a", "earlier", "Ann", ""))
    linked = ldap_user("bob")
    confirm("bob", BOB.password)
    uid = DirectoryIdentity.objects.get(user=linked).uid
    DirectoryIdentity.objects.filter(user=linked).delete()
    linked.delete()
    DirectoryIdentity.objects.filter(user=earlier).update(uid=uid)
    assert confirm("bob", BOB.password) == earlier


@pytest.mark.usefixtures("configure")
def test_user_changed_to_local_cannot_use_the_directory_password() -> None:
    user = ldap_user()
    confirm("ann", ANN.password)
    User.objects.filter(pk=user.pk).update(source=Source.LOCAL)
    with pytest.raises(WrongCredentials):
        confirm("ann", ANN.password)


@pytest.mark.usefixtures("configure")
def test_directory_is_queried_outside_of_transactions(
    client_of: Callable[[User | None], APIClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    ldap_user()
    depths: list[int] = []
    real, outside = passwords.judge, len(connection.savepoint_ids)

    def judge(name: str, password: str) -> Any:
        depths.append(len(connection.savepoint_ids) - outside)
        return real(name, password)

    monkeypatch.setattr(passwords, "judge", judge)
    client_of(None).post(AUTH, {"username": "ann", "password": ANN.password}, format="json")
    assert depths == [0]


@pytest.mark.parametrize(
    ("text", "meaning"),
    [("80090308: LdapErr: DSID-0C09, comment: AcceptSecurityContext error, data 775, v4563\x00", "account locked")],
)
def test_reasons_of_active_directory_are_explained_to_administrators(text: str, meaning: str) -> None:
    assert passwords.reason_of(Result(49, text)).endswith(f"({meaning})")
