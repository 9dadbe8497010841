"""Reasons why a user could not confirm their identity."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.foundation.phrases import Phrase, said
from postern.kernel.errors import PosternError
from postern.kernel.sentences import Sentence

OTHER_PERSON: Final = Phrase(
    "confirming.other_person",
    _(
        "Somebody else signed in at %(provider)s, so nothing was confirmed. Sign in there as the person who is signed in here."
    ),
)
OFF: Final = Phrase(
    "confirming.off",
    _("%(provider)s is switched off or was changed, so nothing was confirmed. Tell an administrator."),
)


class ConfirmationRefused(PosternError):
    """The provider named nobody, or a person other than the signed-in user."""

    code = "confirmation_refused"

    def __init__(self, reason: Sentence) -> None:
        self.reason = reason
        super().__init__(said(reason))
