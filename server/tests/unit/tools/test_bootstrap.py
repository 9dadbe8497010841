"""The set-up takes only the steps that a command needs."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "tools"))

import bootstrap  # noqa: E402 - the tools folder must be on the path first


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the steps that were taken. The real steps, which install and build, are replaced."""
    steps: list[str] = []
    monkeypatch.setattr(bootstrap, "system_packages", lambda _needs: steps.append("system"))
    monkeypatch.setattr(bootstrap, "check_versions", lambda: None)
    monkeypatch.setattr(
        bootstrap,
        "python_environment",
        lambda development: steps.append("python for development" if development else "python"),
    )
    monkeypatch.setattr(bootstrap, "node_packages", lambda _folder, name: steps.append(name))
    monkeypatch.setattr(bootstrap, "console", lambda: steps.append("built console"))
    return steps


def test_writing_generated_files_does_not_build_the_console(done: list[str]) -> None:
    assert bootstrap.main(["gen"]) == 0
    assert done == ["system", "python for development", "console-packages"]


@pytest.mark.parametrize("command", ["run", "demo", "test"])
def test_running_and_testing_build_the_console(done: list[str], command: str) -> None:
    assert bootstrap.main([command]) == 0
    assert done[-1] == "built console"


def test_make_gen_sets_up_for_generating_only() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "\ngen: setup-gen ##" in makefile
    assert "\nsetup-gen:\n\t@$(PYTHON) tools/bootstrap.py gen\n" in makefile
