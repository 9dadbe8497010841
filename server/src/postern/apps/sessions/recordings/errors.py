"""Expected failures of recordings, each with a stable code, and why a worker could not do its work with one."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.foundation.phrases import Phrase
from postern.kernel.errors import Conflict, NotFound, Unavailable

MISSING: Final = Phrase("recording.source_missing", _("The recording is missing from its storage."))
UNUSABLE: Final = Phrase(
    "recording.storage_unusable", _("The storage could not be used. The log of the worker says why.")
)


class ReplayMissing(NotFound):
    """The session has no playable recording."""

    code = "replay_missing"

    @property
    def fields(self) -> dict[str, object]:
        """The response body that the contract defines."""
        return {"error": self.message, "code": self.code}


class ReplayUnavailable(Unavailable):
    """The storage of the recording does not answer as it should. A later attempt may succeed."""

    code = "replay_unavailable"

    @property
    def fields(self) -> dict[str, object]:
        return {"error": self.message, "detail": self.message, "code": self.code}


class UploadOutOfOrder(Conflict):
    """The part does not follow the received bytes; continue at `received`."""

    code = "upload_out_of_order"

    def __init__(self, message: str, received: int) -> None:
        super().__init__(message)
        self.received = received

    @property
    def fields(self) -> dict[str, object]:
        return {"detail": self.message, "code": self.code, "received": self.received}


class RecordingMismatch(Conflict):
    """The uploaded bytes are not the announced recording."""

    code = "recording_mismatch"
