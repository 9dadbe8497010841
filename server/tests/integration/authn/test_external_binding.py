"""Binding and unbinding accounts at WeCom, DingTalk and FeiShu, by their owners and by administrators."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.external import BIND, NAMES, SITE, Visitor, running_services, set_up, through_provider, visit_of
from peers.company_apps import Service, Somebody
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.models import ExternalAccount, ExternalRequest, LoginSession, PendingSignIn
from postern.apps.users.models import Membership, User
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID

PROFILE = "/api/v1/users/profile/"

pytestmark = pytest.mark.django_db


@pytest.fixture
def services(as_admin: APIClient) -> Iterator[dict[str, Service]]:
    with running_services() as running:
        set_up(as_admin, running)
        yield running


@pytest.fixture
def visitor(services: dict[str, Service], ann: User) -> Visitor:
    """Ann's browser, signed in with her password."""
    browser = Visitor()
    assert browser.sign_in("ann").status_code == 200
    return browser


def unbind_url(name: str, user: User | None = None) -> str:
    return f"/api/v1/authentication/{name}/qr/unbind/" + (f"{user.pk}/" if user is not None else "")


def bound(user: User, name: str = "wecom", subject: str = "s-1") -> ExternalAccount:
    return ExternalAccount.objects.create(user=user, provider=name, tenant="corp-1", subject=subject, name="A")


@pytest.mark.parametrize("name", NAMES)
def test_bind_sign_in_and_unbind(visitor: Visitor, services: dict[str, Service], ann: User, name: str) -> None:
    service = services[name]
    assert visitor.get(PROFILE).json()[f"is_{name}_bound"] is False
    answer = visitor.bind(name, service)
    assert answer.status_code == 200, answer.content
    account = ExternalAccount.objects.get()
    assert (account.user_id, account.provider, account.tenant) == (ann.pk, name, "corp-1")
    assert account.subject == service.person.subject
    assert visitor.get(PROFILE).json()[f"is_{name}_bound"] is True
    (record,) = AuditEvent.objects.filter(event="external_account.bound")
    assert (record.resource_id, record.new["provider"]) == (str(ann.pk), name)

    other = Visitor()
    assert other.sign_in_by(name, service).status_code == 200
    answer = visitor.post(unbind_url(name))
    assert answer.status_code == 200, answer.content
    assert not ExternalAccount.objects.exists()
    (record,) = AuditEvent.objects.filter(event="external_account.unbound")
    assert record.old["subject"] == service.person.subject
    assert other.get(PROFILE).status_code == 401  # the sign-in with the account has ended
    assert visitor.get(PROFILE).json()[f"is_{name}_bound"] is False
    assert Visitor().sign_in_by(name, service).json()["error"] == "external_not_bound"
    second = visitor.post(unbind_url(name))
    assert (second.status_code, second.json()["code"]) == (400, f"{name}_not_bound")


@pytest.mark.parametrize("name", NAMES)
def test_binding_requires_a_recent_password(visitor: Visitor, services: dict[str, Service], name: str) -> None:
    profile = f"/ui/users/profile?activeTab=info&dialog={name}-bind"
    assert visitor.start(name, "bind") == profile
    visitor.verify()
    LoginSession.objects.update(date_password_verified=clock.now() - timedelta(seconds=301))
    assert visitor.start(name, "bind") == profile
    assert not ExternalRequest.objects.exists()
    visitor.verify()
    assert visitor.start(name, "bind").startswith(services[name].base)


@pytest.mark.parametrize("name", NAMES)
def test_unbinding_requires_a_recent_password(visitor: Visitor, ann: User, name: str) -> None:
    bound(ann, name)
    answer = visitor.post(unbind_url(name))
    assert (answer.status_code, answer.json()["code"]) == (400, "password_verify_required")
    assert ExternalAccount.objects.exists()


def test_older_address_redirects_to_the_dialog(visitor: Visitor) -> None:
    answer = visitor.get("/core/auth/wecom/bind/start/", HTTP_HOST=SITE)
    assert answer.headers["Location"] == "/ui/users/profile?activeTab=info&dialog=wecom-bind"


def test_link_on_another_site_begins_no_binding(visitor: Visitor, services: dict[str, Service]) -> None:
    visitor.verify()
    for origin in ("cross-site", "same-site"):
        answer = visitor.get("/core/auth/wecom/qr/bind/", HTTP_SEC_FETCH_SITE=origin, HTTP_HOST=SITE)
        assert answer.headers["Location"].startswith("/ui/users/profile")
    assert not ExternalRequest.objects.exists()


def test_anonymous_callers_cannot_bind(services: dict[str, Service]) -> None:
    stranger = Visitor()
    assert stranger.start("wecom", "bind").startswith("/core/auth/login/")
    stranger.get("/api/v1/authentication/sign-in/")
    assert stranger.post(BIND, {"id": "x"}).status_code == 401


def test_k27_visit_binds_only_for_the_sign_in_that_began_it(
    visitor: Visitor, services: dict[str, Service], make_person: Callable[..., User]
) -> None:
    make_person("bob")
    visitor.verify()
    visit = visitor.walk("wecom", services["wecom"], "bind")
    cookie = visitor.cookies["postern_visit"].value
    bob = Visitor()
    bob.sign_in("bob")
    bob.cookies["postern_visit"] = cookie  # also with the cookie of that browser
    assert bob.use(visit, BIND).json()["error"] == "external_lapsed"
    assert not ExternalAccount.objects.exists()


def test_visit_binds_once(visitor: Visitor, services: dict[str, Service], ann: User) -> None:
    visitor.verify()
    visit = visitor.walk("wecom", services["wecom"], "bind")
    cookie = visitor.cookies["postern_visit"].value
    assert visitor.use(visit, BIND).status_code == 200
    ExternalAccount.objects.all().delete()
    visitor.cookies["postern_visit"] = cookie
    assert visitor.use(visit, BIND).json()["error"] == "external_lapsed"
    assert not ExternalAccount.objects.exists()


def test_signing_out_ends_an_unfinished_binding(visitor: Visitor, services: dict[str, Service]) -> None:
    visitor.verify()
    visit = visitor.walk("wecom", services["wecom"], "bind")
    visitor.post("/api/v1/authentication/sign-out/")
    visitor.sign_in("ann")
    assert visitor.use(visit, BIND).json()["error"] == "external_lapsed"


def test_account_has_one_user_and_a_user_has_one_account(
    visitor: Visitor, services: dict[str, Service], ann: User, make_person: Callable[..., User]
) -> None:
    service = services["wecom"]
    taken = bound(make_person("bob"), subject=service.person.subject)
    answer = visitor.bind("wecom", service)
    assert (answer.status_code, answer.json()["code"]) == (409, "external_already_bound")
    assert "bob" not in answer.content.decode().lower()
    taken.delete()
    bound(ann, subject="other")
    assert visitor.bind("wecom", service).status_code == 409
    assert ExternalAccount.objects.get().subject == "other"
    assert AuditEvent.objects.filter(event="external_account.refused").count() == 2


@pytest.mark.parametrize("name", NAMES)
def test_account_of_another_company_is_not_bound(visitor: Visitor, services: dict[str, Service], name: str) -> None:
    services[name].person = Somebody("corp-2", "s", is_stranger=True)
    answer = visitor.bind(name, services[name])
    assert (answer.status_code, answer.json()["code"]) == (400, "external_failed")
    assert not ExternalAccount.objects.exists()
    assert AuditEvent.objects.filter(event="external_account.refused").count() == 1


@pytest.mark.parametrize(
    "person",
    [Somebody("corp-1", "a\x00b"), Somebody("corp-1", "x" * 257), Somebody("corp-1", "a\nb")],
)
def test_person_with_invalid_ids_is_refused(visitor: Visitor, services: dict[str, Service], person: Somebody) -> None:
    services["feishu"].person = person
    answer = visitor.bind("feishu", services["feishu"])
    assert (answer.status_code, answer.json()["code"]) == (400, "external_failed")


def test_long_and_unprintable_names_are_shortened(visitor: Visitor, services: dict[str, Service]) -> None:
    services["feishu"].person = Somebody("corp-1", "ou_1", name="李\u202e\x00<b>" + "x" * 300)
    assert visitor.bind("feishu", services["feishu"]).status_code == 200
    name = ExternalAccount.objects.get().name
    assert name.startswith("李<b>xxx")
    assert len(name) == 128


# --- administrators ---


@pytest.mark.parametrize("name", NAMES)
def test_administrators_unbind_users(
    as_org_admin: APIClient, make_user: Callable[..., User], services: dict[str, Service], name: str
) -> None:
    member = make_user("mia", org_role="User")
    bound(member, name)
    row = as_org_admin.get(f"/api/v1/users/users/{member.pk}/").json()
    assert row[f"is_{name}_bound"] is True
    answer = as_org_admin.post(unbind_url(name, member))
    assert answer.status_code == 200, answer.content
    second = as_org_admin.post(unbind_url(name, member))
    assert (second.status_code, second.json()["code"]) == (400, f"{name}_not_bound")
    assert AuditEvent.objects.filter(event="external_account.unbound").count() == 1


def test_unbinding_ends_the_sign_ins_of_the_account(
    as_admin: APIClient, services: dict[str, Service], ann: User
) -> None:
    service = services["wecom"]
    bound(ann, subject=service.person.subject)
    browser, with_password = Visitor(), Visitor()
    assert browser.sign_in_by("wecom", service).status_code == 200
    with_password.sign_in("ann")
    assert as_admin.post(unbind_url("wecom", ann)).status_code == 200
    assert browser.get(PROFILE).status_code == 401
    assert with_password.get(PROFILE).status_code == 200
    assert not PendingSignIn.objects.exists()


def test_k60_organization_administrators_cannot_unbind_higher_roles(
    as_org_admin: APIClient, people: dict[str, User]
) -> None:
    bound(people["admin"])
    answer = as_org_admin.post(unbind_url("wecom", people["admin"]))
    assert answer.status_code in {403, 404}
    assert ExternalAccount.objects.exists()


def test_users_of_other_organizations_are_not_found(as_org_admin: APIClient, make_person: Callable[..., User]) -> None:
    outsider = make_person("bob")
    Membership.objects.filter(user=outsider, org_id=DEFAULT_ORG_ID).delete()
    bound(outsider)
    assert as_org_admin.post(unbind_url("wecom", outsider)).status_code == 404
    assert ExternalAccount.objects.exists()


def test_administrators_need_the_password_to_unbind_their_own_account(
    as_admin: APIClient, people: dict[str, User]
) -> None:
    bound(people["admin"])
    answer = as_admin.post(unbind_url("wecom", people["admin"]))
    assert (answer.status_code, answer.json()["code"]) == (400, "password_verify_required")


def test_reset_of_all_access_also_unbinds(as_admin: APIClient, make_user: Callable[..., User]) -> None:
    member = make_user("mia", org_role="User")
    bound(member)
    answer: Any = as_admin.post(f"/api/v1/users/users/{member.pk}/access/reset/")
    assert answer.json()["ended"]["external_accounts"] == 1
    assert not ExternalAccount.objects.exists()


def test_deleting_a_user_deletes_bound_accounts(as_admin: APIClient, make_user: Callable[..., User]) -> None:
    member = make_user("mia", org_role="User")
    bound(member)
    assert as_admin.delete(f"/api/v1/users/users/{member.pk}/").status_code == 204
    assert not ExternalAccount.objects.exists()


def test_list_of_users_reads_bound_accounts_with_one_query(
    as_admin: APIClient, make_user: Callable[..., User], django_assert_num_queries: Any
) -> None:
    for number in range(5):
        bound(make_user(f"m{number}", org_role="User"), subject=f"s-{number}")
    rows = as_admin.get("/api/v1/users/users/").json()
    assert sum(row["is_wecom_bound"] for row in rows) == 5
    assert not any(row["is_feishu_bound"] for row in rows)


def test_callback_redirects_to_the_result_on_the_profile_page(visitor: Visitor, services: dict[str, Service]) -> None:
    visitor.verify()
    location = visitor.come_back(through_provider(services["wecom"], visitor.start("wecom", "bind")))
    assert location == f"/ui/users/profile?activeTab=info&external={visit_of(location)}"
