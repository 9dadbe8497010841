from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.hearing import Hearing
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.models import Organization
from postern.apps.users.models import Membership, User
from postern.apps.users.people.events import UserClosed
from postern.foundation import licensing
from postern.foundation.rest import selections
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID

USERS = "/api/v1/users/users/"
GOOD = "violet anchor seventeen"
ROOT = {"HTTP_X_JMS_ORG": str(ROOT_ORG_ID)}
pytestmark = pytest.mark.django_db

FIELDS = [
    "id",
    "name",
    "username",
    "kind",
    "email",
    "wechat",
    "phone",
    "mfa_level",
    "source",
    "source_display",
    "can_public_key_auth",
    "need_update_password",
    "mfa_enabled",
    "is_valid",
    "is_expired",
    "is_active",
    "date_expired",
    "date_joined",
    "last_login",
    "created_by",
    "comment",
    "is_wecom_bound",
    "is_dingtalk_bound",
    "is_feishu_bound",
    "total_role_display",
    "org_role_display",
    "mfa_level_display",
    "mfa_force_enabled",
    "is_first_login",
    "date_password_last_updated",
    "avatar_url",
    "role",
    "role_display",
    "groups",
    "groups_display",
    "org_roles",
    "can_update",
    "can_delete",
    "login_blocked",
]


def new_person(**more: Any) -> dict[str, Any]:
    body = {
        "name": "Eve",
        "username": "eve",
        "email": "Eve@Example.test",
        "password_strategy": "custom",
        "password": GOOD,
    }
    return {**body, **more}


def url(user: User, tail: str = "") -> str:
    return f"{USERS}{user.pk}/{tail}"


# --- reading ---


@pytest.mark.spec("S3-052", "S3-053", "S3-054", "S3-055", "S7-005")
def test_user_row_has_the_fields_of_the_contract(as_org_admin: APIClient, people: dict[str, User]):
    row = as_org_admin.get(url(people["user"])).json()
    assert set(row) == set(FIELDS)
    assert (row["role"], row["org_roles"], row["is_valid"]) == ("User", ["User"], True)


def test_user_list_has_the_members_of_the_organization_or_everybody_in_root(
    as_admin: APIClient, make_user: Callable[..., User]
):
    other = Organization.objects.create(name="Branch")
    make_user("branch-only", org_id=other.pk)
    names = {row["username"] for row in as_admin.get(USERS).json()}
    assert "branch-only" not in names
    in_branch = as_admin.get(USERS, HTTP_X_JMS_ORG=str(other.pk)).json()
    assert [row["username"] for row in in_branch] == ["branch-only"]
    in_root = {row["username"] for row in as_admin.get(USERS, **ROOT).json()}
    assert in_root >= names | {"branch-only"}


def test_user_list_is_searched_filtered_ordered_and_paged(as_org_admin: APIClient, people: dict[str, User]):
    def names(query: str) -> list[str]:
        body = as_org_admin.get(f"{USERS}?{query}").json()
        return [row["username"] for row in (body["results"] if isinstance(body, dict) else body)]

    assert names("search=audr") == ["audra"]
    assert names("username=uma") == ["uma"]
    assert names("system_or_org_role=org_auditor") == ["audra"]
    assert names("org_role=admins") == ["adam", "olaf"]
    assert names("system_or_org_role=nonsense") == []
    everybody = names("")
    assert everybody == sorted(everybody)
    assert names("order=-username") == sorted(everybody, reverse=True)
    assert names("limit=2&offset=1") == everybody[1:3]
    assert set(as_org_admin.get(f"{USERS}?fields_size=mini").json()[0]) == {"id", "name", "username"}


@pytest.mark.parametrize(
    ("kind", "username"),
    [
        pytest.param("system_admin", "adam", marks=pytest.mark.spec("S1-053")),
        pytest.param("system_auditor", "sybil", marks=pytest.mark.spec("S1-055")),
        pytest.param("org_admin", "olaf", marks=pytest.mark.spec("S1-056")),
        pytest.param("org_auditor", "audra", marks=pytest.mark.spec("S1-057")),
        pytest.param("user", "uma", marks=pytest.mark.spec("S1-058")),
    ],
)
def test_user_list_filters_by_each_kind_of_user(as_admin: APIClient, people: dict[str, User], kind: str, username: str):
    rows = as_admin.get(f"{USERS}?system_or_org_role={kind}&all=1").json()
    assert username in [row["username"] for row in rows]


@pytest.mark.spec("S1-054")
def test_administrators_of_the_system_and_of_an_organization_are_kinds_of_users(
    as_admin: APIClient, people: dict[str, User]
):
    administrators = as_admin.get(f"{USERS}?org_role=admins").json()
    assert [(row["username"], row["total_role_display"]) for row in administrators] == [
        ("adam", "系统管理员 | 用户"),
        ("olaf", "用户 | 组织管理员"),
    ]
    assert as_admin.patch(url(people["user"]), {"role": "Admin"}).json()["role"] == "Admin"
    assert "uma" in [row["username"] for row in as_admin.get(f"{USERS}?org_role=admins").json()]


@pytest.mark.spec("S6-019")
def test_organization_roles_are_admin_auditor_and_user(as_org_admin: APIClient):
    child = as_org_admin.options(USERS).json()["actions"]["POST"]["org_roles"]["child"]
    assert [choice["value"] for choice in child["choices"]] == ["Admin", "Auditor", "User"]


@pytest.mark.parametrize("query", ["password__startswith=a", "order=password", "session_epoch=1"])
def test_k22_undeclared_filters_and_orders_are_ignored(as_org_admin: APIClient, people: dict[str, User], query: str):
    assert as_org_admin.get(f"{USERS}?{query}").json() == as_org_admin.get(USERS).json()


def test_user_list_takes_the_same_queries_for_many_rows(as_org_admin: APIClient, make_user: Callable[..., User]):
    def count() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert as_org_admin.get(f"{USERS}?limit=100").status_code == 200
        return len(queries)

    few = count()
    for number in range(10):
        make_user(f"member{number}")
    assert count() == few


@pytest.mark.parametrize("role", ["as_user", "as_auditor"])
def test_user_list_is_closed_to_users_and_auditors(role: str, request: pytest.FixtureRequest):
    assert request.getfixturevalue(role).get(USERS).status_code == 403


def test_k68_organization_administrator_has_no_access_to_another_organization(
    as_org_admin: APIClient, make_user: Callable[..., User]
):
    other = Organization.objects.create(name="Branch")
    stranger = make_user("stranger", org_id=other.pk)
    assert as_org_admin.get(USERS, HTTP_X_JMS_ORG=str(other.pk)).status_code == 403
    assert as_org_admin.get(USERS, **ROOT).status_code == 403
    for call in (as_org_admin.get, as_org_admin.patch, as_org_admin.delete):
        assert call(url(stranger)).status_code in (403, 404)
    assert as_org_admin.get(url(stranger)).status_code == 404


def test_suggestion_gives_super_administrators_at_most_three_users_of_any_organization_with_names_only(
    as_admin: APIClient, make_user: Callable[..., User]
):
    other = Organization.objects.create(name="Branch")
    for number in range(5):
        make_user(f"guest{number}", org_id=other.pk)
    rows = as_admin.get(f"{USERS}suggestion/?search=guest").json()
    assert len(rows) == 3
    assert set(rows[0]) == {"id", "name", "username"}


def test_options_describe_the_form(as_org_admin: APIClient, as_admin: APIClient):
    actions = as_org_admin.options(USERS).json()["actions"]
    post = actions["POST"]
    assert post["name"]["required"]
    assert post["name"]["max_length"] == 128
    assert post["password"]["write_only"]
    assert "default" not in post["password"]
    assert (post["groups"]["type"], post["org_roles"]["type"], post["email"]["type"]) == ("field", "list", "email")
    assert post["password_strategy"]["default"] == "email"
    assert [choice["value"] for choice in post["role"]["choices"]] == ["User"]
    assert actions["GET"]["username"]["filter"]
    assert actions["GET"]["system_or_org_role"]["filter"]
    assert "system_or_org_role" not in as_org_admin.get(USERS).json()[0]
    full = as_admin.options(USERS).json()["actions"]["POST"]
    assert [choice["value"] for choice in full["role"]["choices"]] == ["Admin", "Auditor", "User"]


# --- creating ---


def test_create_with_password_makes_a_member_who_can_sign_in(as_org_admin: APIClient):
    answer = as_org_admin.post(USERS, new_person())
    assert answer.status_code == 201, answer.content
    assert "password" not in answer.json()
    eve = User.objects.get(username="eve")
    assert eve.check_password(GOOD)
    assert eve.password.startswith("argon2$argon2id$")
    assert (eve.email, answer.json()["org_roles"]) == ("eve@example.test", ["User"])
    event = AuditEvent.objects.get(event="user.created")
    assert GOOD not in str(event.__dict__)


def test_create_by_link_lets_the_person_set_the_password_once(as_org_admin: APIClient):
    answer = as_org_admin.post(USERS, new_person(password_strategy="email", password="ignored"))
    link = answer.json()["set_password_link"]["url"]
    path, _, token = link.partition("#")
    assert path == "/ui/set-password"
    assert not User.objects.get(username="eve").has_usable_password()
    assert "set_password_link" not in as_org_admin.get(f"{USERS}{answer.json()['id']}/").json()

    def redeem(password: str, text: str = token) -> Any:
        return APIClient().post("/api/v1/authentication/set-password/", {"token": text, "new_password": password})

    assert list(redeem("short").json()) == ["new_password"]
    assert redeem(GOOD).status_code == 200
    assert User.objects.get(username="eve").check_password(GOOD)
    again = redeem("another good sentence 5")
    made_up = redeem(GOOD, "made-up")
    assert again.status_code == made_up.status_code == 400
    assert again.json() == made_up.json()
    assert again.json()["code"] == "link_invalid"


def test_link_is_returned_once_and_says_that_no_mail_was_sent(as_org_admin: APIClient, people: dict[str, User]):
    made = as_org_admin.post(USERS, new_person(password_strategy="email")).json()["set_password_link"]
    reset = as_org_admin.patch(url(people["user"], "password/reset/"), {}, headers={"Accept-Language": "en"}).json()
    for link in (made, reset["set_password_link"]):
        assert set(link) == {"url", "date_expired", "msg"}
    assert "No e-mail was sent" in reset["set_password_link"]["msg"]
    assert "set_password_link" not in as_org_admin.get(url(people["user"])).json()
    strategy = as_org_admin.options(USERS, headers={"Accept-Language": "en"}).json()["actions"]["POST"][
        "password_strategy"
    ]
    choices = {row["value"]: row["display_name"] for row in strategy["choices"]}
    assert "while mail is not set up" in choices["email"], "the text is true with and without mail"


def test_new_link_voids_the_password_and_the_older_link(as_org_admin: APIClient):
    first = as_org_admin.post(USERS, new_person(password_strategy="email")).json()
    second = as_org_admin.patch(f"{USERS}{first['id']}/password/reset/").json()
    old, new = (body["set_password_link"]["url"].partition("#")[2] for body in (first, second))
    path = "/api/v1/authentication/set-password/"
    assert APIClient().post(path, {"token": old, "new_password": GOOD}).status_code == 400
    assert APIClient().post(path, {"token": new, "new_password": GOOD}).status_code == 200


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "name"),
        ({"username": "x" * 129}, "username"),
        ({"username": "two words"}, "username"),
        ({"username": "UMA"}, "username"),
        ({"email": "nonsense"}, "email"),
        ({"email": "UMA@example.test"}, "email"),
        ({"password": "short"}, "password"),
        ({"password": ""}, "password"),
        ({"public_key": "nonsense"}, "public_key"),
        ({"org_roles": ["Owner"]}, "org_roles"),
        ({"groups": [str(uuid4())]}, "groups"),
        ({"role": "Emperor"}, "role"),
    ],
)
def test_create_refusals_are_errors_of_the_field(
    as_org_admin: APIClient, people: dict[str, User], change: dict[str, Any], field: str
):
    answer = as_org_admin.post(USERS, new_person(**change))
    assert answer.status_code == 400
    assert list(answer.json()) == [field]
    assert not User.objects.filter(username="eve").exists()


def test_k41_every_text_of_a_user_has_a_maximum(as_admin: APIClient):
    fields = as_admin.options(USERS).json()["actions"]["POST"]
    texts = [name for name, field in fields.items() if field["type"] in ("string", "email") and not field["read_only"]]
    assert texts
    assert [name for name in texts if "max_length" not in fields[name]] == []


def test_create_in_the_root_organization_is_refused_with_a_clear_error(as_admin: APIClient):
    answer = as_admin.post(USERS, new_person(), **ROOT)
    assert answer.status_code == 400
    assert "detail" in answer.json()


# --- changing ---


def test_update_changes_fields_groups_and_roles(as_org_admin: APIClient, people: dict[str, User]):
    group = as_org_admin.post("/api/v1/users/groups/", {"name": "Ops"}).json()
    body = {"name": "Uma T.", "groups": [group["id"]], "org_roles": ["User", "Auditor"], "comment": "on call"}
    answer = as_org_admin.patch(url(people["user"]), body)
    assert answer.status_code == 200, answer.content
    row = answer.json()
    assert (row["name"], row["groups"], row["groups_display"]) == ("Uma T.", [group["id"]], "Ops")
    assert row["org_roles"] == ["Auditor", "User"]


def test_update_without_password_and_key_keeps_them(as_org_admin: APIClient, make_user: Callable[..., User]):
    user = make_user("kim", public_key="ssh-ed25519 kept")
    user.set_password(GOOD)
    user.save()
    row = as_org_admin.get(url(user)).json()
    put = {**row, "password": "", "public_key": "", "phone": "7"}
    assert as_org_admin.put(url(user), put).status_code == 200
    user.refresh_from_db()
    assert user.check_password(GOOD)
    assert (user.public_key, user.phone) == ("ssh-ed25519 kept", "7")


def test_k40_disabling_ends_all_access_and_publishes_an_event(
    as_org_admin: APIClient,
    people: dict[str, User],
    hear: Hearing,
    django_capture_on_commit_callbacks: Callable[..., object],
):
    published = hear(UserClosed)
    epoch = people["user"].session_epoch
    with django_capture_on_commit_callbacks(execute=True):
        assert as_org_admin.patch(url(people["user"]), {"is_active": False}).json()["is_valid"] is False
    people["user"].refresh_from_db()
    assert people["user"].session_epoch == epoch + 1
    assert [(event.username, event.cause) for event in published] == [("uma", "disabled")]


def test_bulk_update_disables_a_selection(
    as_org_admin: APIClient, people: dict[str, User], make_user: Callable[..., User]
):
    other = make_user("other")
    body = [{"id": str(people["user"].pk), "is_active": False}, {"id": str(other.pk), "is_active": False}]
    assert as_org_admin.patch(USERS, body).status_code == 200
    assert User.objects.filter(is_active=False).count() == 2


@pytest.mark.parametrize("target", ["admin", "auditor_of_system"])
def test_k60_organization_administrator_cannot_change_higher_roles(
    as_org_admin: APIClient,
    people: dict[str, User],
    make_user: Callable[..., User],
    monkeypatch: pytest.MonkeyPatch,
    target: str,
):
    above = people["admin"] if target == "admin" else make_user("sysaud", role="Auditor")
    row = as_org_admin.get(url(above)).json()
    assert (row["can_update"], row["can_delete"]) == (False, False)
    assert as_org_admin.patch(url(above), {"name": "x"}).status_code == 403
    assert as_org_admin.patch(url(above, "password/"), {"password": GOOD}).status_code == 403
    assert as_org_admin.patch(url(above, "password/reset/")).status_code == 403
    assert as_org_admin.patch(url(above, "pubkey/reset/")).status_code == 403
    monkeypatch.setattr(licensing, "is_open", lambda: True)
    assert as_org_admin.post(url(above, "remove/")).status_code == 403
    above.refresh_from_db()
    assert above.name != "x"


def test_k35_organization_administrator_cannot_take_over_an_account_of_several_organizations(
    as_org_admin: APIClient, people: dict[str, User]
):
    other = Organization.objects.create(name="Branch")
    Membership.objects.create(user=people["user"], org=other, role="Admin")
    assert as_org_admin.get(url(people["user"])).json()["can_update"] is False
    assert as_org_admin.patch(url(people["user"], "password/"), {"password": GOOD}).status_code == 403


@pytest.mark.parametrize("role", ["Admin", "Auditor"])
def test_k35_organization_administrator_cannot_give_system_roles(
    as_org_admin: APIClient, people: dict[str, User], role: str
):
    assert list(as_org_admin.post(USERS, new_person(role=role)).json()) == ["role"]
    assert as_org_admin.patch(url(people["user"]), {"role": role}).status_code == 400
    assert as_org_admin.patch(url(people["org_admin"]), {"role": role}).status_code == 400


def test_k60_last_administrator_cannot_be_demoted_disabled_expired_or_deleted(
    as_admin: APIClient, people: dict[str, User], make_user: Callable[..., User], client_of: Callable[..., APIClient]
):
    User.objects.filter(username="admin").delete()
    me = people["admin"]
    for change in ({"role": "User"}, {"is_active": False}, {"date_expired": "2001-01-01T00:00:00Z"}):
        answer = as_admin.patch(url(me), change)
        assert (answer.status_code, answer.json().get("code")) == (400, "last_administrator"), change
    second = make_user("second", role="Admin")
    assert as_admin.patch(url(me), {"role": "User"}).status_code == 200
    assert client_of(second).patch(url(second), {"is_active": False}).status_code == 400


def test_k60_built_in_administrator_cannot_be_deleted(as_admin: APIClient, make_user: Callable[..., User]):
    built_in = User.objects.filter(username="admin").first() or make_user("admin", role="Admin")
    Membership.objects.get_or_create(user=built_in, org_id="00000000-0000-0000-0000-000000000002", role="User")
    for change in (
        {"role": "User"},
        {"is_active": False},
        {"username": "other"},
        {"date_expired": "2001-01-01T00:00:00Z"},
        {"date_expired": (clock.now() + timedelta(minutes=2)).isoformat()},  # nobody would be left when it comes
        {"source": "ldap"},
    ):
        answer = as_admin.patch(url(built_in), change)
        assert (answer.status_code, answer.json().get("code")) == (400, "built_in_administrator"), change
    assert as_admin.delete(url(built_in)).status_code == 403
    form = {
        "name": "Root of all",
        "date_expired": as_admin.get(url(built_in)).json()["date_expired"],
        "source": "local",
    }
    assert as_admin.patch(url(built_in), form).status_code == 200
    assert as_admin.patch(url(built_in), {"date_expired": None}, format="json").status_code == 200


def test_own_password_cannot_be_changed_without_the_old_one(as_admin: APIClient, people: dict[str, User]):
    me = people["admin"]
    for tail, body in (("", {"password": GOOD}), ("password/", {"password": GOOD}), ("password/reset/", {})):
        answer = as_admin.patch(url(me, tail), body)
        assert (answer.status_code, answer.json()["code"]) == (400, "own_password"), tail


# --- deleting ---


def test_delete_is_for_super_administrators(as_org_admin: APIClient, as_admin: APIClient, people: dict[str, User]):
    assert as_org_admin.delete(url(people["user"])).status_code == 403
    assert as_admin.delete(url(people["user"])).status_code == 204
    assert not User.objects.filter(pk=people["user"].pk).exists()
    event = AuditEvent.objects.get(event="user.deleted")
    assert "uma" in event.resource


def test_delete_oneself_is_refused(as_admin: APIClient, people: dict[str, User], make_user: Callable[..., User]):
    make_user("second", role="Admin")
    assert as_admin.delete(url(people["admin"])).status_code == 403


def test_bulk_delete_needs_a_selection_and_checks_every_row(
    as_admin: APIClient, people: dict[str, User], make_user: Callable[..., User]
):
    assert as_admin.delete(USERS).status_code == 400
    ids = [str(people["user"].pk), str(people["admin"].pk)]
    spm = as_admin.post("/api/v1/common/resources/cache/", {"resources": ids}).json()["spm"]
    assert as_admin.delete(f"{USERS}?spm={spm}").status_code == 403
    assert User.objects.filter(pk__in=ids).count() == 2, "all or nothing"
    assert selections.LIFETIME_S == 300


# --- membership ---


@pytest.fixture
def licensed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open the licensed features."""
    monkeypatch.setattr(licensing, "is_open", lambda: True)


@pytest.mark.usefixtures("licensed")
def test_remove_only_removes_from_the_organization_and_its_groups(as_org_admin: APIClient, people: dict[str, User]):
    group = as_org_admin.post("/api/v1/users/groups/", {"name": "Ops", "users": [str(people["user"].pk)]}).json()
    assert group["users_amount"] == 1
    assert as_org_admin.post(url(people["user"], "remove/")).status_code == 204
    assert User.objects.filter(pk=people["user"].pk).exists()
    assert as_org_admin.get(url(people["user"])).status_code == 404
    assert as_org_admin.get(f"/api/v1/users/groups/{group['id']}/").json()["users"] == []


@pytest.mark.usefixtures("licensed")
def test_remove_of_a_selection_is_all_or_nothing(as_org_admin: APIClient, as_admin: APIClient, people: dict[str, User]):
    def spm(*chosen: User) -> str:
        ids = [str(user.pk) for user in chosen]
        token: str = as_org_admin.post("/api/v1/common/resources/cache/", {"resources": ids}).json()["spm"]
        return token

    members = Membership.objects.filter(org_id=DEFAULT_ORG_ID)
    before = members.count()
    assert as_org_admin.post(f"{USERS}remove/").status_code == 400
    above = as_org_admin.post(f"{USERS}remove/?spm={spm(people['user'], people['admin'])}")
    assert (above.status_code, members.count()) == (403, before)
    assert as_org_admin.post(f"{USERS}remove/?spm={spm(people['user'], people['auditor'])}").status_code == 204
    assert not members.filter(user__in=[people["user"], people["auditor"]]).exists()
    assert User.objects.filter(pk=people["user"].pk).exists()
    in_root = as_admin.post(f"{USERS}remove/?ids={people['org_admin'].pk}", **ROOT)
    assert (in_root.status_code, members.filter(user=people["org_admin"]).exists()) == (204, True)


@pytest.mark.usefixtures("licensed")
def test_invite_of_a_super_administrator_gives_a_role_in_this_organization(
    as_admin: APIClient, make_user: Callable[..., User]
):
    guest = make_user("guest", org_role=None)
    body = [{"user": str(guest.pk), "role": "Auditor"}]
    assert as_admin.post(f"{USERS}invite/", body).status_code == 201
    assert as_admin.get(url(guest)).json()["org_roles"] == ["Auditor"]
    assert as_admin.post(f"{USERS}invite/", [{"user": str(guest.pk), "role": "Owner"}]).status_code == 400


@pytest.mark.usefixtures("licensed")
def test_no_user_can_be_invited_into_the_root_organization(as_admin: APIClient, make_user: Callable[..., User]):
    guest = make_user("guest", org_role=None)
    answer = as_admin.post(f"{USERS}invite/", [{"user": str(guest.pk), "role": "User"}], **ROOT)
    assert (answer.status_code, list(answer.json())) == (400, ["error"])
    assert not guest.memberships.exists()


def test_k75_inviting_needs_a_licence_and_removing_never_does(
    as_org_admin: APIClient, people: dict[str, User], make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(licensing, "is_open", lambda: False)
    guest, other = make_user("guest", org_role=None), make_user("other")
    answer = as_org_admin.post(f"{USERS}invite/", [{"user": str(guest.pk), "role": "User"}])
    assert (answer.status_code, answer.json()["code"]) == (403, "licence_required")
    assert not guest.memberships.exists()
    assert as_org_admin.post(url(people["user"], "remove/")).status_code == 204
    assert as_org_admin.post(f"{USERS}remove/?ids={other.pk}").status_code == 204
    assert not people["user"].memberships.exists()
    assert not other.memberships.exists()


def test_suggestion_for_super_administrators_includes_users_without_an_organization_and_has_pages(
    as_admin: APIClient, make_user: Callable[..., User]
):
    for number in range(5):
        make_user(f"guest{number}", org_role=None)
    rows = as_admin.get(f"{USERS}suggestion/?search=guest").json()
    assert [row["username"] for row in rows] == ["guest0", "guest1", "guest2"]
    assert set(rows[0]) == {"id", "name", "username"}
    paged = as_admin.get(f"{USERS}suggestion/?search=guest4&limit=10&offset=0").json()
    assert (paged["count"], paged["next"]) == (1, None)


@pytest.mark.parametrize("role", ["as_user", "as_auditor"])
@pytest.mark.usefixtures("licensed")
def test_invite_needs_the_right(role: str, request: pytest.FixtureRequest, make_user: Callable[..., User]):
    guest = make_user("guest", org_role=None)
    client = request.getfixturevalue(role)
    assert client.post(f"{USERS}invite/", [{"user": str(guest.pk), "role": "Admin"}]).status_code == 403


@pytest.mark.usefixtures("licensed")
def test_org_member_relations_are_for_super_administrators(
    as_admin: APIClient, as_org_admin: APIClient, make_user: Callable[..., User]
):
    path = "/api/v1/orgs/org-member-relation/"
    other = Organization.objects.create(name="Branch")
    guest = make_user("guest", org_role=None)
    body = [{"org": str(other.pk), "user": str(guest.pk), "role": role} for role in ("Admin", "User")]
    assert as_org_admin.post(path, body).status_code == 403
    assert as_admin.post(path, body).status_code == 201
    assert as_admin.post(path, body).status_code == 201, "duplicates are ignored"
    rows = as_admin.get(f"{path}?org={other.pk}").json()
    assert sorted(row["role"] for row in rows) == ["Admin", "User"]
    assert rows[0]["user_display"] == "Guest(guest)"
    assert as_admin.delete(f"{path}{rows[0]['id']}/").status_code == 204
    assert len(as_admin.get(f"{path}?user={guest.pk}").json()) == 1


def test_organization_roles_default_to_user_and_stay_when_an_update_omits_them(
    as_org_admin: APIClient, make_user: Callable[..., User]
):
    actions = as_org_admin.options(USERS).json()["actions"]
    assert actions["POST"]["org_roles"]["default"] == ["User"]
    assert actions["POST"]["org_roles"]["required"] is False
    ann = make_user("ann", org_role="Auditor")
    assert as_org_admin.options(url(ann)).json()["actions"]["PUT"]["org_roles"]["default"] == ["User"]
    body = {"name": "Ann", "username": "ann", "email": "ann@example.test"}
    assert as_org_admin.put(url(ann), body).json()["org_roles"] == ["Auditor"]
    assert as_org_admin.put(USERS, [{"id": str(ann.pk), **body}]).json()[0]["org_roles"] == ["Auditor"]
    assert as_org_admin.post(USERS, new_person()).json()["org_roles"] == ["User"]


def test_taken_names_and_addresses_are_refused_at_their_items_whatever_their_case(
    as_org_admin: APIClient, make_user: Callable[..., User]
) -> None:
    make_user("ann")
    taken = [{"username": "ann"}, {"username": "ANN"}, {"email": "ann@example.test"}, {"email": "Ann@Example.test"}]
    items = [new_person(**{"username": f"p{n}", "email": f"p{n}@example.test", **one}) for n, one in enumerate(taken)]
    unique = ["This field must be unique."]
    errors = [
        {"username": ["User with this Username already exists."]},
        {"username": unique},
        {"email": ["User with this Email already exists."]},
        {"email": unique},
    ]
    as_org_admin.credentials(HTTP_ACCEPT_LANGUAGE="en")
    answer = as_org_admin.post(USERS, [*items, new_person()])
    assert (answer.status_code, answer.json()) == (400, [*errors, {}])
    for item, expected in zip(items, errors, strict=True):
        answer = as_org_admin.post(USERS, item)
        assert (answer.status_code, answer.json()) == (400, expected)
    bob = make_user("bob")
    answer = as_org_admin.patch(USERS, [{"id": str(bob.pk), "username": "ANN", "email": "BOB@example.test"}])
    assert (answer.status_code, answer.json()) == (400, [{"username": unique}])


def test_array_of_people_takes_few_queries_for_each(as_org_admin: APIClient) -> None:
    def queries_of(count: int, prefix: str) -> int:
        names = [f"{prefix}{number}" for number in range(count)]
        items = [new_person(username=name, email=f"{name}@example.test", password_strategy="email") for name in names]
        with CaptureQueriesContext(connection) as queries:
            assert as_org_admin.post(USERS, items).status_code == 201
        return len(queries)

    queries_of(2, "warm")
    assert (queries_of(12, "many") - queries_of(2, "few")) / 10 <= 21
