"""The file manager with a real sshd: each operation, strange names, rights and refusals."""

import json
import os
import tarfile
import zipfile
from collections.abc import AsyncGenerator, Sequence
from io import BytesIO
from pathlib import Path

import pytest

from peers.core_services import TERMINAL_SECRET, WEB_PLANE_KEY
from postern.contracts.enums import Actions
from postern.contracts.events import FileTransferred, SessionStarted, TransferBegun
from postern.contracts.files import KEY_HEADER, MAX_TEXT_BYTES, SLICE_BYTES, FileProblem, files_key
from postern.contracts.terminals import Registered, hash_of_secret
from postern.proxies.core.targets.files import FilesFailed, RemoteEntry
from postern.proxies.ssh.files.sftp_files import SftpFiles
from proxies.terminal.file_desk import FileDesk, name_id, path_ids

pytestmark = pytest.mark.timeout(120)

STRANGE = (b"a\nb", "\u202egnp.exe".encode(), b"\xff\xfe", b"x" * 255, b" ", b"-rf", b"'\"\\;%", "é.txt".encode())


def raw(folder: Path, name: bytes) -> Path:
    return Path(os.fsdecode(bytes(folder) + b"/" + name))


async def test_session_opens_and_shows_its_folders(desk: FileDesk, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    for name in STRANGE:
        raw(folder, name).write_bytes(name)
    (folder / "inner").mkdir()
    (folder / "to inner").symlink_to("inner")
    (folder / "to nowhere").symlink_to("nothing")
    os.mkfifo(folder / "pipe")
    async with desk.open() as page:
        assert page.opened["asset"] == "web1"
        assert page.opened["actions"] == Actions.ALL
        assert page.opened["host_key"].startswith("SHA256:")
        started = await desk.world.plane.event(SessionStarted, session_id=page.session_id)
        assert not started.recording

        place = (await page.get("place", folder)).json
        assert "/".join(name["text"] for name in place["path"]) == str(folder).strip("/")
        assert place["top"] == 0
        assert place["free"] > 0
        home = (await page.get("list")).lines[0]["path"]
        assert home == (await page.get("place")).json["path"] != []
        assert (await page.get("place", b"/")).json["path"] == []

        answer = await page.get("list", folder)
        assert answer.headers["Content-Type"] == "application/x-ndjson"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        first, *entries, last = answer.lines
        assert first["path"] == place["path"]
        assert last == {"count": len(STRANGE) + 4, "problem": None}
        assert {entry["name"]["id"] for entry in entries} >= {name_id(name) for name in STRANGE}
        kinds = {entry["name"]["text"]: (entry["kind"], entry["leads_to"]) for entry in entries}
        assert kinds["to inner"] == ("link", "folder")
        assert kinds["to nowhere"] == ("link", None)
        assert kinds["inner"] == ("folder", None)
        assert kinds["pipe"] == ("other", None)
        assert {"a␊b", "⟦U+202E⟧gnp.exe", "\\xff\\xfe", " ", "-rf", "é.txt"} <= set(kinds)
        for name in STRANGE:
            content = await page.get("content", raw(folder, name))
            assert (content.status, content.body) == (200, name)
            assert "\n" not in content.headers["Content-Disposition"]
        (folder / "a file").write_bytes(b"")
        assert (await page.get("list", folder / "a file")).problem == (400, "bad_request")
        assert (await page.get("list", folder / "absent")).problem == (404, "not_found")
        assert (await page.get("content", folder / "pipe")).problem == (400, "bad_request")
        assert (await page.get("content", folder)).problem == (400, "bad_request")
        entry = (await page.get("entry", folder / "to inner")).json
        assert (entry["kind"], entry["leads_to"], entry["name"]["text"]) == ("link", "folder", "to inner")


async def test_list_that_breaks_off_says_why(desk: FileDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    entries = SftpFiles.entries

    async def half(files: SftpFiles, folder: bytes) -> AsyncGenerator[Sequence[RemoteEntry]]:
        async for piece in entries(files, folder):
            yield piece
        raise FilesFailed(FileProblem.DENIED, "The host has had enough.")

    async def nothing(files: SftpFiles, folder: bytes) -> AsyncGenerator[Sequence[RemoteEntry]]:
        raise FilesFailed(FileProblem.DENIED, "The host has had enough.")
        yield []

    async with desk.open() as page:
        monkeypatch.setattr(SftpFiles, "entries", half)
        _, *listed, last = (await page.get("list", tmp_path)).lines
        assert last["count"] == len(listed) > 0
        assert last["problem"] == {"code": "denied", "detail": "The host has had enough.", "offset": None}
        monkeypatch.setattr(SftpFiles, "entries", nothing)
        assert (await page.get("list", tmp_path)).problem == (403, "denied")
        archive = zipfile.ZipFile(BytesIO((await page.get("archive", tmp_path)).body))
        assert f"{tmp_path.name}: The host has had enough." in archive.read("MISSING.txt").decode()


async def test_requests_that_make_no_sense_are_refused(desk: FileDesk, tmp_path: Path) -> None:
    stranger = desk.world.plane.add_user("mallory")
    async with desk.open() as page:
        foreign = await page.get("place", user=stranger)
        page.session_id, mine = stranger.id, page.session_id
        unknown = await page.get("place")
        page.session_id = mine
        assert foreign.problem == unknown.problem == (404, "no_session")
        assert foreign.body == unknown.body
        # An address of the network answers everybody: without the key of the web plane, the ids are worth nothing.
        for key in ("", "x" * 64, files_key("0" * 64)):
            assert (await page.get("place", headers={KEY_HEADER: key})).body == unknown.body
        desk.world.proxy.services.web_plane.use(Registered(terminal_id=stranger.id, name="test", secret="renewed"))
        for key in (WEB_PLANE_KEY, files_key(hash_of_secret("renewed"))):
            assert (await page.get("place", headers={KEY_HEADER: key})).status == 200
        desk.world.proxy.services.web_plane.use(Registered(terminal_id=stranger.id, name="test", secret="again"))
        assert (await page.get("place")).problem == (404, "no_session")
        desk.world.proxy.services.web_plane.use(
            Registered(terminal_id=stranger.id, name="test", secret=TERMINAL_SECRET)
        )
        for path in ("L", "Lg", "Li4", "YS9i", "YQA", "YQ==", "YR", "//", "YQ/", "YQ%20", name_id(b"x" * 256), "中"):
            async with page.ask("GET", page.url("entry") + f"?path={path}") as answer:
                assert (answer.status, (await answer.json())["code"]) == (400, "bad_request"), path
        for operation in ("", "nothing", "upload/x/y", "place/"):
            assert (await page.get(operation)).problem == (400, "bad_request")
        assert (await page.get("place", method="POST")).problem == (400, "bad_request")
        assert (await page.get("entry")).problem == (400, "bad_request")
        assert (await page.get("entry", b"/a", b"/b")).problem == (400, "bad_request")
        for body in (b"", b"{", b"[]", b'{"path": 1}', b'{"path": ' + b"[" * 5000):
            assert (await page.get("folder", method="POST", data=body)).problem == (400, "bad_request")
        assert (await page.get("folder", method="POST", data=b" " * 70_000)).problem == (413, "too_large")
        for text in ("", ".", "..", "a/b", "a\0b", "x" * 256, "é" * 128):
            assert (await page.post("name", text=text)).problem == (400, "bad_request"), text
        typed = (await page.post("name", text="e\u0301\u202e")).json
        assert typed == {"text": "e\u0301⟦U+202E⟧", "id": name_id("e\u0301\u202e")}
        assert (await page.post("delete", paths=[])).problem == (400, "bad_request")
        assert (await page.post("delete", paths=[""])).problem == (400, "bad_request")
        assert (await page.post("mode", path=path_ids(tmp_path), mode=0o10000)).problem == (400, "bad_request")


async def test_folders_names_and_modes_change(desk: FileDesk, tmp_path: Path) -> None:
    folder, other = tmp_path / "one", tmp_path / "two"
    async with desk.open() as page:
        made = await page.post("folder", path=path_ids(folder))
        assert (made.status, made.json["kind"], made.json["name"]["text"]) == (200, "folder", "one")
        assert (await page.post("folder", path=path_ids(folder))).problem == (409, "exists")
        assert (await page.post("folder", path=path_ids(folder), keep=True)).status == 200
        (tmp_path / "file").write_bytes(b"1")
        assert (await page.post("folder", path=path_ids(tmp_path / "file"), keep=True)).problem == (409, "exists")
        assert (await page.post("move", path=path_ids(folder), to=path_ids(tmp_path / "file"))).problem[0] == 409
        moved = await page.post("move", path=path_ids(folder), to=path_ids(other))
        assert moved.json["name"]["text"] == "two"
        (tmp_path / "new").write_bytes(b"2")
        replace = {"path": path_ids(tmp_path / "new"), "to": path_ids(tmp_path / "file")}
        assert (await page.post("move", **replace)).problem == (409, "exists")
        assert (await page.post("move", **replace, replace=True)).status == 200
        assert (tmp_path / "file").read_bytes() == b"2"
        assert (await page.post("mode", path=path_ids(other), mode=0o2711)).json["mode"] == 0o2711
        assert other.stat().st_mode & 0o7777 == 0o2711


async def test_deletion_takes_folders_with_everything_in_them_and_follows_no_link(
    desk: FileDesk, tmp_path: Path
) -> None:
    outside, tree = tmp_path / "outside", tmp_path / "tree"
    outside.mkdir()
    (outside / "kept").write_bytes(b"")
    inner = tree / "a" / "b"
    inner.mkdir(parents=True)
    for number in range(250):
        (inner / f"file {number}").write_bytes(b"")
    (inner / "link").symlink_to(outside)
    (tree / "to outside").symlink_to(outside)
    (tmp_path / "single").symlink_to(outside)
    async with desk.open() as page:
        ids = [path_ids(tree), path_ids(tmp_path / "single")]
        answer = await page.post("delete", paths=ids)
        assert answer.lines[-1] == {"count": 256, "problem": None}
        assert not tree.exists()
        assert [path.name for path in outside.iterdir()] == ["kept"]
        assert (await page.post("delete", paths=ids)).problem == (404, "not_found")
        (tmp_path / "there").write_bytes(b"")
        partly = await page.post("delete", paths=[path_ids(tmp_path / "there"), *ids])
        assert partly.status == 200
        assert (partly.lines[-1]["count"], partly.lines[-1]["problem"]["code"]) == (1, "not_found")


async def test_ranges_and_validators(desk: FileDesk, tmp_path: Path) -> None:
    data = os.urandom(3_000_000)
    file = tmp_path / "data 第一.bin"
    file.write_bytes(data)
    async with desk.open() as page:
        head = await page.get("content", file, method="HEAD")
        assert (head.status, head.body, head.headers["Content-Length"]) == (200, b"", "3000000")
        etag = head.headers["ETag"]
        whole = await page.get("content", file)
        assert whole.body == data
        assert whole.headers["Accept-Ranges"] == "bytes"
        assert whole.headers["Content-Security-Policy"].startswith("sandbox")
        assert whole.headers["Content-Disposition"] == (
            "attachment; filename=\"data __.bin\"; filename*=UTF-8''data%20%E7%AC%AC%E4%B8%80.bin"
        )
        transferred = await desk.world.plane.event(FileTransferred, path=str(file), size=len(data))
        assert transferred.sha256
        part = await page.get("content", file, headers={"Range": "bytes=1000-1999", "If-Range": etag})
        assert (part.status, part.body, part.headers["Content-Range"]) == (
            206, data[1000:2000], "bytes 1000-1999/3000000"
        )  # fmt: skip
        assert (await page.get("content", file, headers={"Range": "bytes=-5"})).body == data[-5:]
        assert (await page.get("content", file, headers={"Range": "bytes=9-", "If-Range": '"x"'})).status == 200
        beyond = await page.get("content", file, headers={"Range": "bytes=3000000-"})
        assert beyond.problem == (416, "bad_range")
        assert beyond.headers["Content-Range"] == "bytes */3000000"
        assert (await page.get("content", file, headers={"If-None-Match": etag})).status == 304
        assert (await page.get("content", file, headers={"If-Match": '"x"'})).problem == (412, "changed")
        file.write_bytes(b"")
        transfers = len(desk.world.plane.of(TransferBegun))
        assert (await page.get("content", file, headers={"Range": "bytes=0-"})).problem[0] == 416
        assert (await page.get("content", file, method="HEAD")).headers["Content-Length"] == "0"
        assert len(desk.world.plane.of(TransferBegun)) == transfers
        empty = await page.get("content", file)
        assert (empty.status, empty.headers["Content-Length"]) == (200, "0")


async def test_text_is_shown_and_saved_unless_it_has_changed(desk: FileDesk, tmp_path: Path) -> None:
    file, link = tmp_path / "config", tmp_path / "link"
    file.write_bytes(b"one\r\ntwo\r\n")
    owner = (1234, 1235) if os.geteuid() == 0 else (os.getuid(), os.getgid())
    os.chown(file, *owner)
    file.chmod(0o640)
    link.symlink_to(file)
    async with desk.open() as page:
        shown = (await page.get("text", link)).json
        assert (shown["text"], shown["charset"], shown["is_writable"]) == ("one\r\ntwo\r\n", "utf-8", True)
        save = {"method": "PUT", "headers": {"If-Match": shown["etag"]}}
        saved = await page.get("text", link, data="one\nthree é\n".encode(), **save)
        assert saved.status == 200
        assert saved.headers["ETag"] == (await page.get("text", file)).json["etag"]
        assert file.read_bytes() == "one\r\nthree é\r\n".encode()
        assert (file.stat().st_mode & 0o777, link.is_symlink()) == (0o640, True)
        assert (file.stat().st_uid, file.stat().st_gid) == owner
        assert (await page.get("text", file, data=b"late", **save)).problem == (412, "changed")
        assert (await page.get("text", file, data=b"x", method="PUT")).problem == (400, "bad_request")
        current = {"method": "PUT", "headers": {"If-Match": saved.headers["ETag"]}}
        assert (await page.get("text", file, data=b"\xff", **current)).problem == (400, "bad_request")
        assert (await page.get("text", file, data=b"x" * (MAX_TEXT_BYTES + 1), **current)).problem[0] == 413
        file.write_bytes(b"\x7fELF\0\0")
        assert (await page.get("text", file)).problem == (400, "bad_request")
        file.write_bytes(b"x" * (MAX_TEXT_BYTES + 1))
        assert (await page.get("text", file)).problem == (413, "too_large")
        assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".postern")) == []


async def test_text_that_changes_while_it_is_saved_is_left_alone(
    desk: FileDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "config"
    file.write_bytes(b"ours")
    set_mode = SftpFiles.set_mode

    async def somebody_writes(files: SftpFiles, path: bytes, mode: int) -> None:
        file.write_bytes(b"theirs, meanwhile")
        await set_mode(files, path, mode)

    async with desk.open() as page:
        etag = (await page.get("text", file)).json["etag"]
        monkeypatch.setattr(SftpFiles, "set_mode", somebody_writes)
        saved = await page.get("text", file, method="PUT", data=b"new", headers={"If-Match": etag})
        assert saved.problem == (412, "changed")
    assert file.read_bytes() == b"theirs, meanwhile"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".postern")] == []


async def test_host_with_gbk(desk: FileDesk, tmp_path: Path) -> None:
    folder = tmp_path / "gbk"
    folder.mkdir()
    raw(folder, "第一.txt".encode("gbk")).write_bytes("内容".encode("gbk"))
    async with desk.open(charset="gbk") as page:
        entry = (await page.get("list", folder)).lines[1]
        assert entry["name"]["text"] == "第一.txt"
        path = raw(folder, "第一.txt".encode("gbk"))
        shown = (await page.get("text", path)).json
        assert (shown["text"], shown["charset"]) == ("内容", "gbk")
        save = {"method": "PUT", "headers": {"If-Match": shown["etag"]}}
        assert (await page.get("text", path, data="😀".encode(), **save)).problem == (400, "bad_request")
        assert (await page.get("text", path, data="新内容".encode(), **save)).status == 200
        assert path.read_bytes() == "新内容".encode("gbk")
        assert (await page.post("name", text="新")).json["id"] == name_id("新".encode("gbk"))
        assert (await page.post("name", text="😀")).problem == (400, "bad_request")
        answer = await page.get("archive", folder)
        assert zipfile.ZipFile(BytesIO(answer.body)).namelist() == ["gbk/", "gbk/第一.txt"]


PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


async def test_pictures_are_what_their_bytes_say(desk: FileDesk, tmp_path: Path) -> None:
    (tmp_path / "p.html").write_bytes(PNG)
    (tmp_path / "p.png").write_bytes(b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>")
    async with desk.open() as page:
        picture = await page.get("picture", tmp_path / "p.html")
        assert (picture.status, picture.body, picture.headers["Content-Type"]) == (200, PNG, "image/png")
        assert picture.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
        assert picture.headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert (await page.get("picture", tmp_path / "p.png")).problem == (400, "bad_request")


async def test_archives_hold_everything_and_say_what_is_missing(desk: FileDesk, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "inner" / "empty").mkdir(parents=True)
    data = os.urandom(600_000)
    (tree / "inner" / "data.bin").write_bytes(data)
    (tree / "inner" / "data.bin").chmod(0o750)
    (tree / "link").symlink_to("inner/data.bin")
    raw(tree, b"\xff.txt").write_bytes(b"raw")
    os.mkfifo(tree / "pipe")
    (tmp_path / "tree.txt").write_bytes(b"beside")
    async with desk.open() as page:
        answer = await page.get("archive", tree, tmp_path / "tree.txt")
        assert answer.headers["Content-Type"] == "application/zip"
        archive = zipfile.ZipFile(BytesIO(answer.body))
        assert archive.testzip() is None
        assert archive.read("tree/inner/data.bin") == data
        assert archive.getinfo("tree/inner/data.bin").external_attr >> 16 & 0o777 == 0o750
        assert archive.read("tree.txt") == b"beside"
        assert "tree/inner/empty/" in archive.namelist()
        missing = archive.read("MISSING.txt").decode()
        assert "tree/link: symbolic link to inner/data.bin" in missing
        assert "tree/pipe: device, pipe or socket" in missing

        answer = await page.get("archive", tree, query={"format": "tar"})
        assert answer.headers["Content-Disposition"].startswith('attachment; filename="tree.tar"')
        with tarfile.open(fileobj=BytesIO(answer.body)) as tar:
            members = {member.name: member for member in tar}
            link = members["tree/link"]
            assert (link.issym(), link.linkname) == (True, "inner/data.bin")
            content = tar.extractfile("tree/inner/data.bin")
            assert content is not None
            assert content.read() == data
            assert members["tree/\udcff.txt"].size == 3
            assert members["tree/inner/empty"].isdir()
            assert "MISSING.txt" in members
        assert (await page.get("archive", tree / "absent")).problem == (404, "not_found")
        assert (await page.get("archive", tree, query={"format": "rar"})).problem == (400, "bad_request")


@pytest.mark.parametrize(
    ("actions", "denied", "allowed"),
    [
        (Actions.UPLOAD_FILE, ["content", "picture", "text", "archive"], ["folder"]),
        (Actions.DOWNLOAD_FILE, ["folder", "move", "delete", "mode", "upload"], ["content"]),
    ],
)
async def test_each_operation_needs_its_action(
    desk: FileDesk, tmp_path: Path, actions: Actions, denied: list[str], allowed: list[str]
) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"x")
    bodies = {
        "folder": {"path": path_ids(tmp_path / "new")},
        "move": {"path": path_ids(file), "to": path_ids(tmp_path / "other")},
        "delete": {"paths": [path_ids(file)]},
        "mode": {"path": path_ids(file), "mode": 0o600},
        "upload": {"path": path_ids(tmp_path / "up"), "size": 1, "modified": 1},
    }
    async with desk.open(actions=Actions.CONNECT | actions) as page:
        assert (await page.get("list", tmp_path)).status == 200
        for operation in denied + allowed:
            if operation in bodies:
                answer = await page.post(operation, **bodies[operation])
            else:
                answer = await page.get(operation, file)
            if operation in denied:
                assert answer.problem == (403, "not_permitted")
                assert answer.json["detail"].endswith(".")
            else:
                assert answer.status == 200
    assert file.read_bytes() == b"x"


async def test_rooted_session_stays_below_its_folder(desk: FileDesk, tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.write_bytes(b"secret")
    (root / "in").write_bytes(b"in")
    (root / "out").symlink_to(outside)
    async with desk.open(sftp_root=str(root)) as page:
        first, *entries, _last = (await page.get("list")).lines
        assert first["top"] == len(first["path"]) == len(root.parts) - 1
        assert {entry["name"]["text"] for entry in entries} == {"in", "out"}
        assert (await page.get("content", root / "in")).body == b"in"
        for path in (outside, root / "out", tmp_path):
            assert (await page.get("content", path)).problem[0] in {400, 403}, path
        assert (await page.get("list", tmp_path)).problem == (403, "denied")
        assert (await page.post("delete", paths=[path_ids(root)])).problem == (400, "bad_request")
        assert (await page.upload(root / "new", b"data")).status == 200
        assert (await page.upload(root / "out", b"data", replace=True)).problem[0] == 403
        assert (await page.upload(tmp_path / "new", b"data")).problem[0] == 403
    assert outside.read_bytes() == b"secret"


async def test_upload_takes_its_name_at_the_end(desk: FileDesk, tmp_path: Path) -> None:
    folder = tmp_path / "up"
    folder.mkdir()
    data = os.urandom(SLICE_BYTES + 70_000)
    async with desk.open() as page:
        begun = (await page.begin(folder / "new", data)).json
        assert (begun["offset"], begun["slice_bytes"], begun["tail_sha256"]) == (0, SLICE_BYTES, "")
        (part,) = folder.iterdir()
        assert (part.stat().st_mode & 0o777, part.name.startswith(".postern-")) == (0o600, True)
        ended = await page.upload(folder / "new", data)
        assert ended.status == 200
        assert ended.json["is_atomic"]
        assert ended.json["entry"]["mode"] == 0o644
        assert ended.json["entry"]["modified"] == 1_000_000_000
        assert (folder / "new").read_bytes() == data
        event = await desk.world.plane.event(FileTransferred, path=str(folder / "new"), size=len(data))
        assert event.sha256 == ended.json["sha256"]

        assert (await page.upload(folder / "new", b"other")).problem == (409, "exists")
        owner = (1234, 1235) if os.geteuid() == 0 else (os.getuid(), os.getgid())
        os.chown(folder / "new", *owner)
        (folder / "new").chmod(0o600)
        (folder / "link").symlink_to("new")
        replaced = await page.upload(folder / "link", b"other", replace=True)
        assert replaced.json["entry"]["name"]["text"] == "new"
        assert (folder / "link").is_symlink()
        assert ((folder / "new").read_bytes(), (folder / "new").stat().st_mode & 0o777) == (b"other", 0o600)
        assert ((folder / "new").stat().st_uid, (folder / "new").stat().st_gid) == owner
        assert (await page.upload(folder, b"x", replace=True)).problem == (409, "exists")
        assert (await page.upload(folder / "empty", b"")).status == 200
        long = raw(folder, b"\xff" * 255)
        assert (await page.upload(long, b"long")).status == 200
        assert long.read_bytes() == b"long"
        assert not [path for path in folder.iterdir() if path.name.startswith(".postern-")]


async def test_pages_of_a_locked_session_are_told(desk: FileDesk, tmp_path: Path) -> None:
    async with desk.open() as page:
        page.lock(1, is_locked=True)
        locked = await page.get("list", tmp_path)
        assert locked.problem == (423, "locked")
        assert "admin" in json.loads(locked.body)["detail"]
        page.lock(2, is_locked=False)
        assert (await page.get("list", tmp_path)).status == 200
