"""Audit bundles: what others can verify alone, with a key and nothing else, and what the verifier must find."""

import hashlib
import io
import json
import os
import random
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from django.db import connection

from factories.proxy_client import Proxy, World
from integration.sessions.test_evidence_chain import end, tell_rows
from postern.apps.audits import checkpoints
from postern.apps.audits import facade as audits
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.bundles.actions import Exported, Wanted, export
from postern.apps.sessions.bundles.archive import Archive
from postern.apps.sessions.bundles.errors import NotExported
from postern.apps.sessions.bundles.recordings import Recordings
from postern.apps.sessions.models import Recording, Session
from postern.apps.sessions.sessions.actions import sealing
from postern.contracts.audit_bundle import bundle_verifier
from postern.contracts.audit_bundle.bundle_verifier import Bundle, NotProven, canonical, tar_header
from postern.entrypoints import cli
from postern.foundation.caller.actor import anonymous
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID
from unit.contracts.recording.golden import KEY, shell_steps, write_recording

pytestmark = pytest.mark.django_db

Members = list[tuple[str, bytes]]
RECORDING_KEYS = {KEY.key_id: KEY.public}


@pytest.fixture(autouse=True)
def home(settings: Any, tmp_path: Path) -> Path:
    """A data folder of its own: checkpoints, keys, recordings."""
    settings.POSTERN = replace(settings.POSTERN, home=tmp_path)
    secrets = tmp_path / "secrets"
    secrets.mkdir(exist_ok=True)
    (secrets / "recording_signing_key.pub").write_text(KEY.public.hex() + "\n")
    return tmp_path


@pytest.fixture
def ended(proxy: Proxy, active: Session, tmp_path: Path) -> Session:
    """A session that has ended, with rows and a sealed recording."""
    tell_rows(proxy, active)
    store_recording(proxy, active.pk, tmp_path)
    tell_rows(proxy, active)
    end(proxy, active)
    return active


def store_recording(proxy: Proxy, session_id: UUID, folder: Path) -> bytes:
    path = folder / "made.postern"
    write_recording(path, shell_steps(), number=session_id.int, cut_after=(3,))
    content = path.read_bytes()
    manifest = bundle_of_recording(content)
    proxy.seal(session_id, content, chain=manifest["chain"], key_id=KEY.key_id, duration_ms=manifest["duration_ms"])
    assert proxy.put(session_id, content, 0, len(content)).json()["stored"] is True
    return content


def bundle_of_recording(content: bytes) -> dict[str, Any]:
    offset, index, length, _, _ = bundle_verifier.TRAILER.unpack(content[-bundle_verifier.TRAILER.size :])
    found: dict[str, Any] = json.loads(content[offset + index : offset + index + length])
    return found


def wanted(**more: Any) -> Wanted:
    now = clock.now()
    values: dict[str, Any] = {
        "begin": now - timedelta(hours=1),
        "end": now + timedelta(hours=1),
        "org_ids": tuple(audits.heads()),
        "operator": "ann (uid 1000)",
    }
    return Wanted(**{**values, **more})


def audit_keys() -> dict[str, bytes]:
    trusted = audits.audit_keys()
    return {name: trusted.find(name) or b"" for name in trusted.ids()}


def verified(data: bytes, **keys: dict[str, bytes]) -> list[str]:
    """What the verifier proves. Raises what it raises."""
    bundle = Bundle(io.BytesIO(data), keys.get("audit", audit_keys()), keys.get("recording", RECORDING_KEYS))
    return list(bundle.examine())


def run(path: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """The verifier as others run it: a file of its own, no environment, isolated from everything installed."""
    alone = path.parent / "alone.py"
    alone.write_bytes(Path(bundle_verifier.__file__).read_bytes())
    return subprocess.run(
        [sys.executable, "-I", str(alone), str(path), *arguments],
        env={},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def keys_of(folder: Path) -> list[str]:
    audit = [key.hex() for key in audit_keys().values()]
    return ["--audit-key", *audit, "--recording-key", KEY.public.hex()]


def members_of(data: bytes) -> Members:
    bundle = Bundle(io.BytesIO(data), audit_keys(), RECORDING_KEYS)
    return [(name, data[place : place + size]) for name, (place, size) in bundle.places.items()]


def archive_of(members: Members) -> bytes:
    parts = [tar_header(name, len(data)) + data + bytes(-len(data) % 512) for name, data in members]
    return b"".join(parts) + bytes(1024)


def resigned(members: Members, key: Callable[[bytes], bytes] | None = None, **changes: Any) -> bytes:
    """The members with a manifest that fits them; signed again when there is a key, else with the former signature."""
    content, manifest, signature = members[:-2], json.loads(members[-2][1]), members[-1][1]
    manifest["members"] = [[name, len(data), hashlib.sha256(data).hexdigest()] for name, data in content]
    text = canonical({**manifest, **changes})
    if key is not None:
        signature = key(bundle_verifier.BUNDLE + text)
    return archive_of([*content, ("manifest.json", text), ("manifest.sig", signature)])


def sign(message: bytes) -> bytes:
    return audits.SigningKey.current().sign(message)


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same signatures, verified by a fast library."""
    monkeypatch.setattr(bundle_verifier, "ed25519_verify", library_verify)


def library_verify(signed: list[tuple[bytes, bytes, bytes]]) -> bool:
    try:
        for key, message, signature in signed:
            Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


@pytest.fixture
def bundle(ended: Session, tmp_path: Path) -> bytes:
    exported = export(wanted(), tmp_path / "bundle.tar")
    assert (exported.missing, exported.faults, exported.recordings, exported.sessions) == ((), (), 1, 1)
    return (tmp_path / "bundle.tar").read_bytes()


def test_verifier_is_one_short_file_of_the_standard_library() -> None:
    text = Path(bundle_verifier.__file__).read_text()
    assert len(text.splitlines()) < 300
    imported = {line.split()[1].split(".")[0] for line in text.splitlines() if line.startswith(("import ", "from "))}
    assert imported <= sys.stdlib_module_names


def test_bundle_is_proven_by_its_own_verifier_alone(bundle: bytes, tmp_path: Path, ended: Session) -> None:
    done = run(tmp_path / "bundle.tar", *keys_of(tmp_path))
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    lines = done.stdout.splitlines()
    assert lines[-1] == "PROVEN"
    assert any(f"recording of session {ended.pk}" in line for line in lines)
    assert any("1 sessions with 6 rows" in line for line in lines)
    assert dict(members_of(bundle))["verify.py"] == Path(bundle_verifier.__file__).read_bytes()


def test_common_tools_read_the_archive(bundle: bytes, tmp_path: Path) -> None:
    listed = subprocess.run(
        ["/usr/bin/env", "tar", "-tf", str(tmp_path / "bundle.tar")], capture_output=True, text=True, check=True
    )
    assert listed.stdout.splitlines() == [name for name, _ in members_of(bundle)]


def test_other_keys_prove_nothing(bundle: bytes, tmp_path: Path) -> None:
    other = Ed25519PrivateKey.generate().public_key().public_bytes_raw()
    path = tmp_path / "bundle.tar"
    assert run(path, "--audit-key", other.hex(), "--recording-key", KEY.public.hex()).returncode == 1
    audit = [key.hex() for key in audit_keys().values()]
    done = run(path, "--audit-key", *audit, "--recording-key", other.hex())
    assert (done.returncode, "needs the recording key" in done.stdout) == (1, True)
    assert run(path, "--audit-key", *audit).returncode == 1


@pytest.mark.parametrize("key", ["", "zz", "00" * 31, "ff" * 32, "/nowhere/key.pub"])
def test_unusable_key_or_missing_file_cannot_be_checked(bundle: bytes, tmp_path: Path, key: str) -> None:
    assert run(tmp_path / "bundle.tar", "--audit-key", key).returncode == 2
    assert run(tmp_path / "absent.tar", *keys_of(tmp_path)).returncode == 2


def mutated(data: bytes, members: Members, source: random.Random) -> bytes:
    """One random change of bytes, members or lines."""
    kind = source.randrange(12)
    start = source.randrange(len(data))
    stop = min(len(data), start + source.choice((1, 2, 16, 512, 4096)))
    changed = bytearray(data)
    if kind == 0:
        changed[start] ^= 1 << source.randrange(8)
    elif kind == 1:
        changed[start] = source.randrange(256)
    elif kind == 2:
        del changed[start:stop]
    elif kind == 3:
        changed[start:start] = source.randbytes(stop - start)
    elif kind == 4:
        del changed[start:]
    elif kind == 5:
        changed += source.choice((b"\0", bytes(512), source.randbytes(7)))
    elif kind == 6:
        changed[start:stop] = changed[start:stop][::-1]
    else:
        return mutated_members([*members], source, kind)
    return bytes(changed)


def mutated_members(members: Members, source: random.Random, kind: int) -> bytes:
    place, other = source.randrange(len(members)), source.randrange(len(members))
    name, content = members[place]
    count = len(members)
    if kind == 7:
        members[place], members[other] = members[other], members[place]
    elif kind == 8:
        del members[place]
    elif kind == 9:
        members.insert(other, members[place])
    elif kind == 10:
        members[place], members[other] = (name, members[other][1]), (members[other][0], content)
    else:
        lines = content.splitlines(keepends=True)
        if not lines:
            return archive_of(members)
        chosen, second = source.randrange(len(lines)), source.randrange(len(lines))
        action = source.randrange(3)
        if action == 0:
            del lines[chosen]
        elif action == 1:
            lines.insert(second, lines[chosen])
        else:
            lines[chosen], lines[second] = lines[second], lines[chosen]
        members[place] = (name, b"".join(lines))
    names = [name for name, _ in members[-2:]]
    is_usual = (
        names == ["manifest.json", "manifest.sig"]
        and members[-2][1].startswith(b'{"at"')
        and max(place, other) < count - 2
    )
    return resigned(members) if is_usual and source.random() < 0.5 else archive_of(members)


@pytest.mark.usefixtures("fast")
def test_ten_thousand_random_mutations_are_all_found(bundle: bytes) -> None:
    seed = int(os.environ.get("POSTERN_MUTATION_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"seed {seed}")
    source, members, tried = random.Random(seed), members_of(bundle), 0
    while tried < 10_000:
        changed = mutated(bundle, members, source)
        if changed == bundle:
            continue
        tried += 1
        with pytest.raises(Exception):  # noqa: B017, PT011 - every failure means: not proven
            verified(changed)


def edited(members: Members, suffix: str, edit: Callable[[list[bytes]], list[bytes]]) -> Members:
    """The members with other lines in those members whose name has this end, and that have lines."""
    return [
        (name, b"".join(edit(data.splitlines(keepends=True)))) if name.endswith(suffix) and data else (name, data)
        for name, data in members
    ]


def without(members: Members, part: str) -> Members:
    return [(name, data) for name, data in members if part not in name]


#: What somebody with the signing key could try, who does not have the checkpoints of the changed log.
SEMANTIC: dict[str, Callable[[Members], Members]] = {
    "first event dropped": lambda members: edited(members, "events.jsonl", lambda lines: lines[1:]),
    "last event dropped": lambda members: edited(members, "events.jsonl", lambda lines: lines[:-1]),
    "event dropped": lambda members: edited(members, "events.jsonl", lambda lines: [*lines[:1], *lines[2:]]),
    "event twice": lambda members: edited(members, "events.jsonl", lambda lines: [*lines[:2], *lines[1:]]),
    "events swapped": lambda members: edited(members, "events.jsonl", lambda lines: [lines[1], lines[0], *lines[2:]]),
    "event edited": lambda members: edited(
        members, "events.jsonl", lambda lines: [lines[0].replace(b'"user":"', b'"user":"x'), *lines[1:]]
    ),
    "name twice in an event": lambda members: edited(
        members, "events.jsonl", lambda lines: [b'{"user":"x",' + lines[0][1:], *lines[1:]]
    ),
    "no events": lambda members: edited(members, "events.jsonl", lambda _lines: []),
    "no checkpoints": lambda members: edited(members, "checkpoints.jsonl", lambda _lines: []),
    "row dropped": lambda members: edited(members, "sessions.jsonl", lambda lines: [*lines[:2], *lines[3:]]),
    "last row dropped": lambda members: edited(members, "sessions.jsonl", lambda lines: lines[:-1]),
    "rows swapped": lambda members: edited(
        members, "sessions.jsonl", lambda lines: [lines[0], lines[2], lines[1], *lines[3:]]
    ),
    "session twice": lambda members: edited(members, "sessions.jsonl", lambda lines: [*lines, *lines]),
    "recording dropped": lambda members: without(members, "recordings/"),
    "sessions dropped": lambda members: edited(members, "sessions.jsonl", lambda _lines: []),
    "recording edited": lambda members: [
        (name, data[:200] + bytes([data[200] ^ 1]) + data[201:]) if "recordings/" in name else (name, data)
        for name, data in members
    ],
    "recording of another session": lambda members: [
        (f"recordings/{UUID(int=1)}.postern", data) if "recordings/" in name else (name, data) for name, data in members
    ],
    "organization dropped": lambda members: without(members, str(DEFAULT_ORG_ID)),
    "member of no bundle": lambda members: [("../etc/passwd", b"x"), *members],
}


@pytest.mark.parametrize("change", SEMANTIC.values(), ids=SEMANTIC.keys())
@pytest.mark.parametrize("key", [None, sign], ids=["not signed again", "signed again"])
def test_bundle_with_another_content_is_not_proven(
    bundle: bytes, change: Callable[[Members], Members], key: Callable[[bytes], bytes] | None
) -> None:
    members = change(members_of(bundle))
    assert members != members_of(bundle)
    with pytest.raises((NotProven, LookupError, ValueError)):
        verified(resigned(members, key))


def test_bundle_that_is_only_signed_again_is_proven(bundle: bytes) -> None:
    assert verified(resigned(members_of(bundle), sign))


def test_checkpoints_of_an_older_bundle_do_not_fit(bundle: bytes, proxy: Proxy, world: World, tmp_path: Path) -> None:
    proxy.authorize(world.user, "web-1")
    export(wanted(), tmp_path / "later.tar")
    older = dict(members_of(bundle))
    later = members_of((tmp_path / "later.tar").read_bytes())
    mixed = [(name, older[name] if name.endswith("checkpoints.jsonl") else data) for name, data in later]
    with pytest.raises(NotProven, match="signed checkpoints"):
        verified(resigned(mixed, sign, organizations=json.loads(later[-2][1])["organizations"]))
    for part in ("events.jsonl", "sessions.jsonl", "manifest.json", "manifest.sig"):
        mixed = [(name, older[name] if name.endswith(part) and name in older else data) for name, data in later]
        with pytest.raises(NotProven):
            verified(archive_of(mixed))


def tar_tricks(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Archives that other readers accept."""
    first = data[:512]
    yield "bytes after the end", data + bytes(512)
    yield "no end", data[:-512]
    yield "pax header", pax(b"30 path=../../etc/passwd\n") + data
    yield "link", header(first, (156, b"2"), (157, b"/etc/passwd")) + data[512:]
    yield "hard link", header(first, (156, b"1")) + data[512:]
    yield "sparse", header(first, (156, b"S")) + data[512:]
    yield "directory", header(first, (156, b"5")) + data[512:]
    yield "owner", header(first, (108, b"0000001")) + data[512:]
    yield "time", header(first, (136, b"00000000001")) + data[512:]
    yield "wrong checksum", first[:148] + b"000000" + first[154:] + data[512:]
    yield "absolute name", header(first, (0, b"/etc/passwd")) + data[512:]
    yield "way up", header(first, (0, b"../verify")) + data[512:]
    yield "negative size", header(first, (124, b"\xff" * 12)) + data[512:]
    yield "huge size", header(first, (124, b"\x80" + b"\x7f" * 11)) + data[512:]
    yield "impossible size", header(first, (124, b"99999999999")) + data[512:]
    yield "empty", b""
    yield "only an end", bytes(1024)
    yield "only a manifest", archive_of([("manifest.json", b"[" * 100_000), ("manifest.sig", bytes(64))])
    yield "no signature", archive_of([("manifest.json", b"{}")])
    yield "other signature", archive_of([("manifest.json", b"{}"), ("manifest.sig", b"x" * 500)])


def header(first: bytes, *changes: tuple[int, bytes]) -> bytes:
    """A header with other bytes and the checksum that belongs to them."""
    changed = bytearray(first)
    for place, data in changes:
        changed[place : place + len(data)] = data
    changed[148:156] = b" " * 8
    changed[148:156] = b"%06o\0 " % sum(changed)
    return bytes(changed)


def pax(records: bytes) -> bytes:
    return header(tar_header("x", len(records)), (156, b"x")) + records + bytes(-len(records) % 512)


def test_tar_tricks_are_not_proven(bundle: bytes, tmp_path: Path) -> None:
    keys = keys_of(tmp_path)
    for name, data in tar_tricks(bundle):
        path = tmp_path / "trick.tar"
        path.write_bytes(data)
        done = run(path, *keys)
        assert (done.returncode, done.stderr) == (1, ""), name
        assert done.stdout.startswith("NOT PROVEN: "), name


@pytest.mark.parametrize(
    "text",
    [b"[" * 200_000, b'{"a":' * 100_000, b"9" * 10_000, b"{}", b"\xff\xfe{}", b'{"version":1,"version":1}', b"NaN"],
)
def test_signed_nonsense_is_not_proven_and_leaves_no_trace(bundle: bytes, tmp_path: Path, text: bytes) -> None:
    content = members_of(bundle)[:-2]
    path = tmp_path / "nonsense.tar"
    path.write_bytes(
        archive_of([*content, ("manifest.json", text), ("manifest.sig", sign(bundle_verifier.BUNDLE + text))])
    )
    done = run(path, *keys_of(tmp_path))
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("NOT PROVEN: ")


def test_a_manifest_of_ten_gigabytes_takes_no_memory(tmp_path: Path) -> None:
    size = 10 << 30
    path = tmp_path / "huge.tar"
    with path.open("wb") as file:
        file.write(tar_header("manifest.json", size))
        file.seek(512 + size)
        file.write(tar_header("manifest.sig", 64) + b"x" * 64 + bytes(448 + 1024))
    limited = (
        "import resource,runpy,sys;resource.setrlimit(resource.RLIMIT_AS,(400<<20,400<<20));"
        f"sys.argv={['verify.py', str(path), *keys_of(tmp_path)]!r};runpy.run_path({bundle_verifier.__file__!r},run_name='__main__')"
    )
    export_key = audits.SigningKey.current().public.hex()
    limited = limited.replace("'--audit-key'", f"'--audit-key', {export_key!r}")
    done = subprocess.run([sys.executable, "-I", "-c", limited], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert "not signed" in done.stdout


def test_signatures_agree_with_the_library() -> None:
    source = random.Random(8032)
    signed = []
    for _ in range(12):
        private = Ed25519PrivateKey.from_private_bytes(source.randbytes(32))
        message = source.randbytes(source.randrange(200))
        signed.append((private.public_key().public_bytes_raw(), message, private.sign(message)))
    assert bundle_verifier.ed25519_verify(signed)
    assert bundle_verifier.ed25519_verify([])
    for place, (key, message, signature) in enumerate(signed):
        assert bundle_verifier.ed25519_verify([(key, message, signature)])
        number = int.from_bytes(signature[32:], "little") + bundle_verifier.L
        forged = [
            (key, message + b"x", signature),
            (key, message, signature[:32] + number.to_bytes(32, "little")),
            (key, message, bytes([signature[0] ^ 1]) + signature[1:]),
            (key, message, signature[:63] + bytes([signature[63] ^ 1])),
            (key, message, signature + b"x"),
            (signed[place - 1][0], message, signature),
        ]
        for one in forged:
            others = [*signed[:place], one, *signed[place + 1 :]]
            for some in ([one], others):
                with pytest.raises((AssertionError, ValueError)):
                    assert bundle_verifier.ed25519_verify(some)


# The export


def test_export_is_recorded_before_it_is_written(ended: Session, tmp_path: Path) -> None:
    export(wanted(session_ids=(ended.pk,), org_ids=(DEFAULT_ORG_ID,)), tmp_path / "bundle.tar")
    recorded = AuditEvent.objects.get(event="audit.exported")
    assert recorded.org_id == DEFAULT_ORG_ID
    assert recorded.new is not None
    assert recorded.new["operator"] == "ann (uid 1000)"
    assert (recorded.new["sessions"], recorded.new["chosen_sessions"]) == (1, [str(ended.pk)])
    assert recorded.new["events"] > 0
    assert list(audits.verify_log().faults) == []


def test_export_of_one_organization_says_nothing_about_others(ended: Session, tmp_path: Path) -> None:
    export(wanted(org_ids=(DEFAULT_ORG_ID,)), tmp_path / "bundle.tar")
    data = (tmp_path / "bundle.tar").read_bytes()
    assert str(ROOT_ORG_ID).encode() not in data
    assert verified(data)


def test_foreign_or_unknown_session_is_refused(ended: Session, tmp_path: Path) -> None:
    for org_id, session_id in ((ROOT_ORG_ID, ended.pk), (DEFAULT_ORG_ID, uuid4())):
        with pytest.raises(NotExported, match="there is no session"):
            export(wanted(org_ids=(org_id,), session_ids=(session_id,)), tmp_path / "bundle.tar")
    assert not AuditEvent.objects.filter(event="audit.exported").exists()
    assert list(tmp_path.glob("*bundle*")) == []


def test_nothing_is_overwritten(ended: Session, tmp_path: Path) -> None:
    path = tmp_path / "bundle.tar"
    path.write_bytes(b"mine")
    with pytest.raises(NotExported, match="nothing was overwritten"):
        export(wanted(), path)
    assert path.read_bytes() == b"mine"
    with pytest.raises(NotExported, match="cannot be written"):
        export(wanted(), tmp_path / "absent" / "bundle.tar")


def fill(path: Path) -> None:
    with Archive.create(path) as archive:
        archive.add("README.md", [b"x" * 1000])
        archive.add("verify.py", (b"x" * 100_000 for _ in range(20)))


def test_full_disk_ends_the_export_and_leaves_nothing(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, before[1]))
    try:
        with pytest.raises(NotExported, match="cannot be written: File too large"):
            fill(tmp_path / "bundle.tar")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.glob("*bundle*")) == []


def stored_file(session: Session) -> Path:
    return checkpoints.path().parents[1] / "replays" / Recording.objects.get(session=session).path


def test_recording_that_is_gone_or_altered_is_named_and_the_rest_is_proven(ended: Session, tmp_path: Path) -> None:
    file = stored_file(ended)
    content = file.read_bytes()
    for number, (altered, reason) in enumerate(
        (
            (content[:-1] + b"x", "not the one"),
            (content + b"x", "not the one"),
            (content[:-1], "not the one"),
            (None, "gone"),
        )
    ):
        if altered is None:
            file.unlink()
        else:
            file.chmod(0o600)
            file.write_bytes(altered)
        path = tmp_path / f"bundle{number}.tar"
        exported = export(wanted(), path)
        assert (exported.recordings, len(exported.missing)) == (0, 1)
        assert reason in exported.missing[0]
        lines = verified(path.read_bytes())
        assert any(line.startswith(f"MISSING: recording of session '{ended.pk}'") for line in lines)


class Hanging:
    """A storage whose reads end after its limit, as those of a remote storage do."""

    def __init__(self) -> None:
        self.asked = 0

    def open(self, path: str, *, size: int, limit_s: float) -> io.BufferedIOBase:
        assert limit_s > 0
        self.asked += 1
        raise TimeoutError("the storage did not answer in time")


def test_storage_that_hangs_is_asked_three_times_and_the_rest_is_exported(
    ended: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = Hanging()
    monkeypatch.setattr("postern.apps.sessions.bundles.recordings.store_of", lambda _storage, _local: hanging)
    with Archive.create(tmp_path / "bundle.tar") as archive:
        recordings = Recordings(archive)
        for _ in range(5):
            recordings.add(Recording.objects.get())
        assert archive.members == []
    assert hanging.asked == 3
    assert "was not asked again" in recordings.missing[ended.pk]
    exported = export(wanted(), tmp_path / "second.tar")
    assert exported.missing == (f"session {ended.pk}: its storage cannot be read: the storage did not answer in time",)
    assert verified((tmp_path / "second.tar").read_bytes())


@pytest.mark.parametrize(
    "ranged", [["x", "2026-11-30"], ["2026-11-30", "9999-12-31"], ["2026-11-30", "9999-12-31T23:59-14:00"], ["", ""]]
)
def test_unusable_range_is_a_clear_error(ranged: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["audit", "export", "--from", ranged[0], "--to", ranged[1], str(tmp_path / "bundle.tar")])
    assert "is no day or time such as" in capsys.readouterr().err


def test_running_session_is_exported_as_it_is(proxy: Proxy, active: Session, tmp_path: Path) -> None:
    tell_rows(proxy, active)
    sealing.anchor_running()
    tell_rows(proxy, active)
    exported: Exported = export(wanted(), tmp_path / "bundle.tar")
    assert "not stored when the export began" in exported.missing[0]
    data = (tmp_path / "bundle.tar").read_bytes()
    assert any("1 sessions with 6 rows" in line for line in verified(data))
    anchored = edited(
        members_of(data),
        "sessions.jsonl",
        lambda lines: [*lines[:3], lines[3].replace(b'"proof":"0:', b'"proof":"0:0'), *lines[4:]],
    )
    with pytest.raises(NotProven, match="not the one in the log"):
        verified(resigned(anchored, sign))


def test_range_begins_and_ends_at_checkpoints(ended: Session, tmp_path: Path) -> None:
    checkpoints.write()
    middle = clock.now()
    audits.record_sign_in(actor=anonymous("192.0.2.7"), username="ann", succeeded=True)
    checkpoints.write()
    export(wanted(begin=middle, org_ids=(ROOT_ORG_ID,)), tmp_path / "bundle.tar")
    manifest = json.loads(dict(members_of((tmp_path / "bundle.tar").read_bytes()))["manifest.json"])
    assert manifest["organizations"][0]["first"] > 0
    assert verified((tmp_path / "bundle.tar").read_bytes())


def test_log_that_is_not_intact_is_not_exported(ended: Session, tmp_path: Path) -> None:
    checkpoints.write()
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ALTER TABLE audits_auditevent DISABLE TRIGGER USER")
        else:
            cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'audits_%'")
            for (name,) in cursor.fetchall():
                cursor.execute(f"DROP TRIGGER {name}")
    AuditEvent.objects.filter(org_id=DEFAULT_ORG_ID, sequence=2).update(user="somebody else")
    with pytest.raises(audits.LogBroken, match="#2"):
        export(wanted(org_ids=(DEFAULT_ORG_ID,)), tmp_path / "bundle.tar")
    assert list(tmp_path.glob("*bundle*")) == []


def test_rotated_key_needs_both_keys(ended: Session, tmp_path: Path) -> None:
    checkpoints.write()
    former = audits.SigningKey.current()
    new = audits.SigningKey.generate()
    new.install()
    assert audits.SigningKey.current().key_id == new.key_id
    export(wanted(), tmp_path / "bundle.tar")
    data = (tmp_path / "bundle.tar").read_bytes()
    assert verified(data)
    assert list(audits.verify_log().faults) == []
    for key in (former, new):
        with pytest.raises(NotProven):
            verified(data, audit={key.key_id: key.public})


def test_command_writes_a_bundle_and_says_what_is_missing(
    ended: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    today = clock.now().date().isoformat()
    ranged = ["--from", today, "--to", today]
    path = tmp_path / "bundle.tar"
    assert cli.main(["audit", "export", *ranged, str(path)]) == 0
    assert "1 sessions and 1 recordings" in capsys.readouterr().out
    assert run(path, *keys_of(tmp_path)).returncode == 0
    assert cli.main(["audit", "export", *ranged, str(path)]) == 1
    assert "nothing was overwritten" in capsys.readouterr().err
    stored_file(ended).unlink()
    assert cli.main(["audit", "export", *ranged, "--session", str(ended.pk), str(tmp_path / "second.tar")]) == 1
    assert f"missing recording of session {ended.pk}: its file is gone" in capsys.readouterr().out
    assert cli.main(["audit", "export", *ranged, "--org", "absent", str(tmp_path / "third.tar")]) == 1
    assert cli.main(["audit", "keys"]) == 0
    assert audits.SigningKey.current().public.hex() in capsys.readouterr().out
    assert cli.main(["audit", "rotate-key"]) == 0
    assert AuditEvent.objects.get(event="audit.key_rotated").resource_id == audits.SigningKey.current().key_id
