"""Refuses dependencies whose licence is incompatible with GPL-3.0-or-later, or that declare no licence."""

import json
import subprocess
import sys
from collections.abc import Iterator

from steps import BIN, ROOT

#: Licences compatible with ours. Read the licence itself before adding a new spelling.
FINE = (
    "MIT", "BSD", "Apache", "ISC", "PSF", "Python Software Foundation", "Python-2.0", "MPL", "Mozilla Public License 2.0",
    "LGPL", "Lesser General Public", "GPL-3", "GPLv3", "GPL-2.0-or-later", "Unlicense", "CC0", "0BSD", "Zlib", "OFL", "BlueOak",
    "Public Domain", "HPND", "CC-BY-4.0",
)  # fmt: skip

#: Packages with unusable licence metadata, and the licence from their licence file.
KNOWN = {
    "asyncssh": "EPL-2.0 OR GPL-2.0-or-later: taken under the GPL",
    "pytest-randomly": "MIT",
    "pip-licenses": "MIT",
    "@react-aria/optimize-locales-plugin": "Apache-2.0",
    "psycopg-binary": "LGPL-3.0",
}


def python_packages() -> Iterator[tuple[str, str]]:
    listed = subprocess.run(
        [str(BIN / "pip-licenses"), "--format=json", "--from=mixed"], capture_output=True, text=True, check=True
    )
    for package in json.loads(listed.stdout):
        yield package["Name"], package["License"]


def node_packages() -> Iterator[tuple[str, str]]:
    """The installed packages. A lock file would also list builds for other platforms."""
    lock = ROOT / "console" / "package-lock.json"
    if lock.exists():
        for path, package in json.loads(lock.read_text(encoding="utf-8"))["packages"].items():
            if path and not package.get("link") and (lock.parent / path).is_dir():
                yield path.rsplit("node_modules/", maxsplit=1)[-1], str(package.get("license", ""))


def main() -> int:
    wrong = [
        f"{name}: {licence or 'names no licence'}"
        for name, licence in (*python_packages(), *node_packages())
        if name.lower() not in KNOWN and name != "postern" and not any(word in licence for word in FINE)
    ]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
