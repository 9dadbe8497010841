"""`postern recording verify` and `postern recording export`, for the entry points."""

from pathlib import Path
from typing import BinaryIO, TextIO

from postern.contracts.recording import (
    RecordingUnreadable,
    TrustedKeys,
    iter_asciicast,
    parse_public_key,
    verify,
    verify_among,
)


def verify_recording(path: Path, key_text: str, out: TextIO) -> int:
    """Print whether the file is what was sealed with the key: text, the path of a file with it, or a folder of secrets. 0: it is."""
    try:
        key_path = Path(key_text)
        with path.open("rb") as file:
            if key_path.is_dir():
                verdict = verify_among(file, TrustedKeys(key_path).find)
            else:
                key = parse_public_key(key_path.read_text("ascii") if key_path.is_file() else key_text)
                verdict = verify(file, key)
    except (OSError, ValueError) as error:
        out.write(f"cannot check: {error}\n")
        return 2
    if not verdict.valid:
        out.write(f"NOT PROVEN {verdict.reason}: {verdict.detail}\n")
        return 1
    out.write(
        f"UNALTERED session {verdict.session_id} state {verdict.state} blocks {verdict.blocks}"
        f" output {verdict.output_bytes} bytes sha256 {verdict.sha256}\n"
    )
    return 0


def export_recording(path: Path, out: BinaryIO, errors: TextIO) -> int:
    """Write the recording as asciicast v2. 0: all of it."""
    try:
        with path.open("rb") as file:
            out.writelines(iter_asciicast(file))
    except BrokenPipeError:  # whoever reads has seen enough
        return 1
    except (OSError, RecordingUnreadable) as error:
        errors.write(f"cannot export: {error}\n")
        return 1
    return 0
