"""The words of each kind of fault."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from postern.apps.audits.queries import FaultKind

_K = FaultKind
WORDS: Final[dict[FaultKind, str | Promise]] = {
    _K.UNREADABLE: _("Row cannot be read"),
    _K.EDITED: _("Record of the log was edited"),
    _K.MISSING: _("Record of the log is missing"),
    _K.BROKEN_LINK: _("Record of the log was inserted or moved"),
    _K.TRUNCATED: _("End of the log was cut off"),
    _K.UNANCHORED: _("Records beyond the end of the log"),
    _K.LOGIN_EDITED: _("Sign-in was edited"),
    _K.LOGIN_MISSING: _("Sign-in is missing"),
    _K.LOGIN_INSERTED: _("Sign-in was inserted"),
    _K.ROLLED_BACK: _("Log was set back to an earlier state"),
    _K.PASSWORD_EDITED: _("Password change was edited"),
    _K.PASSWORD_MISSING: _("Password change is missing"),
    _K.PASSWORD_INSERTED: _("Password change was inserted"),
    _K.SESSION_EDITED: _("Session was edited"),
    _K.SESSION_MISSING: _("Session is missing"),
    _K.SESSION_INSERTED: _("Session was inserted"),
    _K.ROW_EDITED: _("Command, file transfer, connection or request was edited"),
    _K.ROW_MISSING: _("Command, file transfer, connection or request is missing"),
    _K.ROW_INSERTED: _("Command, file transfer, connection or request was inserted"),
    _K.RECORDING_EDITED: _("Recording was replaced"),
    _K.RECORDING_MISSING: _("Recording is missing"),
    _K.CHECKPOINT_ALTERED: _("Checkpoint was altered"),
}


def words_of_fault(kind: str) -> str:
    """The words of a stored fault kind; the code itself for a kind of a newer version."""
    try:
        return str(WORDS[FaultKind(kind)])
    except ValueError:
        return kind
