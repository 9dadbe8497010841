"""Reading, verifying and exporting sealed terminal recordings: bytes in, bytes out; only files of public keys are opened here.

docs/reference/recording-format.md describes the container. The proxy writes it (`postern.proxies.core.recording`),
the web plane, the command line and tests read it with this package.
"""

from postern.contracts.recording.asciicast import iter_asciicast
from postern.contracts.recording.format import Event, RecordingHeader, RecordingUnreadable, key_id
from postern.contracts.recording.offline_verifier import parse_public_key
from postern.contracts.recording.reader import ByteSource, FileSource, Recording
from postern.contracts.recording.trusted_keys import TrustedKeys, verify_among
from postern.contracts.recording.verification import Verdict, verify

__all__ = [
    "ByteSource",
    "Event",
    "FileSource",
    "Recording",
    "RecordingHeader",
    "RecordingUnreadable",
    "TrustedKeys",
    "Verdict",
    "iter_asciicast",
    "key_id",
    "parse_public_key",
    "verify",
    "verify_among",
]
