"""The reader of rsync's stream: it names what real rsyncs really sent, and stops at anything it cannot parse."""

import os
import random
import shutil
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peers.recorded_rsync import REMOVED, SPOILED, Recorded, transfer
from peers.rsync_receiver import Stream, recorded_streams, take
from postern.proxies.ssh.rsync import greeting, lists, requests
from postern.proxies.ssh.rsync.command import read_command
from postern.proxies.ssh.rsync.contents import LARGEST_FILE, Blocks, Content
from postern.proxies.ssh.rsync.entries import Entry
from postern.proxies.ssh.rsync.events import IS_NEW
from postern.proxies.ssh.rsync.places import Places
from postern.proxies.ssh.rsync.reader import Reader
from postern.proxies.ssh.rsync.tape import NotFollowed, Tape

pytestmark = pytest.mark.skipif(shutil.which("rsync") is None, reason="rsync is not installed")

_SLICE = 4096


class Told:
    """What the reader reported about one transfer, and why it stopped."""

    def __init__(self) -> None:
        self.files: list[tuple[bytes, int]] = []  # path, and size as carried
        self.packed = False
        self.matched = 0
        self.again: list[bytes] = []
        self.unfinished: list[bytes] = []
        self.made: list[bytes] = []
        self.removed: list[bytes] = []
        self.stopped = ""
        self.is_over = False

    def sent(self, entry: Entry, content: Content, *, again: bool, whole: bool) -> None:
        if not whole:
            self.unfinished.append(entry.path)
            return
        self.packed = content.packed
        self.matched += content.matched
        self.files.append((entry.path, entry.size if content.packed else content.literal + content.matched))
        if again:
            self.again.append(entry.path)

    def changed(self, entry: Entry, actions: int, name: bytes) -> None:
        if actions & IS_NEW:
            self.made.append(entry.path)

    def deleted(self, path: bytes) -> None:
        self.removed.append(path)

    def taken(self, entry: Entry) -> None:
        self.removed.append(entry.path)

    @property
    def names(self) -> list[str]:
        return sorted(path.decode("utf-8", "surrogateescape").lstrip("/") for path, _ in self.files)


def follow(command: bytes, pieces: Iterable[tuple[bool, bytes]], size: int = _SLICE) -> Told:
    """Read pieces as a session would."""
    report = Told()
    try:
        reader = Reader(read_command(command), report)
    except NotFollowed as reason:
        report.stopped = str(reason)
        return report
    try:
        for from_person, data in pieces:
            for start in range(0, len(data), size):
                reader.take(data[start : start + size], from_person=from_person)
                while reader.is_busy:
                    reader.go_on()
    except NotFollowed as reason:
        report.stopped = str(reason)
    reader.stop()
    report.is_over = reader.is_over
    return report


def said(recorded: Recorded) -> list[str]:
    """Return the files that rsync itself reports as sent (`--itemize-changes`)."""
    lines = (line for line in recorded.said.splitlines() if line[:2] in ("<f", ">f"))
    return sorted(line.split(" ", 1)[1].lstrip("/").replace("\\#012", "\n") for line in lines)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("rsync") / "from"
    for folder in ("a/b/c", "z z", "-dash"):
        (root / folder).mkdir(parents=True)
    names = (
        "one", "a/two", "a/b/three", "a/b/c/four", "z z/fünf 数据", "-dash/-x", "a.b", "a-b", "a/b.txt", "new\nline",
        "~tilde", "y" * 250,
    )  # fmt: skip
    for number, name in enumerate(names):
        (root / name).write_bytes(random.Random(number).randbytes(number * 9000))
    (root / "link").symlink_to("a/two")
    os.link(root / "one", root / "hard")
    os.link(root / "a-b", root / "a/hard too")
    os.mkfifo(root / "a/pipe")
    return root


def run(folder: Path, source: Path, *options: str, upload: bool, **environment: str) -> Recorded:
    here, there = f"{source}/", f"{folder}/to/"
    words = (here, f"host:{there}") if upload else (f"host:{here}", there)
    return transfer(folder, "-i", *options, *words, environment=environment)


both_ways = pytest.mark.parametrize("upload", [True, False], ids=["up", "down"])


@both_ways
@pytest.mark.parametrize(
    "options",
    [
        "-a", "-avv --stats", "-r", "-rt", "-aH", "-aHc --no-inc-recursive", "-aR", "-aU", "-ac --cc=xxh64", "-a --cc=sha1",
        "-a --cc=md5 --numeric-ids", "-a --delete", "-a --delete-after --exclude=four", "-a --delay-updates -m",
        "-a --inplace --partial", "-az", "-az --zc=zlib", "-az --zc=zlibx", "-az --zc=lz4", "-acz --zc=zstd",
        "-a --no-inc-recursive", "-a --protocol=30", "-aHz --protocol=30 --no-inc-recursive", "-a --protocol=31",
        "-rlD --fuzzy", "-rt --specials -W", "-a --no-specials --delete-excluded --timeout=20",
    ],
)  # fmt: skip
def test_exactly_the_files_that_rsync_reports_as_sent_are_named(
    tmp_path: Path, source: Path, options: str, upload: bool
) -> None:
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / "gone").write_bytes(b"")
    recorded = run(tmp_path, source, *options.split(), upload=upload)
    report = follow(recorded.command, recorded.pieces)

    assert recorded.status == 0
    assert (report.stopped, report.is_over, report.unfinished) == ("", True, [])
    assert report.names == said(recorded) != []
    root = source if "R" not in options else Path("/")
    for path, size in report.files:
        assert size == (root / os.fsdecode(path).lstrip("/")).stat().st_size
    assert report.removed == ([b"gone"] if upload and "--delete" in options else [])
    assert b"a/b/c" in report.made or "R" in options


@both_ways
@pytest.mark.parametrize("options", ["-a -B700", "-az -B700", "-az --zc=zlib", "-a --inplace", "-a --fuzzy"])
def test_updates_are_parsed_through_their_matched_blocks(tmp_path: Path, options: str, upload: bool) -> None:
    (tmp_path / "from").mkdir()
    (tmp_path / "to").mkdir()
    for number in range(4):
        content = random.Random(number).randbytes(300_000)
        (tmp_path / "from" / f"file {number}").write_bytes(content)
        (tmp_path / "to" / f"file {number}").write_bytes(content[:100_000] + b"xyz" + content[100_001:290_000])
    shutil.copy2(tmp_path / "from" / "file 2", tmp_path / "to" / "file 2")  # unchanged: not sent
    recorded = run(tmp_path, tmp_path / "from", *options.split(), upload=upload)
    report = follow(recorded.command, recorded.pieces)

    assert (report.stopped, report.is_over) == ("", True)
    assert report.names == said(recorded) == ["file 0", "file 1", "file 3"]
    assert {size for _, size in report.files} == {300_000}
    assert report.matched > 500_000


@both_ways
def test_file_that_did_not_match_is_named_again_when_it_is_sent_again(tmp_path: Path, upload: bool) -> None:
    (tmp_path / "from").mkdir()
    (tmp_path / "to").mkdir()
    old = random.Random(1).randbytes(2_000_000)
    (tmp_path / "to" / "file").write_bytes(old)
    (tmp_path / "from" / "file").write_bytes(random.Random(2).randbytes(2_000_000) + old)
    recorded = run(tmp_path, tmp_path / "from", "-a", upload=upload, **{SPOILED: f"{tmp_path}/to/file"})
    report = follow(recorded.command, recorded.pieces)

    assert (tmp_path / "to" / "file").read_bytes() == (tmp_path / "from" / "file").read_bytes()
    assert (report.stopped, report.is_over) == ("", True)
    assert report.files == [(b"file", 4_000_000)] * 2
    assert report.again == [b"file"]


@both_ways
@pytest.mark.parametrize("options", ["-a", "-a --no-inc-recursive"])
def test_large_lists_and_deep_trees_sort_as_rsync_sorts_them(tmp_path: Path, options: str, upload: bool) -> None:
    folder = tmp_path / "from"
    folder.mkdir()
    dice = random.Random(7)
    for _ in range(700):
        (folder / f"{dice.choice('aAz.-~ü')}{dice.randrange(10**6)}").write_bytes(b"x")
    for depth in range(40):
        folder /= dice.choice(["a", "a-", "a.b", "~", "0"]) + str(depth % 3)
        folder.mkdir()
        for name in ("a", "a.b", "file"):
            (folder / name).write_bytes(b"y" * depth)
    (tmp_path / "to").mkdir()
    recorded = run(tmp_path, tmp_path / "from", *options.split(), upload=upload)
    report = follow(recorded.command, recorded.pieces)

    assert (report.stopped, report.is_over) == ("", True)
    assert report.names == said(recorded)
    assert len(report.names) > 800


@both_ways
def test_names_in_two_sources_are_reported_once(tmp_path: Path, upload: bool) -> None:
    for folder in ("first", "second"):
        (tmp_path / folder / "x" / "y").mkdir(parents=True)
        for name in ("same", "x/same", f"x/y/{folder}"):
            (tmp_path / folder / name).write_bytes(folder.encode())
    (tmp_path / "to").mkdir()
    sources = [f"{'' if upload else 'host:'}{tmp_path}/{folder}/" for folder in ("first", "second")]
    recorded = transfer(tmp_path, "-ai", *sources, f"{'host:' if upload else ''}{tmp_path}/to/")
    report = follow(recorded.command, recorded.pieces)

    assert (report.stopped, report.is_over) == ("", True)
    assert report.names == said(recorded) == ["same", "x/same", "x/y/first", "x/y/second"]


@both_ways
def test_vanished_file_is_not_named_and_later_names_are_right(tmp_path: Path, upload: bool) -> None:
    (tmp_path / "from").mkdir()
    (tmp_path / "to").mkdir()
    (tmp_path / "from" / "a").write_bytes(random.Random(1).randbytes(4_000_000))
    for name in ("gone", "x", "z"):
        (tmp_path / "from" / name).write_bytes(b"x" * 100)
    recorded = run(tmp_path, tmp_path / "from", "-a", upload=upload, **{REMOVED: f"{tmp_path}/from/gone"})
    report = follow(recorded.command, recorded.pieces)

    assert recorded.status == 24  # rsync: a file vanished
    assert (report.stopped, report.is_over) == ("", True)
    assert report.names == ["a", "x", "z"]


@both_ways
def test_files_removed_at_the_source_of_a_download_are_reported(tmp_path: Path, source: Path, upload: bool) -> None:
    shutil.copytree(source, tmp_path / "from", symlinks=True, ignore=shutil.ignore_patterns("pipe"))
    recorded = run(tmp_path, tmp_path / "from", "-a", "--remove-source-files", upload=upload)
    report = follow(recorded.command, recorded.pieces)

    assert (report.stopped, report.is_over) == ("", True)
    assert report.names == said(recorded) != []
    assert not any(path.is_file() for path in (tmp_path / "from").rglob("*"))
    removed = sorted(os.fsdecode(path) for path in report.removed)
    assert removed == ([] if upload else sorted([*report.names, "link"]))


# Work in steps


def greeted(command: bytes) -> tuple[Reader, Told]:
    """Return a reader after the greeting of protocol 31."""
    report = Told()
    reader = Reader(read_command(command), report)
    reader.take((31).to_bytes(4, "little") + b"\0" + bytes(4), from_person=False)
    reader.take((31).to_bytes(4, "little"), from_person=True)
    return reader, report


def frame(data: bytes, tag: int = 7) -> bytes:
    return len(data).to_bytes(3, "little") + bytes([tag]) + data


def read_all(reader: Reader, data: bytes, *, from_person: bool) -> None:
    for start in range(0, len(data), _SLICE):
        reader.take(data[start : start + _SLICE], from_person=from_person)
        while reader.is_busy:
            reader.go_on()


def listed(count: int, mode: int = 0o100644) -> bytes:
    """Return a list with this many entries. An empty entry ends it."""
    names = [b"%06d" % number for number in range(count)]
    entries = b""
    for before, name in pairwise([b"", *names]):
        common = next((place for place in range(len(before)) if before[place] != name[place]), 0)
        flags, beginning = (0xB8, bytes([common])) if common else (0x98, b"")
        entries += bytes([flags]) + beginning + bytes([len(name) - common]) + name[common:]
        entries += b"\0\0\0" + mode.to_bytes(4, "little")
    return frame(entries + b"\0")


def test_one_step_reports_few_entries_however_many_arrive_at_once() -> None:
    """Each entry costs time in the loop that all sessions share. A request of three bytes may create an entry."""
    reader, report = greeted(b"rsync --server -re.LsfxCIvu . /srv/")
    read_all(reader, listed(1000, mode=0o40755), from_person=True)
    changes = b"".join(b"\1" + (IS_NEW).to_bytes(2, "little") for _ in range(1000))
    reader.take(frame(changes)[:_SLICE], from_person=False)
    steps = [len(report.made)]
    while reader.is_busy:
        reader.go_on()
        steps.append(len(report.made))

    assert steps[-1] == len(report.made) == 1000
    assert max(after - before for before, after in pairwise([0, *steps])) <= 16


def test_one_step_reports_few_removals_however_many_arrive_at_once() -> None:
    reader, report = greeted(b"rsync --server -re.LsfxCIvu . /srv/")
    reader.take((frame(b"x", 7 + 101) * 800)[:_SLICE], from_person=False)
    steps = [len(report.removed)]
    while reader.is_busy:
        reader.go_on()
        steps.append(len(report.removed))

    assert steps[-1] == 800
    assert max(after - before for before, after in pairwise([0, *steps])) <= 16


def test_removal_without_its_option_on_the_command_line_stops_the_reader() -> None:
    reader, report = greeted(b"rsync --server --sender -re.LsfxCIvu . /srv/")
    read_all(reader, frame(bytes(4)), from_person=True)
    read_all(reader, listed(3), from_person=False)
    with pytest.raises(NotFollowed, match="a side tells of what it was not asked for"):
        read_all(reader, frame((1).to_bytes(4, "little"), 7 + 100), from_person=True)
    assert report.removed == []


_LEVEL = st.binary(min_size=1, max_size=4).filter(
    lambda level: not {0, ord("/")} & {*level} and level not in (b".", b"..")
)


@settings(max_examples=500)
@given(st.lists(st.tuples(st.lists(_LEVEL, min_size=1, max_size=4), st.booleans()), max_size=40))
def test_keys_sort_as_rsync_compares_names_level_by_level(names: list[tuple[list[bytes], bool]]) -> None:
    def levels(entry: Entry) -> tuple[tuple[int, bytes], ...]:
        """Sort as rsync does: files before folders, which are compared including their slash."""
        folders = tuple((1, level + b"/") for level in entry.folder.split(b"/") if level)
        if entry.name == b".":
            return (*folders, (0, b""))
        return (*folders, (1, entry.name + b"/") if entry.is_folder else (0, entry.name))

    entries = [Entry(b"", b".", 0o40755, 0, b"")]
    entries += [
        Entry(b"/".join(path[:-1]), path[-1], 0o40755 if is_folder else 0o100644, 0, b"") for path, is_folder in names
    ]
    file_list = lists.FileList(0, None)
    for entry in entries:
        file_list.add(entry)
    while not file_list.sort():
        pass
    assert file_list.entries == sorted(entries, key=levels)


def test_waiting_requests_are_bounded_by_the_number_of_files() -> None:
    """A few bytes can request a file, and a request waiting for the sender takes much more memory."""
    reader, _ = greeted(b"rsync --server --sender -re.LsfxCIvu . /srv/")
    read_all(reader, frame(bytes(4)), from_person=True)
    read_all(reader, listed(10), from_person=False)
    asked = b"\xfe\x80\0\0\0" + b"\x00\xa0" + bytes(16)
    read_all(reader, frame(asked * 60), from_person=True)
    with pytest.raises(NotFollowed, match="too many files at once"):
        read_all(reader, frame(asked * 60), from_person=True)


def test_waiting_requests_for_many_files_are_bounded_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "_MAX_WAITING", 100)
    reader, _ = greeted(b"rsync --server --sender -re.LsfxCIvu . /srv/")
    read_all(reader, frame(bytes(4)), from_person=True)
    read_all(reader, listed(200), from_person=False)
    asked = b"\1" + b"\x00\xa0" + bytes(16)
    read_all(reader, frame(asked * 100), from_person=True)
    with pytest.raises(NotFollowed, match="too many files at once"):
        read_all(reader, frame(asked), from_person=True)


# Split streams, and broken streams


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recorded]:
    """Short transfers of each kind, with a list, folders, contents and an update."""
    taken = {}
    for options in ("-a", "-az", "-aHc --no-inc-recursive --delete", "-rz --zc=lz4 --protocol=30"):
        for upload in (True, False):
            root = tmp_path_factory.mktemp("small")
            for name in ("from/b/c", "to/b"):
                (root / name).mkdir(parents=True)
            content = random.Random(5).randbytes(2500)
            for name in ("alpha", "alphabet", "b/beta", "b/c/gamma"):
                (root / "from" / name).write_bytes(content[: len(name) * 100])
            (root / "to" / "b" / "beta").write_bytes(content[:550])
            (root / "to" / "old").write_bytes(b"")
            taken[f"{options} {upload}"] = run(root, root / "from", "-B100", *options.split(), upload=upload)
    return taken


def test_streams_cut_at_every_position_give_the_same_names(small: dict[str, Recorded]) -> None:
    for recorded in small.values():
        whole = follow(recorded.command, recorded.pieces)
        assert (whole.stopped, whole.is_over) == ("", True)
        for size in (1, 2, 3, 7):
            report = follow(recorded.command, recorded.pieces, size)
            assert (report.files, report.stopped, report.is_over) == (whole.files, "", True)
    recorded = small["-a True"]
    whole = follow(recorded.command, recorded.pieces)
    for number, (from_person, data) in enumerate(recorded.pieces):
        for place in range(1, len(data)):
            cut = [(from_person, data[:place]), (from_person, data[place:])]
            report = follow(recorded.command, [*recorded.pieces[:number], *cut, *recorded.pieces[number + 1 :]])
            assert (report.files, report.is_over) == (whole.files, True)


Pieces = list[tuple[bool, bytes]]


def flipped(dice: random.Random, stream: Stream, *, of_sender: bool) -> Pieces:
    """Return the stream with one or more bytes of one direction changed. Half of the time these are in the lists."""
    pieces = [(from_person, bytearray(data)) for from_person, data in stream.recorded.pieces]
    side = [data for from_person, data in pieces if (from_person is stream.upload) is of_sender]
    places = [(data, at) for data in side for at in range(len(data))]
    if dice.random() < 0.5:
        places = places[:400]
    for _ in range(dice.choice([1, 1, 1, 2, 5])):
        data, at = dice.choice(places)
        data[at] = dice.choice([dice.randrange(256), data[at] ^ 1 << dice.randrange(8), (data[at] + 1) % 256])
    return [(from_person, bytes(data)) for from_person, data in pieces]


def test_reader_names_what_a_real_rsync_accepts_from_a_flipped_stream(tmp_path: Path) -> None:
    """A flip may produce another valid stream with other names. Then a real receiver accepts the same names."""
    dice = random.Random(20)
    stopped = renamed = 0
    for stream in recorded_streams():
        whole = follow(stream.recorded.command, stream.recorded.pieces)
        assert (whole.stopped, whole.is_over) == ("", True)
        for number in range(100):
            pieces = flipped(dice, stream, of_sender=True) if number else list(stream.recorded.pieces)
            report = follow(stream.recorded.command, pieces)
            stopped += bool(report.stopped)
            renamed += not report.stopped and report.names != whole.names
            if number % 20 and (report.stopped or report.names == whole.names):
                continue  # streams with other names are all checked, the rest occasionally
            taken = take(tmp_path / f"{stream.options} {stream.upload} {number}", stream, pieces)
            names = [path for path, _ in report.files]
            common = min(len(names), len(taken.names))
            assert names[:common] == taken.names[:common]
            assert len(names) == common or taken.failed  # contents it could not unpack, or for which it had no old copy
            assert len(taken.names) == common or report.stopped
    assert stopped > 300
    assert renamed > 20


def test_flipped_bytes_of_the_receiver_stop_the_reader_or_change_nothing() -> None:
    """Names come from the sender alone."""
    dice = random.Random(21)
    stopped = 0
    for stream in recorded_streams():
        whole = follow(stream.recorded.command, stream.recorded.pieces).files
        for _ in range(200):
            report = follow(stream.recorded.command, flipped(dice, stream, of_sender=False))
            stopped += bool(report.stopped)
            assert report.files == (whole[: len(report.files)] if report.stopped else whole)
    assert stopped > 1000


def test_truncated_streams_name_only_completely_sent_files() -> None:
    for stream in recorded_streams():
        command, pieces = stream.recorded.command, stream.recorded.pieces
        whole = follow(command, pieces)
        last = max(place for place, (from_person, _) in enumerate(pieces) if from_person is stream.upload)
        for count in range(len(pieces)):
            report = follow(command, pieces[:count])
            assert report.files == whole.files[: len(report.files)]
            assert report.is_over is (count > last)


def test_random_bytes_are_never_reported_as_files() -> None:
    dice = random.Random(3)
    for _ in range(300):
        pieces = [(dice.random() < 0.5, dice.randbytes(dice.randrange(200))) for _ in range(5)]
        assert follow(b"rsync --server -logDtpre.iLsfxCIvu . /srv", [(True, b"\x20\0\0\0"), *pieces]).files == []


@both_ways
def test_file_that_was_not_requested_is_not_named(upload: bool) -> None:
    """The same bytes of the sender, but without the requests from some point on."""
    recorded = next(stream.recorded for stream in recorded_streams() if stream.upload is upload)
    whole = follow(recorded.command, recorded.pieces)
    unasked = 0
    for moment in range(2, len(recorded.pieces)):
        rest = [piece for piece in recorded.pieces[moment:] if piece[0] is upload]
        report = follow(recorded.command, [*recorded.pieces[:moment], *rest])
        assert report.files == whole.files[: len(report.files)]
        if report.stopped == "the sender answers something else than was asked for" and not report.files:
            unasked += 1
    assert unasked


def test_too_many_files_stop_the_reader(tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "to").mkdir()
    recorded = run(tmp_path, source, "-a", upload=True)
    monkeypatch.setattr(lists, "MAX_ENTRIES", 5)
    assert follow(recorded.command, recorded.pieces).stopped == "too many files at once"
    monkeypatch.setattr(lists, "MAX_ENTRIES", 1000)
    monkeypatch.setattr(lists, "MAX_WEIGHT", 2000)
    assert follow(recorded.command, recorded.pieces).stopped == "too many files at once"


def test_sizes_beyond_any_file_stop_the_reader() -> None:
    """Three bytes can refer to eight gigabytes. A size beyond the log's range must not reach it."""
    blocks = Blocks(1 << 20, 1 << 17, 2, 0)
    content = Content(blocks, packed=True)
    content.matched = LARGEST_FILE - 5
    tape = Tape()
    tape.feed(b"\xc0\x05\x00", 0, 3)
    with pytest.raises(NotFollowed, match="a file is impossibly large"):
        content.read(tape)


# Command lines


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("rsync --server -nre.iLsfxCIvu . /srv", "a dry run sends no files"),
        ("rsync --server -are.iLsfxCIvu . /srv", "the option -a is not followed"),
        ("rsync --server -Are.iLsfxCIvu . /srv", "access control lists (-A) are not followed"),
        ("rsync --server -bre.iLsfxCIvu . /srv", "the option -b is not followed"),
        ("rsync --server -zre.iLsfxCIvu -z . /srv", "the option -zz is not followed"),
        ("rsync --server -re.iLsfxCIvu --backup-dir /x . /srv", "the option --backup-dir is not followed"),
        ("rsync --server -Xre.iLsfxCIvu . /srv", "extended attributes (-X) are not followed"),
        ("rsync --server -re.iLsfxCIvu --iconv=utf8 . /srv", "the option --iconv is not followed"),
        ("rsync --server -re.iLsfxCIvu --append . /srv", "the option --append is not followed"),
        ("rsync --server --sender -re.iLsfxCIvu --files-from=- . /srv", "the option --files-from is not followed"),
        ("rsync --server -se.iLsfxCIvu", "the arguments are not on the command line (-s)"),
        ("rsync --server -re32.1iLsfxCIvu . /srv", "the client is a version that is not finished"),
        ("rsync --server -re.iLsfxCIvuV . /srv", "the client is a version that is not finished"),
        ("rsync --server -re.iLsfxCIvu . /srv; id", "the command line is more than a plain rsync"),
        ("rsync --server -re.iLsfxCIvu . #/srv", "the command line is more than a plain rsync"),
        ("rsync --server --sender -re.iLsfxCIvu . /srv/*", "the command line is more than a plain rsync"),
        ("rsync --server -re.iLsfxCIvu . /srv /other", "the paths on the command line are not understood"),
        ("rsync --server --daemon .", "the command line is more than a plain rsync"),
    ],
)  # fmt: skip
def test_unsupported_command_lines_say_why(command: str, reason: str) -> None:
    with pytest.raises(NotFollowed) as stop:
        read_command(command.encode())
    assert str(stop.value) == reason


@pytest.mark.parametrize(
    ("command", "name", "place"),
    [
        ("rsync --server -re.i . /srv", b"a/b", b"/srv/a/b"),
        ("rsync --server -re.i . /srv/", b".", b"/srv/"),
        ("rsync --server -re.i . .", b"a", b"./a"),
        ("rsync --server -re.i . dir\\ x/", b"a", b"dir x/a"),
        ("rsync --server -Re.i . /srv", b"/etc/x", b"/srv/etc/x"),
        ("rsync --server --sender -re.i . /srv/", b"a/b", b"/srv/a/b"),
        ("rsync --server --sender -re.i . /srv", b"srv/b", b"/srv/b"),
        ("rsync --server --sender -re.i . /etc/passwd", b"passwd", b"/etc/passwd"),
        ("rsync --server --sender -re.i . notes", b"notes/b", b"notes/b"),
        ("rsync --server --sender -re.i . /a/x /b/y", b"y/b", b"/b/y/b"),
        ("rsync --server --sender -re.i . /a/x /b/x", b"x/b", b"x/b"),
        ("rsync --server --sender -re.i . /a/ /b/", b"c", b"c"),
        ("rsync --server --sender -re.i . ~", b"li/c", b"li/c"),
        ("rsync --server --sender -Re.i . /a/b", b"/a/b/c", b"/a/b/c"),
        ("rsync --server --sender -Re.i . /a/./b", b"b/c", b"/a/b/c"),
    ],
)  # fmt: skip
def test_names_get_their_folder_from_an_unambiguous_command_line(command: str, name: bytes, place: bytes) -> None:
    assert Places(read_command(command.encode())).of(name) == place


def test_single_file_may_have_another_name_on_the_host() -> None:
    places = Places(read_command(b"rsync --server -re.i . /tmp/synced"))
    assert places.of(b"report", is_alone=True) == b"report -> /tmp/synced"


@pytest.mark.parametrize("offer", [b"xxhash md5", b"MD5 xxh64", b"md5 ", b"md5 zlib-ng"])
def test_offer_with_an_alias_for_a_known_algorithm_is_not_followed(offer: bytes) -> None:
    """rsync accepts `xxhash` for `xxh64`. Reader and host would expect checksums of different lengths."""
    for first_offer, other in ((offer, b"xxh64 md5"), (b"xxh64 md5", offer)):
        with pytest.raises(NotFollowed, match="a name that is not followed"):
            greeting._first_common(first_offer, other)
    assert greeting._first_common(b"xxh64 md5", b"md5 xxh64 none") == "xxh64"
