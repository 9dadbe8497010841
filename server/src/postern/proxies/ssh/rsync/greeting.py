"""The beginning of both streams: versions, capabilities, and the negotiated checksum and compression."""

from dataclasses import dataclass
from typing import Final

from postern.proxies.ssh.rsync.command import Command
from postern.proxies.ssh.rsync.tape import NotFollowed, Tape

_VERSIONS: Final = range(30, 33)
_NEWEST: Final = 40  # highest version that a side may announce; both use the lower version
_LONGEST_CHOICES: Final = 255

_INCREMENTAL: Final = 1 << 0
_LINK_TIMES: Final = 1 << 1
_LINK_ICONV: Final = 1 << 2
_SAFE_LIST: Final = 1 << 3
_PLAIN_ATTRIBUTES: Final = 1 << 4
_SEED_ORDER: Final = 1 << 5
_INPLACE_PARTIAL: Final = 1 << 6
_LONG_FLAGS: Final = 1 << 7
_ROOT_NAMES: Final = 1 << 8
#: Flags that the host may set, by the capability that the client must have announced. The other two flags depend on the
#: host alone.
_ASKED: Final = {
    _INCREMENTAL: "i",
    _SAFE_LIST: "f",
    _PLAIN_ATTRIBUTES: "x",
    _SEED_ORDER: "C",
    _INPLACE_PARTIAL: "I",
    _LONG_FLAGS: "v",
    _ROOT_NAMES: "u",
}

_SUM_BYTES: Final = {"xxh128": 16, "xxh3": 8, "xxh64": 8, "md5": 16, "md4": 16, "sha1": 20}
PACKINGS: Final = frozenset({"zlib", "zlibx", "zstd", "lz4"})
#: All names that rsync itself writes in its offers.
_NAMES: Final = frozenset(name.encode() for name in (*_SUM_BYTES, *PACKINGS, "none"))


@dataclass(frozen=True, kw_only=True)
class Agreed:
    """The parameters that both sides agreed on."""

    version: int
    incremental: bool
    safe_list: bool
    long_flags: bool
    root_names: bool
    sum_bytes: int  # after each content
    list_sum_bytes: int  # in the list, with --checksum
    packed: bool


class Greeting:
    """Reads the greetings of both sides. `agreed` is set when both are complete."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._versions: dict[str, int] = {}
        self._flags: int | None = None
        self._offers: dict[str, list[bytes]] = {"host": [], "person": []}
        self._has_seed = False
        self.agreed: Agreed | None = None

    def read_host(self, tape: Tape) -> bool:
        """Read one unit of the host's greeting. Returns True at its end."""
        if "host" not in self._versions:
            self._read_version(tape, "host")
        elif self._flags is None:
            self._flags = self._checked_flags(tape.varint())
        elif len(self._offers["host"]) < self._choices:
            self._offers["host"].append(tape.string(_LONGEST_CHOICES))
        else:
            tape.number()
            self._has_seed = True
        return self._has_seed

    def read_person(self, tape: Tape) -> bool:
        """Read one unit of the client's greeting. Returns True at its end."""
        if "person" not in self._versions:
            self._read_version(tape, "person")
            return False
        if not tape.has_more:
            return False
        if self._flags is None:
            raise NotFollowed("the client does not wait for the host's greeting")
        if len(self._offers["person"]) < self._choices:
            self._offers["person"].append(tape.string(_LONGEST_CHOICES))
            return False
        if not self._has_seed:
            raise NotFollowed("the client does not wait for the host's greeting")
        self.agreed = self._agree()
        return True

    def _read_version(self, tape: Tape, side: str) -> None:
        version = tape.number()
        if not _VERSIONS.start <= version <= _NEWEST:
            raise NotFollowed(f"protocol {version} of one side is not followed" if version > 0 else "it is no rsync")
        self._versions[side] = version

    def _checked_flags(self, flags: int) -> int:
        known = _LINK_TIMES | _LINK_ICONV
        for flag, letter in _ASKED.items():
            if letter in self._command.abilities:
                known |= flag
        if flags & ~known:
            raise NotFollowed("the host uses something that the client did not offer")
        return flags

    @property
    def _choices(self) -> int:
        """Number of name lists that each side sends."""
        if not (self._flags or 0) & _LONG_FLAGS:
            return 0
        return (not self._command.checksum[0]) + (self._command.packs and not self._command.packing)

    def _agree(self) -> Agreed:
        version = min(self._versions.values())
        if version not in _VERSIONS:
            raise NotFollowed(f"protocol {version} is not followed")
        command, flags = self._command, self._flags or 0
        chosen = [
            _first_common(offer, answer)
            for offer, answer in zip(self._offers["person"], self._offers["host"], strict=True)
        ]
        sums = command.checksum
        if not sums[0]:
            sum_name = chosen.pop(0) if chosen else "md5"
            sums = (sum_name, sum_name)
        packing = ""
        if command.packs:
            packing = command.packing or (chosen.pop(0) if chosen else "zlib")
        if any(name not in _SUM_BYTES for name in sums):
            raise NotFollowed("the checksum is none that is followed")
        if packing and packing != "none" and packing not in PACKINGS:
            raise NotFollowed("the compression is none that is followed")
        return Agreed(
            version=version,
            incremental=bool(flags & _INCREMENTAL),
            safe_list=bool(flags & _SAFE_LIST) or version > _VERSIONS.start,
            long_flags=bool(flags & _LONG_FLAGS),
            root_names=bool(flags & _ROOT_NAMES),
            sum_bytes=_SUM_BYTES[sums[0]],
            list_sum_bytes=_SUM_BYTES[sums[1]],
            packed=packing in PACKINGS,
        )


def _first_common(offer: bytes, answer: bytes) -> str:
    """Return the first name in the client's offer that the host also offers.

    rsync accepts aliases for some names (`xxhash`) and ignores case. With a name that could be an alias, the negotiated
    algorithm would be uncertain.
    """
    if any(name not in _NAMES for name in (*offer.split(b" "), *answer.split(b" "))):
        raise NotFollowed("a checksum or compression has a name that is not followed")
    known = set(answer.split(b" "))
    for name in offer.split(b" "):
        if name in known:
            return name.decode("ascii", "replace")
    raise NotFollowed("the sides do not agree on a checksum or compression")
