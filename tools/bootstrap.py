"""Installs what a command of the Makefile needs, if it is missing. Standard library only.

    python3 tools/bootstrap.py run      enough to run Postern: system packages, Python environment, built console
    python3 tools/bootstrap.py demo     also an SSH server, which the demo uses as its target
    python3 tools/bootstrap.py gen      enough to write generated pages and types: environment and packages, no built console
    python3 tools/bootstrap.py test     also what the tests need: real servers, a browser, development packages

Each step writes a stamp with the hash of its inputs, so a second run does nothing.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NoReturn

ROOT: Final = Path(__file__).resolve().parent.parent
VENV: Final = ROOT / ".venv"
STAMPS: Final = ROOT / ".stamps"
CONSOLE: Final = ROOT / "console"
ORACLE: Final = ROOT / "tools" / "oracle"
AZURITE: Final = ROOT / "tools" / "azurite"
OPENID_PROVIDER: Final = ROOT / "tools" / "openid_provider"
API_TYPES: Final = CONSOLE / "tools" / "openapi"

#: Oldest versions that work. There is no upper limit here.
PYTHON: Final = (3, 11)
NODE: Final = (20, 19)

#: Required command or file (`a|b`: one of them), and the Debian package that provides it.
RUN_NEEDS: Final = {"ssh-keygen": "openssh-client"}
DEMO_NEEDS: Final = {
    **RUN_NEEDS,
    "/usr/sbin/sshd": "openssh-server",
}
TEST_NEEDS: Final = {
    **DEMO_NEEDS,
    "/usr/lib/openssh/sftp-server": "openssh-sftp-server",
    "/usr/sbin/slapd": "slapd",
    "ldapadd": "ldap-utils",
    "/usr/sbin/rsyslogd": "rsyslog",
    "/usr/lib/*/rsyslog/lmnsd_gtls.so": "rsyslog-gnutls",
    "ssh": "openssh-client",
    "/usr/lib/openssh/regress/misc/sk-dummy/sk-dummy.so": "openssh-tests",
    "chromium-headless-shell|chromium": "chromium-headless-shell",
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc": "fonts-noto-cjk",
    "/usr/lib/postgresql/*/bin/postgres": "postgresql",
    "sshpass": "sshpass",
    "plink": "putty-tools",
    "dbclient": "dropbear-bin",
    "curl": "curl",
    "rsync": "rsync",
    "tmux": "tmux",
    "vim": "vim-tiny",
    "less": "less",
    "zsh": "zsh",
    "dash": "dash",
    "busybox": "busybox",
    "visudo": "sudo",
    "ps": "procps",
    "sqlite3": "sqlite3",
    "git": "git",
}


def fail(message: str) -> NoReturn:
    """Stop with a one-line error."""
    print(f"setup: {message}", file=sys.stderr)
    sys.exit(1)


def say(message: str) -> None:
    print(f"setup: {message}", flush=True)


def run(*argv: str, cwd: Path = ROOT, environ: dict[str, str] | None = None) -> None:
    """Run a command and show its output. A failure stops the set-up."""
    try:
        subprocess.run(argv, cwd=cwd, check=True, env={**os.environ, **(environ or {})})
    except FileNotFoundError:
        fail(f"{argv[0]} is not installed")
    except subprocess.CalledProcessError as error:
        fail(f"`{' '.join(argv)}` failed with status {error.returncode}")


def digest(paths: Iterable[Path]) -> str:
    """Hash of the names and contents of files."""
    total = hashlib.sha256()
    for path in sorted(paths):
        total.update(str(path.relative_to(ROOT)).encode() + b"\0")
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def stamped(name: str, value: str) -> bool:
    stamp = STAMPS / name
    return stamp.exists() and stamp.read_text(encoding="utf-8") == value


def stamp(name: str, value: str) -> None:
    STAMPS.mkdir(exist_ok=True)
    (STAMPS / name).write_text(value, encoding="utf-8")


def have(need: str) -> bool:
    """Whether a command or file exists. A name that starts with / is a file pattern. `a|b` is one of two commands."""
    if need.startswith("/"):
        return any(Path("/").glob(need[1:]))
    return any(shutil.which(command) is not None for command in need.split("|"))


def has_venv_module() -> bool:
    return (
        subprocess.run([sys.executable, "-c", "import venv, ensurepip"], capture_output=True, check=False).returncode
        == 0
    )


def system_packages(needs: dict[str, str]) -> None:
    """Install missing Debian packages if this is possible here; otherwise report which are missing."""
    missing = {package for need, package in needs.items() if not have(need)}
    if not has_venv_module():
        missing.add("python3-venv")
    if shutil.which("node") is None:
        missing.add("nodejs")
    if shutil.which("npm") is None:
        missing.add("npm")
    if not missing:
        return
    names = sorted(missing)
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    may_install = shutil.which("apt-get") and (
        not as_root
        or (
            shutil.which("sudo")
            and subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0
        )
    )
    if not may_install:
        fail(f"missing system packages; install them first: apt-get install {' '.join(names)}")
    say(f"installing system packages: {' '.join(names)}")
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    run(*as_root, "apt-get", "update", "-qq", environ=quiet)
    run(*as_root, "apt-get", "install", "-y", "-qq", "--no-install-recommends", *names, environ=quiet)


def check_versions() -> None:
    """Stop if Python or Node is too old."""
    if sys.version_info < PYTHON:
        fail(f"Python {PYTHON[0]}.{PYTHON[1]} or newer is needed; this is {sys.version.split()[0]}")
    version_text = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    version = tuple(int(part) for part in version_text.lstrip("v").split(".")[:2])
    if version < NODE:
        fail(f"Node {NODE[0]}.{NODE[1]} or newer is needed; this is {version_text}")


def python_environment(*, development: bool) -> None:
    """The virtual environment with the locked packages, verified by hash."""
    full = ROOT / "server" / "requirements-dev.lock"
    lean = ROOT / "server" / "requirements.lock"
    project = ROOT / "server" / "pyproject.toml"
    wanted_full = digest([full, project])
    wanted_lean = digest([lean, project])
    # A development environment contains everything needed for running.
    if stamped("venv-dev", wanted_full) or (not development and stamped("venv", wanted_lean)):
        return
    say("installing Python packages")
    if not (VENV / "bin" / "python").exists():
        run(sys.executable, "-m", "venv", str(VENV))
    pip = (str(VENV / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--require-hashes", "-r", str(full if development else lean))
    run(*pip, "--no-deps", "--no-build-isolation", "-e", str(ROOT / "server"))
    stamp("venv-dev" if development else "venv", wanted_full if development else wanted_lean)


def node_packages(folder: Path, name: str) -> None:
    """Install the packages of a lock file in exactly these versions."""
    wanted = digest([folder / "package-lock.json", folder / "package.json"])
    if stamped(name, wanted) and (folder / "node_modules").exists():
        return
    say(f"installing Node packages of {folder.relative_to(ROOT)}")
    run("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error", cwd=folder)
    stamp(name, wanted)


def console_sources() -> list[Path]:
    """Hash of everything that the built console depends on."""
    folders = [path for name in ("src", "public") for path in (CONSOLE / name).rglob("*") if path.is_file()]
    # The console displays these pages.
    folders += [path for name in ("guide", "reference") for path in (ROOT / "docs" / name).glob("*.md")]
    tops = [path for path in CONSOLE.glob("*") if path.is_file()]
    return [path for path in (*folders, *tops) if ".test." not in path.name]


def console() -> None:
    """Build the console into console/dist."""
    wanted = digest(console_sources())
    if stamped("console", wanted) and (CONSOLE / "dist" / "index.html").exists():
        return
    node_packages(CONSOLE, "console-packages")
    say("building the console")
    run("npm", "run", "--silent", "build", cwd=CONSOLE)
    stamp("console", wanted)


def main(arguments: list[str]) -> int:
    """Command line."""
    needs = {"run": RUN_NEEDS, "demo": DEMO_NEEDS, "gen": RUN_NEEDS, "test": TEST_NEEDS}
    if len(arguments) != 1 or arguments[0] not in needs:
        print(__doc__, file=sys.stderr)
        return 2
    generating = arguments == ["gen"]
    testing = arguments == ["test"]
    system_packages(needs[arguments[0]])
    check_versions()
    python_environment(development=testing or generating)
    if testing or generating:
        node_packages(CONSOLE, "console-packages")
    if testing and ORACLE.exists():
        node_packages(ORACLE, "oracle-packages")
    if testing and AZURITE.exists():
        node_packages(AZURITE, "azurite-packages")
    if testing and OPENID_PROVIDER.exists():
        node_packages(OPENID_PROVIDER, "openid-provider-packages")
    if testing and API_TYPES.exists():  # `make new-resource` is tried in a copy, which makes types
        node_packages(API_TYPES, "api-types-packages")
    if not generating:
        console()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
