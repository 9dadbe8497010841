"""Live sessions follow changes of their permissions: each action ends at its own time, and a change arrives
in seconds.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from typing import Any
from unittest import mock

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from factories.grants import grant, make_group
from factories.proxy_client import Proxy, World, the_order
from postern.apps.audits.models import AuditEvent
from postern.apps.perms.models import AssetPermission
from postern.apps.perms.permissions import actions as perms_actions
from postern.apps.sessions import subscriptions
from postern.apps.sessions.models import ProxyOrder, Session
from postern.apps.sessions.sessions import tasks
from postern.apps.sessions.sessions.actions import lifecycle, revocation
from postern.apps.users.models import User, UserGroupMember
from postern.contracts.access import SessionGrant
from postern.contracts.enums import Actions
from postern.contracts.events import ActionsEnded
from postern.contracts.terminals import ChangeGrant, OrderDone, TerminateSession
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock

Commit = Callable[..., AbstractContextManager[Any]]
HOUR = timedelta(hours=1)
UPLOAD = Actions.CONNECT | Actions.UPLOAD_FILE


@pytest.fixture
def committed(django_capture_on_commit_callbacks: Commit) -> Callable[[], AbstractContextManager[Any]]:
    """A context manager; events published inside it are delivered as after a real commit."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


def change(permission: AssetPermission, **values: Any) -> None:
    perms_actions.update_permission(actor=SYSTEM, permission=permission, values=values)


def connect_for_a_year(world: World) -> datetime:
    """Reduce the permission of the world to `connect`, for a year; returns its end."""
    until = clock.now() + timedelta(days=365)
    change(world.permission, actions=int(Actions.CONNECT), date_expired=until)
    return until


def grant_again(world: World, **values: Any) -> AssetPermission:
    """Give the same user another permission for the same asset and system user."""
    named = {"users": [world.user], "assets": [world.asset], "system_users": [world.system_user]}
    return grant(**{**named, **values})


def ends(order: ChangeGrant | SessionGrant) -> dict[Actions, datetime]:
    return {group.actions: group.until for group in order.ends}


def carried_out(proxy: Proxy, order: Any) -> None:
    lifecycle.order_done(terminal_id=proxy.id, done=OrderDone(order_id=order.order_id))


def test_session_gets_each_action_with_its_own_end(proxy: Proxy, world: World) -> None:
    until = connect_for_a_year(world)
    soon = clock.now() + timedelta(minutes=10)
    grant_again(world, actions=int(UPLOAD), date_expired=soon)
    given = proxy.authorize(world.user, "web-1").grant
    assert given is not None
    assert given.actions == UPLOAD
    assert ends(given) == {Actions.UPLOAD_FILE: soon, Actions.CONNECT: until}
    assert given.expires_at == until


def _deactivate(world: World, short: AssetPermission) -> None:
    change(short, is_active=False)


def _delete(world: World, short: AssetPermission) -> None:
    perms_actions.delete_permission(actor=SYSTEM, permission=short)


def _edit(world: World, short: AssetPermission) -> None:
    change(short, actions=int(Actions.CONNECT))


def _move_date(world: World, short: AssetPermission) -> None:
    change(short, date_start=clock.now() - 2 * HOUR, date_expired=clock.now() - HOUR)


def _remove_user(world: World, short: AssetPermission) -> None:
    change(short, users=[])


def _remove_asset(world: World, short: AssetPermission) -> None:
    change(short, assets=[])


@pytest.mark.parametrize("way", [_deactivate, _delete, _edit, _move_date, _remove_user, _remove_asset])
def test_withdrawn_action_leaves_the_live_session_and_the_other_actions_stay(
    way: Callable[[World, AssetPermission], None],
    proxy: Proxy,
    world: World,
    committed: Callable[[], AbstractContextManager[Any]],
) -> None:
    until = connect_for_a_year(world)
    short = grant_again(world, actions=int(UPLOAD), date_expired=clock.now() + HOUR)
    given = proxy.authorize(world.user, "web-1").grant
    assert given is not None
    proxy.start(given.session_id)
    with committed():
        way(world, short)
    session = Session.objects.get(pk=given.session_id)
    order = the_order(proxy, session)
    assert isinstance(order, ChangeGrant)
    assert (order.session_id, order.version) == (given.session_id, given.version + 1)
    assert ends(order) == {Actions.CONNECT: until}
    assert session.actions == Actions.CONNECT
    event = AuditEvent.objects.get(event="session.grant_changed")
    assert event.old is not None
    assert [group["actions"] for group in event.old["grants"]] == [2, 1]
    assert event.new is not None
    assert [group["actions"] for group in event.new["grants"]] == [1]
    carried_out(proxy, order)
    assert proxy.beat(given.session_id).orders == ()
    assert tasks.sweep_permissions() == 0
    assert proxy.beat(given.session_id).orders == (), "said once"


def test_action_granted_through_a_group_ends_when_the_user_leaves_the_group(
    proxy: Proxy, world: World, as_admin: APIClient, committed: Callable[[], AbstractContextManager[Any]]
) -> None:
    until = connect_for_a_year(world)
    group = make_group(users=[world.user])
    grant_again(world, users=[], user_groups=[group], actions=int(UPLOAD))
    given = proxy.authorize(world.user, "web-1").grant
    assert given is not None
    row = UserGroupMember.objects.get(usergroup=group)
    with committed():
        assert as_admin.delete(f"/api/v1/users/users-groups-relations/{row.pk}/").status_code == 204
    order = the_order(proxy, Session.objects.get())
    assert isinstance(order, ChangeGrant)
    assert ends(order) == {Actions.CONNECT: until}


def test_added_action_and_moved_end_reach_the_live_session(
    proxy: Proxy, active: Session, world: World, committed: Callable[[], AbstractContextManager[Any]]
) -> None:
    nearer, later = clock.now() + timedelta(minutes=5), clock.now() + 9 * HOUR
    with committed():
        change(world.permission, actions=int(Actions.CONNECT), date_expired=nearer)
    order = the_order(proxy, active)
    assert ends(order) == {Actions.CONNECT: nearer}
    active.refresh_from_db()
    assert active.date_expired == nearer
    with committed():
        change(world.permission, actions=int(UPLOAD), date_expired=later)
    newer = the_order(proxy, active)
    assert (ends(newer), newer.version) == ({UPLOAD: later}, order.version + 1)
    assert ProxyOrder.objects.filter(detail="superseded").count() == 1


def test_changed_end_date_of_the_account_reaches_the_live_session(
    proxy: Proxy,
    active: Session,
    world: World,
    as_admin: APIClient,
    committed: Callable[[], AbstractContextManager[Any]],
) -> None:
    soon = clock.now().replace(microsecond=0) + HOUR
    with committed():
        answer = as_admin.patch(f"/api/v1/users/users/{world.user.pk}/", {"date_expired": soon.isoformat()})
        assert answer.status_code == 200, answer.content
    order = the_order(proxy, active)
    assert isinstance(order, ChangeGrant)
    assert set(ends(order).values()) == {soon}
    with committed():
        as_admin.patch(f"/api/v1/users/users/{world.user.pk}/", {"date_expired": (soon + HOUR).isoformat()})
    assert set(ends(the_order(proxy, active)).values()) == {soon + HOUR}


def test_end_date_of_an_account_set_to_the_past_ends_its_sessions_as_expired(
    proxy: Proxy,
    active: Session,
    world: World,
    as_admin: APIClient,
    committed: Callable[[], AbstractContextManager[Any]],
) -> None:
    with committed():
        past = (clock.now() - HOUR).isoformat()
        assert as_admin.patch(f"/api/v1/users/users/{world.user.pk}/", {"date_expired": past}).status_code == 200
    order = the_order(proxy, active)
    assert isinstance(order, TerminateSession)
    assert order.reason == "grant_expired"


def test_end_date_of_a_permission_set_to_the_past_ends_its_sessions_as_expired(
    proxy: Proxy, active: Session, world: World, committed: Callable[[], AbstractContextManager[Any]]
) -> None:
    with committed():
        change(world.permission, date_start=clock.now() - 2 * HOUR, date_expired=clock.now() - HOUR)
    order = the_order(proxy, active)
    assert isinstance(order, TerminateSession)
    assert order.reason == "grant_expired"


def test_change_that_arrives_before_the_session_starts_is_repeated_until_the_proxy_runs_the_session(
    proxy: Proxy, opened: Session, world: World, committed: Callable[[], AbstractContextManager[Any]]
) -> None:
    with committed():
        change(world.permission, actions=int(Actions.CONNECT))
    order = the_order(proxy, opened)
    lifecycle.order_done(terminal_id=proxy.id, done=OrderDone(order_id=order.order_id, found=False))
    assert the_order(proxy, opened) == order
    carried_out(proxy, order)
    assert proxy.beat(opened.pk).orders == ()


def test_action_that_expired_in_a_session_is_audited_once(proxy: Proxy, active: Session) -> None:
    ended = ActionsEnded(session_id=active.pk, at=clock.now(), version=0, actions=Actions.UPLOAD_FILE)
    proxy.tell(ended)
    proxy.tell(ended)
    active.refresh_from_db()
    left = Actions.ALL & ~(Actions.UPLOAD_FILE | Actions.CLIPBOARD_COPY_PASTE)  # SSH has no clipboard
    assert active.actions == left
    event = AuditEvent.objects.get(event="session.actions_ended")
    assert event.new == {"actions": left.value, "ended": 2}
    proxy.tell(ActionsEnded(session_id=active.pk, at=clock.now(), version=7, actions=Actions.DOWNLOAD_FILE))
    active.refresh_from_db()
    assert active.actions == left, "about a grant that does not hold any more"


def test_decision_about_many_live_sessions_takes_as_many_queries_as_about_one(
    proxy: Proxy, world: World, people: dict[str, User]
) -> None:
    for _ in range(2):
        assert proxy.authorize(world.user, "web-1").grant is not None
    with CaptureQueriesContext(connection) as few:
        assert revocation.sweep_permissions(actor=SYSTEM) == 0
    for _ in range(18):
        assert proxy.authorize(world.user, "web-1").grant is not None
    with CaptureQueriesContext(connection) as many:
        assert revocation.sweep_permissions(actor=SYSTEM) == 0
    assert len(many) == len(few) < 20


@pytest.mark.django_db(transaction=True)
def test_bulk_create_of_100_permissions_rechecks_live_sessions_once(
    transactional_db: None, proxy: Proxy, world: World, as_admin: APIClient
) -> None:
    """Uses real commits and the real background thread."""
    named = {"system_users": [str(world.system_user.pk)], "users": [str(world.user.pk)]}
    rounds: list[Any] = []
    real = revocation.recheck_changed

    def counted(**arguments: Any) -> int:
        rounds.append(arguments)
        return real(**arguments)

    with mock.patch.object(revocation, "recheck_changed", counted):
        body = [{"name": f"p{number}", **named} for number in range(100)]
        assert as_admin.post("/api/v1/perms/asset-permissions/", body).status_code == 201
        subscriptions.RECHECKS.wait()
    assert 1 <= len(rounds) <= 2
