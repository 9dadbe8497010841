"""Audit bundles for tests: made, read, changed, signed again, and verified as others do it."""

import hashlib
import io
import json
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from factories.proxy_client import Proxy
from postern.apps.audits import facade as audits
from postern.apps.sessions.bundles.actions import Wanted
from postern.contracts.audit_bundle import bundle_verifier
from postern.contracts.audit_bundle.bundle_verifier import Bundle, canonical, tar_header
from postern.kernel import clock
from unit.contracts.recording.golden import KEY, shell_steps, write_recording

Members = list[tuple[str, bytes]]
RECORDING_KEYS = {KEY.key_id: KEY.public}


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


def faults_in(data: bytes) -> list[str]:
    """The faults that the verifier shows. Raises what it raises."""
    return [line for line in verified(data) if line.startswith("FAULT: ")]


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


def edited(members: Members, suffix: str, edit: Callable[[list[bytes]], list[bytes]]) -> Members:
    """The members with other lines in those members whose name has this end, and that have lines."""
    return [
        (name, b"".join(edit(data.splitlines(keepends=True)))) if name.endswith(suffix) and data else (name, data)
        for name, data in members
    ]
