"""The rules of retention beside age: organization, risk and size. The preview says before what they delete."""

import argparse
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from rest_framework.test import APIClient

from factories.proxy_client import Proxy, World
from postern.apps.audits import facade as audits
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.models import Organization
from postern.apps.preferences.actions import change_settings
from postern.apps.sessions.models import (
    Command,
    DoomedFile,
    OrganizationRetention,
    Recording,
    RecordingCopy,
    Session,
)
from postern.apps.sessions.recordings import keeping
from postern.apps.sessions.recordings.actions import retention
from postern.apps.sessions.recordings.actions.retention import forget_old_sessions
from postern.apps.sessions.retention import previews
from postern.apps.sessions.retention.queries import forecast
from postern.apps.sessions.sessions.actions import holds
from postern.contracts import events
from postern.contracts.enums import EndReason, RiskLevel
from postern.entrypoints import cli
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.settings import Settings
from postern.integrations.replay_storages.local_folder import LocalFolder
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID

RETENTION = "/api/v1/terminal/retention/"
PREVIEW = f"{RETENTION}preview/"
CONTENT = b"content"


def set_to(**changes: Any) -> None:
    change_settings(actor=SYSTEM, changes=changes)


def decide(session: Session) -> None:
    """A reviewer has decided on a command of the session."""
    Command.objects.create(
        session=session,
        org_id=session.org_id,
        asset_id=session.asset_id,
        input="id",
        at=clock.now(),
        decision="allow",
    )


def hold(session: Session) -> None:
    holds.hold_session(actor=SYSTEM, session_id=session.pk, reason="matter 7", date_end=None)


@pytest.fixture
def ended(proxy: Proxy, world: World, replay_folder: Path) -> Callable[..., Session]:
    """Makes a session with a stored recording of seven bytes that ended so many days ago."""
    del replay_folder

    def make(days: float, **values: Any) -> Session:
        grant = proxy.authorize(world.user, "web-1").grant
        assert grant is not None
        key = grant.session_id
        proxy.start(key, recording=True)
        proxy.seal(key, CONTENT)
        proxy.put(key, CONTENT, 0, len(CONTENT))
        proxy.tell(events.SessionEnded(session_id=key, at=clock.now(), reason=EndReason.USER_CLOSED))
        end = clock.now() - timedelta(days=days)
        Session.objects.filter(pk=key).update(date_end=end, date_start=end - timedelta(minutes=1), **values)
        session: Session = Session.objects.get(pk=key)
        return session

    return make


@pytest.fixture
def forget(replay_folder: Path) -> Callable[[], set[UUID]]:
    """Runs retention; returns the sessions that it deleted. The preview before said how many."""

    def run() -> set[UUID]:
        announced = sum(one.due.sessions for one in forecast(None))
        before = set(Session.objects.values_list("pk", flat=True))
        count = forget_old_sessions(actor=SYSTEM, storage=LocalFolder(replay_folder))
        gone = before - set(Session.objects.values_list("pk", flat=True))
        assert (announced, count) == (len(gone), len(gone))
        assert not DoomedFile.objects.exists()
        files = {path.stem for path in replay_folder.rglob("*.postern")}
        assert files == {Path(path).stem for path in Recording.objects.values_list("path", flat=True)}
        return gone

    return run


@pytest.fixture
def bytes_not_gib(monkeypatch: pytest.MonkeyPatch) -> None:
    """The size limit is in bytes."""
    monkeypatch.setattr(keeping, "_GIB", 1)


class KilledError(BaseException):
    """Simulates the death of the process: nothing after this point runs."""


def _dies(*_: object, **__: object) -> None:
    raise KilledError


def reasons() -> dict[str, str]:
    rows = AuditEvent.objects.filter(event="session.forgotten")
    return {row.resource_id: row.old["rule"] for row in rows}


def test_dangerous_sessions_are_kept_longer(ended: Callable[..., Session], forget: Callable[[], set[UUID]]) -> None:
    plain, dangerous = ended(300), ended(300, risk_level=RiskLevel.DANGEROUS.value)
    reviewed, older = ended(300), ended(500, risk_level=RiskLevel.DANGEROUS.value)
    decide(reviewed)
    set_to(TERMINAL_RISK_KEEP_DURATION=400)
    assert forget() == {plain.pk, older.pk}
    set_to(TERMINAL_RISK_KEEP_DURATION=100)  # never shorter than the others
    young = ended(150, risk_level=RiskLevel.DANGEROUS.value)
    assert forget() == {dangerous.pk, reviewed.pk}
    assert Session.objects.get().pk == young.pk


def test_an_organization_chooses_its_days_within_the_limits(
    ended: Callable[..., Session], forget: Callable[[], set[UUID]], as_org_admin: APIClient
) -> None:
    def choose(days: Any) -> Any:
        return as_org_admin.put(RETENTION, {"days": days}, format="json")

    old, older = ended(100), ended(300)
    elsewhere = ended(190)
    Session.objects.filter(pk=elsewhere.pk).update(org_id=Organization.objects.create(name="Other").pk)
    for days in (100, 300):  # by default nobody may go beyond the setting
        refused = choose(days)
        assert (refused.status_code, refused.json()["code"]) == (400, "days_beyond_limits")
    set_to(TERMINAL_ORG_KEEP_SHORTEST=90, TERMINAL_ORG_KEEP_LONGEST=400)
    assert choose(89).status_code == choose(401).status_code == 400
    assert choose(400).json()["effective_days"] == 400
    assert forget() == set()
    # The dry run of a shorter choice, before it is made.
    for days in (89, 401):
        refused = as_org_admin.get(f"{PREVIEW}?days={days}")
        assert (refused.status_code, refused.json()) == (400, choose(days).json())
    [one] = as_org_admin.get(f"{PREVIEW}?days=90").json()
    assert (one["due"]["sessions"], one["due"]["recordings"], one["due"]["bytes"]) == (2, 2, 14)
    assert (one["org_id"], one["held"]["sessions"]) == (str(DEFAULT_ORG_ID), 0)
    assert OrganizationRetention.objects.get().days == 400
    assert choose(90).status_code == choose(90).status_code == 200
    assert forget() == {old.pk, older.pk}
    assert choose(None).json() == {
        "days": None,
        "effective_days": 200,
        "default_days": 200,
        "shortest_days": 90,
        "longest_days": 400,
        "risk_days": 0,
        "size_limit": 0,
        "size_min_age_days": 30,
    }
    changes = AuditEvent.objects.filter(event="retention.changed").order_by("sequence")
    assert [(row.old["days"], row.new["days"]) for row in changes] == [(None, 400), (400, 90), (90, None)]


def test_a_choice_is_moved_into_limits_that_were_changed_later(
    ended: Callable[..., Session], forget: Callable[[], set[UUID]], as_org_admin: APIClient
) -> None:
    session = ended(100)
    set_to(TERMINAL_ORG_KEEP_SHORTEST=30)
    assert as_org_admin.put(RETENTION, {"days": 30}, format="json").status_code == 200
    set_to(TERMINAL_ORG_KEEP_SHORTEST=120)
    assert as_org_admin.get(RETENTION).json()["effective_days"] == 120
    assert forget() == set()
    set_to(TERMINAL_ORG_KEEP_SHORTEST=50)
    assert forget() == {session.pk}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"TERMINAL_ORG_KEEP_SHORTEST": 201}, "TERMINAL_ORG_KEEP_SHORTEST"),
        ({"TERMINAL_ORG_KEEP_LONGEST": 199}, "TERMINAL_ORG_KEEP_LONGEST"),
        ({"TERMINAL_ORG_KEEP_SHORTEST": 100, "TERMINAL_SESSION_KEEP_DURATION": 90}, "TERMINAL_ORG_KEEP_SHORTEST"),
    ],
)
def test_limits_that_exclude_the_days_of_the_setting_are_refused(
    as_admin: APIClient, changes: dict[str, int], field: str
) -> None:
    url = "/api/v1/settings/setting/?category=terminal"
    answer = as_admin.patch(url, changes, format="json")
    assert (answer.status_code, list(answer.json())) == (400, [field])
    within = {"TERMINAL_ORG_KEEP_SHORTEST": 200, "TERMINAL_ORG_KEEP_LONGEST": 200}
    assert as_admin.patch(url, within, format="json").status_code == 200
    assert as_admin.patch(url, {"TERMINAL_SESSION_KEEP_DURATION": 300}, format="json").status_code == 400


@pytest.mark.parametrize("days", [0, -1, 100_000, "x", 1.5, [], {}, True])
def test_bad_days_are_refused(as_org_admin: APIClient, days: Any) -> None:
    assert as_org_admin.put(RETENTION, {"days": days}, format="json").status_code == 400
    assert not OrganizationRetention.objects.exists()


def test_k74_auditors_see_retention_and_only_administrators_change_it(
    as_auditor: APIClient, as_user: APIClient, as_admin: APIClient
) -> None:
    assert as_auditor.get(RETENTION).status_code == as_auditor.get(PREVIEW).status_code == 200
    assert as_auditor.put(RETENTION, {"days": None}, format="json").status_code == 403
    assert as_user.get(RETENTION).status_code == as_user.get(PREVIEW).status_code == 403
    root = {"X-JMS-ORG": str(ROOT_ORG_ID)}
    assert as_admin.put(RETENTION, {"days": None}, format="json", headers=root).status_code == 400
    assert as_admin.get(f"{PREVIEW}?days=x").status_code == 400
    # Days are those of one organization.
    assert as_admin.get(f"{PREVIEW}?days=200", headers=root).json().keys() == {"days"}


@pytest.mark.usefixtures("bytes_not_gib")
def test_above_the_size_limit_the_oldest_go_first(
    ended: Callable[..., Session], forget: Callable[[], set[UUID]]
) -> None:
    oldest, held, dangerous, copied, second, third, young = (ended(days) for days in (90, 80, 70, 65, 60, 50, 20))
    Session.objects.filter(pk=dangerous.pk).update(risk_level=RiskLevel.DANGEROUS.value)
    hold(held)
    RecordingCopy.objects.create(recording=copied.recording)
    # Six recordings of seven bytes count: the one that is being copied leaves this server by itself.
    set_to(TERMINAL_LOCAL_RECORDINGS_LIMIT=42, TERMINAL_RISK_KEEP_DURATION=300)
    assert forget() == set()
    set_to(TERMINAL_LOCAL_RECORDINGS_LIMIT=30)
    assert forget() == {oldest.pk, second.pk}
    assert reasons() == {str(oldest.pk): "size", str(second.pk): "size"}
    # Nothing else may go: it is younger than the minimum age, on hold, dangerous or being copied.
    set_to(TERMINAL_LOCAL_RECORDINGS_LIMIT=1)
    assert forget() == {third.pk}
    assert set(Session.objects.values_list("pk", flat=True)) == {held.pk, dangerous.pk, copied.pk, young.pk}
    set_to(TERMINAL_LOCAL_RECORDINGS_MIN_AGE=10)
    assert forget() == {young.pk}


@pytest.mark.usefixtures("bytes_not_gib")
@pytest.mark.parametrize("risk_days", [0, 40, 90])
def test_the_size_limit_spares_dangerous_sessions_until_their_own_days_are_over(
    ended: Callable[..., Session], forget: Callable[[], set[UUID]], risk_days: int
) -> None:
    dangerous, reviewed, plain = ended(60, risk_level=RiskLevel.DANGEROUS.value), ended(60), ended(50)
    decide(reviewed)
    # The own days are those of the organization, unless those of the risk are more.
    set_to(TERMINAL_RISK_KEEP_DURATION=risk_days, TERMINAL_LOCAL_RECORDINGS_LIMIT=1)
    assert forget() == {plain.pk}
    set_to(TERMINAL_SESSION_KEEP_DURATION=55)
    assert forget() == (set() if risk_days == 90 else {dangerous.pk, reviewed.pk})


@pytest.mark.usefixtures("bytes_not_gib")
@pytest.mark.parametrize(
    "changes",
    [
        {"TERMINAL_LOCAL_RECORDINGS_LIMIT": 100},
        {"TERMINAL_LOCAL_RECORDINGS_MIN_AGE": 40},
    ],
)
def test_what_the_size_limit_chose_stays_when_the_limit_changes(
    ended: Callable[..., Session],
    replay_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, int],
) -> None:
    ended(60)
    set_to(TERMINAL_LOCAL_RECORDINGS_LIMIT=1)
    choose = retention._chosen

    def choose_then_change(*arguments: Any) -> Any:
        chosen = choose(*arguments)
        assert len(chosen) == 1
        set_to(**changes)
        return chosen

    monkeypatch.setattr(retention, "_chosen", choose_then_change)
    assert forget_old_sessions(actor=SYSTEM, storage=LocalFolder(replay_folder)) == 0


@pytest.mark.usefixtures("bytes_not_gib")
def test_a_run_deletes_in_turns_until_its_time_is_over(
    ended: Callable[..., Session], replay_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = LocalFolder(replay_folder)
    aged, by_size, kept = ended(300), (ended(90), ended(80)), ended(70)
    same = {"date_start": by_size[0].date_start, "date_end": by_size[0].date_end}
    Session.objects.filter(pk=by_size[1].pk).update(**same)
    set_to(TERMINAL_LOCAL_RECORDINGS_LIMIT=7)
    assert sum(one.due.sessions for one in forecast(None)) == 3
    monkeypatch.setattr(retention, "_IN_ONE_TRANSACTION", 1)
    with monkeypatch.context() as short:
        short.setattr(retention, "_RUN_S", 0.0)
        assert forget_old_sessions(actor=SYSTEM, storage=store) == 1
    assert reasons() == {str(aged.pk): "age"}
    # The file goes with the turn, and not with the end of the run.
    monkeypatch.setattr(retention, "delete_doomed_files", _dies)
    with pytest.raises(KilledError):
        forget_old_sessions(actor=SYSTEM, storage=store)
    assert {path.stem for path in replay_folder.rglob("*.postern")} == {Path(kept.recording.path).stem}
    assert Session.objects.get().pk == kept.pk


@pytest.mark.usefixtures("bytes_not_gib")
def test_what_goes_by_age_counts_for_the_size_limit(
    ended: Callable[..., Session], forget: Callable[[], set[UUID]]
) -> None:
    aged, kept = ended(300), ended(100)
    set_to(TERMINAL_LOCAL_RECORDINGS_LIMIT=7)
    assert forget() == {aged.pk}
    assert reasons() == {str(aged.pk): "age"}
    assert Session.objects.get().pk == kept.pk


def test_the_preview_counts_what_is_on_hold_apart_and_deletes_nothing(
    ended: Callable[..., Session],
    as_org_admin: APIClient,
    as_admin: APIClient,
    capsys: pytest.CaptureFixture[str],
    replay_folder: Path,
) -> None:
    first, second, held, elsewhere = ended(400), ended(300), ended(350), ended(250)
    ended(10)
    other = Organization.objects.create(name="Other")
    Session.objects.filter(pk=elsewhere.pk).update(org_id=other.pk)
    hold(held)

    [ours] = as_org_admin.get(PREVIEW).json()
    assert ours["org_id"] == str(DEFAULT_ORG_ID)
    due = ours["due"]
    assert (due["sessions"], due["recordings"], due["bytes"]) == (2, 2, 14)
    assert due["oldest"].startswith(f"{first.date_end:%Y/%m/%d}")
    assert due["newest"].startswith(f"{second.date_end:%Y/%m/%d}")
    assert (ours["held"]["sessions"], ours["held"]["bytes"]) == (1, 7)
    everywhere = as_admin.get(PREVIEW, headers={"X-JMS-ORG": str(ROOT_ORG_ID)}).json()
    assert {one["org_id"]: one["due"]["sessions"] for one in everywhere} == {str(DEFAULT_ORG_ID): 2, str(other.pk): 1}

    parsed: argparse.Namespace = cli._parser().parse_args(["retention", "preview"])
    assert parsed.run(parsed, Settings.load({})) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("\t")[:2] for line in lines] == [
        ["Default", "to delete"],
        ["Default", "on hold"],
        ["Other", "to delete"],
    ]
    assert "2 sessions, 2 recordings, 0.0 MiB" in lines[0]
    assert Session.objects.count() == 5
    assert len(list(replay_folder.rglob("*.postern"))) == 5


@pytest.mark.usefixtures("bytes_not_gib")
@pytest.mark.parametrize(
    "step",
    [(audits, "record"), (LocalFolder, "delete"), (DoomedFile, "delete")],
    ids=["rows", "file", "note"],
)
@pytest.mark.parametrize("rule", ["size", "organization"])
def test_killed_at_any_step_leaves_neither_a_file_nor_a_promise(
    ended: Callable[..., Session],
    replay_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    rule: str,
    step: tuple[Any, str],
) -> None:
    session = ended(60)
    file = replay_folder / session.recording.path
    if rule == "size":
        set_to(TERMINAL_LOCAL_RECORDINGS_LIMIT=1)
    else:
        set_to(TERMINAL_ORG_KEEP_SHORTEST=1)
        OrganizationRetention.objects.create(org_id=session.org_id, days=30)
    store = LocalFolder(replay_folder)
    with monkeypatch.context() as killed:
        killed.setattr(*step, _dies)
        with pytest.raises(KilledError):
            forget_old_sessions(actor=SYSTEM, storage=store)
    # Either the row is there with its file, or there is a note by which the file goes.
    assert Session.objects.exists() is (step[0] is audits)
    assert file.exists() is (step[0] is not DoomedFile)
    assert DoomedFile.objects.exists() is (step[0] is not audits)
    forget_old_sessions(actor=SYSTEM, storage=store)
    assert not file.exists()
    assert not Session.objects.exists()
    assert not DoomedFile.objects.exists()


def test_the_preview_is_computed_once_at_a_time_and_given_again_by_the_same_rules(
    ended: Callable[..., Session], as_org_admin: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed: list[Any] = []

    def compute(org_id: UUID | None, *, days: int | None) -> Any:
        computed.append(days)
        if len(computed) == 1:  # somebody asks meanwhile
            busy = as_org_admin.get(f"{PREVIEW}?days=200")
            assert (busy.status_code, busy.json()["code"]) == (503, "retention_preview_busy")
        return forecast(org_id, days=days)

    monkeypatch.setattr(previews, "forecast", compute)
    ended(60)
    assert as_org_admin.get(PREVIEW).json() == as_org_admin.get(PREVIEW).json() == []
    set_to(TERMINAL_SESSION_KEEP_DURATION=30)
    [one] = as_org_admin.get(PREVIEW).json()
    assert one["due"]["sessions"] == 1
    as_org_admin.get(f"{PREVIEW}?days=30")
    assert computed == [None, None, 30]
    monkeypatch.setattr(previews, "_KEPT_S", 0.0)
    set_to(TERMINAL_RISK_KEEP_DURATION=40)
    as_org_admin.get(PREVIEW)
    as_org_admin.get(PREVIEW)
    assert computed == [None, None, 30, None, None]
