"""The commands `postern recording verify`, `export` and `input`, for the entry points."""

from pathlib import Path
from typing import BinaryIO, TextIO

from postern.contracts.recording import (
    Recording,
    RecordingUnreadable,
    TrustedKeys,
    Version,
    is_public_key,
    iter_asciicast,
    read_public_key,
    verify,
    verify_among,
)
from postern.contracts.recording.format import INPUT
from postern.contracts.recording.streams import SAMPLE, SKIPPED, Sample, Skipped, Stream
from postern.contracts.transcript.text import iter_text


def verify_recording(path: Path, key_text: str, out: TextIO) -> int:
    """Print whether the file is unaltered since it was sealed with the key. Returns 0 if it is.

    `key_text` is the key itself, the path of a file with it, or a folder of trusted keys.
    """
    try:
        with path.open("rb") as file:
            if not is_public_key(key_text) and Path(key_text).is_dir():
                verdict = verify_among(file, TrustedKeys(Path(key_text)).find)
            else:
                verdict = verify(file, read_public_key(key_text))
    except (OSError, ValueError) as error:
        out.write(f"cannot check: {error}\n")
        return 2
    if not verdict.valid:
        out.write(f"NOT PROVEN {verdict.reason}: {verdict.detail}\n")
        return 1
    out.write(
        f"UNALTERED session {verdict.session_id} state {verdict.state} blocks {verdict.blocks}"
        f" output {verdict.output_bytes} bytes sha256 {verdict.sha256} key {verdict.key_id}\n"
    )
    return 0


def export_recording(path: Path, out: BinaryIO, errors: TextIO, version: Version = 2) -> int:
    """Write the recording as asciicast. Returns 0 if it was written completely."""
    try:
        with path.open("rb") as file:
            out.writelines(iter_asciicast(file, version))
    except BrokenPipeError:  # the reader closed the pipe
        return 1
    except (OSError, RecordingUnreadable) as error:
        errors.write(f"cannot export: {error}\n")
        return 1
    return 0


def export_text(path: Path, out: BinaryIO, errors: TextIO, *, times: bool) -> int:
    """Write the lines that were on the screen, in UTF-8. Returns 0 if the recording could be read.

    `times`: each line begins with the time since the beginning.
    """
    try:
        with path.open("rb") as file:
            out.writelines(text.encode("utf-8", "replace") for text in iter_text(Recording.open(file), times=times))
    except BrokenPipeError:  # the reader closed the pipe
        return 1
    except (OSError, RecordingUnreadable) as error:
        errors.write(f"cannot export: {error}\n")
        return 1
    return 0


def export_input(path: Path, out: BinaryIO, errors: TextIO) -> int:
    """Write a session's input byte by byte. Returns 0 if it was written completely.

    This is the standard input, or the keys typed at a terminal where they are recorded.
    """
    try:
        with path.open("rb") as file:
            recording = Recording.open(file)
            if not recording.header.streams and not recording.header.record_input:
                errors.write(
                    "this was a terminal session whose keys are not recorded; the recording holds only the output\n"
                )
                return 1
            return _write_input(recording, out, errors)
    except BrokenPipeError:  # the reader closed the pipe
        return 1
    except (OSError, RecordingUnreadable) as error:
        errors.write(f"cannot export: {error}\n")
        return 1


def _write_input(recording: Recording, out: BinaryIO, errors: TextIO) -> int:
    status = 0
    #: Offset of the next byte of the input, and where the written bytes end.
    at = written_to = 0
    for event in recording.events():
        if event.kind == INPUT:
            out.write(event.data)
            at += len(event.data)
            written_to = at
        elif event.kind == SAMPLE:
            sample = Sample.decode(event.data)
            if sample.stream is Stream.INPUT and sample.offset >= written_to:
                out.write(sample.data)
                written_to = sample.offset + len(sample.data)
                at = max(at, written_to)
            elif sample.stream is Stream.INPUT:
                errors.write(f"{len(sample.data)} bytes from offset {sample.offset} are recorded but left out here\n")
        elif event.kind == SKIPPED:
            stretch = Skipped.decode(event.data)
            if stretch.stream is Stream.INPUT:
                # Its last bytes may still follow as a sample.
                errors.write(f"{stretch.length} bytes from offset {stretch.offset} were counted but not recorded\n")
                at += stretch.length
                status = 1
    return status
