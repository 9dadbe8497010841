"""A proxy waits until a super administrator accepts it. The local proxy proves a secret that it never sends."""

import os
import sqlite3
import stat
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client
from rest_framework.test import APIClient

from factories.proxy_client import PREFIX, Proxy, World
from postern.apps.audits.models import AuditEvent
from postern.apps.notifications.models import SiteMessage
from postern.apps.preferences.actions import change_settings
from postern.apps.sessions.models import Session, Terminal
from postern.apps.sessions.sessions.api.internal import AuthorizeView
from postern.apps.sessions.terminals import proxy_pace, registration
from postern.apps.sessions.terminals.actions import registrations
from postern.apps.sessions.visitors.api import ReachableAssetsView, TicketsView
from postern.apps.users.models import User
from postern.contracts import access, events, terminals
from postern.foundation.bus import outbox
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import new_token, token_hash

URL = "/api/v1/terminal/terminal-registrations/"
TERMINALS = "/api/v1/terminal/terminals/"


@pytest.fixture(autouse=True)
def _nobody_has_tried() -> None:
    cache.clear()


def bootstrap() -> str:
    return f"BootstrapToken {registration.bootstrap_token().reveal()}"


def proof(name: str, *, secret: str | None = None, made_at: float | None = None, nonce: str | None = None) -> str:
    text = terminals.local_proof(
        secret or registration.local_secret().reveal(),
        name=name,
        made_at=int(time.time() if made_at is None else made_at),
        nonce=nonce or new_token(),
    )
    return f"LocalProxy {text}"


def register(http: Client, authorization: str, name: str = "gate", address: str = "192.0.2.50") -> Any:
    return http.post(
        URL,
        {"name": name, "type": "proxy"},
        content_type="application/json",
        headers={"Authorization": authorization},
        REMOTE_ADDR=address,
    )


def state_of(http: Client, proxy_id: Any, secret: str) -> Any:
    return http.get(PREFIX + terminals.REGISTRATION_STATE, headers={"Authorization": f"Terminal {proxy_id}.{secret}"})


def secret_in(answer: Any) -> str:
    secret: str = answer.json()["service_account"]["access_key"]["secret"]
    return secret


@pytest.fixture
def waiting(db: None, http: Client) -> Proxy:
    return Proxy(http, "gate", accepted=False)


def notices(kind: str = "TerminalWaitingMessage") -> list[SiteMessage]:
    outbox.drain()
    return list(SiteMessage.objects.filter(message_type=kind))


def test_k8_waiting_proxy_may_only_ask_whether_it_is_accepted(
    waiting: Proxy, world: World, as_admin: APIClient
) -> None:
    """A bootstrap token alone must not give a working proxy."""
    ticket = waiting.sign_in(world.user)
    messages: dict[str, msgspec.Struct] = {
        access.SIGN_IN_PASSWORD: access.SignInPassword(
            username="uma", password="x", remote_addr="192.0.2.7", login_from="ST"
        ),
        access.PUBLIC_KEY_OFFER: access.PublicKeyOffer(username="uma", public_key="x", remote_addr="192.0.2.7"),
        access.SIGN_IN_PUBLIC_KEY: access.SignInPublicKey(
            signed=b"", signature=b"", attempt="1", remote_addr="192.0.2.7", login_from="ST"
        ),
        access.SIGN_IN_CODE: access.SignInCode(token="x", code="1", username="uma", remote_addr="192.0.2.7"),
        access.TICKETS: access.TicketReport(),
        access.REACHABLE_ASSETS: access.ReachableQuery(ticket=ticket, remote_addr="192.0.2.7"),
        access.AUTHORIZE: access.AuthorizeRequest(
            ticket=ticket, asset="web-1", protocol="ssh", login_from="ST", remote_addr="192.0.2.7"
        ),
        access.REDEEM_TOKEN: access.RedeemToken(token="x", user_id=world.user.pk, remote_addr="192.0.2.7"),
        access.CREDENTIAL: access.CredentialRequest(session_id=uuid4(), opening_key="x"),
        access.HOST_KEY: access.HostKeySeen(session_id=uuid4(), opening_key="x", host="x", port=22, public_key="x"),
        events.SESSION_EVENTS: events.EventBatch(events=()),
        terminals.RENEW_CREDENTIAL: access.TicketReport(),
    }
    for path, message in messages.items():
        assert waiting.post(path, msgspec.json.encode(message)).status_code == 401, path
    assert waiting.post(terminals.HEARTBEAT, b"{}").status_code == 401
    assert waiting.put(uuid4(), b"x", 0, 1).status_code == 401
    state = state_of(waiting.http, waiting.id, waiting.secret)
    assert (state.status_code, state.json()) == (200, {"state": "waiting"})
    assert as_admin.post(f"{TERMINALS}{waiting.id}/accept/").json()["is_accepted"] is True
    assert state_of(waiting.http, waiting.id, waiting.secret).json() == {"state": "accepted"}
    waiting.beat()
    assert AuditEvent.objects.filter(event="terminal.accepted").count() == 1


def test_super_administrators_are_notified_of_a_waiting_proxy(waiting: Proxy, people: dict[str, User]) -> None:
    (message, *_more) = notices()
    fingerprint = terminals.fingerprint_of(token_hash(waiting.secret))
    assert "gate" in message.subject
    assert fingerprint in message.message
    assert "127.0.0.1" in message.message


def test_list_shows_address_fingerprint_and_state(waiting: Proxy, as_admin: APIClient) -> None:
    (row,) = as_admin.get(TERMINALS).json()
    assert row["fingerprint"] == terminals.fingerprint_of(terminals.hash_of_secret(waiting.secret))
    assert (row["remote_addr"], row["is_accepted"], row["is_local"], row["is_revoked"]) == (
        "127.0.0.1", False, False, False,
    )  # fmt: skip
    assert waiting.secret not in str(row)
    assert Terminal.objects.get().secret_hash not in str(row)


def test_refused_proxy_gets_the_refusal(waiting: Proxy, as_admin: APIClient) -> None:
    assert as_admin.post(f"{TERMINALS}{waiting.id}/refuse/").status_code == 204
    assert as_admin.get(TERMINALS).json() == []
    assert state_of(waiting.http, waiting.id, waiting.secret).json() == {"state": "refused"}
    assert AuditEvent.objects.get(event="terminal.deleted").new == {"why": "refused"}


def test_accepted_proxy_cannot_be_refused_by_mistake(proxy: Proxy, as_admin: APIClient) -> None:
    answer = as_admin.post(f"{TERMINALS}{proxy.id}/refuse/")
    assert (answer.status_code, answer.json()["code"]) == (409, "not_waiting")
    proxy.beat()


def test_disabled_registration_is_400_as_in_the_contract(db: None, http: Client) -> None:
    change_settings(actor=SYSTEM, changes={"SECURITY_SERVICE_ACCOUNT_REGISTRATION": False})
    answer = register(http, bootstrap())
    assert answer.status_code == 400
    assert set(answer.json()) == {"error"}
    assert not Terminal.objects.exists()
    # The local proxy has access to the data folder and is still accepted.
    assert register(http, proof("gate")).status_code == 201


def test_bootstrap_token_replaces_no_existing_proxy(proxy: Proxy, http: Client, as_admin: APIClient) -> None:
    """Neither a running proxy, nor a proxy that is down for a moment, nor a waiting proxy."""
    proxy.beat()
    assert register(http, bootstrap(), "proxy-1").status_code == 400
    Terminal.objects.update(date_last_heartbeat=None)
    assert register(http, bootstrap(), "proxy-1").status_code == 400
    assert register(http, bootstrap(), "gate").status_code == 201
    assert register(http, bootstrap(), "gate").status_code == 400
    proxy.beat()
    assert as_admin.post(f"{TERMINALS}{proxy.id}/revoke-credential/").status_code == 200
    again = register(http, bootstrap(), "proxy-1")
    assert again.status_code == 201
    assert Terminal.objects.get(pk=again.json()["id"]).is_accepted is False


def test_bootstrap_token_cannot_fill_the_list(db: None, http: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registrations, "MAX_WAITING", 3)
    for number in range(3):
        assert register(http, bootstrap(), f"gate-{number}").status_code == 201
    assert register(http, bootstrap(), "gate-9").status_code == 503
    assert register(http, proof("local"), "local").status_code == 201


# The local proxy


def test_local_proxy_is_accepted_at_once_by_a_secret_that_it_does_not_send(db: None, http: Client) -> None:
    authorization = proof("gate")
    answer = register(http, authorization)
    assert answer.status_code == 201
    row = Terminal.objects.get()
    assert (row.is_accepted, row.is_local) == (True, True)
    path = settings.POSTERN.secrets_dir / "local-proxy.secret"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    secret = path.read_text().strip()
    assert secret == registration.local_secret().reveal()
    assert secret != registration.bootstrap_token().reveal()
    assert secret not in authorization
    assert not notices()


def test_k5_local_proof_is_valid_once_for_one_name_for_a_minute(db: None, http: Client) -> None:
    authorization = proof("gate")
    assert register(http, authorization, "other").status_code == 401
    assert register(http, authorization).status_code == 201
    Terminal.objects.all().delete()
    wrong = [
        authorization,  # used a second time
        proof("gate", made_at=time.time() - 120),
        proof("gate", made_at=time.time() + 120),
        proof("gate", secret=registration.bootstrap_token().reveal()),
        f"LocalProxy {registration.local_secret().reveal()}",
        "LocalProxy",
        "LocalProxy a.b.c",
    ]
    for text in wrong:
        assert register(http, text).status_code == 401, text
    assert not Terminal.objects.exists()


def test_revoked_local_proxy_does_not_come_back_by_itself(db: None, http: Client, as_admin: APIClient) -> None:
    first = register(http, proof("gate")).json()["id"]
    assert as_admin.post(f"{TERMINALS}{first}/revoke-credential/").status_code == 200
    second = register(http, proof("gate"))
    assert second.status_code == 201
    row = Terminal.objects.get(pk=second.json()["id"])
    assert (row.is_accepted, row.is_local) == (False, True)
    third = register(http, proof("gate"))
    assert Terminal.objects.get(pk=third.json()["id"]).is_accepted is False


@pytest.mark.parametrize("way", ["refuse", "delete", "another name"])
def test_revoked_local_proxy_waits_for_acceptance_whatever_happens_to_its_row(
    db: None, http: Client, as_admin: APIClient, way: str
) -> None:
    first = register(http, proof("gate")).json()["id"]
    assert as_admin.post(f"{TERMINALS}{first}/revoke-credential/").status_code == 200
    waiting = register(http, proof("gate")).json()["id"]
    name = "gate"
    if way == "refuse":
        assert as_admin.post(f"{TERMINALS}{waiting}/refuse/").status_code == 204
    elif way == "delete":
        assert as_admin.delete(f"{TERMINALS}{waiting}/").status_code == 204
    else:
        name = "gate-2"
    again = register(http, proof(name), name)
    assert Terminal.objects.get(pk=again.json()["id"]).is_accepted is False
    assert as_admin.post(f"{TERMINALS}{again.json()['id']}/accept/").status_code == 200
    assert Terminal.objects.get(pk=again.json()["id"]).is_accepted is True


def test_k6_bootstrap_token_cannot_be_guessed(db: None, http: Client) -> None:
    """After ten wrong tokens an address is refused for a minute, even with the right token."""
    for _ in range(registration.LIMIT_OF_ADDRESS):
        assert register(http, "BootstrapToken wrong").status_code == 401
    refused = register(http, bootstrap())
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) > 0
    assert AuditEvent.objects.filter(event="terminal.registration_refused").count() == registration.LIMIT_OF_ADDRESS
    assert register(http, bootstrap(), address="192.0.2.51").status_code == 201
    for number in range(registration.LIMIT_OF_ALL):
        register(http, "BootstrapToken wrong", address=f"198.51.100.{number}")
    assert register(http, bootstrap(), "gate-2", address="192.0.2.52").status_code == 429


def test_wrong_tokens_of_strangers_do_not_lock_out_the_local_proxy(db: None, http: Client) -> None:
    for number in range(registration.LIMIT_OF_ALL + 5):
        authorization = "LocalProxy 1.b.c" if number % 2 else "BootstrapToken wrong"
        register(http, authorization, address=f"198.51.100.{number}")
    for _ in range(registration.LIMIT_OF_ADDRESS + 5):
        register(http, "LocalProxy 1.b.c", address="127.0.0.1")
    assert register(http, proof("gate"), address="127.0.0.1").status_code == 201


def test_wrong_proofs_do_not_block_registration_with_the_bootstrap_token(db: None, http: Client) -> None:
    for number in range(registration.LIMIT_OF_ALL + 5):
        register(http, "LocalProxy 1.b.c", address=f"198.51.100.{number}")
    assert register(http, bootstrap()).status_code == 201


def test_wrong_proofs_of_one_address_do_not_fill_the_log(db: None, http: Client) -> None:
    answers = [register(http, "LocalProxy 1.b.c").status_code for _ in range(registration.LIMIT_OF_ADDRESS + 5)]
    assert answers[-5:] == [429] * 5
    assert AuditEvent.objects.filter(event="terminal.registration_refused").count() == registration.LIMIT_OF_ADDRESS


# Renewing and revoking


@pytest.mark.parametrize("beats", [False, True], ids=["asks", "beats and asks"])
def test_renewed_credential_goes_only_to_the_process_that_was_ordered_to_renew(
    proxy: Proxy, as_admin: APIClient, people: dict[str, User], beats: bool
) -> None:
    """A thief with the former credential asks first, is refused, and raises an alarm."""
    proxy.beat()
    as_admin.post(f"{TERMINALS}{proxy.id}/renew-credential/")
    honest, proxy.boot_id = proxy.boot_id, uuid4()
    if beats:
        assert proxy.beat().renew_credential is False
    for _ in range(2):
        stolen = proxy.renew()
        assert (stolen.status_code, stolen.json()["code"]) == (403, "renewal_refused")
    assert Terminal.objects.get().next_secret_hash == ""
    assert AuditEvent.objects.filter(event="terminal.alarm", new__kind="renewal").count() == 2
    assert notices("ProxyAlarmMessage")
    thief, proxy.boot_id = proxy.boot_id, honest
    former = proxy.secret
    assert proxy.beat().renew_credential is True
    assert AuditEvent.objects.filter(event="terminal.alarm", new__kind="twice").exists() is beats
    proxy.secret = proxy.renew().json()["secret"]
    proxy.beat()
    proxy.secret, proxy.boot_id = former, thief
    assert proxy.renew().status_code == 401


def test_renewal_is_ordered_again_after_a_restart_of_the_proxy(proxy: Proxy, as_admin: APIClient) -> None:
    proxy.beat()
    as_admin.post(f"{TERMINALS}{proxy.id}/renew-credential/")
    proxy.boot_id = uuid4()
    assert proxy.beat().renew_credential is False
    as_admin.post(f"{TERMINALS}{proxy.id}/renew-credential/")
    assert proxy.beat().renew_credential is True
    assert proxy.renew().status_code == 200
    assert AuditEvent.objects.filter(event="terminal.renewal_ordered").count() == 2


def test_proxy_with_two_addresses_raises_one_alarm_for_each_and_renews(proxy: Proxy, as_admin: APIClient) -> None:
    for number in range(6):
        proxy.http.defaults["REMOTE_ADDR"] = ("198.51.100.7", "2001:db8::7")[number % 2]
        proxy.beat()
    as_admin.post(f"{TERMINALS}{proxy.id}/renew-credential/")
    proxy.http.defaults["REMOTE_ADDR"] = "198.51.100.7"
    assert proxy.renew().status_code == 200
    assert AuditEvent.objects.filter(event="terminal.alarm").count() == 2


def test_credential_is_not_renewed_for_a_proxy_without_a_heartbeat(proxy: Proxy, as_admin: APIClient) -> None:
    as_admin.post(f"{TERMINALS}{proxy.id}/renew-credential/")
    assert proxy.renew().status_code == 403
    assert Terminal.objects.get().next_secret_hash == ""


def test_credential_is_renewed_without_locking_out_the_proxy(proxy: Proxy, as_admin: APIClient) -> None:
    assert proxy.beat().renew_credential is False
    assert proxy.renew().status_code == 409  # no renewal was ordered
    assert as_admin.post(f"{TERMINALS}{proxy.id}/renew-credential/").json()["is_renewal_due"] is True
    assert proxy.beat().renew_credential is True
    lost = msgspec.json.decode(proxy.renew().content, type=terminals.RenewedCredential)
    proxy.beat()  # the answer was lost: the present credential is still valid
    new = msgspec.json.decode(proxy.renew().content, type=terminals.RenewedCredential)
    former, proxy.secret = proxy.secret, new.secret
    assert proxy.beat().renew_credential is False
    for void in (former, lost.secret):
        proxy.secret = void
        assert proxy.post(terminals.HEARTBEAT, b"{}").status_code == 401
    names = list(AuditEvent.objects.filter(event__startswith="terminal.").values_list("event", flat=True))
    assert names.count("terminal.credential_renewed") == 1
    for event in AuditEvent.objects.all():
        for secret in (former, lost.secret, new.secret):
            assert secret not in f"{event.new} {event.old} {event.resource}"


def test_k40_revoked_credential_is_invalid_at_once(
    proxy: Proxy, active: Session, world: World, as_admin: APIClient
) -> None:
    row = as_admin.post(f"{TERMINALS}{proxy.id}/revoke-credential/").json()
    assert (row["is_revoked"], row["is_accepted"], row["fingerprint"]) == (True, False, "")
    assert proxy.post(terminals.HEARTBEAT, b"{}").status_code == 401
    assert state_of(proxy.http, proxy.id, proxy.secret).status_code == 401
    for nothing in ("", " "):
        assert state_of(proxy.http, proxy.id, nothing).status_code == 401
    active.refresh_from_db()
    assert (active.state, active.end_reason) == ("ended", "interrupted")
    for verb in ("accept", "renew-credential"):
        answer = as_admin.post(f"{TERMINALS}{proxy.id}/{verb}/")
        assert (answer.status_code, answer.json()["code"]) == (409, "credential_revoked")
    # The edit form does not bring it back either.
    as_admin.patch(f"{TERMINALS}{proxy.id}/", {"is_accepted": True})
    assert proxy.post(terminals.HEARTBEAT, b"{}").status_code == 401


@pytest.mark.parametrize("verb", ["accept", "refuse", "renew-credential", "revoke-credential"])
def test_k4_actions_on_terminals_are_for_super_administrators(
    waiting: Proxy, verb: str, as_org_admin: APIClient, as_auditor: APIClient, as_user: APIClient
) -> None:
    for client in (as_org_admin, as_auditor, as_user):
        assert client.post(f"{TERMINALS}{waiting.id}/{verb}/").status_code == 403
    assert Terminal.objects.get().is_accepted is False


# Too many requests


def test_proxy_with_too_many_requests_is_throttled_and_raises_one_alarm_for_each_path(
    proxy: Proxy, people: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    for view in (AuthorizeView, TicketsView, ReachableAssetsView):
        monkeypatch.setattr(view, "most_a_minute", 3)
        monkeypatch.setattr(view, "credentials_factor", 0)
    monkeypatch.setattr(proxy_pace.time, "time", lambda: 1_800_000_000.0)  # all requests fall into one minute
    for path in (access.AUTHORIZE, access.TICKETS, access.REACHABLE_ASSETS):
        answers = [proxy.post(path, b"nonsense") for _ in range(6)]
        assert [answer.status_code for answer in answers] == [400] * 3 + [429] * 3
        assert int(answers[-1]["Retry-After"]) > 0
    assert AuditEvent.objects.filter(event="terminal.alarm", new__kind="haste").count() == 3
    assert notices("ProxyAlarmMessage")
    proxy.beat()  # heartbeats are never limited


# Two processes with one credential


def test_super_administrators_are_notified_when_two_processes_use_one_credential(
    proxy: Proxy, people: dict[str, User]
) -> None:
    mine, thief = proxy.boot_id, uuid4()
    proxy.beat()
    proxy.beat(boot_id=thief)
    assert not notices("ProxyAlarmMessage")  # looks like a restart
    proxy.beat(boot_id=mine)
    assert notices("ProxyAlarmMessage")
    assert AuditEvent.objects.get(event="terminal.alarm").new["kind"] == "twice"


def test_super_administrators_are_notified_of_a_changed_address_of_a_running_proxy(
    proxy: Proxy, people: dict[str, User]
) -> None:
    proxy.beat()
    proxy.http.defaults["REMOTE_ADDR"] = "198.51.100.7"
    proxy.beat(boot_id=uuid4())  # moved and restarted: no alarm
    assert not notices("ProxyAlarmMessage")
    proxy.http.defaults["REMOTE_ADDR"] = "198.51.100.8"
    Terminal.objects.update(former_boot_id=None)
    proxy.beat(boot_id=Terminal.objects.get().boot_id)
    assert AuditEvent.objects.get(event="terminal.alarm").old == {"remote_addr": "198.51.100.7"}
    assert notices("ProxyAlarmMessage")


# Upgrades


def postern(home: Path, *arguments: str) -> None:
    environ = {"PATH": os.environ["PATH"], "POSTERN_HOME": str(home), "POSTERN_REDIS_URL": "redis://127.0.0.1:1"}
    subprocess.run([sys.executable, "-m", "postern.entrypoints", *arguments], env=environ, check=True, timeout=120)


def test_upgrade_keeps_accepted_terminals_accepted(tmp_path: Path) -> None:
    """The proxies of an upgraded installation continue with their credentials."""
    postern(tmp_path, "django", "migrate", "sessions", "0002", "--verbosity", "0")
    known = {"old gate": uuid4(), "shut out": uuid4()}
    with closing(sqlite3.connect(tmp_path / "postern.sqlite3")) as database, database:
        columns = [row[1] for row in database.execute("PRAGMA table_info(sessions_terminal)")]
        for name, key in known.items():
            row = dict.fromkeys(columns, 0) | dict.fromkeys(("boot_id", "date_last_heartbeat"))
            row |= {"id": key.hex, "name": name, "type": "proxy", "is_accepted": name == "old gate"}
            row |= {"secret_hash": token_hash("the secret"), "date_created": "2026-01-01 00:00:00"}
            marks = ", ".join("?" * len(row))
            insert = f"INSERT INTO sessions_terminal ({', '.join(row)}) VALUES ({marks})"  # noqa: S608 - names of columns
            database.execute(insert, list(row.values()))
    postern(tmp_path, "migrate")
    with closing(sqlite3.connect(tmp_path / "postern.sqlite3")) as database:
        rows = database.execute("SELECT name, is_accepted, is_local, secret_hash FROM sessions_terminal ORDER BY name")
        assert rows.fetchall() == [
            ("old gate", 1, 0, token_hash("the secret")),
            ("shut out", 0, 0, token_hash("the secret")),
        ]
