"""Lists of revoked certificates and keys, in the text form that `ssh-keygen -k` takes. Pure functions."""

import re
from dataclasses import dataclass
from typing import Final

from postern.kernel.ssh_keys.certificates import Certificate
from postern.kernel.ssh_keys.public_keys import PublicKeyProblem, parse_public_key

MAX_TEXT_CHARS: Final = 65_536
_SERIALS: Final = re.compile(r"([0-9]{1,20})(?:-([0-9]{1,20}))?")
_HASH: Final = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")
_MAX_SERIAL: Final = 2**64 - 1


class RevocationProblem(ValueError):
    """A line that revokes nothing. `line` counts from 1."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(f"line {line}")
        self.line = line
        self.text = text


@dataclass(frozen=True, slots=True)
class Revocations:
    """Serial numbers (first and last of each range), key ids, and fingerprints of keys of people or authorities."""

    serials: tuple[tuple[int, int], ...] = ()
    key_ids: frozenset[str] = frozenset()
    fingerprints: frozenset[str] = frozenset()

    def revoke(self, *, serial: int, key_id: str, fingerprints: tuple[str, ...]) -> bool:
        """Whether a certificate with this serial number, key id, and fingerprints of its keys is revoked."""
        if key_id in self.key_ids or not self.fingerprints.isdisjoint(fingerprints):
            return True
        return any(first <= serial <= last for first, last in self.serials)

    def revoke_certificate(self, certificate: Certificate) -> bool:
        """Whether the certificate is revoked."""
        fingerprints = (certificate.key.sha256, certificate.authority.sha256)
        return self.revoke(serial=certificate.serial, key_id=certificate.key_id, fingerprints=fingerprints)


def parse_revocations(text: str) -> Revocations:
    """The list. Blank lines and `#` lines are skipped. Raises RevocationProblem at the first line that says nothing."""
    serials: list[tuple[int, int]] = []
    key_ids: set[str] = set()
    fingerprints: set[str] = set()
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        name, separator, value = line.partition(":")
        value = value.strip()
        match name.strip().lower() if separator else "":
            case "serial":
                serials.append(_serials(number, line, value))
            case "id" if value:
                key_ids.add(value)
            case "hash" if _HASH.fullmatch(value):
                fingerprints.add(value)
            case "key":
                fingerprints.add(_fingerprint(number, line, value))
            case _:
                fingerprints.add(_fingerprint(number, line, line))
    return Revocations(tuple(serials), frozenset(key_ids), frozenset(fingerprints))


def _serials(number: int, line: str, value: str) -> tuple[int, int]:
    match = _SERIALS.fullmatch(value)
    if match is None:
        raise RevocationProblem(number, line)
    first = int(match[1])
    last = int(match[2]) if match[2] else first
    # zero is the serial number of all certificates that were made without one
    if not 0 < first <= last <= _MAX_SERIAL:
        raise RevocationProblem(number, line)
    return first, last


def _fingerprint(number: int, line: str, key: str) -> str:
    try:
        return parse_public_key(key).sha256
    except PublicKeyProblem as error:
        raise RevocationProblem(number, line) from error
