"""The parts of the file manager that need no host: names, ranges, types, archives."""

import io
import os
import re
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postern.contracts import files
from postern.contracts.files import FileKind, FileProblem
from postern.proxies.core.targets.files import Attributes
from postern.proxies.terminal.files.content import Span, attachment, etag_of, picture_type, span_of
from postern.proxies.terminal.files.exchange import STATUS_OF
from postern.proxies.terminal.files.names import NotAName, id_of, is_name, name_from, names_of, path_from, shown
from postern.proxies.terminal.files.operations import OPERATIONS, find
from postern.proxies.terminal.files.tar_format import TarFormat
from postern.proxies.terminal.files.zip_format import ZipFormat

FOLDER = Attributes(kind=FileKind.FOLDER, mode=0o755, modified=1_700_000_000)
FILE = Attributes(kind=FileKind.FILE, mode=0o640, modified=1_700_000_001)


@given(st.binary(max_size=300))
def test_only_ids_of_names_are_names(name: bytes) -> None:
    if is_name(name):
        assert name_from(id_of(name)) == name
        assert path_from(f"{id_of(name)}/{id_of(name)}") == b"/" + name + b"/" + name
    else:
        with pytest.raises(NotAName):
            name_from(id_of(name))


@given(st.text(max_size=12))
def test_each_name_has_one_id(text: str) -> None:
    try:
        name = name_from(text)
    except NotAName:
        return
    assert id_of(name) == text


@pytest.mark.parametrize(
    ("name", "charset", "text"),
    [
        ("第一".encode(), "utf8", "第一"),
        ("第一".encode(), "gbk", "第一"),
        ("第一".encode("gbk"), "gbk", "第一"),
        ("中".encode("gbk"), "utf8", "\\xd6\\xd0"),
        (b"\xff\xfe", "gbk", "\\xff\\xfe"),
        (b"a\tb\x7f\x1b[2J", "utf8", "a␉b␡␛[2J"),
        ("\u202ecod.exe".encode(), "utf8", "⟦U+202E⟧cod.exe"),
        ("a\u200bb\ufeff\u2028\x85\u3164".encode(), "utf8", "a⟦U+200B⟧b⟦U+FEFF⟧⟦U+2028⟧⟦U+0085⟧⟦U+3164⟧"),
        ("\U000e0041".encode(), "utf8", "⟦U+E0041⟧"),
        (b" trailing ", "utf8", " trailing "),
    ],
)
def test_names_show_what_is_in_them(name: bytes, charset: str, text: str) -> None:
    assert shown(name, charset) == text


def test_paths() -> None:
    assert path_from("") == b"/"
    assert names_of(b"/", "utf8") == ()
    assert [name.text for name in names_of(b"/a/b c", "utf8")] == ["a", "b c"]
    with pytest.raises(NotAName):
        path_from("/".join([id_of(b"x" * 255)] * 17))


@pytest.mark.parametrize(
    ("header", "span"),
    [
        ("", Span(0, 10, is_part=False)),
        ("bytes=0-0", Span(0, 1, is_part=True)),
        ("bytes=3-", Span(3, 7, is_part=True)),
        ("bytes=3-99", Span(3, 7, is_part=True)),
        ("bytes=-3", Span(7, 3, is_part=True)),
        ("bytes=-99", Span(0, 10, is_part=True)),
        ("bytes=10-", None),
        ("bytes=-0", None),
        ("bytes=5-3", Span(0, 10, is_part=False)),
        ("bytes=0-1,3-4", Span(0, 10, is_part=False)),
        ("bytes=-", Span(0, 10, is_part=False)),
        ("bytes=" + "9" * 5000 + "-", Span(0, 10, is_part=False)),
        ("lines=1-2", Span(0, 10, is_part=False)),
    ],
)
def test_ranges(header: str, span: Span | None) -> None:
    assert span_of(header, 10) == span


def test_empty_file_has_no_part() -> None:
    assert span_of("bytes=0-", 0) is None
    assert span_of("bytes=-1", 0) is None


def test_validators_and_attachments() -> None:
    assert etag_of(Attributes(kind=FileKind.FILE, size=255, modified=16)) == '"ff-10"'
    assert etag_of(Attributes(kind=FileKind.FILE, size=255)) == ""
    header = attachment('a";\r\n\\x%é')
    assert header == "attachment; filename=\"a_____x__\"; filename*=UTF-8''a%22%3B%0D%0A%5Cx%25%C3%A9"


@pytest.mark.parametrize(
    ("beginning", "kind"),
    [
        (b"\x89PNG\r\n\x1a\nrest", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
        (b"\0\0\0\x1cftypavif", "image/avif"),
        (b"\0\0\0\x1cftypmp42", ""),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", ""),
        (b"<!doctype html>", ""),
        (b"RIFF\0\0\0\0WAVE", ""),
        (b"", ""),
    ],
)
def test_pictures_are_known_by_their_bytes(beginning: bytes, kind: str) -> None:
    assert picture_type(beginning) == kind


def test_each_problem_has_the_status_that_its_contract_states() -> None:
    stated = {
        FileProblem(value): int(status)
        for value, status in re.findall(r'= "(\w+)"  # (\d{3}):', Path(files.__file__).read_text())
        + re.findall(r'= "(\w+)"  # (\d{3})$', Path(files.__file__).read_text(), re.MULTILINE)
    }
    assert stated == STATUS_OF
    assert set(stated) == set(FileProblem)


def test_paths_of_operations() -> None:
    assert find("GET", "list") == (OPERATIONS["GET", "list"], "")
    assert find("PUT", "upload/abc") == (OPERATIONS["PUT", "upload/*"], "abc")
    assert find("POST", "upload/abc/finish") == (OPERATIONS["POST", "upload/*/finish"], "abc")
    for method, path in [("POST", "list"), ("GET", "upload/*"), ("POST", "upload/a/b/finish"), ("PUT", "upload/")]:
        assert find(method, path)[0] is None


def archive_of(made: ZipFormat | TarFormat, files: list[tuple[str, bytes, int]]) -> bytes:
    """An archive of files: path, content, announced size."""
    out = bytearray(made.folder("folder", FOLDER))
    for path, data, size in files:
        out += made.begin(path, FILE, size)
        for at in range(0, len(data), 1000):
            out += made.data(data[at : at + 1000])
        out += made.end()
    return bytes(out + made.finish())


def test_zip_is_read_by_others(tmp_path: Path) -> None:
    data = os.urandom(5000)
    large = 5 * 2**30  # announced; what came in fact is in the directory
    files = [("folder/第一 \u202e.txt", data, 5000), ("folder/large", data, large), ("short", b"", 9)]
    path = tmp_path / "made.zip"
    path.write_bytes(archive_of(ZipFormat(), files))
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["folder/", *(name for name, _, _ in files)]
        assert [archive.read(name) for name, _, _ in files] == [data, data, b""]
        info = archive.getinfo("folder/large")
        assert (info.external_attr >> 16, info.date_time) == (0o100640, (2023, 11, 14, 22, 13, 20))
    tested = subprocess.run(["unzip", "-t", path], capture_output=True, text=True, check=False, env={"LANG": "C.UTF-8"})
    assert (tested.returncode, "No errors" in tested.stdout) == (0, True), tested.stdout + tested.stderr


def test_zip_of_more_files_and_bytes_than_its_first_version_could_count(tmp_path: Path) -> None:
    made = ZipFormat()
    made._at = 2**32 - 20  # as if so much stood before
    head = made._at
    out = archive_of(made, [(f"f{number}", b"x", 1) for number in range(66_000)])
    path = tmp_path / "many.zip"
    with path.open("wb") as file:
        file.seek(head)
        file.write(out)
    with zipfile.ZipFile(path) as archive:
        assert len(archive.namelist()) == 66_001
        assert archive.read("f65999") == b"x"
        assert archive.getinfo("f65999").header_offset > 2**32


def test_zip_names_are_safe_on_every_system() -> None:
    made = ZipFormat()
    assert made.name_of("..\\..\\evil\n", b"") == ".._.._evil_"
    assert made.name_of("", b"\xff") == "_xff"


def test_tar_is_read_by_others(tmp_path: Path) -> None:
    data = os.urandom(5000)
    made = TarFormat()
    names = ["x" * 255 + "/" + "y" * 255, "第一", made.name_of("", b"\xff\xfe"), "plain"]
    archive = archive_of(made, [(name, data, 5000) for name in names])
    assert len(archive) % tarfile.RECORDSIZE == 0
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        members = tar.getmembers()
        assert [member.name for member in members] == ["folder", *names]
        assert (members[1].mode, members[1].mtime, members[1].size) == (0o640, 1_700_000_001, 5000)
    (tmp_path / "made.tar").write_bytes(archive)
    tested = subprocess.run(["tar", "-tf", tmp_path / "made.tar"], capture_output=True, check=False)
    assert (tested.returncode, tested.stderr) == (0, b"")


def test_tar_states_sizes_that_its_first_version_could_not() -> None:
    made = TarFormat()
    head = made.begin("large", FILE, 2**40)
    assert len(head) % 512 == 0
    member = tarfile.TarInfo.frombuf(head[-512:], "utf-8", "surrogateescape")
    assert b"1099511627776" in head or member.size == 2**40
