"""An app with several resources has a folder for each. Its top level has only modules that belong to all resources.

A resource's folder has the same modules and folders as a small app: `models.py`, `policy.py`, `queries.py`, `actions`,
`api` …
"""

import ast
from pathlib import Path

import pytest

import postern.apps

APPS = Path(postern.apps.__file__).parent

#: Modules that connect the resources of an app, or through which other apps use it.
JOINTS = {
    "__init__.py",
    "apps.py",
    "facade.py",
    "holdings.py",
    "models.py",
    "subscriptions.py",
    "tasks.py",
    "urls.py",
}
#: App → further modules that belong to all of its resources.
SHARED = {
    "assets": {"installation.py"},
    "authn": {"browser_sockets.py", "errors.py", "housekeeping.py", "page_sockets.py"},
    "sessions": {"body_limits.py", "labels.py", "messages.py"},
    "users": {"housekeeping.py"},
}
#: Folders by kind of module, in an app with one resource or in the folder of a resource.
ROOMS = {"actions", "api", "consumers", "declarations", "models", "queries"}


def folders(app: Path) -> set[str]:
    return {path.parent.name for path in app.glob("*/__init__.py")} - {"migrations"}


def divided() -> list[Path]:
    """The apps with a folder for each resource."""
    return [path.parent for path in sorted(APPS.glob("*/apps.py")) if folders(path.parent) - ROOMS]


@pytest.mark.parametrize("app", divided(), ids=lambda app: app.name)
def test_top_level_of_an_app_has_only_modules_of_all_resources(app: Path) -> None:
    modules = {path.name for path in app.glob("*.py")}
    assert modules - JOINTS == SHARED.get(app.name, set()), "move it into the folder of its resource"
    assert folders(app) & ROOMS == set(), "a room lies in the folder of its resource"


@pytest.mark.parametrize("app", divided(), ids=lambda app: app.name)
def test_models_of_an_app_export_the_tables_of_every_resource(app: Path) -> None:
    tree = ast.parse((app / "models.py").read_text())
    assert all(isinstance(node, ast.ImportFrom | ast.Expr | ast.Assign) for node in tree.body), "imports only"
    imported = {node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
    held = {
        f"postern.apps.{app.name}.{path.parent.name if path.name == 'models.py' else path.parent.parent.name}.models"
        for path in (*app.glob("*/models.py"), *app.glob("*/models/__init__.py"))
    }
    assert imported == held
