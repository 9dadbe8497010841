"""The routes for developers exist in the application of `make dev`, and in no other."""

from pathlib import Path

from django.conf import settings
from django.test import Client

import postern.foundation
from postern.entrypoints.development.urls import GALLERY
from postern.foundation.checks import walk

SOURCES = Path(postern.foundation.__file__).parents[1]
ROOT = SOURCES.parents[2]


def modules_with(*words: str) -> set[str]:
    """Modules of the product, without those for developers, that contain one of these words."""
    return {
        name
        for path in SOURCES.rglob("*.py")
        if not (name := str(path.relative_to(SOURCES))).startswith("entrypoints/development/")
        and any(word in path.read_text() for word in words)
    }


def test_only_the_reloading_application_loads_them() -> None:
    assert modules_with("entrypoints.development", "import development") == {"entrypoints/web/reloading.py"}
    assert modules_with("web.reloading") == {"entrypoints/web/serve.py"}


def test_product_does_not_have_them() -> None:
    assert settings.ROOT_URLCONF == "postern.entrypoints.urls"
    assert not [route for route, _pattern in walk() if "development" in route]
    assert Client().get(f"/{GALLERY}").status_code == 404


def test_no_installation_starts_the_reloading_application() -> None:
    installing = [path for path in (ROOT / "deploy").rglob("*") if path.is_file()]
    assert installing
    assert not [path for path in installing if "--reload" in path.read_text(errors="replace")]
