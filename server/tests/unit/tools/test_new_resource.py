"""`make new-resource`: all changes are prepared before anything is written, and a request that does not fit is refused."""

import ast
import json
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tools"))

from new_resource.__main__ import prepare  # noqa: E402 - the tools folder must be on the path first
from new_resource.changes import Changes  # noqa: E402 - the same
from new_resource.request import BadRequest, Request, parse  # noqa: E402 - the same

LEFT_OUT = shutil.ignore_patterns(".git", ".venv", ".stamps", "node_modules", "dist", "var", "__pycache__", ".*_cache")
FIELDS = "name:text city:text:城市 comment:text assets:many(assets.Asset)"


def request(**more: str) -> Request:
    return parse({"app": "assets", "name": "site", "zh": "站点", "fields": FIELDS, **more})


@pytest.fixture(scope="module")
def site() -> Changes:
    return prepare(request())


def test_every_place_that_a_resource_touches_is_found_and_nothing_is_written(site: Changes) -> None:
    assert {path for path in site.paths if not (ROOT / path).exists()} == {
        "console/src/features/assets/site.resource.tsx",
        *(f"server/src/postern/apps/assets/sites/{name}.py" for name in ("__init__", "api", "models")),
        "server/tests/declarations/sites.py",
    }
    assert all(site.text(path) != (ROOT / path).read_text() for path in site.paths if (ROOT / path).exists())


def test_written_python_and_texts_can_be_read(site: Changes) -> None:
    for path in site.paths:
        if path.endswith(".py"):
            ast.parse(site.text(path))
        elif path.endswith(".json"):
            json.loads(site.text(path))


@pytest.mark.parametrize(
    ("app", "fields", "path"),
    [
        ("assets", "", "assets/sites"),
        (
            "perms",
            "title:text:标题 priority:number is_urgent:flag:紧急 user_groups:many(users.UserGroup)",
            "perms/sites",
        ),
        ("users", "name:text city:text:城市", "users/sites"),
        ("vault", "name:text days:number:天数", "assets/sites"),
    ],
)
def test_every_app_with_folders_and_a_place_in_the_console_takes_a_resource(app: str, fields: str, path: str) -> None:
    changes = prepare(request(app=app, fields=fields))
    assert f'path="{path}"' in changes.text("server/tests/declarations/sites.py")
    for name in changes.paths:
        if name.endswith(".py"):
            ast.parse(changes.text(name))
    console = [changes.text(name) for name in changes.paths if name.endswith("/routes.ts")]
    assert [text.count("...plainRecords({") for text in console] == [1]


def test_second_resource_of_an_app_joins_the_first(tmp_path: Path) -> None:
    shutil.copytree(ROOT, tmp_path, dirs_exist_ok=True, ignore=LEFT_OUT)
    prepare(request(), tmp_path).write()
    second = prepare(request(name="rack", zh="机柜", fields="name:text"), tmp_path)
    assert second.text("console/src/features/assets/routes.ts").count("...plainRecords({") == 2
    assert second.text("console/src/features/assets/routes.ts").count("plainRecords }") == 1
    assert second.text("server/src/postern/apps/audits/usual_kinds.py").count('Kinds("site"') == 1


def test_list_names_its_objects_in_records_by_their_unique_text(site: Changes) -> None:
    assert 'lists={"assets": "hostname"}' in site.text("server/src/postern/apps/assets/sites/api.py")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"name": "Site"}, "snake case"),
        ({"zh": "site"}, "Chinese"),
        ({"zh": ""}, "missing: zh"),
        ({"colour": "red"}, "unknown: colour"),
        ({"fields": "name:sound"}, "cannot read"),
        ({"fields": "number:number"}, "the first field"),
        ({"fields": "name:text name:text"}, "twice"),
        ({"fields": "name:text town_hall:text"}, "no Chinese for town_hall"),
        ({"fields": "name:text people:many(users.User):用户"}, "does not belong to an organization"),
        ({"fields": "name:text others:many(assets.Nothing)"}, "there is no model"),
        ({"fields": "name:text order:number:顺序"}, "means something else"),
        ({"fields": "name:text from:text:来源"}, "means something else"),
        ({"fields": "name:text old__name:text:旧名"}, "snake case"),
        ({"app": "licence"}, "licence"),
        ({"app": "sessions"}, "no router of resources"),
        ({"app": "nothing"}, "there is no server/src/postern/apps/nothing"),
        ({"name": "label"}, "is there already"),
        ({"name": "session"}, "has a model Session"),
        ({"zh": "标签"}, "the Chinese word 标签"),
        ({"plural": "nodes"}, "is there already"),
    ],
)
def test_request_that_does_not_fit_is_refused_with_the_reason(more: dict[str, str], says: str) -> None:
    with pytest.raises(BadRequest, match=says):
        prepare(request(**more))
