"""Each protocol of the access plane is one folder with a `part` module, which the composition lists."""

import re
from pathlib import Path

import postern.proxies
from postern.entrypoints.proxy_settings import fronts_of
from postern.foundation.settings import Settings

PROXIES = Path(postern.proxies.__path__[0])
#: Folders that protocols share.
SHARED = {"core", "ssh_connections", "gateways"}
#: Works for jobs, so no user reaches it.
WITHOUT_FRONT = {"runner"}
#: What opens a connection to another machine.
DIALS = re.compile(
    r"targets\.dialing import|\.sock_connect\(|open_connection\(|create_connection\(|socket\.create_connection|asyncssh\.connect\("
)


def test_every_protocol_folder_has_a_front_that_the_composition_lists(tmp_path: Path) -> None:
    others = {*SHARED, *WITHOUT_FRONT, "__pycache__"}
    folders = {path.name for path in PROXIES.iterdir() if path.is_dir() and path.name not in others}
    listed = {type(front).__module__ for front in fronts_of(Settings.load({"POSTERN_HOME": str(tmp_path)}))}
    assert listed == {f"postern.proxies.{folder}.part" for folder in folders}


def test_composition_of_the_proxy_is_short() -> None:
    """The composition only lists parts and settings; their code is in other modules."""
    source = (PROXIES.parent / "entrypoints" / "proxy.py").read_text()
    assert source.count("\n") < 150
    assert "proxies.ssh" not in source
    assert "proxies.terminal" not in source


def test_one_place_dials() -> None:
    """Protocols get their connections from `core.opening.outbound`, so no session can leave out its route."""
    dialling = {
        path.relative_to(PROXIES).as_posix() for path in PROXIES.rglob("*.py") if DIALS.search(path.read_text())
    }
    assert dialling == {
        "core/recording/sealer_process.py",  # a socket pair
        "core/targets/dialing.py",
        "core/targets/wires.py",  # the protocol of a socket that is connected already
        "gateways/dialer.py",
        "ssh_connections/fast_transport_trial.py",  # a socket pair
    }
