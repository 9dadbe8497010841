"""Writes generated pages; with --check it only reports whether they are current."""

import sys
from collections.abc import Callable

import api_types
from steps import ROOT

from postern.foundation.configuration.reference import SETTINGS_REFERENCE


def _shown_default(default: str) -> str:
    """A value as code; a default that is described in words as these words."""
    if not default:
        return "—"
    return default if " " in default else f"`{default}`"


def settings_page() -> str:
    """The reference page of all settings, as Markdown."""
    lines = [
        "# Settings",
        "",
        "Written by `make gen` from `postern.foundation.configuration.reference`; do not edit.",
        "",
        "All settings are environment variables. Postern reads them once at start. An invalid value stops the start with one line",
        "that says what the value should be.",
        "",
        "| variable | default | meaning |",
        "|---|---|---|",
        *(f"| `{name}` | {_shown_default(default)} | {meaning} |" for name, default, meaning in SETTINGS_REFERENCE),
        "",
    ]
    return "\n".join(lines)


PAGES: dict[str, Callable[[], str]] = {"docs/reference/settings.md": settings_page}


def main(arguments: list[str]) -> int:
    stale = 0
    for name, make in PAGES.items():
        path, text = ROOT / name, make()
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if "--check" in arguments:
            print(f"{name} is stale: run `make gen`", file=sys.stderr)
            stale = 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if not api_types.is_current():
        if "--check" in arguments:
            print(f"{api_types.TYPES.relative_to(ROOT)} is stale: run `make gen`", file=sys.stderr)
            stale = 1
        else:
            api_types.make()
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
