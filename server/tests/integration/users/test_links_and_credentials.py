"""Set-password links and credentials end with the reason for which they were made."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from factories.grants import grant, make_asset, make_system_user
from factories.proxy_client import Proxy
from factories.signed_request import PROFILE, signed
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.callers.identity import actor_of_user
from postern.apps.orgs import facade as orgs
from postern.apps.rbac import facade as rbac
from postern.apps.sessions.models import ConnectionToken, ProxyOrder, Session
from postern.apps.users.credentials.actions.links import issue_set_password_link, redeem_set_password_link
from postern.apps.users.credentials.errors import LinkUsed
from postern.apps.users.memberships import actions as memberships
from postern.apps.users.models import Membership, User
from postern.apps.users.people.actions import people
from postern.apps.users.people.actions.people import PersonInput
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import DEFAULT, ROOT, OrgScope
from postern.kernel import clock

USERS = "/api/v1/users/users/"
SET = "/api/v1/authentication/set-password/"
NEW = "emerald harbour twenty"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDwUdw3+KEWMpiB7RLPzuLsRM8ZaEIGDTIcDYIYz1v9p laptop"


def change(user: User, **columns: Any) -> None:
    people.update_user(actor=SYSTEM, scope=ROOT, user=User.objects.get(pk=user.pk), person=PersonInput(columns=columns))


def works(token: str) -> bool:
    browser = Browser("203.0.113.1")
    browser.get("/api/v1/authentication/sign-in/")
    answer = browser.post(SET, {"token": token, "new_password": NEW})
    if answer.status_code == 200:
        return True
    assert answer.json()["code"] == "link_invalid", answer.content
    return False


@pytest.fixture
def ann(make_user: Callable[..., User]) -> User:
    user = make_user("ann")
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture
def link(ann: User, as_org_admin: APIClient) -> str:
    """A set-password link for Ann from the administrator of the organization."""
    answer = as_org_admin.patch(f"{USERS}{ann.pk}/password/reset/")
    assert answer.status_code == 200, answer.content
    return str(answer.json()["set_password_link"]["url"].partition("#")[2])


_PERSON_CHANGES: dict[str, Callable[[User], None]] = {
    "becomes system administrator": lambda ann: change(ann, role="Admin"),
    "becomes auditor": lambda ann: change(ann, role="Auditor"),
    "becomes administrator of the organization": lambda ann: memberships.set_org_roles(
        actor=SYSTEM, scope=DEFAULT, user=ann, roles={"Admin", "User"}
    ),
    "joins another organization": lambda ann: memberships.add_org_role(
        actor=SYSTEM, scope=OrgScope(orgs.create_organization(actor=SYSTEM, name="other").pk), user=ann, role="User"
    ),
    "comes from a directory": lambda ann: change(ann, source="ldap"),
    "went to a directory and came back": lambda ann: (change(ann, source="ldap"), change(ann, source="local"))[0],
    "is disabled": lambda ann: change(ann, is_active=False),
    "was disabled and is active again": lambda ann: (change(ann, is_active=False), change(ann, is_active=True))[0],
    "was promoted and demoted": lambda ann: (change(ann, role="Auditor"), change(ann, role="User"))[0],
    "has expired": lambda ann: change(ann, date_expired=clock.now()),
    "has a new password": lambda ann: (
        people.update_user(
            actor=SYSTEM,
            scope=ROOT,
            user=User.objects.get(pk=ann.pk),
            person=PersonInput(password="violet anchor eighteen"),
        )
        and None
    ),
    "was promoted behind our back": lambda ann: User.objects.filter(pk=ann.pk).update(role="Admin") and None,
}


@pytest.mark.django_db
@pytest.mark.parametrize("event", _PERSON_CHANGES)
def test_k35_link_is_void_when_the_user_changes(ann: User, link: str, event: str):
    _PERSON_CHANGES[event](ann)
    before = User.objects.get(pk=ann.pk).password
    assert not works(link)
    assert User.objects.get(pk=ann.pk).password == before
    assert AuditEvent.objects.filter(event="user.set_password_link_refused", resource_id=str(ann.pk)).exists()


_MAKER_CHANGES: dict[str, Callable[[User], object]] = {
    "is disabled": lambda maker: change(maker, is_active=False),
    "has expired": lambda maker: User.objects.filter(pk=maker.pk).update(date_expired=clock.now()),
    "lost the role": lambda maker: Membership.objects.filter(user=maker, role="Admin").update(role="User"),
    "left the organization": lambda maker: Membership.objects.filter(user=maker).delete(),
    "is deleted": lambda maker: people.delete_user(actor=SYSTEM, scope=ROOT, user=maker),
}


@pytest.mark.django_db
@pytest.mark.parametrize("event", _MAKER_CHANGES)
def test_k35_link_is_void_when_its_maker_may_no_longer_make_it(
    ann: User, link: str, people: dict[str, User], event: str
):
    _MAKER_CHANGES[event](people["org_admin"])
    assert not works(link)


@pytest.mark.django_db
def test_link_works_while_nothing_changed_and_says_that_no_mail_was_sent(ann: User, as_org_admin: APIClient):
    answer = as_org_admin.patch(f"{USERS}{ann.pk}/password/reset/", headers={"Accept-Language": "en"}).json()
    assert "No e-mail was sent" in answer["set_password_link"]["msg"]
    assert works(answer["set_password_link"]["url"].partition("#")[2])


@pytest.mark.django_db(transaction=True)
def test_link_used_while_its_user_is_promoted_never_sets_an_administrators_password(
    make_user: Callable[..., User],
):
    maker = make_user("olaf", org_role="Admin")
    for number in range(6):
        ann = make_user(f"ann{number}")
        token = issue_set_password_link(
            actor=_actor(maker), user=ann, void_password=False, scope=DEFAULT
        ).token.reveal()
        gate, order = threading.Barrier(2), []

        def redeem(token: str = token, gate: threading.Barrier = gate, order: list[str] = order) -> None:
            gate.wait(timeout=60)
            try:
                redeem_set_password_link(actor=SYSTEM, token=token, password=NEW)
                order.append("set")
            except LinkUsed:
                order.append("refused")
            finally:
                connection.close()

        def promote(ann: User = ann, gate: threading.Barrier = gate) -> None:
            gate.wait(timeout=60)
            try:
                change(ann, role="Admin")
            finally:
                connection.close()

        threads = [threading.Thread(target=redeem), threading.Thread(target=promote)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=120)
        events = list(
            AuditEvent.objects.filter(actor_kind="system").order_by("sequence").values_list("event", flat=True)
        )
        events = [event for event in events if event in {"user.updated", "user.password_changed"}][-2:]
        if order == ["set"]:  # the password was set before the promotion
            assert events == ["user.password_changed", "user.updated"]
        else:
            assert not User.objects.get(pk=ann.pk).has_usable_password()


def _actor(user: User) -> Any:
    return actor_of_user(user, rbac.rights_of(user, DEFAULT), remote_addr=None, login_session=None)


# --- keys, tokens, sessions ---


@pytest.fixture
def ann_credentials(ann: User) -> dict[str, Any]:
    """Ann's browser, bearer token, access key and SSH key."""
    User.objects.filter(pk=ann.pk).update(public_key=KEY)
    browser = Browser()
    assert browser.sign_in("ann").status_code == 200
    key = browser.post("/api/v1/authentication/access-keys/").json()
    token = APIClient().post("/api/v1/authentication/auth/", {"username": "ann", "password": PASSWORD}).json()["token"]
    return {"browser": browser, "key": key, "token": token}


def _key_works(ann_credentials: dict[str, Any]) -> bool:
    path = f"{PROFILE}?at={clock.now().timestamp()}"
    return bool(
        APIClient()
        .get(path, **signed(ann_credentials["key"]["id"], ann_credentials["key"]["secret"], path))
        .status_code
        == 200
    )


@pytest.mark.django_db
def test_own_password_change_lists_all_credentials_and_ends_the_chosen(ann: User, ann_credentials: dict[str, Any]):
    browser: Browser = ann_credentials["browser"]
    credentials = browser.get("/api/v1/users/profile/credentials/").json()
    assert [row["id"] for row in credentials["access_keys"]] == [ann_credentials["key"]["id"]]
    assert credentials["public_keys"][0]["comment"] == "laptop"
    assert credentials["public_keys"][0]["fingerprint"].startswith("SHA256:")
    assert len(credentials["bearer_tokens"]) == 1
    assert ann_credentials["key"]["secret"] not in str(credentials)
    body = {"old_password": PASSWORD, "new_password": NEW, "new_password_again": NEW}
    path = "/api/v1/users/profile/password/"
    assert browser.put(path, {**body, "end": ["passport"]}).status_code == 400
    assert browser.put(path, {**body, "end": ["access_keys", "public_keys"]}, format="json").status_code == 200
    assert not _key_works(ann_credentials)
    assert User.objects.get(pk=ann.pk).public_key == ""
    event = AuditEvent.objects.get(event="user.credentials_ended")
    assert (event.old, event.new) == ({"access_keys": 1, "public_keys": 1}, {"access_keys": 0, "public_keys": 0})
    assert browser.get(PROFILE).status_code == 200


@pytest.mark.django_db
def test_credentials_are_not_ended_without_the_choice(
    ann: User, ann_credentials: dict[str, Any], as_org_admin: APIClient
):
    assert as_org_admin.put(f"{USERS}{ann.pk}/password/", {"password": NEW}).status_code == 200
    assert _key_works(ann_credentials)
    assert User.objects.get(pk=ann.pk).public_key == KEY


@pytest.mark.django_db
@pytest.mark.parametrize("call", ["password", "password/reset"])
def test_administrators_can_choose_too(ann: User, ann_credentials: dict[str, Any], as_org_admin: APIClient, call: str):
    assert len(as_org_admin.get(f"{USERS}{ann.pk}/credentials/").json()["access_keys"]) == 1
    body = {"password": NEW, "end": ["access_keys", "public_keys", "bearer_tokens"]}
    assert as_org_admin.patch(f"{USERS}{ann.pk}/{call}/", body, format="json").status_code == 200
    assert not _key_works(ann_credentials)
    assert User.objects.get(pk=ann.pk).public_key == ""


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["put", "patch"])
def test_administrators_can_choose_in_the_form_of_a_user_too(
    ann: User, ann_credentials: dict[str, Any], as_org_admin: APIClient, method: str
):
    row = as_org_admin.get(f"{USERS}{ann.pk}/").json()
    names = ("name", "username", "email", "is_active", "org_roles")
    body = {**{name: row[name] for name in names}, "end": ["access_keys", "public_keys"]}
    change = getattr(as_org_admin, method)
    refused = [
        change(f"{USERS}{ann.pk}/", body, format="json"),
        change(f"{USERS}{ann.pk}/", {**body, "password": NEW, "end": ["passport"]}, format="json"),
        change(f"{USERS}{ann.pk}/", {**body, "password": NEW, "public_key": KEY}, format="json"),
        change(f"{USERS}{ann.pk}/", {**body, "password": "short"}, format="json"),
    ]
    assert [answer.status_code for answer in refused] == [400] * 4
    assert _key_works(ann_credentials), "a refused change ends nothing"
    done = change(f"{USERS}{ann.pk}/", {**body, "password": NEW}, format="json")
    assert done.status_code == 200, done.content
    assert "end" not in done.json()
    assert not _key_works(ann_credentials)
    assert User.objects.get(pk=ann.pk).public_key == ""
    assert AuditEvent.objects.filter(event="user.credentials_ended").count() == 1


@pytest.mark.django_db
def test_user_who_must_change_the_password_can_end_credentials_with_it(ann: User, ann_credentials: dict[str, Any]):
    User.objects.filter(pk=ann.pk).update(need_update_password=True)
    browser = Browser()
    assert browser.sign_in("ann").json()["must_change_password"] is True
    assert len(browser.get("/api/v1/users/profile/credentials/").json()["access_keys"]) == 1
    body = {"old_password": PASSWORD, "new_password": NEW, "new_password_again": NEW, "end": ["access_keys"]}
    assert browser.put("/api/v1/users/profile/password/", body, format="json").status_code == 200
    assert not _key_works(ann_credentials)


@pytest.mark.django_db
def test_reset_of_a_suspicious_account_ends_all_access_in_one_call(
    ann: User, ann_credentials: dict[str, Any], as_org_admin: APIClient, client: Any
):
    proxy = Proxy(client)
    proxy.beat()
    grant(users=[ann], assets=[make_asset("web-1", ip="127.0.0.1")], system_users=[make_system_user()])
    opened = proxy.authorize(ann, "web-1").grant
    assert opened is not None
    asked = {"asset": "web-1", "system_user": opened.system_user_name}
    assert ann_credentials["browser"].post("/api/v1/authentication/connection-token/", asked).status_code == 201
    old_link = issue_set_password_link(actor=SYSTEM, user=User.objects.get(pk=ann.pk), void_password=False)

    answer = as_org_admin.post(f"{USERS}{ann.pk}/access/reset/")

    assert answer.status_code == 200, answer.content
    body = answer.json()
    assert body["ended"] == {
        "public_keys": 1,
        "set_password_links": 1,
        "access_keys": 1,
        "bearer_tokens": 1,
        "login_sessions": 1,
        "proxy_sign_ins": 1,
        "known_places": 4,  # three from the browser and the API, and the address of the SSH sign-in
        "live_sessions": 1,
    }
    assert not _key_works(ann_credentials)
    assert ann_credentials["browser"].get(PROFILE).status_code == 401
    assert APIClient(HTTP_AUTHORIZATION=f"Bearer {ann_credentials['token']}").get(PROFILE).status_code == 401
    assert Browser().sign_in("ann").json()["error"] == "password_failed"
    assert ProxyOrder.objects.filter(session_id=opened.session_id).count() == 1
    assert not ConnectionToken.objects.filter(user_id=ann.pk).exists()
    assert not works(old_link.token.reveal())
    event = AuditEvent.objects.get(event="user.access_reset")
    assert event.old == body["ended"]
    assert not AuditEvent.objects.filter(event="user.set_password_link_issued", sequence__gt=event.sequence).exists()
    assert works(body["set_password_link"]["url"].partition("#")[2])
    assert set(as_org_admin.get(f"{USERS}{ann.pk}/credentials/").json()) >= set(body["ended"])
    assert Session.objects.filter(user_id=ann.pk).count() == 1


@pytest.mark.django_db
def test_k60_access_of_higher_roles_and_of_oneself_cannot_be_reset(
    people: dict[str, User], as_org_admin: APIClient, as_admin: APIClient
):
    assert as_org_admin.post(f"{USERS}{people['admin'].pk}/access/reset/").status_code in {403, 404}
    assert as_org_admin.get(f"{USERS}{people['admin'].pk}/credentials/").status_code in {403, 404}
    assert as_admin.post(f"{USERS}{people['admin'].pk}/access/reset/").status_code == 400
