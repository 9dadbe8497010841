"""The verifier of audit bundles: what it proves with a key and nothing else, and what it must find."""

import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from factories.proxy_client import Proxy, World
from integration.sessions.bundle_tools import (
    Members,
    archive_of,
    audit_keys,
    edited,
    faults_in,
    keys_of,
    members_of,
    resigned,
    run,
    sign,
    verified,
    wanted,
)
from postern.apps.audits import facade as audits
from postern.apps.sessions.bundles.actions import export
from postern.apps.sessions.models import Session
from postern.contracts.audit_bundle import bundle_verifier
from postern.contracts.audit_bundle.bundle_verifier import NotProven, canonical, tar_header
from postern.kernel.ids import DEFAULT_ORG_ID
from unit.contracts.recording.golden import KEY

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("bundle_home")]


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
    assert any(f"recordings/{ended.pk}.postern: sealed" in line for line in lines)
    assert any("1 sessions with 10 rows" in line for line in lines)
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


@pytest.mark.parametrize("key", ["", "zz", "00" * 31, "ff" * 32, "/nowhere/key.pub", "x" * 5000, "/"])
def test_unusable_key_or_missing_file_cannot_be_checked(bundle: bytes, tmp_path: Path, key: str) -> None:
    assert run(tmp_path / "bundle.tar", "--audit-key", key).returncode == 2
    assert run(tmp_path / "absent.tar", *keys_of(tmp_path)).returncode == 2


def test_file_named_like_a_key_never_replaces_it(
    bundle: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = Ed25519PrivateKey.generate()
    former = audits.SigningKey.current()
    members = members_of(bundle)
    (tmp_path / "forged.tar").write_bytes(resigned(members, private.sign))
    (tmp_path / former.public.hex()).write_text(private.public_key().public_bytes_raw().hex())
    monkeypatch.chdir(tmp_path)
    keys = ["--audit-key", former.public.hex(), "--recording-key", KEY.public.hex()]
    assert run(tmp_path / "forged.tar", *keys).returncode == 1
    done = run(tmp_path / "bundle.tar", *keys)
    assert (done.returncode, f"the audit key {former.key_id}" in done.stdout) == (0, True)


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
    return resigned(members) if is_usual else archive_of(members)  # with all hashes that need no key


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


#: Members whose contents are proven by more than the signature of the manifest.
PROVEN_TWICE = ("/events.jsonl", "/checkpoints.jsonl", ".postern")


def changed_part(data: bytes, source: random.Random) -> bytes:
    """The contents of a member with a random change of bytes or lines."""
    start = source.randrange(len(data))
    stop = min(len(data), start + source.choice((1, 2, 16, 512)))
    kind = source.randrange(4)
    if kind == 0:
        return data[:start] + bytes([data[start] ^ 1 << source.randrange(8)]) + data[start + 1 :]
    if kind == 1:
        return data[:start] + data[stop:]
    if kind == 2:
        return data[:start] + source.randbytes(stop - start) + data[start:]
    lines = data.splitlines(keepends=True)
    first, second = source.randrange(len(lines)), source.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return b"".join(lines)


@pytest.mark.usefixtures("fast")
def test_random_mutations_with_every_hash_and_a_signed_manifest_are_found(bundle: bytes) -> None:
    seed = int(os.environ.get("POSTERN_MUTATION_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"seed {seed}")
    source, members, tried = random.Random(seed), members_of(bundle), 0
    places = [place for place, (name, _) in enumerate(members) if name.endswith(PROVEN_TWICE)]
    while tried < 1_000:
        changed, place = [*members], source.choice(places)
        name, content = members[place]
        changed[place] = (name, changed_part(content, source))
        if changed == members:
            continue
        tried += 1
        try:
            assert faults_in(resigned(changed, sign)), name
        except (NotProven, LookupError, ValueError, TypeError, AttributeError):
            continue


def with_another_history(members: Members) -> Members:
    """Another user in the first event, with every digest, link and hash that needs no signature."""
    folder = next(name.rpartition("/")[0] for name, _ in members if str(DEFAULT_ORG_ID) in name)
    content = dict(members)
    chain, previous, lines = bytes(32), "0" * 64, []
    for number, line in enumerate(content[f"{folder}/events.jsonl"].splitlines()):
        event = json.loads(line)
        if number == 0:
            event["user"] = "somebody else"
        event["previous"], event["digest"] = previous, hashlib.sha256(canonical(event)).hexdigest()
        previous = event["digest"]
        lines.append(canonical(event) + b"\n")
        chain = hashlib.sha256(chain + hashlib.sha256(canonical(event)).digest()).digest()
    statement = json.loads(content[f"{folder}/checkpoints.jsonl"].splitlines()[-1])
    statement |= {"digest": previous, "chain": chain.hex()}
    content[f"{folder}/events.jsonl"] = b"".join(lines)
    content[f"{folder}/checkpoints.jsonl"] = canonical(statement) + b"\n"
    return list(content.items())


def test_another_history_with_every_hash_has_no_signed_checkpoint(bundle: bytes) -> None:
    changed = with_another_history(members_of(bundle))
    with pytest.raises(NotProven, match="the manifest was not signed"):
        verified(resigned(changed))
    with pytest.raises(NotProven, match=f"a checkpoint of {DEFAULT_ORG_ID} has a wrong signature"):
        verified(resigned(changed, sign))


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
def test_bundle_with_another_content_is_not_proven_or_has_faults(
    bundle: bytes, change: Callable[[Members], Members], key: Callable[[bytes], bytes] | None
) -> None:
    members = change(members_of(bundle))
    assert members != members_of(bundle)
    if key is not None:  # what the installation signed is proven, with faults
        try:
            assert faults_in(resigned(members, key))
        except (NotProven, LookupError, ValueError):
            return
    else:
        with pytest.raises(NotProven):
            verified(resigned(members))


def test_bundle_that_is_only_signed_again_is_proven(bundle: bytes) -> None:
    assert faults_in(resigned(members_of(bundle), sign)) == []


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
