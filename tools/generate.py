"""Writes generated pages; with --check it only reports whether they are current."""

import sys

import api_types
from reference_pages import PAGES
from steps import ROOT


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
