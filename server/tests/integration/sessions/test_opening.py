"""Opening a session through the internal API: decision, tokens, secret, host key and audit records."""

import base64
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from django.apps import apps
from django.test import Client
from rest_framework.test import APIClient

from factories.grants import grant, make_asset, make_system_user
from factories.proxy_client import Proxy, World
from postern.apps.assets.models import Asset
from postern.apps.assets.platforms.actions import create_platform
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.models import ConnectionToken, Session, Terminal, WatchToken
from postern.apps.users.models import User
from postern.contracts import access
from postern.contracts.enums import Actions, DenialCode, HostKeyVerdict
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ids import token_hash

TOKENS = "/api/v1/authentication/connection-token/"


def host_key() -> str:
    """A random Ed25519 public key line."""
    blob = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20" + os.urandom(32)
    return f"ssh-ed25519 {base64.b64encode(blob).decode()}"


def ask_host_key(proxy: Proxy, session_id: UUID, key: str, port: int = 22) -> access.HostKeyAnswer:
    seen = access.HostKeySeen(
        session_id=session_id,
        opening_key=proxy.opening_key(session_id),
        host="127.0.0.1",
        port=port,
        public_key=key,
    )
    return proxy.ask(access.HOST_KEY, seen, access.HostKeyAnswer)


def test_authorize_with_a_permission_creates_an_opening_session(proxy: Proxy, world: World) -> None:
    answer = proxy.authorize(world.user, "web-1", client="SSH-2.0-OpenSSH_9.2")
    assert answer.denial is None
    assert answer.grant is not None
    assert answer.grant.target == access.Target(host="127.0.0.1", port=22)
    assert answer.grant.login_name == "root"
    assert Actions.CONNECT in answer.grant.actions
    assert answer.grant.idle_timeout_s == 1800
    session = Session.objects.get(pk=answer.grant.session_id)
    assert (session.state, session.user, session.asset) == ("opening", "Uma(uma)", "web-1")
    assert session.terminal_id == proxy.id
    row = AuditEvent.objects.get(event="session.permitted")
    assert row.user == "Uma(uma)"
    assert row.remote_addr == "192.0.2.7"
    assert row.new["reasons"][0]["permission"] == "to web-1"


@pytest.mark.spec("S3-038")
def test_grant_carries_the_sftp_root_of_the_system_user(proxy: Proxy, world: World) -> None:
    """New system users are confined to /tmp; before the root had an effect, nobody was."""
    first = proxy.authorize(world.user, "web-1").grant
    type(world.system_user).objects.update(sftp_root="/srv/files")
    second = proxy.authorize(world.user, "web-1").grant
    assert first is not None
    assert second is not None
    assert (first.sftp_root, second.sftp_root) == ("tmp", "/srv/files")
    migration = import_module("postern.apps.vault.migrations.0007_sftp_roots_of_existing_system_users")
    migration.confine_nobody(apps, None)
    third = proxy.authorize(world.user, "web-1").grant
    assert third is not None
    assert third.sftp_root == "/"


def test_charset_of_the_platform_reaches_the_session(proxy: Proxy, world: World) -> None:
    plain = proxy.authorize(world.user, "web-1").grant
    platform = create_platform(actor=SYSTEM, values={"name": "old", "base": "Linux", "charset": "gbk"})
    Asset.objects.filter(hostname="web-1").update(platform=platform)
    old = proxy.authorize(world.user, "web-1").grant
    assert plain is not None
    assert old is not None
    assert (plain.charset, old.charset) == ("utf8", "gbk")


def test_authorize_without_a_permission_is_denied_with_reasons_and_audited(
    proxy: Proxy, world: World, people: dict[str, User]
) -> None:
    answer = proxy.authorize(people["auditor"], "web-1")
    assert answer.grant is None
    assert answer.denial is not None
    assert answer.denial.message
    assert not Session.objects.exists()
    row = AuditEvent.objects.get(event="session.refused")
    assert row.new["code"] == answer.denial.code.value


def test_authorize_a_closed_account_is_denied(proxy: Proxy, world: World) -> None:
    User.objects.filter(pk=world.user.pk).update(is_active=False)
    answer = proxy.authorize(world.user, "web-1")
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.USER_INACTIVE
    assert not Session.objects.exists()


def test_authorize_answers_in_the_language_of_the_user(proxy: Proxy, people: dict[str, User]) -> None:
    user = people["user"]
    User.objects.filter(pk=user.pk).update(language="en")
    english = proxy.authorize(user, "nowhere")
    User.objects.filter(pk=user.pk).update(language="zh-hans")
    chinese = proxy.authorize(user, "nowhere")
    assert english.denial is not None
    assert chinese.denial is not None
    assert english.denial.message.isascii()
    assert not chinese.denial.message.isascii()


@pytest.mark.parametrize(
    ("asked", "spoken"),
    [("en", "en"), ("zh-hans", "zh-hans"), ("", "en"), ("de", "en"), ("../zh-hans", "en")],
)
def test_authorize_for_a_user_without_a_language_uses_that_of_the_client_or_the_installation(
    proxy: Proxy, world: World, settings: Any, asked: str, spoken: str
) -> None:
    settings.LANGUAGE_CODE = "en"
    denied = proxy.authorize(world.user, "nowhere", language=asked)
    granted = proxy.authorize(world.user, "web-1", language=asked)
    assert denied.denial is not None
    assert denied.denial.message.isascii() == (spoken == "en")
    assert granted.grant is not None
    assert granted.grant.user.language == spoken
    assert proxy.beat().settings.language == "en"


def test_k36_authorize_refuses_an_internal_address(proxy: Proxy, world: World, settings: Any) -> None:
    inner = make_asset("metadata", ip="169.254.169.254")
    grant(users=[world.user], assets=[inner], system_users=[world.system_user])
    settings.POSTERN = replace(settings.POSTERN, allow_local_targets=False)
    answer = proxy.authorize(world.user, "metadata")
    assert answer.grant is None
    assert answer.denial is not None


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "localhost"])
def test_k36_authorize_refuses_postern_itself_where_local_targets_are_allowed(
    proxy: Proxy, world: World, settings: Any, address: str
) -> None:
    settings.POSTERN = replace(settings.POSTERN, allow_local_targets=True)
    Terminal.objects.update(
        remote_addr="127.0.0.1", ssh_port=2022, stream_address="0.0.0.0:9022", files_address="0.0.0.0:9023"
    )
    own = (settings.POSTERN.http.port, settings.POSTERN.ssh.port, 2022, 9022, 9023)
    for number, port in enumerate(own):
        inner = make_asset(f"own-{number}", ip=address, protocols=[f"ssh/{port}"])
        grant(users=[world.user], assets=[inner], system_users=[world.system_user])
        answer = proxy.authorize(world.user, f"own-{number}")
        assert answer.grant is None
        assert answer.denial is not None
        assert answer.denial.message == "不允许连接到 Postern 自身的服务。"


def test_k8_internal_api_accepts_only_the_credential_of_a_terminal(
    proxy: Proxy, http: Client, as_admin: APIClient, people: dict[str, User]
) -> None:
    for path in (access.AUTHORIZE, access.CREDENTIAL, access.SIGN_IN_PUBLIC_KEY, "heartbeat/", "events/"):
        url = access.INTERNAL_PREFIX + path
        assert http.post(url, b"{}", content_type="application/json").status_code == 401
        wrong = {"Authorization": f"Terminal {proxy.id}.{'x' * 43}"}
        assert http.post(url, b"{}", content_type="application/json", headers=wrong).status_code == 401
        foreign = {"Authorization": f"Terminal {uuid4()}.{proxy.secret}"}
        assert http.post(url, b"{}", content_type="application/json", headers=foreign).status_code == 401


def test_internal_api_answers_400_to_an_invalid_message(proxy: Proxy) -> None:
    for body in (b"", b"{}", b"[]", b"\xff\xfe", b'{"session_id": 5}', b"{" * 5000):
        response = proxy.post(access.CREDENTIAL, body)
        assert response.status_code == 400, body
        assert response.json()["code"] == "malformed_message"


def test_k54_internal_api_refuses_oversize_messages(proxy: Proxy) -> None:
    response = proxy.post(access.CREDENTIAL, b" " * (300 * 1024))
    assert response.status_code == 413


def test_secret_is_released_once_to_the_owner_while_opening(
    proxy: Proxy, other_proxy: Proxy, opened: Session, audit_events: Callable[[], list[str]]
) -> None:
    foreign = other_proxy.credential(opened.pk)
    assert foreign.credential is None
    first = proxy.credential(opened.pk)
    assert first.credential is not None
    assert first.credential.password == "the secret of web-1"
    assert first.credential.login_name == "root"
    second = proxy.credential(opened.pk)
    assert second.credential is None
    assert second.denial is not None
    assert second.denial.code is DenialCode.SESSION_UNKNOWN
    event_names = audit_events()
    assert event_names.count("credential.released") == 1
    assert event_names.count("credential.refused") == 2


def test_secret_never_enters_the_audit_log(proxy: Proxy, opened: Session) -> None:
    proxy.credential(opened.pk)
    for row in AuditEvent.objects.all():
        assert "the secret of web-1" not in f"{row.old} {row.new} {row.resource}"


def test_secret_is_not_released_to_an_active_session(proxy: Proxy, active: Session) -> None:
    assert proxy.credential(active.pk).credential is None


def test_permission_is_checked_again_before_the_secret_is_released(proxy: Proxy, opened: Session, world: World) -> None:
    world.permission.is_active = False
    world.permission.save()
    answer = proxy.credential(opened.pk)
    assert answer.credential is None
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.PERMISSION_INACTIVE


def test_secret_for_a_closed_account_is_refused(proxy: Proxy, opened: Session, world: World) -> None:
    User.objects.filter(pk=world.user.pk).update(is_active=False)
    answer = proxy.credential(opened.pk)
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.USER_INACTIVE


def test_host_key_is_pinned_then_matched_and_a_changed_one_refused(
    proxy: Proxy, opened: Session, audit_events: Callable[[], list[str]]
) -> None:
    key = host_key()
    assert ask_host_key(proxy, opened.pk, key).verdict is HostKeyVerdict.PINNED
    assert ask_host_key(proxy, opened.pk, key).verdict is HostKeyVerdict.MATCH
    changed = ask_host_key(proxy, opened.pk, host_key())
    assert changed.verdict is HostKeyVerdict.CHANGED
    assert changed.message
    assert audit_events().count("session.host_key_judged") == 3


def test_k17_host_key_of_another_target_is_not_accepted(proxy: Proxy, opened: Session) -> None:
    seen = access.HostKeySeen(
        session_id=opened.pk,
        opening_key=proxy.opening_key(opened.pk),
        host="127.0.0.1",
        port=2222,
        public_key=host_key(),
    )
    assert proxy.post(access.HOST_KEY, msgspec.json.encode(seen)).status_code == 400


# Connection tokens


def issue(client: APIClient, world: World, **more: Any) -> Any:
    body = {"asset": str(world.asset.pk), "system_user": str(world.system_user.pk), **more}
    return client.post(TOKENS, body)


def test_connection_token_opens_one_session(proxy: Proxy, world: World, as_user: APIClient) -> None:
    proxy.beat()
    response = issue(as_user, world)
    assert response.status_code == 201
    body = response.json()
    assert body["ws_path"] == f"/ws/proxy/{proxy.id}/"
    assert body["expires_in"] == 300
    answer = proxy.redeem(body["token"], world.user)
    assert answer.grant is not None
    assert answer.grant.login_from.value == "WT"
    again = proxy.redeem(body["token"], world.user)
    assert again.denial is not None
    assert again.denial.code is DenialCode.TOKEN_USED


def test_k18_connection_token_is_stored_as_a_hash_for_five_minutes(
    proxy: Proxy, world: World, as_user: APIClient
) -> None:
    proxy.beat()
    token = issue(as_user, world).json()["token"]
    row = ConnectionToken.objects.get()
    assert row.token_hash == token_hash(token)
    assert timedelta(seconds=295) < row.date_expired - row.date_created <= timedelta(seconds=300)
    for event in AuditEvent.objects.all():
        assert token not in f"{event.new} {event.resource}"
    ConnectionToken.objects.update(date_expired=clock.now())
    answer = proxy.redeem(token, world.user)
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.TOKEN_EXPIRED


def test_k18_connection_token_works_only_for_its_owner_on_its_proxy(
    proxy: Proxy, other_proxy: Proxy, world: World, as_user: APIClient, people: dict[str, User]
) -> None:
    proxy.beat()
    token = issue(as_user, world).json()["token"]
    for answer in (
        proxy.redeem(token, people["admin"]),
        other_proxy.redeem(token, world.user),
        proxy.redeem(token[:-1], world.user),
        proxy.redeem("", world.user),
    ):
        assert answer.denial is not None
        assert answer.denial.code is DenialCode.TOKEN_UNKNOWN
    assert proxy.redeem(token, world.user).grant is not None


def test_k1_connection_token_needs_a_current_permission(
    proxy: Proxy, world: World, people: dict[str, User], client_of: Callable[[User | None], APIClient]
) -> None:
    proxy.beat()
    assert issue(client_of(None), world).status_code == 401
    for role in ("auditor", "org_admin", "admin"):
        response = issue(client_of(people[role]), world)
        assert response.status_code == 403, role
        assert response.json()["detail"]
        assert "code" in response.json()
    assert not ConnectionToken.objects.exists()
    assert AuditEvent.objects.filter(event="connection_token.refused").count() == 3


def test_connection_token_is_refused_after_the_permission_ended(proxy: Proxy, world: World, as_user: APIClient) -> None:
    proxy.beat()
    token = issue(as_user, world).json()["token"]
    world.permission.date_expired = clock.now() - timedelta(seconds=1)
    world.permission.save()
    answer = proxy.redeem(token, world.user)
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.PERMISSION_EXPIRED
    assert issue(as_user, world).status_code == 403


def test_connection_token_is_bound_to_its_protocol_and_system_user(
    proxy: Proxy, world: World, as_user: APIClient
) -> None:
    proxy.beat()
    other = make_system_user("other")
    assert issue(as_user, world, system_user=str(other.pk)).status_code == 403
    assert issue(as_user, world, protocol="rdp").status_code == 403
    assert issue(as_user, world, protocol="gopher").status_code == 400


def test_connection_token_for_another_user_is_refused(
    proxy: Proxy, world: World, as_admin: APIClient, as_user: APIClient, people: dict[str, User]
) -> None:
    proxy.beat()
    assert issue(as_admin, world, user=str(world.user.pk)).status_code == 403
    assert issue(as_user, world, user=str(world.user.pk)).status_code == 201


def test_connection_token_without_a_running_proxy_gets_a_clear_error(world: World, as_user: APIClient) -> None:
    response = issue(as_user, world)
    assert response.status_code == 503
    assert response.json()["code"] == "no_terminal"


def test_connection_token_avoids_a_draining_proxy(
    proxy: Proxy, other_proxy: Proxy, world: World, as_user: APIClient
) -> None:
    proxy.beat(draining=True)
    other_proxy.beat(connections=50)
    assert issue(as_user, world).json()["terminal_id"] == str(other_proxy.id)


def test_connection_token_for_files_is_bound_to_a_proxy_that_has_an_endpoint_for_them(
    proxy: Proxy, other_proxy: Proxy, world: World, as_user: APIClient
) -> None:
    proxy.beat(files_address="")
    other_proxy.beat(files_address="unix:/files", connections=50)
    body = issue(as_user, world, files=True).json()
    assert body["terminal_id"] == str(other_proxy.id)
    assert body["files_path"] == f"/files/{other_proxy.id}/"
    assert body["ws_path"] == f"/ws/proxy/{other_proxy.id}/"
    assert "files_path" not in issue(as_user, world).json()
    assert issue(as_user, world, files="perhaps").status_code == 400


def test_connection_token_for_files_says_so_when_no_proxy_has_an_endpoint_for_them(
    proxy: Proxy, other_proxy: Proxy, world: World, as_user: APIClient
) -> None:
    assert issue(as_user, world, files=True).json()["code"] == "no_terminal"
    proxy.beat(files_address="")
    other_proxy.beat(files_address="unix:/files", draining=True)
    response = issue(as_user, world, files=True)
    assert (response.status_code, response.json()["code"]) == (503, "no_files")
    assert "POSTERN_FILES" in response.json()["detail"]
    assert not ConnectionToken.objects.exists()


# Watch tokens


def watch(client: APIClient, session: Session) -> Any:
    return client.post(f"/api/v1/terminal/sessions/{session.pk}/watch-token/")


def test_watch_token_opens_a_view_once(
    proxy: Proxy, active: Session, as_auditor: APIClient, people: dict[str, User]
) -> None:
    response = watch(as_auditor, active)
    assert response.status_code == 201
    token = response.json()["token"]
    answer = proxy.redeem(token, people["auditor"])
    assert answer.watch is not None
    assert answer.watch.session_id == active.pk
    assert WatchToken.objects.get().pk == answer.watch.watch_id
    assert proxy.redeem(token, people["auditor"]).denial is not None


def test_k74_watch_token_is_only_for_auditors_of_the_organization(
    active: Session, as_user: APIClient, as_anonymous: APIClient, as_org_admin: APIClient
) -> None:
    assert watch(as_anonymous, active).status_code == 401
    assert watch(as_user, active).status_code == 403
    assert watch(as_org_admin, active).status_code == 201


@pytest.mark.spec("S8-039")
def test_session_of_an_rdp_client_cannot_be_watched(active: Session, as_auditor: APIClient) -> None:
    Session.objects.filter(pk=active.pk).update(login_from="RT")
    for language, text in (
        ("en", "Sessions of an RDP client cannot be monitored."),
        ("zh-hans", "RDP 客户端的会话不能监控。"),
    ):
        answer = as_auditor.post(f"/api/v1/terminal/sessions/{active.pk}/watch-token/", HTTP_ACCEPT_LANGUAGE=language)
        assert (answer.status_code, answer.json()["detail"]) == (409, text)


def test_watch_token_of_an_ended_session_is_refused(proxy: Proxy, opened: Session, as_auditor: APIClient) -> None:
    response = watch(as_auditor, opened)
    assert response.status_code == 409
    assert response.json()["code"] == "session_over"


def test_watch_token_is_refused_after_the_right_was_withdrawn(
    proxy: Proxy, active: Session, as_auditor: APIClient, people: dict[str, User]
) -> None:
    token = watch(as_auditor, active).json()["token"]
    people["auditor"].memberships.all().delete()
    answer = proxy.redeem(token, people["auditor"])
    assert answer.watch is None
    assert answer.denial is not None
    assert answer.denial.code is DenialCode.NO_PERMISSION
