"""Only one helper reads the redirect target of a request (K12: a redirect stays on this server)."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "src" / "postern"


def _asks_where_next(node: ast.AST) -> bool:
    """Whether the node is `….get("next")` or `….pop("next")`."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in {"get", "pop", "getlist"}
        and any(isinstance(argument, ast.Constant) and argument.value == "next" for argument in node.args)
    )


def _guarded(tree: ast.AST) -> Iterator[ast.AST]:
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "safe_next":
            yield from (inner for argument in call.args for inner in ast.walk(argument))


@pytest.mark.spec("S7-084")
def test_next_is_read_only_through_the_helper() -> None:
    asked = 0
    for path in SOURCES.rglob("*.py"):
        tree = ast.parse(path.read_text())
        guarded = {id(node) for node in _guarded(tree)}
        for node in ast.walk(tree):
            if _asks_where_next(node):
                asked += 1
                assert id(node) in guarded, f"{path}:{node.lineno} goes where the request says"  # type: ignore[attr-defined]  # a call
    assert asked >= 3, "sign-in, the sign-in page and sign-out"
