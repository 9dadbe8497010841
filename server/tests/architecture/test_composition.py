"""An app gets the functions of apps above it from the composition root, and from nowhere else."""

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import postern.apps
import postern.foundation
from postern.foundation.provided import Provided

SOURCES = Path(postern.foundation.__file__).parents[1]


def places() -> Iterator[tuple[str, Provided[object]]]:
    """Every `Provided` of the control plane, with its module and name."""
    for package in (postern.foundation, postern.apps):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, Provided):
                    yield f"{module.name}.{name}", value


def test_every_provided_place_is_filled() -> None:
    provided = dict(places())
    assert len(provided) >= 15
    for place in provided.values():
        _ = place.value


def test_only_the_composition_root_fills_places() -> None:
    filling = [
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "provide"
    ]
    assert set(filling) == {"entrypoints/composition.py"}


def test_no_app_connects_itself_when_it_is_imported() -> None:
    ready = [
        str(path.relative_to(SOURCES))
        for path in SOURCES.glob("apps/*/apps.py")
        if any(isinstance(node, ast.FunctionDef) for node in ast.walk(ast.parse(path.read_text())))
    ]
    assert ready == []
