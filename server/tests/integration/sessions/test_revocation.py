"""Access that ends cuts sessions: closed accounts, signed-out browsers, withdrawn permissions, silent proxies."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from factories.hearing import Hearing
from factories.proxy_client import Proxy, World, reason_of_end
from factories.ssh_certificates import SshAuthority
from postern.apps.authn.credentials.events import LoginSessionEnded
from postern.apps.authn.proxies.models import ProxySignIn
from postern.apps.authn.ssh_certificates import judging
from postern.apps.perms.permissions import actions as perms_actions
from postern.apps.preferences import actions as settings
from postern.apps.sessions.heartbeats import actions as heartbeats
from postern.apps.sessions.heartbeats import presence
from postern.apps.sessions.heartbeats import tasks as leases
from postern.apps.sessions.models import ConnectionToken, ProxyOrder, Session, WatchToken
from postern.apps.sessions.sessions import tasks
from postern.apps.sessions.terminals.events import TerminalLost
from postern.apps.users.models import User
from postern.apps.users.people.events import UserClosed
from postern.contracts.terminals import LEASE_S, StopWatching, TerminateSession
from postern.foundation.bus import events
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ssh_keys.public_keys import parse_public_key

Commit = Callable[..., AbstractContextManager[Any]]


@pytest.fixture
def committed(django_capture_on_commit_callbacks: Commit) -> Callable[[], AbstractContextManager[Any]]:
    """A context manager; events published inside it are delivered as after a real commit."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


@pytest.fixture
def watching(proxy: Proxy, active: Session, as_auditor: APIClient, people: dict[str, User]) -> WatchToken:
    """The watch token with which the auditor watches the active session."""
    token = as_auditor.post(f"/api/v1/terminal/sessions/{active.pk}/watch-token/").json()["token"]
    assert proxy.redeem(token, people["auditor"]).watch is not None
    return WatchToken.objects.get()


def test_k40_closing_an_account_ends_its_sessions(
    proxy: Proxy, active: Session, world: World, committed: Callable[[], AbstractContextManager[Any]]
) -> None:
    with committed():
        events.publish(UserClosed(user_id=world.user.pk, username="uma", cause="disabled"))
    (order,) = proxy.beat(active.pk).orders
    assert isinstance(order, TerminateSession)
    assert (order.session_id, order.reason) == (active.pk, "account_closed")
    assert order.message_zh
    assert order.message_en


def test_k40_closing_another_account_ends_nothing(
    proxy: Proxy, active: Session, people: dict[str, User], committed: Callable[[], AbstractContextManager[Any]]
) -> None:
    with committed():
        events.publish(UserClosed(user_id=people["auditor"].pk, username="audra", cause="deleted"))
    assert proxy.beat(active.pk).orders == ()


def test_k40_signing_out_ends_sessions_opened_from_that_browser(
    proxy: Proxy, active: Session, world: World, committed: Callable[[], AbstractContextManager[Any]]
) -> None:
    browser = uuid4()
    Session.objects.filter(pk=active.pk).update(login_session=browser)
    with committed():
        events.publish(LoginSessionEnded(user_id=world.user.pk, login_session_id=uuid4(), reason="signed_out"))
    assert proxy.beat(active.pk).orders == ()
    with committed():
        events.publish(LoginSessionEnded(user_id=world.user.pk, login_session_id=browser, reason="signed_out"))
    assert reason_of_end(proxy, active) == "account_closed"


def test_k40_sweep_finds_closed_accounts_whose_event_was_lost(proxy: Proxy, active: Session, world: World) -> None:
    assert tasks.sweep_accounts() == 0
    User.objects.filter(pk=world.user.pk).update(date_expired=clock.now() - timedelta(seconds=1))
    assert tasks.sweep_accounts() == 1
    assert ProxyOrder.objects.get().session_id == active.pk


def test_k40_removing_the_authority_ends_sessions_of_its_certificates(
    proxy: Proxy, active: Session, committed: Callable[[], AbstractContextManager[Any]], tmp_path: Path
) -> None:
    authority = SshAuthority(tmp_path).line
    settings.change_settings(actor=SYSTEM, changes={"TERMINAL_USER_CA_KEYS": authority})
    mark = judging.Mark(
        authority=parse_public_key(authority).sha256, key="SHA256:x", serial=7, key_id="uma", date_expired=clock.now()
    )
    ProxySignIn.objects.filter(pk=active.proxy_sign_in).update(certificate=mark.stored())
    with committed():
        settings.change_settings(actor=SYSTEM, changes={"TERMINAL_REVOKED_CERTIFICATES": "serial: 8"})
    assert tasks.sweep_accounts() == 0
    assert proxy.beat(active.pk).orders == (), "expired certificates end no session either"
    with committed():
        settings.change_settings(actor=SYSTEM, changes={"TERMINAL_USER_CA_KEYS": ""})
    assert reason_of_end(proxy, active) == "account_closed"


def test_k40_withdrawing_the_permission_ends_the_session(
    proxy: Proxy, active: Session, world: World, committed: Callable[[], AbstractContextManager[Any]]
) -> None:
    with committed():
        perms_actions.update_permission(actor=SYSTEM, permission=world.permission, values={"is_active": False})
    assert reason_of_end(proxy, active) == "grant_withdrawn"


def test_k40_change_that_keeps_the_permission_valid_ends_nothing(
    proxy: Proxy, active: Session, world: World, committed: Callable[[], AbstractContextManager[Any]]
) -> None:
    with committed():
        perms_actions.update_permission(actor=SYSTEM, permission=world.permission, values={"comment": "still good"})
    assert proxy.beat(active.pk).orders == ()


def test_sweep_finds_withdrawn_permissions_whose_event_was_lost(proxy: Proxy, active: Session, world: World) -> None:
    assert tasks.sweep_permissions() == 0
    world.permission.is_active = False
    world.permission.save()
    assert tasks.sweep_permissions() == 1


def test_k40_watching_stops_when_the_watcher_loses_the_right(
    proxy: Proxy, active: Session, watching: WatchToken, people: dict[str, User]
) -> None:
    people["auditor"].memberships.all().delete()
    assert tasks.sweep_permissions() == 1
    (order,) = proxy.beat(active.pk).orders
    assert order == StopWatching(order_id=order.order_id, watch_id=watching.pk)
    assert tasks.sweep_permissions() == 0


def test_k40_watching_stops_when_the_account_of_the_watcher_closes(
    proxy: Proxy,
    active: Session,
    watching: WatchToken,
    people: dict[str, User],
    committed: Callable[[], AbstractContextManager[Any]],
) -> None:
    with committed():
        events.publish(UserClosed(user_id=people["auditor"].pk, username="audra", cause="disabled"))
    (order,) = proxy.beat(active.pk).orders
    assert isinstance(order, StopWatching)


def test_expired_lease_ends_the_sessions_of_a_silent_proxy(
    active: Session, audit_events: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [clock.now().timestamp()]
    monkeypatch.setattr(leases.time, "time", lambda: now[0])

    def rounds(seconds: int) -> int:
        ended = 0
        for _ in range(0, seconds, 5):
            now[0] += 5
            presence.stamp_web(now[0])
            ended += leases.check_leases()
        return ended

    monkeypatch.setattr(leases.clock, "now", lambda: clock.datetime.fromtimestamp(now[0], tz=clock.UTC))
    assert rounds(40) == 0
    assert rounds(20) == 1
    active.refresh_from_db()
    assert (active.state, active.end_reason) == ("ended", "interrupted")
    assert "terminal.lost" in audit_events()
    assert rounds(60) == 0


def test_lease_does_not_run_while_the_web_part_could_not_receive_heartbeats(
    active: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    Session.objects.all()
    active.terminal.__class__.objects.update(date_last_heartbeat=clock.now() - timedelta(hours=1))
    assert leases.check_leases() == 0  # the web part is not known to be up
    presence.stamp_web(leases.time.time())
    assert leases.check_leases() == 0  # the web part has only just come up
    active.refresh_from_db()
    assert active.state == "active"


def test_old_tokens_are_deleted(proxy: Proxy, world: World, as_user: APIClient) -> None:
    proxy.beat()
    body = {"asset": str(world.asset.pk), "system_user": str(world.system_user.pk)}
    assert as_user.post("/api/v1/users/connection-token/", body).status_code == 201
    assert tasks.purge_tokens() == 0
    ConnectionToken.objects.update(date_expired=clock.now() - timedelta(days=2))
    assert tasks.purge_tokens() == 1


@pytest.mark.parametrize("way", ["relation", "organization"])
def test_k40_user_removed_from_the_organization_loses_sessions_groups_and_permissions(
    way: str,
    proxy: Proxy,
    active: Session,
    world: World,
    *,
    as_admin: APIClient,
    committed: Callable[[], AbstractContextManager[Any]],
) -> None:
    org_id = active.org_id
    with committed():
        if way == "relation":
            answer = as_admin.delete(f"/api/v1/orgs/org-member-relation/?org={org_id}&user={world.user.pk}")
            assert answer.status_code == 204
        else:
            organization = as_admin.get(f"/api/v1/orgs/orgs/{org_id}/").json()
            left = [user_id for user_id in organization["users"] if user_id != str(world.user.pk)]
            assert as_admin.patch(f"/api/v1/orgs/orgs/{org_id}/", {"users": left}).status_code == 200
    (order,) = proxy.beat(active.pk).orders
    assert isinstance(order, TerminateSession)
    assert (order.session_id, order.reason) == (active.pk, "grant_withdrawn")
    assert not world.permission.user_rows.exists()
    assert not world.user.groups.exists()
    assert proxy.authorize(world.user, "web-1").grant is None


def test_idle_proxy_without_heartbeats_is_reported_lost_once_until_its_next_heartbeat(
    proxy: Proxy, committed: Callable[[], AbstractContextManager[Any]], hear: Hearing
) -> None:
    lease, published = timedelta(seconds=LEASE_S), hear(TerminalLost)

    def expire(later: timedelta) -> int:
        with committed():
            return len(heartbeats.expire_leases(actor=SYSTEM, now=clock.now() + later, lease=lease))

    proxy.beat()
    assert expire(lease - timedelta(seconds=1)) == 0
    assert [expire(lease + timedelta(seconds=1)) for _ in range(2)] == [1, 0]
    assert [event.name for event in published] == ["proxy-1"]
    proxy.beat()
    assert expire(lease + timedelta(seconds=1)) == 1
    proxy.beat()
    assert expire(timedelta(days=3)) == 0, "away for so long is no news"
    proxy.beat(draining=True)
    assert expire(lease + timedelta(seconds=1)) == 0, "shut down in order"
