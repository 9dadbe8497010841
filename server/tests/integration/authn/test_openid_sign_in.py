"""Sign-in with OpenID Connect: creation of users, rights from claims, and the rules of Postern that apply after it."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from factories.external import SITE
from factories.openid import PROVIDERS, Guest, form_of, save
from factories.second_factor import App
from peers.openid_stand_in import OpenidStandIn, serving
from postern.apps.audits.models import AuditEvent, LoginLog
from postern.apps.authn.models import ExternalAccount, FederatedIdentity, LoginAcl, LoginSession, OpenidProvider
from postern.apps.orgs.models import Organization
from postern.apps.users.models import Membership, User, UserGroup, UserGroupMember
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db


@pytest.fixture
def corp() -> Iterator[OpenidStandIn]:
    claims = {
        "sub": "s-ann",
        "preferred_username": "ann",
        "name": "Ann Li",
        "email": "Ann@Corp.example",
        "groups": ["staff"],
    }
    with serving(OpenidStandIn(claims=claims)) as running:
        yield running


def ann() -> User:
    user: User = User.objects.get(username="ann")
    return user


def group(name: str, org_id: Any = DEFAULT_ORG_ID) -> UserGroup:
    made: UserGroup = UserGroup.objects.create(org_id=org_id, name=name)
    return made


def groups_of(user: User) -> set[str]:
    return set(UserGroupMember.objects.filter(user=user).values_list("usergroup__name", flat=True))


def test_first_sign_in_creates_the_user(as_admin: APIClient, corp: OpenidStandIn) -> None:
    save(as_admin, form_of(corp))
    guest = Guest()
    answer = guest.walk(corp)
    assert answer.json() == {"next": "/ui/", "must_change_password": False}
    user = ann()
    facts = (user.source, user.role, user.name, user.email, user.has_usable_password())
    assert facts == ("openid", "User", "Ann Li", "ann@corp.example", False)
    assert Membership.objects.get(user=user).org_id == DEFAULT_ORG_ID
    identity = FederatedIdentity.objects.get(user=user)
    assert (identity.issuer, identity.subject) == (corp.issuer, "s-ann")
    assert identity.date_last_used is not None
    assert LoginSession.objects.get(user=user).backend == "openid:corp"
    log = LoginLog.objects.get(username="ann")
    assert (log.status, log.backend, log.mfa) == (True, "openid:corp", 0)
    assert Guest().walk(corp).status_code == 200
    assert User.objects.filter(source="openid").count() == 1


def test_identity_is_the_subject_never_name_or_mail(as_admin: APIClient, corp: OpenidStandIn) -> None:
    save(as_admin, form_of(corp))
    assert Guest().walk(corp).status_code == 200
    corp.claims |= {"preferred_username": "renamed", "email": "new@corp.example", "name": "Ann Wang"}
    assert Guest().walk(corp).status_code == 200
    user = ann()  # the username does not change
    assert (user.email, user.name) == ("new@corp.example", "Ann Wang")
    corp.claims |= {"sub": "s-other", "preferred_username": "ann"}
    answer = Guest().walk(corp)
    assert answer.json()["error"] == "user_not_exist"
    assert "username ann belongs to another account" in answer.json()["msg"]
    corp.claims |= {"preferred_username": "other"}
    assert "mail address new@corp.example belongs" in Guest().walk(corp).json()["msg"]
    assert User.objects.filter(source="openid").count() == 1


@pytest.mark.parametrize("source", ["local", "ldap", "openid"])
def test_account_of_another_source_is_never_taken_over(
    as_admin: APIClient, corp: OpenidStandIn, make_person: Callable[..., User], source: str
) -> None:
    save(as_admin, form_of(corp))
    User.objects.filter(pk=make_person("ann").pk).update(source=source)
    answer = Guest().walk(corp)
    assert (answer.status_code, answer.json()["error"]) == (400, "user_not_exist")
    assert not FederatedIdentity.objects.exists()
    assert not LoginSession.objects.filter(user__username="ann").exists()


def test_prepared_user_is_linked_to_the_first_person_with_the_name_if_the_provider_allows_it(
    as_admin: APIClient, corp: OpenidStandIn, make_person: Callable[..., User]
) -> None:
    row = save(as_admin, form_of(corp, creates_users=False))
    assert "may not create one" in Guest().walk(corp).json()["msg"]
    User.objects.filter(pk=make_person("ann").pk).update(source="openid")
    assert "belongs to another account" in Guest().walk(corp).json()["msg"]
    assert as_admin.patch(f"{PROVIDERS}{row['id']}/", {"adopts_users": True}).status_code == 200
    assert Guest().walk(corp).status_code == 200
    corp.claims["sub"] = "s-other"
    assert "belongs to another account" in Guest().walk(corp).json()["msg"]


def test_users_of_one_source_cannot_sign_in_with_another(
    as_admin: APIClient, corp: OpenidStandIn, make_person: Callable[..., User]
) -> None:
    save(as_admin, form_of(corp))
    assert Guest().walk(corp).status_code == 200
    user = ann()
    user.set_password("violet anchor seventeen")
    user.save()
    assert Guest().sign_in("ann").json()["error"] == "password_failed"
    User.objects.filter(pk=user.pk).update(source="local")
    answer = Guest().walk(corp)
    assert "signs in another way" in answer.json()["msg"]
    assert not ExternalAccount.objects.exists()


def test_rules_give_and_remove_roles_and_groups(as_admin: APIClient, corp: OpenidStandIn) -> None:
    other = Organization.objects.create(name="Shanghai")
    dba, ops, far, by_hand = group("dba"), group("ops"), group("far", other.pk), group("by hand")
    rules = [
        {"claim": "realm_access.roles", "value": "auditors", "role": "Auditor"},
        {"claim": "groups", "value": "dba", "group": str(dba.pk)},
        {"claim": "groups", "value": "ops", "group": str(ops.pk)},
        {"claim": "groups", "value": "far", "group": str(far.pk)},
        {"claim": "groups", "value": "boss", "role": "Admin"},
    ]
    row = save(as_admin, form_of(corp, rules=rules))
    corp.claims |= {"groups": ["dba", "far", "unknown"], "realm_access": {"roles": ["auditors"]}}
    assert Guest().walk(corp).status_code == 200
    user = ann()
    assert (user.role, groups_of(user)) == ("Auditor", {"dba", "far"})
    assert Membership.objects.filter(user=user, org_id=other.pk, role="User").exists()
    UserGroupMember.objects.create(user=user, usergroup=by_hand)
    corp.claims |= {"groups": ["ops", "boss"], "realm_access": "odd"}
    assert Guest().walk(corp).status_code == 200
    user = ann()
    assert (user.role, groups_of(user)) == ("Admin", {"ops", "by hand"})
    corp.claims["groups"] = "Boss"  # values are compared exactly
    assert Guest().walk(corp).status_code == 200
    user = ann()
    assert (user.role, groups_of(user)) == ("User", {"by hand"})
    assert AuditEvent.objects.filter(event="user.updated").count() >= 4
    ops.delete()  # a rule about a deleted group has no effect
    corp.claims["groups"] = ["ops"]
    assert Guest().walk(corp).status_code == 200
    assert as_admin.patch(f"{PROVIDERS}{row['id']}/", {"rules": rules}).status_code == 400


def test_role_does_not_change_without_a_rule_about_roles(as_admin: APIClient, corp: OpenidStandIn) -> None:
    save(as_admin, form_of(corp))
    corp.claims |= {"role": "Admin", "roles": ["Admin"], "groups": ["Admin", "admin"]}
    assert Guest().walk(corp).status_code == 200
    assert ann().role == "User"
    User.objects.filter(username="ann").update(role="Auditor")
    assert Guest().walk(corp).status_code == 200
    assert ann().role == "Auditor"


def test_claims_missing_in_the_token_are_read_from_the_userinfo_endpoint(
    as_admin: APIClient, corp: OpenidStandIn
) -> None:
    save(as_admin, form_of(corp, username_claim="https://corp.example/login.name"))
    corp.only_userinfo = {"https://corp.example/login.name": "li.ann", "name": "Somebody else", "groups": []}
    assert Guest().walk(corp).status_code == 200
    assert User.objects.get(username="li.ann").name == "Ann Li"


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        ({"preferred_username": ""}, "did not tell your username (preferred_username)"),
        ({"preferred_username": ["ann"]}, "did not tell your username"),
        ({"preferred_username": "a" * 129}, "cannot be stored"),
        ({"preferred_username": "ann<script>/../"}, "cannot be stored"),
    ],
)
def test_invalid_usernames_are_refused(
    as_admin: APIClient, corp: OpenidStandIn, claims: dict[str, Any], words: str
) -> None:
    save(as_admin, form_of(corp))
    corp.claims |= claims
    answer = Guest().walk(corp)
    assert answer.status_code == 400
    assert words in answer.json()["msg"]
    assert not User.objects.filter(source="openid").exists()


def test_invisible_characters_in_names_are_removed(as_admin: APIClient, corp: OpenidStandIn) -> None:
    save(as_admin, form_of(corp))
    corp.claims["name"] = "Ann\u202e\u3164 Li\n"
    assert Guest().walk(corp).status_code == 200
    assert ann().name == "Ann Li"


def test_lookalike_of_an_existing_username_is_refused(as_admin: APIClient, corp: OpenidStandIn) -> None:
    save(as_admin, form_of(corp))
    corp.claims["preferred_username"] = "ＡＤＭＩＮ"
    assert "belongs to another account" in Guest().walk(corp).json()["msg"]


@pytest.mark.parametrize("verified", [False, "false", "False"])
def test_unverified_mail_address_is_not_used(as_admin: APIClient, corp: OpenidStandIn, verified: object) -> None:
    save(as_admin, form_of(corp))
    corp.claims["email_verified"] = verified
    assert Guest().walk(corp).status_code == 200
    assert ann().email == "ann@federated.invalid"


@pytest.mark.usefixtures("without_waits")
def test_rules_of_postern_apply_after_the_provider(as_admin: APIClient, corp: OpenidStandIn) -> None:
    save(as_admin, form_of(corp))
    assert Guest().walk(corp).status_code == 200
    user = ann()
    LoginAcl.objects.create(user=user, name="elsewhere", action="allow", ip_group=["203.0.113.0/24"])
    assert Guest().walk(corp).json()["error"] == "acl_not_allow"
    LoginAcl.objects.all().delete()
    User.objects.filter(pk=user.pk).update(date_expired=clock.now())
    assert Guest().walk(corp).json()["error"] == "user_expired"
    User.objects.filter(pk=user.pk).update(date_expired=None, is_active=False)
    corp.claims["groups"] = ["boss"]
    assert Guest().walk(corp).json()["error"] == "user_inactive"
    User.objects.filter(pk=user.pk).update(is_active=True)
    for _ in range(8):
        Guest("198.51.100.7").sign_in("ann", "wrong")
    assert Guest("198.51.100.8").walk(corp).json()["error"] == "block_login"
    assert Guest().walk(corp).status_code == 200  # a lock caused by strangers does not apply to a known place


def test_second_factor_of_postern_is_still_required(as_admin: APIClient, corp: OpenidStandIn) -> None:
    save(as_admin, form_of(corp))
    assert Guest().walk(corp).status_code == 200
    app = App(ann())
    guest = Guest()
    answer = guest.walk(corp)
    assert answer.json()["error"] == "mfa_required"
    assert guest.get("/api/v1/users/profile/").status_code == 401
    code = {"code": app.code(), "type": "code"}
    assert guest.post("/api/v1/authentication/mfa/challenge/", code).status_code == 200
    assert guest.get("/api/v1/users/profile/").status_code == 200
    log = LoginLog.objects.filter(username="ann").order_by("-datetime", "-pk")[0]
    assert (log.backend, log.mfa) == ("openid:corp", 1)


def test_user_with_mandatory_second_factor_sets_it_up(as_admin: APIClient, corp: OpenidStandIn) -> None:
    save(as_admin, form_of(corp))
    assert Guest().walk(corp).status_code == 200
    User.objects.filter(username="ann").update(mfa_level=2)
    guest = Guest()
    assert guest.walk(corp).json()["error"] == "mfa_unset"
    assert guest.get("/api/v1/users/profile/").status_code == 401


def test_provider_switched_off_during_the_visit_signs_nobody_in(as_admin: APIClient, corp: OpenidStandIn) -> None:
    row = save(as_admin, form_of(corp))
    early, late = Guest(), Guest()
    back, visit = corp.come_back(early.start()), late.come_back(corp.come_back(late.start()))
    assert as_admin.patch(f"{PROVIDERS}{row['id']}/", {"is_active": False}).status_code == 200
    assert "is switched off" in early.use(early.come_back(back)).json()["msg"]
    assert "is switched off" in late.use(visit).json()["msg"]
    third = Guest()
    page = third.start()
    assert "is switched off" in third.use(page.partition("external=")[2].partition("&")[0]).json()["msg"]
    assert as_admin.delete(f"{PROVIDERS}{row['id']}/").status_code == 204
    assert third.start() == "/core/auth/login/"


def test_paths_without_an_id_use_the_first_provider(as_admin: APIClient, corp: OpenidStandIn) -> None:
    save(as_admin, form_of(corp, name="Second", slug="second", order=60))
    save(as_admin, form_of(corp, name="First", slug="first", order=40))
    guest = Guest()
    page = guest.start("")
    assert f"redirect_uri=http%3A%2F%2F{SITE.replace(':', '%3A')}%2Fcore%2Fauth%2Fopenid%2Fcallback%2F" in page
    assert guest.use(guest.come_back(corp.come_back(page))).status_code == 200
    assert LoginSession.objects.get(user=ann()).backend == "openid:first"
    data = Guest().get("/api/v1/settings/public/").json()["data"]
    assert data["AUTH_OPENID"] is True
    assert data["OPENID_PROVIDERS"] == [{"id": "first", "name": "First"}, {"id": "second", "name": "Second"}]
    OpenidProvider.objects.update(is_active=False)
    data = Guest().get("/api/v1/settings/public/").json()["data"]
    assert (data["AUTH_OPENID"], data["OPENID_PROVIDERS"]) == (False, [])


@pytest.mark.django_db(transaction=True)
def test_twenty_concurrent_first_sign_ins_create_one_user(as_admin: APIClient, corp: OpenidStandIn) -> None:
    save(as_admin, form_of(corp))
    guests = [Guest() for _ in range(20)]
    visits = [guest.come_back(corp.come_back(guest.start())) for guest in guests]
    for guest in guests:
        guest.get("/api/v1/authentication/sign-in/")

    def use(pair: tuple[Guest, str]) -> int:
        try:
            return int(pair[0].use(pair[1]).status_code)
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        codes = list(pool.map(use, zip(guests, visits, strict=True)))
    assert set(codes) == {200}
    assert User.objects.filter(source="openid").count() == 1
    assert FederatedIdentity.objects.count() == 1
