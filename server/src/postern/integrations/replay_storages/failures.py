"""Why a storage of another machine could not be used. Each sentence says what to change."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.foundation.phrases import Phrase
from postern.kernel.sentences import Sentence

CLOCK: Final = Phrase(
    "storage.clock",
    _("The clocks of this machine and of %(host)s differ by minutes. Set the clock of this machine by NTP."),
)
FULL: Final = Phrase("storage.full", _("%(host)s has no room for more (%(code)s). Make room, or raise the quota."))
SERVICE: Final = Phrase(
    "storage.service",
    _("%(host)s answered with the code %(code)s (HTTP status %(status)d). Try again later, or ask its operator."),
)
CHANGED: Final = Phrase(
    "storage.changed",
    _("%(host)s returned other bytes than were stored in the bucket %(bucket)s. Do not use this storage."),
)


class StorageFailed(OSError):
    """The storage could not be used. The text is for people; `sentence` can be stored and translated."""

    def __init__(self, sentence: Sentence) -> None:
        super().__init__(sentence.text)
        self.sentence = sentence


class BucketMissing(StorageFailed):
    """The bucket or container does not exist."""
