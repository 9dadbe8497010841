"""Reads single values of the environment. What is wrong raises `SettingsError`, whose line names the variable."""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from postern.kernel.errors import SettingsError
from postern.kernel.secret import Secret

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"", "0", "false", "no", "off"})
_HOST_NAME: Final = re.compile(r"\.?[A-Za-z0-9*]([A-Za-z0-9.-]*[A-Za-z0-9])?\Z")


@dataclass(frozen=True, slots=True)
class Address:
    """A TCP address to listen on."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether the address is reachable from this machine only."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def address_of(environ: Mapping[str, str], name: str, default: str) -> Address:
    text = environ.get(name) or default
    host, separator, port_text = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if (
        not separator
        or not host
        or not port_text.isascii()
        or not port_text.isdigit()
        or not 0 <= int(port_text) <= 65535
    ):
        raise SettingsError(f"{name} must be HOST:PORT, for example {default}; it is {text!r}")
    return Address(host, int(port_text))


def file_of(environ: Mapping[str, str], name: str) -> Path | None:
    text = environ.get(name, "").strip()
    return Path(text).expanduser().absolute() if text else None


def header_secret(environ: Mapping[str, str], name: str) -> Secret | None:
    """A secret that is sent in a header or body of a request: without spaces around it."""
    text = environ.get(name, "").strip()
    if not text.isascii() or not text.isprintable():
        raise SettingsError(f"{name} must be one line of ASCII characters")
    return Secret(text) if text else None


def secret_of(environ: Mapping[str, str], name: str) -> Secret | None:
    text = environ.get(name, "")
    return Secret(text) if text else None


def flag(environ: Mapping[str, str], name: str, *, default: bool = False) -> bool:
    text = environ.get(name, "").strip().lower()
    if not text:
        return default
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise SettingsError(f"{name} must be yes or no; it is {text!r}")


def count(environ: Mapping[str, str], name: str, default: int) -> int:
    text = environ.get(name, "").strip()
    if not text:
        return default
    if not text.isascii() or not text.isdigit():
        raise SettingsError(f"{name} must be a whole number; it is {text!r}")
    return int(text)


def count_between(environ: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    number = count(environ, name, default)
    if not least <= number <= most:
        raise SettingsError(f"{name} must be from {least} to {most}; it is {number}")
    return number


def choice(environ: Mapping[str, str], name: str, default: str, allowed: tuple[str, ...]) -> str:
    text = (environ.get(name) or default).upper()
    if text not in allowed:
        raise SettingsError(f"{name} must be one of {', '.join(allowed)}; it is {text!r}")
    return text


def _items(environ: Mapping[str, str], name: str) -> list[str]:
    return [part.strip() for part in environ.get(name, "").split(",") if part.strip()]


def networks(environ: Mapping[str, str], name: str) -> tuple[Network, ...]:
    networks: list[Network] = []
    for part in _items(environ, name):
        try:
            networks.append(ipaddress.ip_network(part))
        except ValueError:
            raise SettingsError(
                f"{name} must list addresses or networks such as 10.0.0.0/8; {part!r} is neither"
            ) from None
    return tuple(networks)


def hosts(environ: Mapping[str, str], name: str) -> tuple[str, ...]:
    hosts = _items(environ, name)
    for host in hosts:
        if not _HOST_NAME.match(host):
            raise SettingsError(f"{name} must list host names; {host!r} is not one")
    return tuple(hosts)
