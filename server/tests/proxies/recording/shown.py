"""A small proxy to be killed: it records bytes, and only then writes them to its standard output.

    python shown.py STATE_DIR SESSIONS SEED

Each output line is `number offset length`, written after `recorder.output` has returned. So whatever the parent has
read from the pipe is what a user has seen. The content of each output follows from seed, session number and offset.
"""

import os
import random
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from postern.proxies.core.recording import Journal, RecordingHeader

_STREAM_BYTES = 100_000


def stream_of(seed: int, number: int) -> bytes:
    """Return the output of session `number`'s target, which is repeated for ever."""
    source = random.Random(f"{seed}/{number}")
    parts = [
        f"\x1b[3{source.randrange(8)}mline {place} 中文 \x1b[0m{source.random()}\r\n".encode() for place in range(2_000)
    ]
    return b"".join(parts)[:_STREAM_BYTES]


def main() -> None:
    state_dir, sessions, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    journal = Journal(state_dir / "journal", segment_bytes=1 << 20, reserve_bytes=0, commit_interval_s=0.05)
    journal.start()
    source = random.Random(seed)
    recorders, streams, offsets = [], [], []
    for number in range(sessions):
        header = RecordingHeader(session_id=UUID(int=number + 1), started_at=datetime.now(UTC), columns=80, rows=24)
        recorders.append(journal.open_session(UUID(int=number + 1), 80, 24, header))
        streams.append(stream_of(seed, number))
        offsets.append(0)
    while True:
        number = source.randrange(sessions)
        length = source.choice((1, 3, 80, 400, 4_000, 90_000))
        start = offsets[number] % _STREAM_BYTES
        data = streams[number][start : start + length]
        recorders[number].output(data)
        offsets[number] += len(data)
        os.write(1, b"%d %d\n" % (number, offsets[number]))
        if source.random() < 0.02:
            time.sleep(0.001)


if __name__ == "__main__":
    main()
