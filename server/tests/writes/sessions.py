"""Writes of sessions: tokens, orders, terminals; and what a proxy reports over the internal API."""

from typing import Any

from writes.case import ADDRESS, ROOT, Again, Told, Write, created, deleted, parsing, silent, updated
from writes.preparations import MARK
from writes.world import World

API = "/api/v1/terminal/"
INTERNAL = "/api/internal/v1/"
ONE = "One-Person(one-person)"
_SESSION = {"kind": "Session", "name": "{title}"}
#: A connection token is used up before the session is opened: a failure does not revive it (K18).
_SPENT = frozenset({"sessions_connectiontoken"})


def _of_session(event: str, **more: Any) -> Told:
    return Told(**{"event": event, "action": "other", **_SESSION, "user": ONE, "address": "192.0.2.7", **more})


def _connection(path: str) -> Write:
    return Write(
        method="POST",
        path=path,
        prepare=World.with_grant_of_admin,
        body={"asset": "{assets/assets}", "system_user": "{assets/system-users}", "protocol": "ssh"},
        status=201,
        told=[
            Told(
                event="connection_token.created",
                action="other",
                kind="ConnectionToken",
                name="one root@one-host",
                new={"asset_id": "{assets/assets}", "protocol": "ssh"},
            )
        ],
        again=Again.ACTS,
        shown_once=["token"],
    )


_PEOPLE = [
    _connection("/api/v1/authentication/connection-token/"),
    _connection("/api/v1/users/connection-token/"),
    Write(
        method="POST",
        path="/api/v1/assets/system-users/<system_user_id>/temp-auth/",
        prepare=World.with_manual_system_user_of_admin,
        at={"system_user_id": "{assets/system-users}"},
        body={"instance_id": "{assets/assets}", "username": "root", "password": f"{MARK} entered"},
        status=201,
        told=[
            Told(
                event="entered_credential.kept",
                action="other",
                kind="EnteredCredential",
                name="one root@one-host",
                new={"login_name": "root", "password": "******"},
            )
        ],
        again=Again.ACTS,
    ),
    Write(
        method="DELETE",
        path="/api/v1/assets/entered-credentials/<pk>/",
        prepare=World.with_entered_credential,
        at={"pk": "{entered}"},
        status=204,
        told=[
            Told(
                event="entered_credential.forgotten",
                action="other",
                kind="EnteredCredential",
                name="one root@one-host",
                old={"login_name": "root", "password": "******"},
            )
        ],
        again=Again.GONE,
    ),
    Write(
        method="POST",
        path=f"{API}sessions/<pk>/watch-token/",
        at={"pk": "{terminal/sessions}"},
        status=201,
        told=[Told(event="session.watch_permitted", action="other", kind="Session", name="one root@one-host")],
        again=Again.ACTS,
        shown_once=["token"],
    ),
    Write(
        method="POST",
        path=f"{API}sessions/<pk>/replay/verify/",
        prepare=World.with_stored_recording,
        at={"pk": "{recorded}"},
        told=[Told(event="replay.verified", action="other", kind="Session", name="{title}", new={})],
        again=Again.ACTS,
    ),
    Write(
        method="POST",
        path=f"{API}tasks/kill-session/",
        prepare=World.without_orders,
        body=["{terminal/sessions}"],
        told=[
            Told(
                event="session.termination_ordered",
                action="other",
                kind="Session",
                name="one root@one-host",
                new={"reason": "terminated"},
            )
        ],
    ),
    Write(
        method="POST",
        path=f"{API}tasks/lock-session/",
        prepare=World.without_orders,
        body=["{terminal/sessions}"],
        told=[Told(event="session.locked", action="other", kind="Session", name="one root@one-host")],
    ),
    Write(
        method="POST",
        path=f"{API}tasks/unlock-session/",
        prepare=World.with_locked_session,
        body=["{terminal/sessions}"],
        told=[
            Told(
                event="session.unlocked",
                action="other",
                kind="Session",
                name="one root@one-host",
                old={"locked_by": "somebody"},
            )
        ],
    ),
    Write(
        method="PUT",
        path=f"{API}retention/",
        body={"days": 200},
        told=[
            Told(
                event="retention.changed",
                action="update",
                kind="Organization",
                name="Default",
                old={"days": None},
                new={"days": 200},
                whole=True,
            )
        ],
    ),
    Write(
        method="POST",
        path=f"{API}holds/",
        body={"session": "{terminal/sessions}", "reason": "matter 7"},
        status=201,
        told=[
            Told(
                event="hold.placed",
                action="other",
                kind="Session",
                name="one root@one-host",
                new={"reason": "matter 7", "date_end": None},
            )
        ],
    ),
    Write(
        method="POST",
        path=f"{API}holds/<pk>/release/",
        at={"pk": "{terminal/holds}"},
        body={"reason": "closed"},
        status=204,
        told=[
            Told(
                event="hold.released",
                action="other",
                kind="User",
                name=ONE,
                old={"reason": "matter of one"},
                new={"reason": "closed"},
            )
        ],
        again=Again.GONE,
    ),
    Write(
        method="POST",
        path=f"{API}sessions/<pk>/message/",
        prepare=World.without_orders,
        at={"pk": "{terminal/sessions}"},
        body={"message": "Please save."},
        status=201,
        told=[
            Told(
                event="session.message_sent",
                action="other",
                kind="Session",
                name="one root@one-host",
                new={"message": "Please save."},
            )
        ],
        again=Again.ACTS,
    ),
]

_ONE = updated("Terminal", "one gate", {"comment": ""}, {"comment": "changed"}, org=ROOT)
_TWO = updated("Terminal", "two gate", {"comment": ""}, {"comment": "changed"}, org=ROOT)
_ITEMS = [{"id": "{terminal}", "comment": "changed"}, {"id": "{2:terminal}", "comment": "changed"}]
_WHOLE = [{**_ITEMS[0], "name": "one gate"}, {**_ITEMS[1], "name": "two gate"}]


def _gone(name: str) -> Told:
    return deleted("Terminal", name, {"name": name}, new={"why": "deleted"}, org=ROOT)


def _changed(verb: str, event: str, old: Any, new: Any, **more: Any) -> Write:
    told = Told(event=event, action="update", kind="Terminal", name="one gate", old=old, new=new, org=ROOT, whole=True)
    return Write(
        **{"method": "POST", "path": f"{API}terminals/<pk>/{verb}", "at": {"pk": "{terminal}"}, "told": [told], **more}
    )


_TERMINALS = [
    Write(
        method="POST",
        path=f"{API}terminal-registrations/",
        caller="bootstrap",
        body={"name": "gate-9", "type": "core"},
        status=201,
        told=[
            created(
                "Terminal",
                "gate-9",
                {"name": "gate-9", "type": "core"},
                event="terminal.registered",
                org=ROOT,
                user="bootstrap token",
            )
        ],
        again=Again.ACTS,
        shown_once=["service_account.access_key.secret"],
    ),
    Write(
        method="PATCH", path=f"{API}terminals/<pk>/", at={"pk": "{terminal}"}, body={"comment": "changed"}, told=[_ONE]
    ),
    Write(
        method="PUT",
        path=f"{API}terminals/<pk>/",
        at={"pk": "{terminal}"},
        body={"name": "one gate", "comment": "changed"},
        told=[_ONE],
    ),
    Write(method="PATCH", path=f"{API}terminals/", body=_ITEMS, told=[_ONE, _TWO]),
    Write(method="PUT", path=f"{API}terminals/", body=_WHOLE, told=[_ONE, _TWO]),
    Write(
        method="DELETE",
        path=f"{API}terminals/<pk>/",
        at={"pk": "{terminal}"},
        status=204,
        told=[_gone("one gate")],
        again=Again.GONE,
    ),
    Write(
        method="DELETE",
        path=f"{API}terminals/",
        query="ids={terminal},{2:terminal}",
        status=204,
        told=[_gone("one gate"), _gone("two gate")],
    ),
    parsing(f"{API}terminals/", "*Name", "gate-8"),
    _changed("accept/", "terminal.accepted", {"is_accepted": False}, {"is_accepted": True}),
    Write(
        method="POST",
        path=f"{API}terminals/<pk>/refuse/",
        at={"pk": "{terminal}"},
        status=204,
        told=[deleted("Terminal", "one gate", {"name": "one gate"}, new={"why": "refused"}, org=ROOT)],
        again=Again.GONE,
    ),
    _changed(
        "renew-credential/",
        "terminal.renewal_ordered",
        None,
        {"fingerprint": "{fingerprint}"},
        prepare=World.with_accepted_terminal,
    ),
    _changed(
        "revoke-credential/",
        "terminal.credential_revoked",
        {"is_accepted": True, "fingerprint": "{fingerprint}"},
        {"is_accepted": False, "fingerprint": ""},
        prepare=World.with_accepted_terminal,
    ),
    Write(
        method="POST",
        path=f"{INTERNAL}registration/renew/",
        caller="proxy",
        body={"boot_id": "{boot_id}"},
        prepare=World.with_renewal_due,
        told=[
            Told(
                event="terminal.credential_issued",
                action="update",
                kind="Terminal",
                name="gate-1",
                org=ROOT,
                user="gate-1",
            )
        ],
        again=Again.ACTS,
        shown_once=["secret"],
    ),
]


def _proxy(path: str, body: Any, told: list[Told], **more: Any) -> Write:
    return Write(**{"method": "POST", "path": INTERNAL + path, "caller": "proxy", "body": body, "told": told, **more})


_AT = "2026-01-02T03:04:05Z"
_PERSON = {"username": "one-person", "remote_addr": "192.0.2.7", "login_from": "ST"}
_LOGIN = Told(
    event="sign_in.succeeded",
    action="other",
    kind="LoginLog",
    name="one-person",
    new={"type": "T", "status": True},
    org=ROOT,
    user=ONE,
    address="192.0.2.7",
)

_SIGN_INS = [
    silent(
        f"{INTERNAL}sign-in/public-key/offer/",
        caller="proxy",
        prepare=World.with_public_key,
        body={"username": "one-person", "public_key": "{public_key}", "remote_addr": "192.0.2.7"},
    ),
    silent(
        f"{INTERNAL}reachable-assets/",
        caller="proxy",
        prepare=World.with_ticket,
        body={"ticket": "{ticket}", "remote_addr": "192.0.2.7"},
    ),
    _proxy(
        "sign-in/tickets/",
        {"closed": ["{ticket}"]},
        [
            Told(
                event="proxy_sign_in.ended",
                action="other",
                kind="ProxySignIn",
                name=ONE,
                org=ROOT,
                user="gate-1",
                address=ADDRESS,
            )
        ],
        prepare=World.with_ticket,
    ),
    _proxy(
        "sign-in/tickets/",
        {"open": ["{ticket}"]},
        [],
        prepare=World.with_ticket,
        again=Again.ACTS,
        untold="the connection is open still: the sign-in and its end are records of their own",
        marks=frozenset({"authn_proxysignin"}),
    ),
    _proxy(
        "sign-in/password/",
        {**_PERSON, "password": MARK},
        [_LOGIN],
        prepare=World.with_password_of_person,
        again=Again.ACTS,
        marks=frozenset({"authn_signinguard"}),
        shown_once=["ticket"],
    ),
    _proxy(
        "sign-in/public-key/",
        {
            "signed": "{signed}",
            "signature": "{signature}",
            "attempt": "1",
            "remote_addr": "192.0.2.7",
            "login_from": "ST",
        },
        [_LOGIN],
        prepare=World.with_signed_request,
        again=Again.ACTS,
        # A signature is used up before the sign-in is noted: a failure does not revive it (K8).
        marks=frozenset({"authn_usedsignature"}),
        shown_once=["ticket"],
    ),
    _proxy(
        "sign-in/code/",
        {"token": "{sign_in}", "code": "{code}", "username": "one-person", "remote_addr": "192.0.2.7"},
        [_LOGIN],
        prepare=World.with_demand_of_person,
        again=Again.ACTS,
        marks=frozenset({"authn_signinguard", "authn_pendingsignin", "authn_totpdevice"}),
        shown_once=["ticket"],
    ),
]

_SESSIONS = [
    _proxy(
        "authorize/",
        {
            "ticket": "{ticket}",
            "asset": "one-host",
            "protocol": "ssh",
            "login_from": "ST",
            "remote_addr": "192.0.2.7",
        },
        [_of_session("session.permitted", name="one root@one-host", new={"protocol": "ssh", "terminal": "gate-1"})],
        prepare=World.with_ticket,
        again=Again.ACTS,
        shown_once=["grant.opening_key"],
    ),
    _proxy(
        "command-confirmations/",
        {"session_id": "{opened}", "rule_id": None, "line": "reboot", "command": "reboot"},
        [_of_session("command.confirmation_refused", new={"line": "reboot", "command": "reboot", "rule": None})],
        prepare=World.with_opened_session,
        again=Again.ACTS,
    ),
    *[
        _proxy(
            f"command-confirmations/{verb}/",
            {"session_id": "{opened}", "id": "{opened}"},
            [],
            prepare=World.with_opened_session,
        )
        for verb in ("state", "withdraw")
    ],
    _proxy(
        "tokens/redeem/",
        {"token": "{connection}", "user_id": "{admin}", "remote_addr": "192.0.2.7"},
        [_of_session("session.permitted", name="one root@one-host", user="Adam(adam)", new={"terminal": "gate-1"})],
        prepare=World.with_connection_token,
        again=Again.ACTS,
        marks=_SPENT,
        shown_once=["grant.opening_key"],
    ),
    _proxy(
        "credential/",
        {"session_id": "{opened}", "opening_key": "{opening_key}"},
        [_of_session("credential.released", new={"terminal": "gate-1", "login_name": "root"})],
        prepare=World.with_opened_session,
        again=Again.ACTS,
        shown_once=["credential.password"],
    ),
    _proxy(
        "gateway-credential/",
        {"session_id": "{opened}", "opening_key": "{opening_key}", "gateway_id": "{assets/gateways}"},
        [_of_session("gateway.credential_released", new={"gateway": "one gateway", "login_name": "forward"})],
        prepare=World.with_opened_session_behind_a_gateway,
        again=Again.ACTS,
        shown_once=["credential.password"],
    ),
    _proxy(
        "host-key/",
        {
            "session_id": "{opened}",
            "opening_key": "{opening_key}",
            "host": "{host}",
            "port": 22,
            "public_key": "{host_key}",
        },
        [_of_session("session.host_key_judged", new={"verdict": "match"})],
        prepare=World.with_opened_session,
        again=Again.ACTS,
    ),
    _proxy(
        "events/",
        {
            "events": [
                {"type": "session_started", "session_id": "{opened}", "at": _AT, "kind": "shell", "recording": True}
            ]
        },
        [_of_session("session.started", new={"kind": "shell", "recording": True})],
        prepare=World.with_opened_session,
    ),
    _proxy(
        "events/",
        {
            "events": [
                {
                    "type": "command_seen",
                    "id": "6f1c2b9e-6f58-4c0e-9d0c-2b7f6f0a4d11",
                    "session_id": "{opened}",
                    "at": _AT,
                    "offset_ms": 5,
                    "kind": "typed",
                    "input": f"echo {MARK}",
                    "output": MARK,
                }
            ]
        },
        [],
        prepare=World.with_opened_session,
        untold="a command is a record itself: the session log, which nobody changes",
        marks=frozenset({"sessions_command", "sessions_session"}),  # the session holds the end of its chain
        holds=frozenset({"sessions_command"}),
    ),
    _proxy(
        "heartbeat/",
        {
            "version": "1",
            "protocol_version": 3,
            "sessions": [],
            "cpu_load": 0.1,
            "memory_used": 1.0,
            "disk_used": 1.0,
            "connections": 0,
            "boot_id": "6f1c2b9e-6f58-4c0e-9d0c-2b7f6f0a4d11",
            "stream_address": "unix:/nowhere",
            "ssh_port": 2222,
        },
        [
            Told(
                event="terminal.came_up",
                action="other",
                kind="Terminal",
                name="gate-1",
                new={"version": "1"},
                org=ROOT,
                user="gate-1",
            )
        ],
        again=Again.ACTS,
    ),
    Write(
        method="PUT",
        path=f"{INTERNAL}recordings/<session_id>/content/",
        caller="proxy",
        prepare=World.with_announced_recording,
        at={"session_id": "{opened}"},
        body="{content}",
        format="application/octet-stream",
        headers={"Content-Range": "bytes 0-{last}/{total}"},
        told=[_of_session("recording.stored", user="gate-1", address=ADDRESS, new={"size": "{total}"})],
        holds=frozenset({"files"}),
    ),
]

WRITES = [*_PEOPLE, *_TERMINALS, *_SIGN_INS, *_SESSIONS]
