"""A proxy can act only for users with a ticket: what a proxy credential can do without one."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from rest_framework.test import APIClient

from factories.proxy_client import ADDRESS, Proxy, World
from factories.second_factor import App
from factories.ssh_proof import make_key
from postern.apps.audits.models import AuditEvent
from postern.apps.authn.models import ProxySignIn
from postern.apps.authn.proxies.actions import proxy_sign_ins
from postern.apps.authn.signatures.ssh_proofs import hash_of_key
from postern.apps.notifications.models import SiteMessage
from postern.apps.preferences.actions import change_settings
from postern.apps.sessions.models import Session
from postern.apps.users.models import MfaLevel, User
from postern.contracts import access
from postern.contracts.enums import DenialCode, LoginFrom, Protocol, SessionState
from postern.foundation.bus import outbox
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ids import token_hash


def refusals() -> list[tuple[str, str]]:
    """Fault and actor of every refused ticket, oldest first."""
    rows = AuditEvent.objects.filter(event="ticket.refused").order_by("pk")
    return [(row.new["fault"], row.user) for row in rows]


def ended(answer: access.AuthorizeAnswer) -> bool:
    return answer.grant is None and answer.denial is not None and answer.denial.code is DenialCode.SIGN_IN_ENDED


def test_k8_stolen_proxy_credential_opens_nothing_for_any_user(proxy: Proxy, world: World) -> None:
    """Before tickets existed, `authorize` and `credential` returned every permitted secret for any user id."""
    old = {
        "user_id": str(world.user.pk),
        "asset": "web-1",
        "protocol": "ssh",
        "login_from": "ST",
        "remote_addr": ADDRESS,
    }
    assert proxy.post(access.AUTHORIZE, msgspec.json.encode(old)).status_code == 400
    for made_up in ("", "x", "x" * 43, str(world.user.pk), world.user.username):
        assert ended(proxy.authorize(world.user, "web-1", ticket=made_up or "-"))
    assert not Session.objects.exists()
    assert {fault for fault, _user in refusals()} == {"unknown"}
    # The refusal is not audited in the victim's name: only the proxy claims that the user is present.
    assert {user for _fault, user in refusals()} == {"proxy-1"}


def test_k18_ticket_is_stored_as_a_hash_for_one_proxy(proxy: Proxy, world: World) -> None:
    ticket = proxy.ticket(world.user)
    row = ProxySignIn.objects.get()
    assert row.token_hash == token_hash(ticket)
    assert row.proxy_id == proxy.id
    for event in AuditEvent.objects.all():
        assert ticket not in f"{event.new} {event.old} {event.resource}"
    assert ticket not in repr(access.SignInAnswer(ticket=ticket))


def test_k63_ticket_is_invalid_at_another_proxy(proxy: Proxy, other_proxy: Proxy, world: World) -> None:
    ticket = proxy.ticket(world.user)
    assert ended(other_proxy.authorize(world.user, "web-1", ticket=ticket))
    assert refusals() == [("other_proxy", "proxy-2")]
    assert AuditEvent.objects.get(event="ticket.refused").new["ticket_of"] == "Uma(uma)"
    assert proxy.authorize(world.user, "web-1").grant is not None


def test_k51_ticket_is_invalid_for_another_address(proxy: Proxy, world: World) -> None:
    assert ended(proxy.authorize(world.user, "web-1", remote_addr="192.0.2.8"))
    assert refusals() == [("other_address", "proxy-1")]


def test_k27_ticket_is_valid_for_its_user_only(proxy: Proxy, world: World, people: dict[str, User]) -> None:
    """Whichever user the proxy names, the session belongs to the user who signed in."""
    answer = proxy.authorize(world.user, "web-1", ticket=proxy.ticket(people["auditor"]))
    assert answer.grant is None
    assert proxy.reachable(world.user, ticket=proxy.ticket(people["auditor"])).count == 0
    mine = proxy.authorize(people["auditor"], "web-1", ticket=proxy.ticket(world.user))
    assert mine.grant is not None
    assert mine.grant.user.id == world.user.pk


def disable(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def expire(user: User) -> None:
    User.objects.filter(pk=user.pk).update(date_expired=clock.now())


def change_password(user: User) -> None:
    User.objects.filter(pk=user.pk).update(session_epoch=user.session_epoch + 1)


def demand_password_change(user: User) -> None:
    User.objects.filter(pk=user.pk).update(need_update_password=True)


def take_key_away(user: User) -> None:
    User.objects.filter(pk=user.pk).update(public_key=make_key()[1])


def demand_second_factor(user: User) -> None:
    User.objects.filter(pk=user.pk).update(mfa_level=MfaLevel.ENABLED)


def force_second_factor(user: User) -> None:
    User.objects.filter(pk=user.pk).update(mfa_level=MfaLevel.FORCED)


def set_second_factor_up(user: User) -> None:
    App(user)


def let_time_pass(user: User) -> None:
    ProxySignIn.objects.filter(user=user).update(date_expired=clock.now())


@pytest.mark.parametrize(
    ("change", "fault", "code"),
    [
        (disable, "account_closed", DenialCode.USER_INACTIVE),
        (expire, "account_closed", DenialCode.USER_INACTIVE),
        (change_password, "password_changed", DenialCode.SIGN_IN_ENDED),
        (demand_password_change, "condition_unmet", DenialCode.PASSWORD_MUST_CHANGE),
        (take_key_away, "key_removed", DenialCode.SIGN_IN_ENDED),
        (demand_second_factor, "factor_due", DenialCode.SIGN_IN_ENDED),
        (force_second_factor, "condition_unmet", DenialCode.MFA_UNSET),
        (set_second_factor_up, "factor_due", DenialCode.SIGN_IN_ENDED),
        (let_time_pass, "expired", DenialCode.SIGN_IN_ENDED),
    ],
)
def test_k40_ticket_and_opening_session_end_with_the_access_that_they_depend_on(
    proxy: Proxy, world: World, change: Callable[[User], None], fault: str, code: DenialCode
) -> None:
    key, line = make_key()
    User.objects.filter(pk=world.user.pk).update(public_key=line)
    ticket = proxy.sign_in(world.user, key_hash=hash_of_key(key.public_data))
    opened = proxy.authorize(world.user, "web-1", ticket=ticket)
    assert opened.grant is not None
    change(world.user)
    refused = proxy.authorize(world.user, "web-1", ticket=ticket)
    assert refused.grant is None
    assert refused.denial is not None
    assert refused.denial.code is code
    assert refused.denial.message
    # The user or their administrator ended the access: the refusal is audited in the user's name and raises no alarm.
    assert refusals() == [(fault, "Uma(uma)")]
    listed = proxy.reachable(world.user, ticket=ticket)
    assert (listed.count, listed.denial is not None) == (0, True)
    late = proxy.credential(opened.grant.session_id)
    assert late.credential is None
    assert late.denial is not None
    assert late.denial.code is code
    report = proxy.ask(access.TICKETS, access.TicketReport(open=(ticket,)), access.TicketReportAnswer)
    assert report.void == (0,)


def test_ticket_with_a_second_factor_stays_valid_when_a_second_factor_becomes_mandatory(
    proxy: Proxy, world: World
) -> None:
    App(world.user)
    ticket = proxy.sign_in(world.user, mfa=True)
    assert proxy.authorize(world.user, "web-1", ticket=ticket).grant is not None


def test_k27_second_factor_must_be_shown_at_the_proxy_of_the_first_factor(
    proxy: Proxy, other_proxy: Proxy, make_user: Callable[..., User]
) -> None:
    ann = make_user("ann")
    ann.set_password("violet anchor seventeen")
    ann.save()
    app = App(ann)
    asked = access.SignInPassword(
        username="ann", password="violet anchor seventeen", remote_addr=ADDRESS, login_from=LoginFrom.SSH_TERMINAL
    )
    first = proxy.ask(access.SIGN_IN_PASSWORD, asked, access.SignInAnswer)
    assert first.second_factor is not None
    assert not ProxySignIn.objects.exists()
    message = access.SignInCode(token=first.second_factor.token, code=app.code(), username="ann", remote_addr=ADDRESS)
    assert other_proxy.ask(access.SIGN_IN_CODE, message, access.SignInAnswer).ticket == ""
    right = proxy.ask(access.SIGN_IN_CODE, message, access.SignInAnswer)
    assert right.ticket
    row = ProxySignIn.objects.get()
    assert (row.mfa, row.backend, row.remote_addr, row.proxy_id) == (True, "password", ADDRESS, proxy.id)


def test_k40_ticket_ends_with_its_connection(proxy: Proxy, other_proxy: Proxy, world: World) -> None:
    ticket = proxy.ticket(world.user)
    report = access.TicketReport(closed=(ticket, "unknown"))
    # a proxy cannot close the ticket of another proxy
    other_proxy.ask(access.TICKETS, report, access.TicketReportAnswer)
    assert proxy.authorize(world.user, "web-1").grant is not None
    proxy.ask(access.TICKETS, report, access.TicketReportAnswer)
    proxy.ask(access.TICKETS, report, access.TicketReportAnswer)
    assert AuditEvent.objects.filter(event="proxy_sign_in.ended").count() == 1
    assert ended(proxy.authorize(world.user, "web-1"))
    assert refusals() == [("ended", "Uma(uma)")]


def test_ticket_is_extended_while_the_connection_is_open_up_to_a_maximum(proxy: Proxy, world: World) -> None:
    ticket = proxy.ticket(world.user)
    row = ProxySignIn.objects.get()
    assert row.date_expired - row.date_created == proxy_sign_ins.IDLE_LIMIT

    def report() -> tuple[int, ...]:
        return proxy.ask(access.TICKETS, access.TicketReport(open=(ticket, "x")), access.TicketReportAnswer).void

    ProxySignIn.objects.update(date_expired=clock.now() + timedelta(seconds=5))
    assert report() == (1,)
    row.refresh_from_db()
    assert row.date_expired > clock.now() + timedelta(minutes=9)
    began = clock.now() - proxy_sign_ins.TOTAL_LIMIT + timedelta(minutes=3)
    ProxySignIn.objects.update(date_created=began)
    assert report() == (1,)
    row.refresh_from_db()
    assert row.date_expired == began + proxy_sign_ins.TOTAL_LIMIT
    ProxySignIn.objects.update(date_created=began - timedelta(minutes=3))
    report()
    assert report() == (0, 1)
    assert ended(proxy.authorize(world.user, "web-1"))


def test_k40_tickets_end_when_the_terminal_is_revoked(proxy: Proxy, world: World, as_admin: APIClient) -> None:
    proxy.ticket(world.user)
    url = f"/api/v1/terminal/terminals/{proxy.id}/"
    assert as_admin.patch(url, {"is_accepted": False}).status_code == 200
    assert as_admin.patch(url, {"is_accepted": True}).status_code == 200
    assert ended(proxy.authorize(world.user, "web-1"))


# The session that was opened with the ticket


def test_k63_secret_needs_the_opening_key_of_the_grant(proxy: Proxy, opened: Session) -> None:
    """Session ids are in lists and logs. Knowing an id gives nothing, even with the right proxy credential."""
    for key in ("", "x", str(opened.pk), proxy.secret):
        refused = proxy.credential(opened.pk, opening_key=key)
        assert refused.credential is None
        seen = access.HostKeySeen(
            session_id=opened.pk, opening_key=key, host="127.0.0.1", port=22, public_key=make_key()[1]
        )
        assert proxy.post(access.HOST_KEY, msgspec.json.encode(seen)).status_code == 400
    assert proxy.credential(opened.pk).credential is not None


def test_secret_is_released_only_within_the_time_for_opening(proxy: Proxy, opened: Session) -> None:
    Session.objects.filter(pk=opened.pk).update(date_start=clock.now() - timedelta(minutes=4))
    assert proxy.credential(opened.pk).credential is None
    opened.refresh_from_db()
    assert opened.state == SessionState.OPENING.value
    assert AuditEvent.objects.filter(event="credential.refused").count() == 1


def test_k17_host_key_is_checked_only_while_the_session_opens(proxy: Proxy, active: Session) -> None:
    seen = access.HostKeySeen(
        session_id=active.pk,
        opening_key=proxy.opening_key(active.pk),
        host="127.0.0.1",
        port=22,
        public_key=make_key()[1],
    )
    assert proxy.post(access.HOST_KEY, msgspec.json.encode(seen)).status_code == 400


def test_k40_secret_of_a_browser_session_ends_with_the_browser_sign_in(
    proxy: Proxy, world: World, as_user: APIClient
) -> None:
    proxy.beat()
    body = {"asset": str(world.asset.pk), "system_user": str(world.system_user.pk), "protocol": "ssh"}
    token = as_user.post("/api/v1/authentication/connection-token/", body).json()["token"]
    answer = proxy.redeem(token, world.user)
    assert answer.grant is not None
    Session.objects.filter(pk=answer.grant.session_id).update(login_session=uuid4())
    refused = proxy.credential(answer.grant.session_id)
    assert refused.denial is not None
    assert refused.denial.code is DenialCode.SIGN_IN_ENDED


# What a proxy may know


def test_k63_redeeming_reveals_nothing_about_users_to_a_proxy(proxy: Proxy, world: World) -> None:
    """Without a valid token the answer is the same for every user: active, closed or unknown."""
    answers = {proxy.redeem("no token", world.user).denial}
    User.objects.filter(pk=world.user.pk).update(language="en")
    answers.add(proxy.redeem("no token", world.user).denial)
    disable(world.user)
    answers.add(proxy.redeem("no token", world.user).denial)
    world.user.pk = uuid4()
    answers.add(proxy.redeem("no token", world.user).denial)
    assert len(answers) == 1
    rows = AuditEvent.objects.filter(event="token.refused")
    assert {row.user for row in rows} == {"proxy-1"}


def test_k63_proxy_cannot_report_about_sessions_of_another_proxy(
    proxy: Proxy, other_proxy: Proxy, opened: Session
) -> None:
    from postern.contracts import events  # noqa: PLC0415 - the name is that of a module of the app, too

    at = clock.now()
    reported: list[Any] = [
        events.SessionStarted(session_id=opened.pk, at=at, kind="shell", recording=True),
        events.CommandSeen(id=uuid4(), session_id=opened.pk, at=at, offset_ms=0, kind="typed", input="rm -rf /"),
        events.RecordingSealed(session_id=opened.pk, at=at, state="sealed", size=1, sha256="0" * 64),
        events.SessionEnded(session_id=opened.pk, at=at, reason="error"),
    ]
    answer = other_proxy.ask(events.SESSION_EVENTS, events.EventBatch(events=reported), events.EventBatchAnswer)
    assert (answer.accepted, answer.rejected) == (0, (0, 1, 2, 3))
    assert other_proxy.put(opened.pk, b"x", 0, 1).status_code == 404
    other_proxy.beat()
    opened.refresh_from_db()
    assert opened.state == SessionState.OPENING.value
    assert not opened.commands.exists()


# Alarm and limits


def notices(kind: str) -> list[SiteMessage]:
    outbox.drain()
    return list(SiteMessage.objects.filter(message_type=kind).order_by("date_created"))


def test_super_administrators_are_notified_of_a_proxy_that_uses_tickets_of_another(
    proxy: Proxy, other_proxy: Proxy, world: World, people: dict[str, User]
) -> None:
    for _ in range(3):
        other_proxy.authorize(world.user, "web-1", ticket=proxy.ticket(world.user))
    messages = notices("ProxyAlarmMessage")
    assert messages
    assert all("proxy-2" in message.subject for message in messages)
    assert len({message.occasion for message in messages}) == 1


def test_proxy_gets_at_most_the_secrets_per_minute_of_the_setting(
    proxy: Proxy, other_proxy: Proxy, world: World
) -> None:
    change_settings(actor=SYSTEM, changes={"SECURITY_PROXY_CREDENTIALS_PER_MINUTE": 10})
    sessions = [proxy.authorize(world.user, "web-1").grant for _ in range(12)]
    answers = [proxy.credential(grant.session_id) for grant in sessions if grant is not None]
    assert [answer.credential is not None for answer in answers] == [True] * 10 + [False] * 2
    denial = answers[-1].denial
    assert denial is not None
    assert denial.code is DenialCode.PROXY_LIMITED
    refused = AuditEvent.objects.filter(event="credential.refused")
    assert [row.new["code"] for row in refused] == ["proxy_limited", "proxy_limited"]
    assert notices("ProxyAlarmMessage")
    # Each proxy has its own limit, and the limit ends with the minute.
    other = other_proxy.authorize(world.user, "web-1").grant
    assert other is not None
    assert other_proxy.credential(other.session_id).credential is not None
    earlier = clock.now() - timedelta(seconds=61)
    Session.objects.filter(terminal_id=proxy.id, date_credential_released__isnull=False).update(
        date_credential_released=earlier
    )
    assert sessions[-1] is not None
    assert proxy.credential(sessions[-1].session_id).credential is not None


def test_authorize_has_no_field_that_names_a_user(proxy: Proxy, world: World) -> None:
    """The message has no field in which a proxy could name a user; the ticket names the user."""
    names = set(access.AuthorizeRequest.__struct_fields__) | set(access.ReachableQuery.__struct_fields__)
    assert not {name for name in names if "user_id" in name or "username" in name}
    assert proxy.authorize(world.user, "web-1", protocol=Protocol.SSH).grant is not None
