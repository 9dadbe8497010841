"""Sessions, commands, transfers and terminals over the API: lists, termination, and the roles that may use them."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from rest_framework.test import APIClient

from factories.proxy_client import Proxy, World
from postern.apps.orgs.models import Organization
from postern.apps.orgs.roles import OrgRole
from postern.apps.sessions.commands.api import DEFAULT_COMMAND_STORAGE_ID
from postern.apps.sessions.models import ProxyOrder, Session, Terminal
from postern.apps.sessions.terminals import registration
from postern.apps.users.models import User
from postern.contracts import events
from postern.contracts.enums import CommandKind, EndReason, RiskLevel, TransferDirection
from postern.contracts.terminals import TerminateSession
from postern.kernel import clock

SESSIONS = "/api/v1/terminal/sessions/"
COMMANDS = "/api/v1/terminal/commands/"
KILL = "/api/v1/terminal/tasks/kill-session/"

#: Method, path, and the lowest role that is allowed. `{id}` is a session, `{terminal}` a terminal.
MATRIX = [
    ("get", SESSIONS, "auditor"),
    ("options", SESSIONS, "auditor"),
    ("get", SESSIONS + "{id}/", "auditor"),
    ("post", SESSIONS + "{id}/watch-token/", "auditor"),
    ("get", SESSIONS + "{id}/replay/", "auditor"),
    ("get", SESSIONS + "{id}/replay/content/", "auditor"),
    ("get", SESSIONS + "{id}/replay/cast/", "auditor"),
    ("get", SESSIONS + "{id}/replay/text/", "auditor"),
    ("get", SESSIONS + "{id}/replay/download/", "auditor"),
    ("post", SESSIONS + "{id}/replay/verify/", "auditor"),
    ("get", COMMANDS + "?session_id={id}", "auditor"),
    ("get", "/api/v1/audits/ftp-logs/", "auditor"),
    ("post", KILL, "org_admin"),
    ("get", "/api/v1/terminal/tasks/", "org_admin"),
    ("get", "/api/v1/terminal/terminals/", "admin"),
    ("get", "/api/v1/terminal/terminals/{terminal}/", "admin"),
    ("patch", "/api/v1/terminal/terminals/{terminal}/", "admin"),
    ("get", "/api/v1/terminal/components/metrics/", "admin"),
    ("post", "/api/v1/terminal/terminal-registrations/", None),
    ("post", "/api/v1/users/service-account-registrations/", None),
    ("post", "/api/internal/v1/authorize/", None),
    ("post", "/api/internal/v1/events/", None),
    ("post", "/api/internal/v1/heartbeat/", None),
    ("put", "/api/internal/v1/recordings/{id}/content/", None),
]
ORDER = ("anonymous", "user", "auditor", "org_admin", "admin")


@pytest.fixture
def clients(people: dict[str, User], client_of: Callable[[User | None], APIClient]) -> dict[str, APIClient]:
    return {role: client_of(people.get(role)) for role in ORDER}


@pytest.mark.parametrize("case", MATRIX, ids=lambda case: f"{case[0]} {case[1]}")
def test_k4_every_endpoint_is_closed_below_its_lowest_role(
    clients: dict[str, APIClient], active: Session, proxy: Proxy, case: tuple[str, str, str | None]
) -> None:
    method, path, weakest = case
    url = path.format(id=active.pk, terminal=proxy.id)
    for role in ORDER:
        status = getattr(clients[role], method)(url, [] if path == KILL else {}, format="json").status_code
        if weakest is None or ORDER.index(role) < ORDER.index(weakest):
            assert status in {401, 403}, (role, status)
            assert (status == 401) == (role == "anonymous"), (role, status)
        else:
            assert status not in {401, 403}, (role, status)


def test_list_answers_for_several_people_or_assets(clients: dict[str, APIClient], active: Session) -> None:
    def ids(**query: str) -> list[str]:
        return [row["id"] for row in clients["org_admin"].get(SESSIONS, query).json()]

    for name, key in (("user_id__in", active.user_id), ("asset_id__in", active.asset_id)):
        assert ids(**{name: f"{uuid4()}, {key}"}) == [str(active.pk)]
        assert ids(**{name: f"{key}", "is_finished": "1"}) == []
        assert ids(**{name: str(uuid4())}) == ids(**{name: "nonsense"}) == []


def test_recent_assets_are_those_of_the_own_sessions(clients: dict[str, APIClient], active: Session) -> None:
    def recent(role: str) -> list[str]:
        return [row["asset"] for row in clients[role].get("/api/v1/terminal/recent-assets/").json()]

    assert recent("user") == [str(active.asset_id)]
    assert recent("admin") == []
    earlier = active.date_start - timedelta(days=1)
    values = {name: getattr(active, name) for name in ("org_id", "user_id", "user", "system_user_id", "system_user")}
    for asset_id, started in ((uuid4(), earlier), (active.asset_id, earlier)):
        Session.objects.create(
            **values, asset_id=asset_id, asset="x", terminal=active.terminal, protocol="ssh", login_from="ST",
            remote_addr="192.0.2.7", state="ended", end_reason=EndReason.IDLE, date_start=started, date_end=earlier,
        )  # fmt: skip
    assert recent("user")[0] == str(active.asset_id)
    assert len(recent("user")) == 2
    assert clients["anonymous"].get("/api/v1/terminal/recent-assets/").status_code == 401


def test_sessions_need_the_audit_permission(clients: dict[str, APIClient], active: Session) -> None:
    assert clients["user"].get(SESSIONS).status_code == 403
    assert clients["auditor"].get(SESSIONS).status_code == 200


@pytest.mark.spec("S3-044", "S3-045")
def test_session_row_has_the_fields_of_the_contract(as_auditor: APIClient, active: Session) -> None:
    row = as_auditor.get(f"{SESSIONS}{active.pk}/").json()
    assert row["user"] == "Uma(uma)"
    assert row["asset"] == "web-1"
    assert row["system_user"] == "root of web"
    assert (row["protocol"], row["login_from"], row["login_from_display"]) == ("ssh", "ST", row["login_from_display"])
    assert row["remote_addr"] == "192.0.2.7"
    assert (row["risk_level"], row["date_end"]) == (0, None)
    assert row["duration_s"] >= 0
    assert (row["state"], row["end_reason"], row["kind"]) == ("active", "", "shell")
    assert (row["login_name"], row["target_address"]) == ("root", "127.0.0.1:22")
    assert (row["can_join"], row["can_terminate"], row["can_replay"], row["has_replay"]) == (True, True, False, False)
    assert (row["is_finished"], row["is_success"], row["recording_state"]) == (False, True, "recording")
    assert row["command_amount"] == 0
    assert row["org_name"]
    assert row["date_start"][4] == "/"


@pytest.mark.spec("S4-040")
def test_sessions_are_listed_as_active_or_as_history(proxy: Proxy, as_auditor: APIClient, active: Session) -> None:
    def ids(query: str) -> list[str]:
        return [row["id"] for row in as_auditor.get(f"{SESSIONS}?{query}").json()]

    assert ids("is_finished=0") == [str(active.pk)]
    assert ids("is_finished=1") == []
    proxy.tell(events.SessionEnded(session_id=active.pk, at=clock.now(), reason=EndReason.USER_CLOSED))
    assert ids("is_finished=false") == []
    assert ids("is_finished=true") == [str(active.pk)]
    assert as_auditor.get(f"{SESSIONS}?is_finished=maybe").status_code == 400
    row = as_auditor.get(f"{SESSIONS}{active.pk}/").json()
    assert row["end_reason"] == "user_closed"
    assert row["end_reason_display"]
    assert not row["can_terminate"]


def test_sessions_are_filtered_searched_and_limited_by_date(as_auditor: APIClient, active: Session) -> None:
    def count(query: str) -> int:
        return int(as_auditor.get(f"{SESSIONS}?limit=10&{query}").json()["count"])

    assert count("asset=web-1") == 1
    assert count("asset=web-2") == 0
    assert count("search=WEB-1") == 1
    assert count("search=web-1 uma") == 1
    assert count("search=web-1 otto") == 0
    assert count("protocol=ssh&login_from=ST") == 1
    assert count(f"terminal={active.terminal_id}") == 1
    tomorrow = (clock.now() + timedelta(days=1)).isoformat().replace("+00:00", "Z")
    assert count(f"date_from={tomorrow}") == 0
    assert count(f"date_to={tomorrow}") == 1
    assert as_auditor.get(f"{SESSIONS}?date_from=yesterday").status_code == 400


def test_k22_sessions_are_not_filtered_by_undeclared_columns(as_auditor: APIClient, active: Session) -> None:
    rows = as_auditor.get(f"{SESSIONS}?terminal__secret_hash__startswith=x&username=nobody&order=terminal__secret_hash")
    assert len(rows.json()) == 1


def test_k74_sessions_of_other_organizations_are_not_accessible(
    active: Session, make_user: Callable[..., User], client_of: Callable[[User | None], APIClient], proxy: Proxy
) -> None:
    other = Organization.objects.create(name="Other")
    boss = make_user("boss", org_role=OrgRole.ADMIN, org_id=other.pk)
    client = client_of(boss)
    own = {"HTTP_X_JMS_ORG": str(other.pk)}
    assert client.get(SESSIONS, **own).json() == []
    for path in ("", "replay/", "replay/content/", "replay/cast/", "replay/text/", "replay/download/"):
        assert client.get(f"{SESSIONS}{active.pk}/{path}", **own).status_code == 404
    assert client.post(f"{SESSIONS}{active.pk}/watch-token/", **own).status_code == 404
    assert client.post(KILL, [str(active.pk)], format="json", **own).json() == {"ok": []}
    assert client.get(f"{COMMANDS}?session_id={active.pk}", **own).json() == []
    assert not ProxyOrder.objects.exists()
    # Naming the session's organization in the request does not help.
    foreign = {"HTTP_X_JMS_ORG": str(active.org_id)}
    assert client.get(f"{SESSIONS}{active.pk}/", **foreign).status_code == 403


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ('["{id}"]', "application/json"),
        ('"{id}"', "application/json"),
        ('{{"session": "{id}"}}', "application/json"),
        ('{{"ids": ["{id}"]}}', "application/json"),
        ("session={id}", "application/x-www-form-urlencoded"),
        ("ids={id}&ids={other}", "application/x-www-form-urlencoded"),
        ("ids[]={id}", "application/x-www-form-urlencoded"),
        ("0={id}&1={other}", "application/x-www-form-urlencoded"),
        ("{id}", "application/x-www-form-urlencoded"),
        ("csrfmiddlewaretoken=x&id={id}", "application/x-www-form-urlencoded"),
    ],
)
def test_sessions_are_terminated_by_array_single_id_and_form(
    as_org_admin: APIClient, active: Session, body: str, kind: str
) -> None:
    answer = as_org_admin.post(KILL, body.format(id=active.pk, other=uuid4()), content_type=kind)
    assert (answer.status_code, answer.json()) == (200, {"ok": [str(active.pk)]})
    assert ProxyOrder.objects.count() == 1


def test_sessions_are_terminated_by_a_multipart_form(as_org_admin: APIClient, active: Session) -> None:
    answer = as_org_admin.post(KILL, {"session_id": str(active.pk)}, format="multipart")
    assert answer.json() == {"ok": [str(active.pk)]}


@pytest.mark.parametrize(
    "body", ['"x"', "{}", '{"other": "x"}', '{"id": 7}', "[null]", "5", "null", '{"id": {"a": 1}}']
)
def test_bodies_without_a_session_id_are_refused(as_org_admin: APIClient, active: Session, body: str) -> None:
    assert as_org_admin.post(KILL, body, content_type="application/json").status_code == 400
    assert not ProxyOrder.objects.exists()


def test_sessions_cannot_be_written_over_the_api(as_admin: APIClient, active: Session) -> None:
    assert as_admin.post(SESSIONS, {}).status_code == 405
    assert as_admin.patch(f"{SESSIONS}{active.pk}/", {"user": "x"}).status_code == 405
    assert as_admin.delete(f"{SESSIONS}{active.pk}/").status_code == 405
    assert as_admin.delete(f"{SESSIONS}?ids={active.pk}").status_code == 405


# Terminate


@pytest.mark.spec("S4-041")
def test_termination_orders_the_proxy_to_end_the_session(
    proxy: Proxy, active: Session, as_org_admin: APIClient, audit_events: Callable[[], list[str]]
) -> None:
    response = as_org_admin.post(KILL, [str(active.pk)], format="json")
    assert response.status_code == 200
    assert response.json() == {"ok": [str(active.pk)]}
    (order,) = proxy.beat(active.pk).orders
    assert isinstance(order, TerminateSession)
    assert (order.session_id, order.reason, order.by) == (active.pk, "terminated", "Olaf(olaf)")
    assert "Olaf(olaf)" in order.message_en
    assert "session.termination_ordered" in audit_events()
    # A second click does not add an order. The order is repeated until the session has ended.
    as_org_admin.post(KILL, [str(active.pk)], format="json")
    assert proxy.beat(active.pk).orders == (order,)
    proxy.tell(events.SessionEnded(session_id=active.pk, at=clock.now(), reason=EndReason.TERMINATED))
    assert proxy.beat().orders == ()
    assert as_org_admin.post(KILL, [str(active.pk)], format="json").json() == {"ok": []}
    (task,) = as_org_admin.get("/api/v1/terminal/tasks/").json()
    assert (task["name"], task["args"], task["is_finished"]) == ("kill_session", str(active.pk), True)
    assert task["kwargs"] == {"terminated_by": "Olaf(olaf)"}


@pytest.mark.parametrize("body", [{}, {"ids": []}, "x", ["x"], [5], [None], [["a"]]])
def test_termination_refuses_a_body_that_is_no_list_of_ids(as_org_admin: APIClient, body: Any) -> None:
    assert as_org_admin.post(KILL, body, format="json").status_code == 400


def test_termination_ignores_unknown_sessions(as_org_admin: APIClient, active: Session) -> None:
    response = as_org_admin.post(KILL, [str(uuid4()), str(active.pk)], format="json")
    assert response.json() == {"ok": [str(active.pk)]}


# Commands and transfers


@pytest.fixture
def commands(proxy: Proxy, active: Session) -> None:
    for number, text in enumerate(("ls -l", "cat /etc/passwd", "rm -rf /")):
        proxy.tell(
            events.CommandSeen(
                id=uuid4(),
                session_id=active.pk,
                at=clock.now(),
                offset_ms=number * 1000,
                kind=CommandKind.ECHO,
                input=text,
                output="out",
                risk_level=RiskLevel.DANGEROUS if number == 2 else RiskLevel.ORDINARY,
            )
        )


@pytest.mark.usefixtures("commands")
def test_commands_of_a_session_have_their_position_in_the_replay(as_auditor: APIClient, active: Session) -> None:
    rows = as_auditor.get(f"{COMMANDS}?session_id={active.pk}&order=offset_ms").json()
    assert [(row["input"], row["offset_ms"]) for row in rows] == [
        ("ls -l", 0),
        ("cat /etc/passwd", 1000),
        ("rm -rf /", 2000),
    ]
    row = rows[2]
    assert (row["session"], row["risk_level"], row["kind"]) == (str(active.pk), 5, "echo")
    assert row["risk_level_display"]
    assert row["kind_display"]
    assert isinstance(row["timestamp"], int)
    assert as_auditor.get(f"{SESSIONS}{active.pk}/").json()["command_amount"] == 3


@pytest.mark.usefixtures("commands")
def test_commands_are_searched_across_sessions(as_auditor: APIClient) -> None:
    def inputs(query: str) -> list[str]:
        answer = as_auditor.get(f"{COMMANDS}?command_storage_id={DEFAULT_COMMAND_STORAGE_ID}&{query}")
        return [row["input"] for row in answer.json()]

    assert inputs("input=PASSWD") == ["cat /etc/passwd"]
    assert inputs("risk_level=5") == ["rm -rf /"]
    assert inputs("user=Uma") == ["rm -rf /", "cat /etc/passwd", "ls -l"]
    assert inputs("user=ma") == []
    assert inputs("order=timestamp") == ["ls -l", "cat /etc/passwd", "rm -rf /"]
    assert as_auditor.get(COMMANDS).status_code == 404


def test_ftp_logs_list_transfers(proxy: Proxy, active: Session, as_auditor: APIClient) -> None:
    proxy.tell(
        events.FileTransferred(
            id=uuid4(),
            session_id=active.pk,
            at=clock.now(),
            direction=TransferDirection.DOWNLOAD,
            operation="download",
            path="/var/log/<b>x</b>",
            size=12,
        )
    )
    (row,) = as_auditor.get("/api/v1/audits/ftp-logs/?operate=Download").json()
    assert (row["user"], row["filename"], row["size"], row["is_success"]) == ("Uma(uma)", "/var/log/<b>x</b>", 12, True)
    assert row["operate_display"]
    assert as_auditor.get("/api/v1/audits/ftp-logs/?operate=Upload").json() == []


# Terminals


def test_registration_returns_the_secret_once(proxy: Proxy, as_admin: APIClient) -> None:
    row = Terminal.objects.get()
    assert proxy.secret not in {row.secret_hash, row.name, row.comment}
    for answer in (as_admin.get("/api/v1/terminal/terminals/"), as_admin.options("/api/v1/terminal/terminals/")):
        assert proxy.secret not in answer.content.decode()
        assert row.secret_hash not in answer.content.decode()


@pytest.mark.parametrize(
    "header", ["", "BootstrapToken", "BootstrapToken wrong", "Bearer {token}", "BootstrapToken x{token}"]
)
def test_registration_needs_the_bootstrap_token(db: None, http: Client, header: str) -> None:
    text = header.format(token=registration.bootstrap_token().reveal())
    headers = {"Authorization": text} if text else {}
    url = "/api/v1/terminal/terminal-registrations/"
    response = http.post(url, {"name": "x", "type": "core"}, content_type="application/json", headers=headers)
    assert response.status_code == 401
    assert not Terminal.objects.exists()


def test_terminal_list_has_load_and_state(proxy: Proxy, active: Session, as_admin: APIClient) -> None:
    proxy.beat(active.pk, cpu_load=6.0, disk_used=50.5)
    (row,) = as_admin.get("/api/v1/terminal/terminals/").json()
    assert (row["name"], row["status"], row["is_alive"], row["session_online"]) == ("proxy-1", "high", True, 1)
    assert (row["stat"]["cpu_load"], row["stat"]["disk_used"]) == (6.0, 50.5)
    Terminal.objects.update(date_last_heartbeat=clock.now() - timedelta(minutes=1))
    (row,) = as_admin.get("/api/v1/terminal/terminals/").json()
    assert (row["status"], row["is_alive"]) == ("offline", False)


@pytest.mark.spec("S4-043")
def test_load_of_a_terminal_is_one_of_four(proxy: Proxy, as_admin: APIClient) -> None:
    found = []
    for cpu_load in (0.5, 6.0, 20.0):
        proxy.beat(cpu_load=cpu_load)
        found.append(as_admin.get("/api/v1/terminal/terminals/").json()[0]["status"])
    Terminal.objects.update(date_last_heartbeat=clock.now() - timedelta(minutes=1))
    found.append(as_admin.get("/api/v1/terminal/terminals/").json()[0]["status"])
    assert found == ["normal", "high", "critical", "offline"]


def test_terminal_that_is_no_longer_accepted_is_locked_out(proxy: Proxy, as_admin: APIClient) -> None:
    url = f"/api/v1/terminal/terminals/{proxy.id}/"
    assert as_admin.patch(url, {"is_accepted": False, "comment": "stolen"}).status_code == 200
    assert proxy.post("heartbeat/", b"{}").status_code == 401
    assert as_admin.patch(url, {"is_accepted": True}).status_code == 200
    proxy.beat()


def test_deleted_terminal_ends_its_sessions_and_their_history_stays(
    proxy: Proxy, active: Session, as_admin: APIClient, as_auditor: APIClient
) -> None:
    assert as_admin.delete(f"/api/v1/terminal/terminals/{proxy.id}/").status_code == 204
    assert as_admin.get("/api/v1/terminal/terminals/").json() == []
    assert proxy.post("heartbeat/", b"{}").status_code == 401
    row = as_auditor.get(f"{SESSIONS}{active.pk}/").json()
    assert (row["state"], row["end_reason"], row["terminal_display"]) == ("ended", "interrupted", "proxy-1")


def test_component_metrics_count_by_state(proxy: Proxy, active: Session, as_admin: APIClient) -> None:
    proxy.beat(active.pk)
    (row,) = as_admin.get("/api/v1/terminal/components/metrics/").json()
    assert (row["type"], row["total"], row["normal"], row["offline"], row["session_active"]) == ("core", 1, 1, 0, 1)


def test_component_cannot_get_a_taken_name(proxy: Proxy, other_proxy: Proxy, as_admin: APIClient, world: World) -> None:
    response = as_admin.patch(f"/api/v1/terminal/terminals/{proxy.id}/", {"name": "proxy-2"})
    assert response.status_code == 400
    assert "name" in response.json()
