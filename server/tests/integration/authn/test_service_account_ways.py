"""Service accounts sign in with keys only, even if a defect left them other credentials."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from factories.external import NAMES, Visitor, running_services, set_up, through_provider, visit_of
from factories.puzzles import post_solving
from factories.signed_request import PROFILE, signed
from factories.soft_authenticator import ORIGIN, SoftKey, enrolled
from factories.ssh_proof import PROXY_ID, make_key, signed_request
from peers.company_apps import Service
from postern.apps.audits.models import LoginLog
from postern.apps.authn import facade
from postern.apps.authn.credentials.actions.login_sessions import SignInOrigin, open_login_session
from postern.apps.authn.credentials.actions.tokens import make_key as make_access_key
from postern.apps.authn.federation import arrivals
from postern.apps.authn.federation.errors import NoUser
from postern.apps.authn.federation.mapping import ProviderData
from postern.apps.authn.models import (
    AccessKey,
    BearerToken,
    ExternalAccount,
    FederatedIdentity,
    LoginAcl,
    LoginSession,
    OpenidProvider,
)
from postern.apps.authn.ssh_codes import actions as ssh_codes
from postern.apps.authn.sso_links.policy import LinkRefusal, link_refusal
from postern.apps.preferences.models import PreferenceValue
from postern.apps.users.accounts.service_accounts import NoPassword
from postern.apps.users.models import Kind, User
from postern.contracts.enums import DenialCode, LoginFrom
from postern.foundation.caller.actor import SYSTEM, Actor, ActorKind
from postern.kernel import clock

API = "/api/v1/authentication/"
ADDRESS = "203.0.113.5"
KEY, LINE = make_key()
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_waits")]


def prefer(name: str, value: object) -> None:
    PreferenceValue.objects.update_or_create(name=name, defaults={"value": value})


def become_service(user: User) -> User:
    """Turn a user with credentials into a service account, which the product never does."""
    User.objects.filter(pk=user.pk).update(
        kind=Kind.SERVICE, is_first_login=False, mfa_level=0, need_update_password=False, public_key=LINE
    )
    user.refresh_from_db()
    return user


@pytest.fixture
def robot(ann: User) -> User:
    return become_service(ann)


def assert_not_signed_in(user: User) -> None:
    assert not LoginSession.objects.filter(user=user, date_ended__isnull=True).exists()
    assert not BearerToken.objects.filter(user=user).exists()
    assert not LoginLog.objects.filter(username=user.username, status=True).exists()


def over_ssh(*, name: str = "ann", password: str = PASSWORD, attempt: str = "1") -> Any:
    return facade.check_password(
        username=name,
        password=password,
        remote_addr=ADDRESS,
        login_from=LoginFrom.SSH_TERMINAL,
        proxy_id=PROXY_ID,
        attempt=attempt,
    )


def by_key() -> Any:
    signed_bytes, signature = signed_request(KEY, "ann")
    return facade.sign_in_with_public_key(
        username="ann",
        proof=facade.read_proof(signed_bytes, signature),
        attempt=signature.hex()[:16],
        remote_addr=ADDRESS,
        login_from=LoginFrom.SSH_TERMINAL,
        proxy_id=PROXY_ID,
    )


def test_password_is_refused_like_a_wrong_password(browser: Browser, robot: User):
    assert robot.has_usable_password()
    form = browser.sign_in("ann")
    unknown = Browser().sign_in("nobody")
    assert (form.status_code, form.json()["error"]) == (unknown.status_code, unknown.json()["error"])
    token = post_solving(APIClient(), f"{API}auth/", {"username": "ann", "password": PASSWORD})
    assert token.status_code in {400, 401}
    assert over_ssh().denial.code is DenialCode.BAD_CREDENTIALS
    assert_not_signed_in(robot)


def test_sign_in_of_a_person_is_not_completed_as_a_service_account(robot: User):
    with pytest.raises(NoPassword):
        open_login_session(user=robot, origin=SignInOrigin(remote_addr=ADDRESS))
    assert_not_signed_in(robot)


def test_passkey_alone_is_refused(browser: Browser, ann: User):
    prefer("SITE_URL", ORIGIN)
    key = enrolled(ann)
    robot = become_service(ann)
    answer = alone(browser, key)
    assert answer.status_code == 400, answer.content
    assert "passkey" not in answer.json()["error"] or answer.json()["error"] != "passkey_failed"
    assert_not_signed_in(robot)


def alone(browser: Browser, key: SoftKey) -> Any:
    browser.get(f"{API}sign-in/")
    options = browser.post(f"{API}passkeys/sign-in/start/", format="json").json()
    return browser.post(f"{API}passkeys/sign-in/", {"credential": key.show(options)}, format="json")


def test_there_is_no_sso_link(robot: User):
    assert link_refusal(robot, ["User"]) is LinkRefusal.SERVICE


def test_forgotten_password_makes_no_link(robot: User):
    answer = post_solving(APIClient(), f"{API}password/forgot/", {"username": "ann"})
    unknown = post_solving(APIClient(), f"{API}password/forgot/", {"username": "nobody"})
    assert (answer.status_code, answer.json()) == (unknown.status_code, unknown.json())
    assert_not_signed_in(robot)


def test_code_for_ssh_is_refused(browser: Browser, ann: User):
    browser.sign_in("ann")
    login_session = LoginSession.objects.get(user=ann)
    actor = Actor(kind=ActorKind.USER, user_id=ann.pk, username="ann", name="Ann", epoch=ann.session_epoch)
    issued = ssh_codes.issue(actor=actor, user=ann, login_session=login_session)
    become_service(ann)
    assert over_ssh(password=issued.code.reveal()).denial.code is DenialCode.METHOD_DISABLED


@pytest.fixture
def services(as_admin: APIClient) -> Iterator[dict[str, Service]]:
    with running_services() as running:
        set_up(as_admin, running)
        yield running


@pytest.mark.parametrize("name", NAMES)
def test_bound_account_of_a_provider_is_refused(services: dict[str, Service], robot: User, name: str):
    person = services[name].person
    ExternalAccount.objects.create(
        user=robot, provider=name, tenant=person.tenant, subject=person.subject, name=person.name
    )
    visitor = Visitor()
    location = visitor.come_back(through_provider(services[name], visitor.start(name, next="")))
    answer = visitor.use(visit_of(location))
    assert (answer.status_code, answer.json()["error"]) == (400, "service_account")
    assert_not_signed_in(robot)


def test_ssh_key_signs_in_without_conditions_of_people(robot: User):
    for name, value in (("SECURITY_MFA_AUTH", 1), ("SECURITY_PASSWORD_EXPIRATION_TIME", 1)):
        prefer(name, value)
    User.objects.filter(pk=robot.pk).update(date_password_last_updated=clock.now() - timedelta(days=400))
    assert facade.unmet_condition(robot.pk) is None
    answer = by_key()
    assert answer.denial is None
    assert answer.user.username == "ann"
    assert LoginLog.objects.get(username="ann").status is True


def test_ssh_key_is_subject_to_login_acls_account_state_and_setting(robot: User):
    acl = LoginAcl.objects.create(user=robot, name="no", ip_group=["*"], hours=[], action="reject", priority=1)
    assert by_key().denial.code is DenialCode.NOT_ADMITTED
    acl.delete()
    User.objects.filter(pk=robot.pk).update(is_active=False)
    assert by_key().denial.code is DenialCode.USER_INACTIVE
    User.objects.filter(pk=robot.pk).update(is_active=True, date_expired=clock.now())
    assert by_key().denial.code is DenialCode.USER_EXPIRED
    User.objects.filter(pk=robot.pk).update(date_expired=None)
    prefer("TERMINAL_PUBLIC_KEY_AUTH", value=False)
    assert by_key().denial.code is DenialCode.METHOD_DISABLED
    prefer("TERMINAL_PUBLIC_KEY_AUTH", value=True)
    assert by_key().denial is None


def test_access_key_is_subject_to_login_acls(robot: User):
    issued = make_access_key(actor=SYSTEM, user=robot, comment="", date_expired=None)
    head = signed(str(issued.key.pk), issued.secret.reveal())
    LoginAcl.objects.create(user=robot, name="no", ip_group=["*"], hours=[], action="reject", priority=1)
    assert APIClient().get(PROFILE, **head).status_code in {401, 403}


def test_expired_key_ends_its_connections(robot: User):
    issued = make_access_key(actor=SYSTEM, user=robot, comment="", date_expired=clock.now() + timedelta(minutes=1))
    name = f"access_key:{issued.key.pk}"
    assert facade.credentials_holding([name]) == {name}
    AccessKey.objects.filter(pk=issued.key.pk).update(date_expired=clock.now())
    assert facade.credentials_holding([name]) == frozenset()
    assert not facade.hold_maker(login_session=None, credential=name)


def test_service_account_is_never_taken_over_by_a_person_of_a_provider(robot: User):
    provider = OpenidProvider(name="Corp", slug="corp", adopts_users=True, creates_users=True)
    data = ProviderData(username="ann", name="Ann", email="ann@example.com", held=frozenset())
    for source in ("openid", "saml"):
        with pytest.raises(NoUser):
            arrivals.admit(provider, source, "https://corp.example", "1", data)
    assert not FederatedIdentity.objects.exists()
    robot.refresh_from_db()
    assert robot.source == "local"
