"""Service accounts in the people screens: made, listed, changed and deleted by administrators, and never a person."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from rest_framework.test import APIClient

from factories.grants import make_group
from factories.signed_request import PROFILE, signed
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.models import AccessKey, LoginSession
from postern.apps.orgs.models import Organization
from postern.apps.orgs.roles import OrgRole
from postern.apps.users.invitations.models import Invitation
from postern.apps.users.models import Kind, Membership, SetPasswordLink, User
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID

USERS = "/api/v1/users/users/"
KEYS = "/api/v1/authentication/service-account-keys/"
ROOT = {"HTTP_X_JMS_ORG": str(ROOT_ORG_ID)}
pytestmark = pytest.mark.django_db


def wish(**more: Any) -> dict[str, Any]:
    return {"kind": "service", "name": "Nightly build", "username": "ci", "comment": "owner: Li Na", **more}


def made(client: APIClient, **more: Any) -> User:
    answer = client.post(USERS, wish(**more), format="json")
    assert answer.status_code == 201, answer.content
    return User.objects.get(pk=answer.json()["id"])


def url(user: User, tail: str = "") -> str:
    return f"{USERS}{user.pk}/{tail}"


def refused(answer: Any, *fields: str) -> None:
    assert (answer.status_code, set(answer.json())) == (400, set(fields)), answer.content


def test_administrator_of_an_organization_makes_a_service_account(as_org_admin: APIClient):
    group = make_group("builders")
    answer = as_org_admin.post(USERS, wish(groups=[str(group.pk)]), format="json")
    assert answer.status_code == 201, answer.content
    body = answer.json()
    assert (body["kind"], body["email"], body["is_first_login"]) == ("service", "ci@serviceaccount.local", False)
    assert (body["org_roles"], body["groups"], body["can_public_key_auth"]) == (["User"], [str(group.pk)], True)
    assert not {"set_password_link", "set_password_mail"} & set(body)
    user = User.objects.get(username="ci")
    assert not user.has_usable_password()
    assert not SetPasswordLink.objects.exists()
    row = AuditEvent.objects.get(event="user.created")
    assert (row.new["kind"], row.new["comment"]) == ("service", "owner: Li Na")


def test_list_is_filtered_by_kind(as_org_admin: APIClient, people: dict[str, User]):
    account = made(as_org_admin)
    services = as_org_admin.get(USERS, {"kind": "service"}).json()
    assert [row["id"] for row in services] == [str(account.pk)]
    persons = {row["username"] for row in as_org_admin.get(USERS, {"kind": "person"}).json()}
    assert "ci" not in persons
    assert people["user"].username in persons
    choices = as_org_admin.options(USERS).json()["actions"]["POST"]["kind"]["choices"]
    assert [row["value"] for row in choices] == ["person", "service"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("password", "violet anchor seventeen"),
        ("source", "ldap"),
        ("mfa_level", 2),
        ("need_update_password", True),
        ("email", "ci@example.com"),
        ("username", "c" * 120),
    ],
)
def test_what_only_people_have_is_refused(as_org_admin: APIClient, field: str, value: object):
    refused(as_org_admin.post(USERS, wish(**{field: value}), format="json"), field)
    assert not User.objects.filter(kind=Kind.SERVICE).exists()
    account = made(as_org_admin)
    refused(as_org_admin.patch(url(account), {field: value}, format="json"), field)
    account.refresh_from_db()
    assert (account.username, account.email, account.source) == ("ci", "ci@serviceaccount.local", "local")


def test_address_of_service_accounts_is_no_persons(as_org_admin: APIClient, people: dict[str, User]):
    body = {"name": "Eve", "username": "eve", "email": "ci@ServiceAccount.local", "password_strategy": "email"}
    refused(as_org_admin.post(USERS, body, format="json"), "email")
    refused(as_org_admin.patch(url(people["user"]), {"email": "ci@serviceaccount.local"}, format="json"), "email")
    made(as_org_admin)


def test_address_follows_the_name_and_the_form_may_send_it_back(as_org_admin: APIClient):
    account = made(as_org_admin, username="服务")
    row = as_org_admin.get(url(account)).json()
    changed = as_org_admin.put(url(account), {**row, "username": "deploy"}, format="json")
    assert changed.status_code == 200, changed.content
    assert changed.json()["email"] == "deploy@serviceaccount.local"
    account.refresh_from_db()
    assert account.kind == Kind.SERVICE


def test_kind_never_changes(as_admin: APIClient, as_org_admin: APIClient, people: dict[str, User]):
    account, person = made(as_org_admin), people["user"]
    for client in (as_org_admin, as_admin):
        refused(client.patch(url(account), {"kind": "person"}, format="json"), "kind")
        refused(client.patch(url(person), {"kind": "service"}, format="json"), "kind")
        row = client.get(url(person)).json()
        refused(client.put(url(person), {**row, "kind": "service"}, format="json"), "kind")
        both = [{"id": str(account.pk), "kind": "person"}, {"id": str(person.pk), "kind": "service"}]
        assert client.patch(USERS, both, format="json").status_code == 400
    assert set(User.objects.filter(kind=Kind.SERVICE)) == {account}
    # an organization's administrator who may change memberships only
    other = Organization.objects.create(name="Other")
    Membership.objects.create(org=other, user=person)
    refused(as_org_admin.patch(url(person), {"kind": "service", "groups": []}, format="json"), "kind")


def test_import_makes_and_keeps_kinds(as_org_admin: APIClient):
    account = made(as_org_admin)
    rows = [wish(username="deploy", name="Deploy"), wish(username="two", email="two@serviceaccount.local")]
    answer = as_org_admin.post(USERS, rows, format="json")
    assert answer.status_code == 201, answer.content
    assert User.objects.filter(kind=Kind.SERVICE).count() == 3
    one = {**as_org_admin.get(url(account)).json(), "kind": "person", "email": "real@example.com"}
    assert as_org_admin.put(USERS, [one], format="json").status_code == 400
    account.refresh_from_db()
    assert (account.kind, account.email) == (Kind.SERVICE, "ci@serviceaccount.local")


def test_exported_rows_name_the_kind(as_org_admin: APIClient):
    made(as_org_admin)
    answer = as_org_admin.get(USERS, {"format": "csv", "kind": "service"})
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    assert "service" in text
    assert "ci@serviceaccount.local" in text


def test_database_keeps_the_rules_too(as_org_admin: APIClient):
    account = made(as_org_admin)
    for change in ({"source": "ldap"}, {"mfa_level": 1}, {"need_update_password": True}, {"is_first_login": True}):
        with pytest.raises(IntegrityError), transaction.atomic():
            User.objects.filter(pk=account.pk).update(**change)


def test_nothing_for_people_is_done_with_a_service_account(as_admin: APIClient, as_org_admin: APIClient):
    account = made(as_org_admin)
    for client in (as_org_admin, as_admin):
        for tail, body in (("password/", {"password": "violet anchor seventeen"}), ("password/reset/", {})):
            answer = client.patch(url(account, tail), body, format="json")
            assert (answer.status_code, answer.json()["code"]) == (400, "service_account"), tail
        assert client.post(url(account, "otp/reset/")).json()["code"] == "service_account"
    account.refresh_from_db()
    assert not account.has_usable_password()
    assert not SetPasswordLink.objects.exists()


def test_ending_all_access_ends_the_keys_and_makes_no_link(as_org_admin: APIClient):
    account = made(as_org_admin)
    key = as_org_admin.post(KEYS, {"user": str(account.pk)}, format="json").json()
    as_org_admin.patch(url(account), {"public_key": SSH_KEY}, format="json")
    answer = as_org_admin.post(url(account, "access/reset/"))
    assert answer.status_code == 200, answer.content
    assert answer.json()["set_password_link"] is None
    assert answer.json()["ended"]["access_keys"] == 1
    account.refresh_from_db()
    assert account.public_key == ""
    assert APIClient().get(PROFILE, **signed(key["id"], key["secret"])).status_code == 401


SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILg8H5yumlXLVg+gU/I3WM3JtaQfo1lWxweYldfJomKy ci"


def test_nobody_gives_more_than_they_have(
    as_org_admin: APIClient, as_admin: APIClient, client_of: Callable[[User | None], APIClient], people: dict[str, User]
):
    for role in ("Admin", "Auditor"):
        assert as_org_admin.post(USERS, wish(role=role), format="json").status_code == 400
    assert client_of(people["user"]).post(USERS, wish(), format="json").status_code == 403
    assert client_of(people["auditor"]).post(USERS, wish(), format="json").status_code == 403
    powerful = made(as_admin, role="Admin", username="robot")
    assert powerful.role == "Admin"
    assert as_org_admin.patch(url(powerful), {"is_active": False}, format="json").status_code in {403, 404}
    answer = as_org_admin.post(KEYS, {"user": str(powerful.pk)}, format="json")
    assert answer.status_code in {400, 403, 404}
    assert not AccessKey.objects.exists()


def test_key_of_a_service_account_of_another_organization_is_not_found(as_admin: APIClient, as_org_admin: APIClient):
    other = Organization.objects.create(name="Other")
    theirs = made(as_admin, username="theirs")
    Membership.objects.filter(user=theirs).delete()
    Membership.objects.create(org=other, user=theirs)
    key = as_admin.post(KEYS, {"user": str(theirs.pk)}, format="json", **ROOT)
    assert key.status_code == 201, key.content
    assert as_org_admin.get(KEYS).json() == []
    one = f"{KEYS}{key.json()['id']}/"
    for answer in (as_org_admin.get(one), as_org_admin.patch(one, {"is_active": False}), as_org_admin.delete(one)):
        assert answer.status_code == 404
    refused(as_org_admin.post(KEYS, {"user": str(theirs.pk)}, format="json"), "user")
    refused(as_org_admin.post(KEYS, {"user": str(uuid4())}, format="json"), "user")
    assert AccessKey.objects.get().is_active


def test_shared_service_account_is_beyond_an_organizations_administrator(as_admin: APIClient, as_org_admin: APIClient):
    shared = made(as_admin)
    Membership.objects.create(org=Organization.objects.create(name="Other"), user=shared)
    answer = as_org_admin.post(KEYS, {"user": str(shared.pk)}, format="json")
    assert answer.status_code == 403
    assert not AccessKey.objects.exists()


def test_service_account_is_not_the_last_administrator(as_admin: APIClient, people: dict[str, User]):
    made(as_admin, role="Admin")
    User.objects.people().filter(role="Admin").exclude(pk=people["admin"].pk).update(role="User")
    answer = as_admin.patch(url(people["admin"]), {"is_active": False}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "last_administrator")


@pytest.mark.usefixtures("licensed")
def test_service_account_gets_no_invitation(as_org_admin: APIClient, as_admin: APIClient):
    other = Organization.objects.create(name="Other")
    theirs = made(as_admin, username="theirs")
    Membership.objects.filter(user=theirs).update(org=other)
    answer = as_org_admin.post(f"{USERS}invite/", [{"user": "theirs", "role": "User"}], format="json")
    unknown = as_org_admin.post(f"{USERS}invite/", [{"user": "nobody", "role": "User"}], format="json")
    assert (answer.status_code, unknown.status_code) == (201, 201)
    assert list(Invitation.objects.filter(addressee="theirs").values_list("user", flat=True)) == [None]
    assert not Membership.objects.filter(user=theirs, org_id=DEFAULT_ORG_ID).exists()


def test_deleted_with_its_keys_by_a_super_administrator(as_admin: APIClient, as_org_admin: APIClient):
    account = made(as_org_admin)
    as_org_admin.post(KEYS, {"user": str(account.pk)}, format="json")
    assert as_org_admin.delete(url(account)).status_code == 403
    assert as_admin.delete(url(account)).status_code == 204
    assert not AccessKey.objects.exists()


def test_several_service_accounts_are_disabled_together(as_org_admin: APIClient):
    ids = [str(made(as_org_admin, username=f"ci-{number}").pk) for number in range(3)]
    answer = as_org_admin.patch(USERS, [{"id": one, "is_active": False} for one in ids], format="json")
    assert answer.status_code == 200, answer.content
    assert not User.objects.filter(pk__in=ids, is_active=True).exists()


# --- keys ---


def test_key_is_made_shown_once_used_and_removed(as_org_admin: APIClient, people: dict[str, User]):
    account = made(as_org_admin)
    answer = as_org_admin.post(KEYS, {"user": str(account.pk), "comment": "nightly"}, format="json")
    assert answer.status_code == 201, answer.content
    key = answer.json()
    assert len(key["secret"]) == 36
    assert key["created_by"] == str(people["org_admin"])
    listed = as_org_admin.get(KEYS, {"user": str(account.pk)}).json()
    assert [(row["id"], row["secret"], row["date_last_used"]) for row in listed] == [(key["id"], "******", None)]
    answer = APIClient().get(PROFILE, **signed(key["id"], key["secret"]))
    assert (answer.status_code, answer.json()["username"]) == (200, "ci")
    assert as_org_admin.get(f"{KEYS}{key['id']}/").json()["date_last_used"] is not None
    assert as_org_admin.delete(f"{KEYS}{key['id']}/").status_code == 204
    later = clock.now() + timedelta(seconds=1)
    assert APIClient().get(PROFILE, **signed(key["id"], key["secret"], at=later)).status_code == 401


def test_key_ends_at_its_time_with_a_clear_error(as_org_admin: APIClient):
    account = made(as_org_admin)
    past = {"user": str(account.pk), "date_expired": (clock.now() - timedelta(seconds=1)).isoformat()}
    refused(as_org_admin.post(KEYS, past, format="json"), "date_expired")
    end = {"user": str(account.pk), "date_expired": (clock.now() + timedelta(hours=1)).isoformat()}
    key = as_org_admin.post(KEYS, end, format="json").json()
    assert APIClient().get(PROFILE, **signed(key["id"], key["secret"])).status_code == 200
    AccessKey.objects.filter(pk=key["id"]).update(date_expired=clock.now())
    head = signed(key["id"], key["secret"], at=clock.now() + timedelta(seconds=1))
    answer = APIClient(HTTP_ACCEPT_LANGUAGE="en").get(PROFILE, **head)
    assert answer.status_code == 401
    assert "This access key ended on" in answer.json()["detail"]
    wrong = signed(key["id"], str(uuid4()))
    assert "ended" not in APIClient().get(PROFILE, **wrong).content.decode()
    row = as_org_admin.get(f"{KEYS}{key['id']}/").json()
    assert row["has_ended"] is True
    # a form sends the passed end back; a new end lets the key in again
    assert as_org_admin.put(f"{KEYS}{key['id']}/", {**row, "comment": "old"}, format="json").status_code == 200
    moved = {"date_expired": (clock.now() + timedelta(hours=1)).isoformat()}
    assert as_org_admin.patch(f"{KEYS}{key['id']}/", moved, format="json").status_code == 200
    head = signed(key["id"], key["secret"], at=clock.now() + timedelta(seconds=2))
    assert APIClient().get(PROFILE, **head).status_code == 200


def test_keys_of_people_are_not_made_by_administrators(as_admin: APIClient, people: dict[str, User]):
    refused(as_admin.post(KEYS, {"user": str(people["user"].pk)}, format="json"), "user")
    own = AccessKey.objects.create(user=people["user"], nonce=b"x" * 32)
    assert as_admin.get(f"{KEYS}{own.pk}/").status_code == 404
    assert as_admin.delete(f"{KEYS}{own.pk}/").status_code == 404


def test_key_stays_with_its_account(as_org_admin: APIClient):
    one, two = made(as_org_admin), made(as_org_admin, username="two")
    key = as_org_admin.post(KEYS, {"user": str(one.pk)}, format="json").json()
    refused(as_org_admin.patch(f"{KEYS}{key['id']}/", {"user": str(two.pk)}, format="json"), "user")
    assert AccessKey.objects.get().user == one


def test_service_account_changes_nothing_about_itself(as_org_admin: APIClient):
    account = made(as_org_admin, org_roles=["Admin"])
    key = as_org_admin.post(KEYS, {"user": str(account.pk)}, format="json").json()
    seconds = iter(range(1, 99))

    def call(method: str, path: str, body: Any = None) -> Any:
        at = clock.now() + timedelta(seconds=next(seconds))
        head = signed(key["id"], key["secret"], path, method=method, at=at)
        return getattr(APIClient(), method)(path, body, format="json", **head)

    own = "/api/v1/authentication/access-keys/"
    assert call("get", url(account)).status_code == 200  # it is an administrator
    for method, path, body in (
        ("post", own, None),
        ("patch", f"{own}{key['id']}/", {"is_active": False}),
        ("delete", f"{own}{key['id']}/", None),
        ("post", KEYS, {"user": str(account.pk)}),
        ("patch", f"{KEYS}{key['id']}/", {"date_expired": None, "comment": "mine"}),
        ("patch", url(account), {"public_key": SSH_KEY}),
        ("patch", url(account), {"date_expired": None}),
        ("put", "/api/v1/users/profile/public-key/", {"public_key": SSH_KEY}),
        ("post", "/api/v1/users/profile/public-key/generate/", None),
        ("patch", PROFILE, {"phone": "1", "mfa_level": 1, "public_key": SSH_KEY}),
    ):
        assert call(method, path, body).status_code == 403, (method, path)
    account.refresh_from_db()
    assert (account.public_key, account.phone, AccessKey.objects.get().comment) == ("", None, "")


def test_disabled_or_expired_account_is_refused_at_once(as_org_admin: APIClient):
    account = made(as_org_admin)
    key = as_org_admin.post(KEYS, {"user": str(account.pk)}, format="json").json()
    as_org_admin.patch(url(account), {"is_active": False}, format="json")
    assert APIClient().get(PROFILE, **signed(key["id"], key["secret"])).status_code == 401
    as_org_admin.patch(url(account), {"is_active": True}, format="json")
    User.objects.filter(pk=account.pk).update(date_expired=clock.now())
    answer = APIClient().get(
        "/api/v1/perms/users/assets/", **signed(key["id"], key["secret"], "/api/v1/perms/users/assets/")
    )
    assert answer.status_code in {401, 403}


def test_audit_log_names_the_caller_as_a_service_account(as_org_admin: APIClient):
    account = made(as_org_admin, org_roles=[OrgRole.ADMIN])
    key = as_org_admin.post(KEYS, {"user": str(account.pk)}, format="json").json()
    path = "/api/v1/users/groups/"
    answer = APIClient().post(
        path, {"name": "by a program"}, format="json", **signed(key["id"], key["secret"], path, method="post")
    )
    assert answer.status_code == 201, answer.content
    row = AuditEvent.objects.get(event="usergroup.created")
    assert (row.user, row.actor_kind) == ("Nightly build(ci)", "service")


def test_trusted_browser_shows_the_factor_before_a_key_is_made(as_org_admin: APIClient, people: dict[str, User]):
    account, admin = made(as_org_admin), people["org_admin"]
    trusted = LoginSession.objects.create(
        user=admin, epoch=admin.session_epoch, mfa=True, date_expired=clock.now() + timedelta(hours=1)
    )
    client = APIClient()
    client.force_authenticate(admin, trusted)
    answer = client.post(KEYS, {"user": str(account.pk)}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "mfa_verify_required")
    assert not AccessKey.objects.exists()


def test_own_key_gets_a_comment_and_an_end(client_of: Callable[[User | None], APIClient], people: dict[str, User]):
    client, own = client_of(people["user"]), "/api/v1/authentication/access-keys/"
    end = (clock.now() + timedelta(days=1)).isoformat()
    key = client.post(own, {"comment": "laptop", "date_expired": end}, format="json").json()
    changed = client.patch(f"{own}{key['id']}/", {"comment": "desk", "date_expired": None}, format="json").json()
    assert (changed["comment"], changed["date_expired"], changed["has_ended"]) == ("desk", None, False)
    assert AuditEvent.objects.get(event="accesskey.updated").new["comment"] == "desk"


def test_profile_does_not_change_the_kind(client_of: Callable[[User | None], APIClient], people: dict[str, User]):
    client = client_of(people["user"])
    assert client.patch(PROFILE, {"kind": "service", "phone": "1"}, format="json").json()["kind"] == "person"
