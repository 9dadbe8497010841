"""Random organizations and random edits: the export says everything, and applying a file makes what the file says."""

from collections.abc import Callable
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest

from factories.access_plans import HEAD, applied, exported, planned, planned_world
from factories.naive_reach import NaiveReach
from postern.apps.plans.applying.actions import read_wish
from postern.apps.plans.files.writing import write_file
from postern.apps.plans.states.queries import read_state
from postern.apps.users.models import User
from postern.kernel.clock import now
from postern.kernel.ids import DEFAULT_ORG_ID

PRUNE = "prune: {nodes: true, user_groups: true, asset_permissions: true, application_permissions: true, command_filters: true}\n"
ACTIONS = ("connect", "upload_file", "download_file", "clipboard_copy", "clipboard_paste", "forward")


def some(dice: Random, names: list[str], least: int = 0) -> tuple[str, ...]:
    return tuple(sorted(dice.sample(names, dice.randint(least, len(names)))))


def any_state(dice: Random) -> dict[str, dict[str, Any]]:
    people, accounts = ["anna", "bert"], ["root", "deploy"]
    paths = ["/Default/Web", *some(dice, ["/Default/Web/A", "/Default/B", "/Default/x: y #1", "/Default/true"])]
    groups = some(dice, ["Operations", "on", "1e3", "群组", "a: b", "- x", "日本 “quoted”"])
    dates = [datetime(year, 1, 2, 3, 4, 5, 6, tzinfo=UTC) for year in (2000, 2020, 2099)]

    def permission(**values: Any) -> dict[str, Any]:
        start, end = sorted(dice.sample(dates, 2))
        return {
            "users": some(dice, people), "user_groups": some(dice, list(groups)), "is_active": dice.random() < 0.8,
            "date_start": start, "date_expired": end, "comment": dice.choice(["", "two\nlines", "# 'x'"]), **values,
        }  # fmt: skip

    def rule() -> dict[str, Any]:
        confirms = dice.random() < 0.3
        return {
            "content": dice.choice(["rm\nreboot", "ls", "shutdown -h"]), "type": "command",
            "priority": dice.choice([50, 7, 90]), "action": "confirm" if confirms else dice.choice(["deny", "allow"]),
            "reviewers": some(dice, people, 1) if confirms else (), "comment": dice.choice(["", "why"]),
        }  # fmt: skip

    return {
        "nodes": {path: {} for path in paths},
        "user_groups": {name: {"users": some(dice, people), "comment": ""} for name in groups},
        "asset_permissions": {
            f"grant {number}": permission(
                assets=some(dice, ["web-1", "db-1"]), nodes=some(dice, ["/Default", *paths]),
                system_users=some(dice, accounts, 1),
                actions=dice.choice([("all",), ("all", "forward"), tuple(one for one in ACTIONS if dice.random() < 0.6)]),
            )
            for number in dice.sample(range(6), 4)
        },
        "application_permissions": {
            name: permission(type="mysql", applications=some(dice, ["shop"]), system_users=("mysql root",))
            for name in some(dice, ["shop for bert", "other"])
        },
        "command_filters": {
            name: {
                "is_active": dice.random() < 0.5, "unresolved": dice.choice(["allow", "deny"]), "comment": "",
                "system_users": some(dice, accounts), "rules": tuple(rule() for _ in range(dice.randint(0, 4))),
            }
            for name in some(dice, ["careful", "strict"])
        },
    }  # fmt: skip


def reach(people: list[User]) -> set[tuple[str, str]]:
    naive, at = NaiveReach(), now()
    return {
        (person.username, naive.assets[asset].hostname)
        for person in people
        for asset in naive.reach(at, user=person.pk)
    }


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(3))
def test_applying_makes_what_the_file_says_and_the_preview_is_exact(seed: int, make_user: Callable[..., User]) -> None:
    dice = Random(seed)
    world = planned_world(make_user)
    people = [world.anna, world.bert]
    for _ in range(8):
        text = write_file("Default", any_state(dice)) + PRUNE
        before = reach(people)
        plan = planned(text)
        assert applied(text, expected=plan.digest) == plan
        after = reach(people)
        gained, lost = plan.access.gained, plan.access.lost
        assert gained.pairs == len(after - before)
        assert lost.pairs == len(before - after)
        assert after - before <= {(user, asset) for user, asset, _names in gained.listed}
        assert before - after <= {(user, asset) for user, asset, _names in lost.listed}
        assert planned(exported()).changes == []
        assert planned(text).changes == []
        wish, state = read_wish(text).wish, read_state(DEFAULT_ORG_ID).values()
        assert {
            kind: {name: one.values for name, one in entries.items()} for kind, entries in wish.kinds.items()
        } == state
    assert planned(HEAD).changes == []
