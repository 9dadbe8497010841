"""Shared by the recording tests: a key, headers, a sealer in this process, and reading of sealed recordings."""

import json
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from postern.contracts.recording import Recording, RecordingHeader, iter_asciicast, verify
from postern.contracts.recording.format import OUTPUT
from postern.contracts.vt import Screen
from postern.proxies.core.recording import Journal, SealedRecording
from postern.proxies.core.recording.sealer import Sealer
from postern.proxies.core.recording.session_sealing import NewScreen
from postern.proxies.core.recording.signing import SealingKey

KEY = SealingKey(Ed25519PrivateKey.from_private_bytes(bytes(32)))


def header(session_id: UUID) -> RecordingHeader:
    return RecordingHeader(session_id=session_id, started_at=datetime.now(UTC), columns=80, rows=24, user="ann")


def journal_in(state_dir: Path, *, segment_bytes: int = 1 << 20, commit_interval_s: float = 0.05) -> Journal:
    """Return a started journal without a reserve."""
    journal = Journal(
        state_dir / "journal", segment_bytes=segment_bytes, reserve_bytes=0, commit_interval_s=commit_interval_s
    )
    journal.start()
    return journal


def seal_all(state_dir: Path, new_screen: NewScreen = Screen) -> list[SealedRecording]:
    """Run a sealer until nothing is left, and return everything in the spool."""
    sealer = Sealer(state_dir, KEY, new_screen)
    sealer.drain()
    sealer.drain()
    return sealer.place.spool.pending()


def recorded_output(sealed: SealedRecording) -> bytes:
    """Return all output of a sealed recording, after checking that it verifies, plays and exports."""
    assert sealed.path is not None
    with sealed.path.open("rb") as file:
        verdict = verify(file, KEY.public)
        assert verdict.valid, verdict
        assert (verdict.size, verdict.sha256, verdict.chain) == (sealed.size, sealed.sha256, sealed.chain)
        recording = Recording.open(file)
        output = b"".join(event.data for event in recording.events() if event.kind == OUTPUT)
        assert len(output) == verdict.output_bytes
        for number, place in enumerate(recording.blocks):
            events = recording.block_events(number)
            assert place.output_offset + sum(len(e.data) for e in events if e.kind == OUTPUT) <= len(output)
        for line in iter_asciicast(recording):
            json.loads(line)
    return output
