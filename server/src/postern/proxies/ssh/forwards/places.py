"""Which places on the host a forwarded connection may reach. Pure functions.

Only the host itself can be reached, and the host opens the connection, as the account of the session. An address of
the client is never dialled from the proxy, and never passed on: the forms of the host's own address become 127.0.0.1.
"""

import ipaddress
import re
from dataclasses import dataclass
from typing import Final

from postern.contracts.access import Target
from postern.kernel.log import printable
from postern.proxies.ssh.forwards.texts import ForwardText

LOOPBACK: Final = "127.0.0.1"
TCP: Final = "direct-tcpip"
SOCKET: Final = "direct-streamlocal"
_LOWEST_PORT: Final = 1024
_HIGHEST_PORT: Final = 65535
#: `sun_path` of Linux without its final NUL.
_MAX_PATH_BYTES: Final = 107
_MAX_SHOWN: Final = 300
#: Services of the system: the sockets of container engines below /run are as good as root. LXD and Incus have theirs in
#: their own folders, under the name unix.socket.
_SYSTEM_FOLDERS: Final = re.compile(
    r"(/private)?"  # macOS: /var and /tmp are links to folders in it
    r"/(run|var/run|proc|sys|dev|tmp/\.X11-unix|tmp/\.ICE-unix|var/lib/(lxd|incus|kubelet|docker|containerd)"
    r"|var/snap/[^/]+)/",
    re.IGNORECASE,
)
_SYSTEM_NAMES: Final = re.compile(
    r"(docker|dockerd|podman|containerd|crio|buildkitd|lxd)[^/]*\.sock"  # container engines, wherever they are
    r"|dbus-[^/]*"  # a bus starts programs outside the session
    r"|agent\.[^/]*|.*ssh[-_]?agent.*|.*gpg-agent.*|ssh_auth_sock.*",
    re.IGNORECASE,
)
#: `ssh-agent` makes /tmp/ssh-XXXXXXXX/agent.PID, newer versions ~/.ssh/agent/…; keyrings …/keyring/ssh; macOS
#: keeps the socket in a folder of launchd.
_AGENT_FOLDERS: Final = re.compile(
    r"/(ssh-[^/]+|\.ssh|\.gnupg|keyring[^/]*|com\.apple\.launchd\.[^/]+)/", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A forward as the client asked for it: to a socket with `path`, or to `host` and `port` if `path` is None.

    `originator` is the client's own word for who connected to it.
    """

    host: str = ""
    port: int = 0
    path: str | None = None
    originator: str = ""

    @property
    def request(self) -> str:
        return TCP if self.path is None else SOCKET

    def __str__(self) -> str:
        return address_text(self.host, self.port) if self.path is None else _shown(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A port of 127.0.0.1 on the host, or a socket there."""

    port: int = 0
    path: str = ""

    def __str__(self) -> str:
        return _shown(self.path) if self.path else f"{LOOPBACK}:{self.port}"


class NotPermitted(Exception):
    """A place that may not be reached. `say` tells the user why."""

    def __init__(self, text: ForwardText, **fields: str | int) -> None:
        super().__init__(text.name)
        self._text = text
        self._fields = fields

    def say(self, language: str) -> str:
        return self._text.say(language, **self._fields)


def place_of(asked: Asked, target: Target) -> Place:
    """Return the place on the host that is meant. `target` is the address of its sshd. Raises NotPermitted."""
    if asked.path is not None:
        _check_path(asked.path)
        return Place(path=asked.path)
    if not _is_host_itself(asked.host, target.host):
        raise NotPermitted(ForwardText.OTHER_HOST, host=target.host)
    if not 0 < asked.port <= _HIGHEST_PORT:
        raise NotPermitted(ForwardText.BAD_PORT, port=asked.port)
    if asked.port == target.port:
        raise NotPermitted(ForwardText.SSH_PORT)
    if asked.port < _LOWEST_PORT:
        raise NotPermitted(ForwardText.PRIVILEGED_PORT)
    return Place(port=asked.port)


def _is_host_itself(asked: str, own: str) -> bool:
    """Whether an address is a literal form of the host's own. No name is resolved."""
    if asked.lower() in {"localhost", own.lower()}:
        return True
    try:
        address = ipaddress.ip_address(asked)
    except ValueError:
        return False
    # Python counts mapped addresses (::ffff:127.0.0.1) as loopback, too. Nobody needs them.
    return address.is_loopback and (address.version == 4 or address == ipaddress.IPv6Address("::1"))


def _check_path(path: str) -> None:
    """Raises NotPermitted. A symbolic link of the host can still lead elsewhere, with the rights of the account."""
    is_plain = path.startswith("/") and not {"", ".", ".."} & set(path.split("/")[1:]) and "\0" not in path
    if not is_plain or len(path.encode("utf-8", "surrogateescape")) > _MAX_PATH_BYTES:
        raise NotPermitted(ForwardText.PLAIN_PATH, most=_MAX_PATH_BYTES)
    is_of_system = _SYSTEM_FOLDERS.match(path) or _SYSTEM_NAMES.fullmatch(path.rpartition("/")[2])
    if is_of_system or _AGENT_FOLDERS.search(path):
        raise NotPermitted(ForwardText.SYSTEM_SOCKET)


def address_text(host: str, port: int) -> str:
    """Return an address that a client sent as text for people."""
    return _shown(f"[{host}]:{port}" if ":" in host else f"{host}:{port}")


def _shown(text: str) -> str:
    return printable(text)[:_MAX_SHOWN]
