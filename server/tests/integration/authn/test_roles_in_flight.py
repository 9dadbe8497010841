"""A write is checked against the roles at the time of the write, not at the beginning of the request."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.request import Request

from factories.browser import Browser
from postern.apps.assets.models import Label
from postern.apps.authn.models import LoginSession
from postern.apps.orgs.facade import create_organization
from postern.apps.users.models import Membership, User
from postern.apps.users.people.actions import people
from postern.apps.users.people.api import views
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.rest.views import PosternView
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db
USERS = "/api/v1/users/users/"
NEW = "emerald harbour twenty"


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], None]:
    """Run `act` after the next request was authorized and before its write."""

    def during(act: Callable[[], Any]) -> None:
        initial = PosternView.initial

        def initial_and_more(self: PosternView, request: Request, *args: Any, **kwargs: Any) -> None:
            monkeypatch.setattr(PosternView, "initial", initial)
            initial(self, request, *args, **kwargs)
            act()

        monkeypatch.setattr(PosternView, "initial", initial_and_more)

    return during


@pytest.fixture
def org_admin(make_person: Callable[..., User]) -> Browser:
    """The browser of an administrator of the default organization."""
    person = make_person("olga")
    Membership.objects.create(org_id=DEFAULT_ORG_ID, user=person, role="Admin")
    browser = Browser()
    assert browser.sign_in("olga").status_code == 200
    LoginSession.objects.update(date_password_verified=clock.now(), date_mfa_verified=clock.now())
    return browser


def rise(user: User) -> None:
    User.objects.filter(pk=user.pk).update(role="Admin")


def fall() -> None:
    Membership.objects.filter(user__username="olga", role="Admin").delete()


def on_hashing(monkeypatch: pytest.MonkeyPatch, act: Callable[[], Any]) -> None:
    """Run `act` while the password is hashed: after all checks of the request and before its write."""
    prepare = people.prepare_for_another

    def prepare_and_more(*args: Any) -> Any:
        new = prepare(*args)
        act()
        return new

    monkeypatch.setattr(people, "prepare_for_another", prepare_and_more)


def test_k60_password_is_not_changed_when_its_user_becomes_an_administrator_during_hashing(
    org_admin: Browser, make_person: Callable[..., User], monkeypatch: pytest.MonkeyPatch
):
    ann = make_person("ann")
    on_hashing(monkeypatch, lambda: rise(ann))
    answer = org_admin.patch(f"{USERS}{ann.pk}/", {"password": NEW}, format="json")
    assert answer.status_code == 403, answer.content
    assert User.objects.get(pk=ann.pk).password == ann.password


def test_k60_password_is_not_changed_when_its_user_joins_another_organization_during_hashing(
    org_admin: Browser, make_person: Callable[..., User], monkeypatch: pytest.MonkeyPatch
):
    ann = make_person("ann")
    other = create_organization(actor=SYSTEM, name="Elsewhere")
    on_hashing(monkeypatch, lambda: Membership.objects.create(org_id=other.pk, user=ann, role="Admin"))
    answer = org_admin.patch(USERS, [{"id": str(ann.pk), "password": NEW}], format="json")
    assert answer.status_code == 403, answer.content
    assert User.objects.get(pk=ann.pk).password == ann.password


@pytest.mark.parametrize(
    "call",
    [
        ("put", "password/", {"password": NEW}),
        ("put", "password/reset/", {}),
        ("post", "access/reset/", {}),
        ("put", "pubkey/reset/", {}),
        ("post", "otp/reset/", {}),
    ],
)
def test_k60_account_is_not_changed_when_its_user_becomes_an_administrator_during_the_request(
    org_admin: Browser,
    make_person: Callable[..., User],
    monkeypatch: pytest.MonkeyPatch,
    call: tuple[str, str, dict[str, str]],
):
    method, path, body = call
    ann = make_person("ann")
    changeable = views.UserViewSet._changeable

    def changeable_and_more(self: Any) -> User:
        user = changeable(self)
        rise(ann)
        return user

    monkeypatch.setattr(views.UserViewSet, "_changeable", changeable_and_more)
    answer = getattr(org_admin, method)(f"{USERS}{ann.pk}/{path}", body, format="json")
    assert answer.status_code == 403, answer.content
    row = User.objects.get(pk=ann.pk)
    assert (row.password, row.session_epoch, row.public_key) == (ann.password, ann.session_epoch, ann.public_key)


def test_k35_administrator_who_loses_the_role_during_the_request_creates_and_changes_no_user(
    org_admin: Browser, make_person: Callable[..., User], meanwhile: Callable[[Callable[[], Any]], None]
):
    ann = make_person("ann")
    meanwhile(fall)
    assert org_admin.patch(f"{USERS}{ann.pk}/", {"comment": "mine"}, format="json").status_code == 403
    assert User.objects.get(pk=ann.pk).comment == ann.comment


@pytest.mark.parametrize("many", [False, True])
def test_administrator_who_loses_the_role_during_the_request_writes_nothing_else(
    org_admin: Browser, meanwhile: Callable[[Callable[[], Any]], None], many: bool
):
    body: Any = {"name": "owner", "value": "olga"}
    meanwhile(fall)
    answer = org_admin.post("/api/v1/assets/labels/", [body] if many else body, format="json")
    assert answer.status_code == 403, answer.content
    assert not Label.objects.exists()


def test_super_administrator_can_give_up_their_own_role_in_a_full_form(make_person: Callable[..., User]):
    first, second = make_person("first", role="Admin"), make_person("second", role="Admin")
    browser = Browser()
    assert browser.sign_in("first").status_code == 200
    LoginSession.objects.update(date_password_verified=clock.now(), date_mfa_verified=clock.now())
    answer = browser.patch(f"{USERS}{first.pk}/", {"role": "User", "org_roles": ["Auditor"]}, format="json")
    assert answer.status_code == 200, answer.content
    assert User.objects.get(pk=first.pk).role == "User"
    assert second.role == "Admin"
