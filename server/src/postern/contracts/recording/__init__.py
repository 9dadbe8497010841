"""Reading, verifying and exporting sealed recordings. Works on bytes; the only files it opens are public keys.

docs/reference/recording-format.md describes the container format. The proxy writes recordings
(`postern.proxies.core.recording`); the web plane, the command line and tests read them with this package.
"""

from postern.contracts.recording.asciicast import Version, iter_asciicast
from postern.contracts.recording.format import Event, RecordingHeader, RecordingUnreadable, key_id
from postern.contracts.recording.offline_verifier import is_public_key, parse_public_key, read_public_key
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
    "Version",
    "is_public_key",
    "iter_asciicast",
    "key_id",
    "parse_public_key",
    "read_public_key",
    "verify",
    "verify_among",
]
