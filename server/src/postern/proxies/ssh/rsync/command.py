"""Parses the command line of an `rsync --server`. Only options with a known effect on the stream are accepted."""

import re
import shlex
from dataclasses import dataclass, field
from typing import Final

from postern.proxies.core.recording.transfer_commands import transfer_in
from postern.proxies.ssh.rsync.tape import NotFollowed

_PROGRAMS: Final = frozenset({"rsync", "/bin/rsync", "/usr/bin/rsync"})
#: Letters that do not change the format of the stream.
_NEUTRAL_LETTERS: Final = frozenset("vquKmOJyLkWtpEICxSrd")
_KNOWN_LETTERS: Final = frozenset("lHogDUcRz")
_REFUSED_LETTERS: Final = {
    "n": "a dry run sends no files",
    "A": "access control lists (-A) are not followed",
    "X": "extended attributes (-X) are not followed",
    "N": "creation times (-N) are not followed",
    "s": "the arguments are not on the command line (-s)",
}
#: After the letters: `e`, the version of a pre-release (empty otherwise), and the client's capabilities.
_ABILITIES: Final = re.compile(r"\.([A-Za-z]*)")
#: A capability of pre-releases that hosts still know. They then answer with one byte instead of up to five.
_UNFINISHED: Final = "V"
_NEUTRAL_LONG: Final = re.compile(
    r"--(?:force|partial|inplace|ignore-errors|existing|ignore-existing|size-only|stats|super|delay-updates|safe-links"
    r"|copy-unsafe-links|fsync|no-implied-dirs|mkpath|preallocate|open-noatime|msgs2stderr"
    r"|no-msgs2stderr|no-r|no-W|ignore-missing-args|delete-missing-args|timeout=\d+|bwlimit=\d+|max-delete=-?\d+"
    r"|modify-window=-?\d+|checksum-seed=-?\d+|(?:log-format|suffix|min-size|max-size|usermap|groupmap|info|debug"
    r"|skip-compress|max-alloc)=.*)|-B\d+|-@-?\d+",
    re.DOTALL,
)
_NEUTRAL_WITH_NEXT: Final = frozenset({"--partial-dir", "--temp-dir", "--compare-dest", "--copy-dest", "--link-dest"})
_DELETING: Final = frozenset(
    {"--delete", "--delete-before", "--delete-during", "--delete-delay", "--delete-after", "--delete-excluded"}
)
_LEVEL: Final = re.compile(r"--compress-level=[1-9]\d*")


@dataclass(kw_only=True)
class Command:
    """The parsed command line of an `rsync --server`. With `download` the host sends (`--sender`)."""

    download: bool
    paths: list[str] = field(default_factory=list)
    #: Folders that options name, for parts of files or for comparing.
    other_paths: list[str] = field(default_factory=list)
    abilities: str = ""
    links: bool = False
    hard_links: bool = False
    owners: bool = False
    groups: bool = False
    numeric_ids: bool = False
    devices: bool = False
    specials: bool = False
    access_times: bool = False
    checksums: bool = False
    relative: bool = False
    #: Names of checksum (of contents, of the list) and compression. If empty, the sides negotiate them.
    checksum: tuple[str, str] = ("", "")
    packs: bool = False
    packing: str = ""
    person_sends_filters: bool = False
    #: Whether the sending side removes files that the receiving side has confirmed.
    removes_sources: bool = False


def read_command(command: bytes) -> Command:
    """Parse a command line. Raises `NotFollowed` for anything but a plain `rsync --server` with known options."""
    if transfer_in(command) != "rsync" or b"#" in command:
        raise NotFollowed("the command line is more than a plain rsync")
    words = shlex.split(command.decode("utf-8", "surrogateescape"))
    while words[0] not in _PROGRAMS:
        words = words[1:]
    return _Parser(words[2:]).read()


class _Parser:
    def __init__(self, words: list[str]) -> None:
        self._words = words
        self._packs = 0
        self._command = Command(download=words[:1] == ["--sender"])
        if self._command.download:
            del self._words[0]

    def read(self) -> Command:
        command = self._command
        while self._words and self._words[0] != ".":
            word = self._words.pop(0)
            if word.startswith("--") or word[:2] in ("-B", "-@"):
                self._read_long(word)
            elif word.startswith("-") and len(word) > 1:
                self._read_letters(word[1:])
            else:
                break
        else:
            command.paths = self._words[1:]
            if not self._words or not command.paths or any(path.startswith("-") for path in command.paths):
                raise NotFollowed("the paths on the command line are not understood")
            if not command.download and len(command.paths) != 1:
                raise NotFollowed("the paths on the command line are not understood")
            command.person_sends_filters |= command.download
            return command
        raise NotFollowed("the command line is not one of a known rsync")

    def _read_letters(self, letters: str) -> None:
        command = self._command
        self._packs += letters.partition("e")[0].count("z")
        if self._packs > 1:
            raise NotFollowed("the option -zz is not followed")
        for place, letter in enumerate(letters):
            if letter == "e":
                match = _ABILITIES.fullmatch(letters, place + 1)
                if match is None or _UNFINISHED in match[1]:
                    raise NotFollowed("the client is a version that is not finished")
                command.abilities = match[1]
                return
            if letter in _REFUSED_LETTERS:
                raise NotFollowed(_REFUSED_LETTERS[letter])
            if letter not in _KNOWN_LETTERS and letter not in _NEUTRAL_LETTERS:
                raise NotFollowed(f"the option -{letter} is not followed")
            self._apply(letter)

    def _apply(self, letter: str) -> None:
        command = self._command
        command.links |= letter == "l"
        command.hard_links |= letter == "H"
        command.owners |= letter == "o"
        command.groups |= letter == "g"
        command.devices |= letter == "D"
        command.specials |= letter == "D"
        command.access_times |= letter == "U"
        command.checksums |= letter == "c"
        command.relative |= letter == "R"
        command.packs |= letter == "z"
        # The receiver needs the filters only if it removes something.
        command.person_sends_filters |= letter == "m"

    def _read_long(self, word: str) -> None:
        command = self._command
        if word in _NEUTRAL_WITH_NEXT:
            if not self._words:
                raise NotFollowed("the command line is not one of a known rsync")
            command.other_paths.append(self._words.pop(0))
        elif word in _DELETING:
            command.person_sends_filters = True
        elif word in ("--remove-source-files", "--remove-sent-files"):
            command.removes_sources = True
        elif word == "--numeric-ids":
            command.numeric_ids = True
        elif word in ("--specials", "--no-specials"):
            command.specials = word == "--specials"
        elif not _NEUTRAL_LONG.fullmatch(word):
            self._read_choice(word)

    def _read_choice(self, word: str) -> None:
        """Read an option for checksum or compression."""
        command = self._command
        name, _, value = word.partition("=")
        if word in ("--new-compress", "--old-compress"):
            command.packs, command.packing = True, "zlibx" if word == "--new-compress" else "zlib"
        elif name == "--compress-choice":
            command.packs, command.packing = value != "none", value
        elif name == "--checksum-choice":
            first, _, second = value.partition(",")
            command.checksum = (first, second or first)
        elif _LEVEL.fullmatch(word):
            command.packs = True
        else:
            raise NotFollowed(f"the option {name[:40]} is not followed")
