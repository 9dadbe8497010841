"""Guarantees under concurrent requests."""

from collections.abc import Callable
from concurrent.futures import Future, wait
from functools import partial
from typing import Any

import pytest

from factories.at_once import at_once, other_threads
from factories.browser import Browser
from factories.second_factor import App
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.errors import MfaRefused, SignInRefused
from postern.apps.authn.forgotten_passwords import asking
from postern.apps.authn.known_places import places
from postern.apps.authn.lock_out import guard
from postern.apps.authn.lock_out.lockout import LockRules
from postern.apps.authn.lock_out.mfa_guard import Visitor
from postern.apps.authn.models import KnownPlace, SignInGuard
from postern.apps.authn.second_factors.actions import mfa
from postern.apps.authn.second_factors.actions.codes import CodeKind, take_code
from postern.apps.authn.sign_in.actions import sign_in
from postern.apps.authn.sign_in.api import web_session
from postern.apps.users.credentials.actions.links import issue_set_password_link, redeem_set_password_link
from postern.apps.users.credentials.errors import LinkUsed
from postern.apps.users.memberships import actions as memberships
from postern.apps.users.models import Membership, User
from postern.apps.users.people.actions import people
from postern.apps.users.people.actions.people import PersonInput
from postern.apps.users.people.errors import LastAdministrator
from postern.foundation import installation
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import DEFAULT, ROOT
from postern.foundation.models import OutboxMessage

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("without_waits")]


def test_k6_concurrent_guesses_do_not_share_the_last_free_try(
    make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch
):
    make_user("ann")
    compared: list[str] = []
    monkeypatch.setattr(sign_in, "check_password", lambda password, _encoded: bool(compared.append(password)))

    def guess() -> str:
        try:
            sign_in.prove_password(username="ann", password="wrong", remote_addr="192.0.2.1", login_type="W")
        except SignInRefused as refused:
            return refused.slug
        return "in"

    assert sorted(at_once(*[guess] * 12)) == ["block_login"] * 6 + ["password_failed"] * 6
    assert len(compared) == 7


def test_twenty_concurrent_guesses_count_as_twenty(make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch):
    make_user("ann")
    monkeypatch.setattr(sign_in, "check_password", lambda _password, _encoded: False)
    rules = LockRules(limit_count=25, limit_time_min=30)
    monkeypatch.setattr(guard, "lock_rules", lambda: rules)

    def guess() -> str:
        try:
            sign_in.confirm_password(username="ann", password="wrong", remote_addr="192.0.2.1")
        except SignInRefused as refused:
            return refused.slug
        return "in"

    assert sorted(at_once(*[guess] * 20)) == ["password_failed"] * 20
    assert SignInGuard.objects.get(kind="account").failures == 20


def test_concurrent_guesses_from_a_known_place_each_count(
    make_user: Callable[..., User], monkeypatch: pytest.MonkeyPatch
):
    user = make_user("ann")
    places.remember_address(user, "192.0.2.1")
    monkeypatch.setattr(sign_in, "check_password", lambda _password, _encoded: False)

    def guess() -> str:
        try:
            sign_in.confirm_password(username="ann", password="wrong", remote_addr="192.0.2.1")
        except SignInRefused as refused:
            return refused.slug
        return "in"

    assert sorted(at_once(*[guess] * 20)) == ["block_login"] * 14 + ["password_failed"] * 6
    assert SignInGuard.objects.get(kind="account").failures == 7
    assert KnownPlace.objects.get().failures == 1, "only the one that locked"


def test_k60_two_administrators_who_demote_each_other_leave_one(make_user: Callable[..., User]):
    User.objects.filter(username_key="admin").delete()
    both = [make_user("adam", role="Admin"), make_user("eva", role="Admin")]

    def demote(user: User) -> str:
        try:
            people.update_user(actor=SYSTEM, scope=ROOT, user=user, person=PersonInput(columns={"role": "User"}))
        except LastAdministrator:
            return "refused"
        return "demoted"

    assert sorted(at_once(*(partial(demote, user) for user in both))) == ["demoted", "refused"]
    assert User.objects.filter(role="Admin").count() == 1


def test_set_password_link_works_once(make_user: Callable[..., User]):
    user = make_user("ann")
    link = issue_set_password_link(actor=SYSTEM, user=user, void_password=False)

    def redeem() -> str:
        try:
            redeem_set_password_link(actor=SYSTEM, token=link.token.reveal(), password="violet anchor seventeen")
        except LinkUsed:
            return "refused"
        return "set"

    assert sorted(at_once(redeem, redeem, redeem)) == ["refused", "refused", "set"]


@pytest.fixture
def installed() -> None:
    """Restore the rows of a new installation, because tests with real transactions empty the tables."""
    installation.run()


def _take(user: User, code: str, kind: CodeKind) -> str:
    try:
        take_code(user=user, code=code, kind=kind, visitor=Visitor("192.0.2.1"))
    except MfaRefused as refused:
        return refused.slug
    return "in"


@pytest.mark.spec("S5-013")
@pytest.mark.parametrize("kind", list(CodeKind))
def test_code_sent_many_times_concurrently_is_accepted_once(
    installed: None, make_user: Callable[..., User], kind: CodeKind
):
    user = make_user("ann")
    app = App(user)
    code = app.code() if kind is CodeKind.TOTP else app.recovery[0]
    answers = at_once(*[lambda: _take(user, code, kind)] * 4)
    assert (answers.count("in"), answers.count("mfa_failed")) == (1, 3)


@pytest.mark.spec("S5-014")
def test_k6_concurrent_codes_do_not_share_the_last_free_try(installed: None, make_user: Callable[..., User]):
    user = make_user("ann")
    wrong = App(user).wrong()
    answers = at_once(*[lambda: _take(user, wrong, CodeKind.TOTP)] * 9)
    assert sorted(answers) == ["block_mfa"] * 5 + ["mfa_failed"] * 4


def roles_of(user: User) -> set[str]:
    return set(Membership.objects.filter(user=user).values_list("role", flat=True))


def test_concurrently_added_and_removed_roles_all_take_effect(installed: None, make_user: Callable[..., User]):
    for number in range(8):
        user = make_user(f"ann{number}", org_role="User")
        at = {"actor": SYSTEM, "scope": DEFAULT, "user": user}
        calls = [
            lambda at=at: str(memberships.add_org_role(role="Admin", **at)),
            lambda at=at: str(memberships.add_org_role(role="Auditor", **at)),
            lambda at=at: str(memberships.take_org_role(role="User", **at)),
        ]
        at_once(*calls)
        assert roles_of(user) == {"Admin", "Auditor"}


def test_role_with_two_concurrent_changes_has_one_of_the_new_values(installed: None, make_user: Callable[..., User]):
    for number in range(4):
        user = make_user(f"ann{number}", org_role="User")
        rows = [Membership.objects.select_related("user").get(user=user) for _ in range(2)]
        at_once(
            lambda rows=rows: str(memberships.change_org_role(actor=SYSTEM, row=rows[0], role="Admin")),
            lambda rows=rows: str(memberships.change_org_role(actor=SYSTEM, row=rows[1], role="Auditor")),
        )
        old_roles = [
            record.old["org_roles"]
            for record in AuditEvent.objects.filter(resource_id=str(user.pk)).order_by("sequence")
        ]
        assert old_roles[0] == ["User"]
        assert old_roles[1] != ["User"], "the second change tells what it found"


def test_reset_of_the_second_factor_ends_a_concurrent_sign_in(
    row_locks: None, make_person: Callable[..., User], monkeypatch: pytest.MonkeyPatch
):
    """After the sign-in has checked that its factor still exists, the reset waits, and then ends the new session."""
    ann = make_person("ann")
    app, browser = App(ann), Browser()
    browser.sign_in("ann")
    real = web_session.sign_in
    with other_threads() as beside:

        def while_reset_runs(*values: Any) -> User:
            resets.append(beside(lambda: mfa.reset(actor=SYSTEM, user=User.objects.get(pk=ann.pk))))
            wait(resets, timeout=1)
            return real(*values)

        resets: list[Future[Any]] = []
        monkeypatch.setattr(web_session, "sign_in", while_reset_runs)
        assert browser.post("/api/v1/authentication/mfa/challenge/", {"code": app.code()}).status_code == 200
    resets[0].result()
    assert browser.get("/api/v1/users/profile/").status_code == 401


def test_twenty_concurrent_requests_for_a_forgotten_password_send_one_mail(make_user: Callable[..., User]):
    make_user("ann")
    names = ("ann", "ann@example.test")
    at_once(*(partial(asking.ask, names[number % 2], "192.0.2.1") for number in range(20)))
    asked_for = [message.payload["user_id"] for message in OutboxMessage.objects.all()]
    assert len([user_id for user_id in asked_for if user_id is not None]) == 1
    assert sorted(len(row.recent) for row in SignInGuard.objects.all()) == [1, 20], "the account, and the address"
