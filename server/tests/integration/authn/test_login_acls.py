"""Login ACLs: addresses and times at which a user may sign in, with every kind of credential."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from unittest import mock
from uuid import uuid4

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from factories.signed_request import PROFILE, signed
from postern.apps.audits.models import AuditEvent, LoginLog
from postern.apps.authn import facade as authn
from postern.apps.authn.login_acls.actions import MOST_RULES
from postern.apps.authn.models import LoginAcl
from postern.apps.orgs.models import Organization
from postern.apps.users.models import User
from postern.contracts.enums import DenialCode, LoginFrom
from postern.kernel import clock

ACLS = "/api/v1/acls/login-acls/"
TOKENS = "/api/v1/authentication/tokens/"
HOME, AWAY = "192.0.2.10", "198.51.100.7"
pytestmark = pytest.mark.django_db


def rule(user: User, **more: Any) -> LoginAcl:
    values = {"name": "office", "action": "allow", "ip_group": [f"{HOME}/32"], **more}
    row: LoginAcl = LoginAcl.objects.create(user=user, **values)
    return row


def test_sign_in_is_allowed_only_from_matching_addresses_and_logged(ann: User) -> None:
    rule(ann)
    assert Browser(HOME).sign_in("ann").status_code == 200
    refused = Browser(AWAY).sign_in("ann")
    assert refused.status_code == 400
    assert refused.json()["error"] == "acl_not_allow"
    assert refused.json()["msg"]
    log = LoginLog.objects.order_by("-datetime").first()
    assert log is not None
    assert (log.username, log.status, log.reason) == ("ann", False, "acl_not_allow")


def test_wrong_password_does_not_reveal_the_rule(ann: User) -> None:
    rule(ann)
    assert Browser(AWAY).sign_in("ann", "wrong").json()["error"] == "password_failed"


@pytest.mark.parametrize(
    ("rules", "is_admitted"),
    [
        ([], True),
        ([{"action": "reject", "ip_group": ["*"]}], False),
        ([{"action": "reject", "ip_group": ["203.0.113.0/24"]}], True),
        ([{"action": "allow", "ip_group": ["203.0.113.0/24"]}], False),
        ([{"action": "allow", "ip_group": ["198.51.100.1-198.51.100.9"]}], True),
        ([{"action": "reject", "ip_group": ["*"], "is_active": False}], True),
        ([{"action": "reject", "ip_group": ["*"], "priority": 9}, {"priority": 8, "ip_group": ["*"]}], True),
        ([{"action": "reject", "ip_group": ["*"], "priority": 7}, {"priority": 8, "ip_group": ["*"]}], False),
        # of two rules with the same priority, the later change decides
        ([{"action": "reject", "ip_group": ["*"]}, {"ip_group": ["*"]}], True),
        ([{"ip_group": ["*"]}, {"action": "reject", "ip_group": ["*"]}], False),
    ],
)
def test_first_active_rule_decides(ann: User, rules: list[dict[str, Any]], is_admitted: bool) -> None:
    for number, values in enumerate(rules):
        rule(ann, name=f"r{number}", **values)
    assert (Browser(AWAY).sign_in("ann").status_code == 200) is is_admitted


def test_new_rule_applies_to_existing_browser_token_key_and_proxy(ann: User) -> None:
    browser = Browser(AWAY)
    browser.sign_in("ann")
    key = browser.post("/api/v1/authentication/access-keys/").json()
    token = APIClient().post(TOKENS, {"username": "ann", "password": PASSWORD}, REMOTE_ADDR=AWAY).json()["token"]
    bearer = {"HTTP_AUTHORIZATION": f"Bearer {token}"}
    proxy_id = uuid4()
    answer = authn.check_password(
        username="ann", password=PASSWORD, remote_addr=AWAY, login_from=LoginFrom.SSH_TERMINAL, proxy_id=proxy_id
    )
    assert authn.ticket_holder(answer.ticket, proxy_id=proxy_id, remote_addr=AWAY).fault is None

    rule(ann)

    assert browser.get(PROFILE).status_code == 401
    assert browser.get(PROFILE).json()["code"] == "acl_not_allow"
    assert APIClient().get(PROFILE, REMOTE_ADDR=AWAY, **bearer).status_code == 401
    assert APIClient().get(PROFILE, REMOTE_ADDR=AWAY, **signed(key["id"], key["secret"])).status_code == 401
    assert APIClient().get(PROFILE, REMOTE_ADDR=HOME, **bearer).status_code == 200
    holder = authn.ticket_holder(answer.ticket, proxy_id=proxy_id, remote_addr=AWAY)
    assert holder.fault is authn.TicketFault.NOT_ADMITTED
    assert authn.prolong_tickets([answer.ticket], proxy_id=proxy_id) == (0,)
    denied = authn.check_password(
        username="ann", password=PASSWORD, remote_addr=AWAY, login_from=LoginFrom.SSH_TERMINAL, proxy_id=proxy_id
    )
    assert denied.denial is not None
    assert denied.denial.code is DenialCode.NOT_ADMITTED


def test_refused_user_can_sign_out_and_another_can_sign_in(ann: User, make_person: Callable[..., User]) -> None:
    make_person("bob")
    browser = Browser(AWAY)
    browser.sign_in("ann")
    rule(ann)
    assert browser.sign_in("bob").status_code == 200
    assert browser.get(PROFILE).json()["username"] == "bob"
    other = Browser(HOME)
    other.sign_in("ann")
    rule(ann, ip_group=["203.0.113.1"], priority=1)
    assert other.get(PROFILE).status_code == 401
    assert other.get("/api/v1/settings/public/").status_code == 200
    assert other.post("/api/v1/authentication/sign-out/").status_code in (200, 204)


def test_times_are_in_the_time_zone_of_the_installation(ann: User) -> None:
    working = [{"days": [1, 2, 3, 4, 5], "start": "09:00", "end": "17:00"}]
    rule(ann, ip_group=["*"], hours=working)
    monday_noon_in_tokyo = datetime(2026, 11, 23, 3, tzinfo=UTC)
    with timezone.override("Asia/Tokyo"), mock.patch.object(clock, "now", return_value=monday_noon_in_tokyo):
        assert authn.check_password(
            username="ann", password=PASSWORD, remote_addr=AWAY, login_from=LoginFrom.SSH_TERMINAL, proxy_id=uuid4()
        ).ticket
    with mock.patch.object(clock, "now", return_value=monday_noon_in_tokyo):  # three o'clock in UTC
        denied = authn.check_password(
            username="ann", password=PASSWORD, remote_addr=AWAY, login_from=LoginFrom.SSH_TERMINAL, proxy_id=uuid4()
        )
        assert denied.denial is not None


class TestApi:
    @pytest.fixture
    def named(self, people: dict[str, User]) -> str:
        return f"?user={people['user'].pk}"

    @pytest.fixture
    def body(self, people: dict[str, User]) -> dict[str, Any]:
        return {"name": "office", "user": str(people["user"].pk), "ip_group": ["10.0.0.0/8"], "action": "allow"}

    def test_list_requires_a_member_of_the_organization(
        self, as_org_admin: APIClient, body: dict[str, Any], named: str, make_user: Callable[..., User]
    ) -> None:
        made = as_org_admin.post(f"{ACLS}{named}", body, format="json")
        assert made.status_code == 201, made.content
        row = made.json()
        assert (row["user_display"], row["priority"], row["action"]) == ("Uma(uma)", 50, "allow")
        assert [row["id"] for row in as_org_admin.get(f"{ACLS}{named}").json()] == [row["id"]]
        assert as_org_admin.get(f"{ACLS}{row['id']}/{named}").json()["name"] == "office"
        assert as_org_admin.get(ACLS).status_code == 403
        other = Organization.objects.create(name="branch")
        stranger = make_user("stranger", org_id=other.pk)
        rule(stranger)
        assert as_org_admin.get(f"{ACLS}?user={stranger.pk}").status_code == 403

    def test_rules_about_users_of_other_organizations_are_not_found(
        self, as_org_admin: APIClient, named: str, make_user: Callable[..., User]
    ) -> None:
        stranger = make_user("stranger", org_id=Organization.objects.create(name="branch").pk)
        row = rule(stranger)
        at = f"{ACLS}{row.pk}/{named}"
        assert as_org_admin.get(at).status_code == 404
        assert as_org_admin.patch(at, {"is_active": False}, format="json").status_code == 404
        assert as_org_admin.delete(at).status_code == 404
        body = {"name": "x", "user": str(stranger.pk), "ip_group": ["*"]}
        assert as_org_admin.post(ACLS, body, format="json").status_code == 400
        trial = {"user": str(stranger.pk), "remote_addr": HOME}
        assert as_org_admin.post(f"{ACLS}trial/", trial, format="json").status_code == 400

    @pytest.mark.parametrize(
        "item", ["10.0.0.0/33", "10.0.0.9-10.0.0.1", "10.0.0.1-::1", "host", "", "1.2.3.4;", "*.*"]
    )
    def test_invalid_address_item_is_refused(self, as_org_admin: APIClient, body: dict[str, Any], item: str) -> None:
        answer = as_org_admin.post(ACLS, {**body, "ip_group": ["10.0.0.1", item]}, format="json")
        assert answer.status_code == 400
        assert list(answer.json()["ip_group"]) == ["1"]

    @pytest.mark.parametrize(
        "span",
        [
            {"days": [0], "start": "08:00", "end": "09:00"},
            {"days": [], "start": "08:00", "end": "09:00"},
            {"days": [1], "start": "8", "end": "09:00"},
            {"days": [1], "start": "24:00", "end": "09:00"},
            {"days": [1], "start": "08:00"},
        ],
    )
    def test_invalid_span_is_refused(self, as_org_admin: APIClient, body: dict[str, Any], span: dict[str, Any]) -> None:
        answer = as_org_admin.post(ACLS, {**body, "hours": [span]}, format="json")
        assert answer.status_code == 400
        assert "hours" in answer.json()

    def test_organization_administrator_cannot_write_rules_about_themselves_or_higher_roles(
        self, as_org_admin: APIClient, body: dict[str, Any], people: dict[str, User]
    ) -> None:
        own = as_org_admin.post(ACLS, {**body, "user": str(people["org_admin"].pk)}, format="json")
        assert own.status_code == 400
        row = rule(people["org_admin"])
        at = f"{ACLS}{row.pk}/?user={people['org_admin'].pk}"
        assert as_org_admin.patch(at, {"is_active": False}, format="json").status_code == 400
        assert as_org_admin.delete(at).status_code == 400
        higher = as_org_admin.post(ACLS, {**body, "user": str(people["admin"].pk)}, format="json")
        assert higher.status_code in (400, 403)
        assert LoginAcl.objects.count() == 1

    def test_super_administrator_cannot_lock_themselves_out(
        self, as_admin: APIClient, body: dict[str, Any], people: dict[str, User]
    ) -> None:
        mine = {**body, "user": str(people["admin"].pk)}
        refused = as_admin.post(ACLS, mine, format="json")  # the address of the test client is 127.0.0.1
        assert refused.status_code == 400
        assert "127.0.0.1" in str(refused.json()["ip_group"])
        assert not LoginAcl.objects.exists()
        assert as_admin.post(ACLS, {**mine, "ip_group": ["127.0.0.0/8"]}, format="json").status_code == 201
        second = {**mine, "ip_group": ["10.0.0.0/8"], "priority": 60}
        assert as_admin.post(ACLS, second, format="json").status_code == 201
        first = LoginAcl.objects.get(priority=50)
        at = f"{ACLS}{first.pk}/?user={people['admin'].pk}"
        assert as_admin.delete(at).status_code == 400  # the second rule would then decide, and refuse the caller
        assert LoginAcl.objects.count() == 2

    def test_user_of_a_rule_is_fixed_and_the_number_of_rules_is_limited(
        self, as_admin: APIClient, body: dict[str, Any], people: dict[str, User], named: str
    ) -> None:
        row = as_admin.post(ACLS, body, format="json").json()
        moved = as_admin.patch(f"{ACLS}{row['id']}/{named}", {"user": str(people["auditor"].pk)}, format="json")
        assert moved.status_code == 400
        LoginAcl.objects.bulk_create(
            LoginAcl(user=people["user"], name=f"n{number}") for number in range(MOST_RULES - 1)
        )
        assert as_admin.post(ACLS, body, format="json").status_code == 400

    def test_trial_names_the_rule_and_changes_nothing(
        self, as_org_admin: APIClient, people: dict[str, User], body: dict[str, Any]
    ) -> None:
        hours = [{"days": [1], "start": "22:00", "end": "02:00"}]
        as_org_admin.post(ACLS, {**body, "hours": hours}, format="json")
        events = AuditEvent.objects.count()

        def trial(address: str, date: str) -> dict[str, Any]:
            wish = {"user": str(people["user"].pk), "remote_addr": address, "date": date}
            answer: dict[str, Any] = as_org_admin.post(f"{ACLS}trial/", wish, format="json").json()
            return answer

        tuesday_night = "2026-11-24T01:30:00Z"
        inside = trial("10.1.2.3", tuesday_night)
        assert (inside["is_admitted"], inside["rule"], inside["by_address"], inside["by_time"]) == (
            True, "office", True, True,
        )  # fmt: skip
        assert trial("::ffff:10.1.2.3", tuesday_night)["is_admitted"] is True
        assert trial("11.1.2.3", tuesday_night)["by_address"] is False
        late = trial("10.1.2.3", "2026-11-24T02:00:00Z")
        assert (late["is_admitted"], late["by_address"], late["by_time"]) == (False, True, False)
        for nowhere in ("office-pc", "10.0.0.0/8", "10.1.2.3, 10.1.2.4", "*"):
            assert trial(nowhere, tuesday_night).keys() == {"remote_addr"}, "an invalid address is a field error"
        assert AuditEvent.objects.count() == events

    def test_every_write_is_audited_with_its_user(
        self, as_org_admin: APIClient, body: dict[str, Any], named: str
    ) -> None:
        row = as_org_admin.post(ACLS, body, format="json").json()
        as_org_admin.patch(f"{ACLS}{row['id']}/{named}", {"is_active": False}, format="json")
        as_org_admin.delete(f"{ACLS}{row['id']}/{named}")
        records = AuditEvent.objects.filter(event__startswith="loginacl.").order_by("sequence")
        assert [event.event for event in records] == ["loginacl.created", "loginacl.updated", "loginacl.deleted"]
        assert all("(uma)" in event.resource for event in records)


def test_command_line_switches_off_the_rules_of_a_user(ann: User) -> None:
    rule(ann)
    rule(ann, name="night", is_active=False)
    assert Browser(AWAY).sign_in("ann").status_code == 400
    assert authn.admit_everywhere("ann") == 1
    assert Browser(AWAY).sign_in("ann").status_code == 200
    assert AuditEvent.objects.filter(event="loginacl.updated").count() == 1
