"""Limits of the file manager."""

from typing import Final

#: Operations of one session at once. A browser opens six connections to a host; several pages may show one session.
TRANSFERS_AT_ONCE: Final = 8
OTHERS_AT_ONCE: Final = 32
#: Uploads of one session that have begun and not ended. Each holds a file open on the host.
UPLOADS_AT_ONCE: Final = 32
#: Results of finished uploads that are kept for a page that asks again.
FINISHED_KEPT: Final = 256
#: Ended sessions whose reason is still told, instead of "no such session".
ENDED_KEPT: Final = 1000
MAX_JSON_BYTES: Final = 64 * 1024
#: A person who deletes may have selected everything in a folder of some thousand names.
MAX_PATHS_BYTES: Final = 1024 * 1024
#: Requests to a host at once that belong to one operation.
LOOKS_AT_ONCE: Final = 8
#: Lines of an archive's list of what is missing.
MISSING_KEPT: Final = 10_000
#: A slice of which nothing arrives for this long is given up, so that its upload can continue with another request.
STALLED_S: Final = 30.0
#: Connections of the web plane that are open without a request.
IDLE_CONNECTION_S: Final = 30.0
#: What is read of a request at once: writes of 255 KiB cost least on the host.
READ_BYTES: Final = 256 * 1024
