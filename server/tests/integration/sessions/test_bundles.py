"""Evidence bundles: what others can verify alone, with a key and nothing else, and what the verifier must find."""

import hashlib
import io
import json
import os
import random
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

from factories.proxy_client import Proxy, World
from integration.sessions.test_evidence_chain import end, tell_rows
from postern.apps.audits import checkpoints
from postern.apps.audits import facade as audits
from postern.apps.audits.models import AuditEvent
from postern.apps.sessions.bundles.actions import Exported, Wanted, export
from postern.apps.sessions.bundles.errors import NotExported
from postern.apps.sessions.models import Recording, Session
from postern.contracts.audit_bundle import bundle_verifier
from postern.contracts.audit_bundle.bundle_verifier import Bundle, NotProven, canonical, tar_header
from postern.foundation.caller.actor import SYSTEM
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
    return subprocess.run(  # noqa: S603 - our own verifier
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
    listed = subprocess.run(  # noqa: S603 - tar of the machine
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


def mutated(data: bytes, source: random.Random) -> bytes:
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
        return mutated_members(members_of(data), source, kind)
    return bytes(changed)


def mutated_members(members: Members, source: random.Random, kind: int) -> bytes:
    place, other = source.randrange(len(members)), source.randrange(len(members))
    name, content = members[place]
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
        chosen, second = source.randrange(len(lines)), source.randrange(len(lines))
        action = source.randrange(3)
        if action == 0:
            del lines[chosen]
        elif action == 1:
            lines.insert(second, lines[chosen])
        else:
            lines[chosen], lines[second] = lines[second], lines[chosen]
        members[place] = (name, b"".join(lines))
    if source.random() < 0.5 and members[-2:][0][0] == "manifest.json" and members[-1][0] == "manifest.sig":
        return resigned(members)
    return archive_of(members)


@pytest.mark.usefixtures("fast")
def test_ten_thousand_random_mutations_are_all_found(bundle: bytes) -> None:
    seed = int(os.environ.get("POSTERN_MUTATION_SEED") or random.SystemRandom().randrange(1 << 32))
    print(f"seed {seed}")
    source, tried = random.Random(seed), 0
    while tried < 10_000:
        changed = mutated(bundle, source)
        if changed == bundle:
            continue
        tried += 1
        with pytest.raises(Exception):  # noqa: B017, PT011 - every failure means: not proven
            verified(changed)
            (Path("/tmp/live") / "survivor.tar").write_bytes(changed)


def edited(members: Members, suffix: str, edit: Callable[[list[bytes]], list[bytes]]) -> Members:
    return [
        (name, b"".join(edit(data.splitlines(keepends=True)))) if name.endswith(suffix) and data else (name, data)
        for name, data in members
    ]
