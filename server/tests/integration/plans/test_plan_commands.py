"""`postern plan`, `apply` and `export` at the command line, and the example of the guide."""

import argparse
import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from factories.access_plans import HEAD, PlannedWorld, planned, planned_world
from postern.apps.audits.models import AuditEvent
from postern.apps.plans.files.errors import FileRefused, FileUnreadable
from postern.apps.users.models import User, UserGroup
from postern.entrypoints import cli
from postern.foundation.settings import Settings
from postern.kernel.errors import PosternError

pytestmark = pytest.mark.django_db

GUIDE = Path(__file__).parents[4] / "docs/guide"
_BLOCKS = re.compile(r"^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.fixture
def world(make_user: Callable[..., User]) -> PlannedWorld:
    return planned_world(make_user)


def _run(*arguments: str) -> int:
    parsed: argparse.Namespace = cli._parser().parse_args(arguments)
    status: int = parsed.run(parsed, Settings.load({}))
    return status


def test_commands_plan_apply_and_export(
    world: PlannedWorld, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    file = tmp_path / "plan.yaml"
    text = HEAD + (
        "prune: {asset_permissions: true}\n"
        "user_groups: [{name: Operations, users: [anna, bert], comment: new}]\n"
        "asset_permissions: [{name: web for operations, actions: [connect]}]\n"
        "command_filters: [{name: careful, rules: [{content: shutdown}]}]\n"
    )
    file.write_text(text, encoding="utf-8")
    assert _run("plan", str(file)) == 2
    *shown, digest = capsysbinary.readouterr().out.decode().splitlines()
    assert shown == [
        "~ user_groups Operations",
        "    users: +bert",
        '    comment: "" → new',
        "- asset_permissions db for bert",
        "~ asset_permissions web for operations",
        "    actions: +connect, -all",
        "~ command_filters careful",
        "    + rule 50 deny command: shutdown",
        "    - rule 50 deny command: rm …",
        "",
        "0 created, 3 changed, 1 deleted.",
        "+ 1 people → 1 assets, 1 new pairs (1 deploy)",
        "    + bert → web-1 (deploy)",
        "- 1 people → 1 assets, 1 pairs lost (1 root)",
        "    - bert → db-1 (root)",
    ]
    assert _run("apply", str(file), "--json", "--plan", digest.removeprefix("Digest: ")) == 0
    assert json.loads(capsysbinary.readouterr().out)["changes"][0]["name"] == "Operations"
    assert AuditEvent.objects.get(event="plan.applied").user == "System"
    assert _run("plan", str(file)) == 0
    assert capsysbinary.readouterr().out.decode().startswith("Default: nothing to do.\n")
    assert _run("export", "--organization", "Default") == 0
    file.write_bytes(capsysbinary.readouterr().out)
    assert _run("plan", str(file), "--json") == 0


def test_errors_are_said_as_compilers_do(
    world: PlannedWorld, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text(HEAD + "user_groups:\n  - {name: x, users: [nobody], comment: 1}\n", encoding="utf-8")
    assert _run("apply", str(file)) == 1
    lines = capsys.readouterr().err.splitlines()
    assert [line[: len(f"{file}:4:00:")] for line in lines] == [f"{file}:4:23:", f"{file}:4:41:"]
    assert not UserGroup.objects.filter(name="x").exists()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"version: 1\n")))
    assert _run("plan", "-") == 1
    assert capsys.readouterr().err.startswith("standard input:1:1: ")
    for content in (None, b"\xff"):
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(FileUnreadable):
            _run("plan", str(file if content else tmp_path / "none"))
    for organization in ("root", "Nowhere"):
        file.write_text(f"version: 1\norganization: {organization}\n", encoding="utf-8")
        with pytest.raises(PosternError):
            _run("apply", str(file))


@pytest.mark.parametrize("page", ["access-as-code.md", "access-as-code.zh.md"])
def test_the_example_of_the_guide_is_a_plan(world: PlannedWorld, page: str) -> None:
    text = (GUIDE / page).read_text(encoding="utf-8")
    example, prune = _BLOCKS.findall(text)
    assert [(one.verb, one.name) for one in planned(example).changes] == [
        ("create", "/Default/Web/DMZ"),
        ("create", "Night shift"),
        ("create", "night shift on the web servers"),
        ("update", "careful"),
    ]
    assert {one.verb for one in planned(HEAD + prune).changes} == {"delete"}
    wrong = example.replace("    user_groups: [", "    user_group: [", 1).replace("[deploy]", "[deplyo]", 1)
    with pytest.raises(FileRefused) as refused:
        planned(wrong)
    places = [(place.line, place.column) for place, _message in refused.value.problems]
    shown = re.findall(r"^plan\.yaml:(\d+):(\d+):", text, re.MULTILINE)
    assert [(int(line), int(column)) for line, column in shown] == places
