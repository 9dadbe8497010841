"""Each action has its own end: that of the last permission that includes it without a gap, and at most that of the
account.
"""

from dataclasses import replace
from datetime import datetime

import pytest

from postern.apps.perms.decisions.decision import evaluate
from postern.contracts.enums import Actions
from unit.perms.decisions.test_decision import HOUR, NOW, USER, a_grant, facts

CONNECT, UPLOAD = Actions.CONNECT, Actions.CONNECT | Actions.UPLOAD_FILE


def ends(*grants: object, **changes: object) -> dict[Actions, datetime]:
    decision = evaluate(facts(*grants, **changes), NOW)  # type: ignore[arg-type]
    assert decision.actions == Actions(sum(group.actions for group in decision.ends))
    return {group.actions: group.until for group in decision.ends}


def test_short_upload_permission_ends_before_a_longer_connect_permission() -> None:
    short, long = a_grant(actions=UPLOAD), a_grant(actions=CONNECT, date_expired=NOW + 9 * HOUR)
    assert ends(short, long) == {Actions.UPLOAD_FILE: NOW + HOUR, CONNECT: NOW + 9 * HOUR}


def test_permission_that_starts_before_another_ends_continues_the_action() -> None:
    first = a_grant(actions=UPLOAD)
    touching = a_grant(actions=UPLOAD, date_start=NOW + HOUR, date_expired=NOW + 3 * HOUR)
    assert ends(first, touching) == {UPLOAD: NOW + 3 * HOUR}
    assert ends(touching, first) == {UPLOAD: NOW + 3 * HOUR}


@pytest.mark.parametrize(
    "changes",
    [
        {"date_start": NOW + 2 * HOUR, "date_expired": NOW + 3 * HOUR},
        {"is_active": False, "date_expired": NOW + 3 * HOUR},
        {"names_system_user": False, "date_expired": NOW + 3 * HOUR},
        {"user_is_member": False, "date_expired": NOW + 3 * HOUR},
        {"actions": Actions.UPLOAD_FILE, "date_expired": NOW + 3 * HOUR},
    ],
    ids=["gap", "switched off", "other system user", "not a member", "without connect"],
)
def test_permission_after_a_gap_does_not_continue_the_action(changes: dict[str, object]) -> None:
    assert ends(a_grant(actions=UPLOAD), a_grant(**changes)) == {UPLOAD: NOW + HOUR}


def test_no_action_lasts_longer_than_the_account() -> None:
    assert ends(a_grant(actions=UPLOAD), user=replace(USER, date_expired=NOW + HOUR / 2)) == {UPLOAD: NOW + HOUR / 2}
