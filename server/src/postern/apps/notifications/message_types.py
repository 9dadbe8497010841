"""The kinds of system messages, and the delivery methods.

A kind needs one line here, a handler of its event in `notices`, and two texts. A new delivery method adds a line to
`BACKENDS`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise

#: Messages between users.
FROM_PEOPLE: Final = "SiteMessage"
SITE_MESSAGE_BACKEND: Final = "site_msg"
EMAIL_BACKEND: Final = "email"

#: Delivery methods by name. Which of them are enabled now: `queries.enabled_backends`.
BACKENDS: Final[Mapping[str, Text]] = {
    SITE_MESSAGE_BACKEND: _("Site message"),
    EMAIL_BACKEND: _("Email"),
    "wecom": _("WeCom"),
    "dingtalk": _("DingTalk"),
    "feishu": _("FeiShu"),
}


@dataclass(frozen=True, slots=True)
class MessageType:
    """One kind of system message. The subscription screen groups kinds by `category`."""

    name: str
    label: Text
    category: str
    category_label: Text


_SECURITY: Final = ("security", _("Security"))
_TERMINAL: Final = ("terminal", _("Sessions"))
_OPERATIONS: Final = ("operations", _("Operations"))

HOST_KEY_CHANGED: Final = MessageType("HostKeyChangedMessage", _("The host key of an asset changed"), *_SECURITY)
ACCOUNT_LOCKED: Final = MessageType(
    "AccountLockedMessage", _("An account was locked after failed sign-ins"), *_SECURITY
)
TERMINAL_LOST: Final = MessageType("TerminalLostMessage", _("A terminal has stopped responding"), *_TERMINAL)
TERMINAL_WAITING: Final = MessageType("TerminalWaitingMessage", _("A terminal is waiting to be accepted"), *_TERMINAL)
PROXY_ALARM: Final = MessageType("ProxyAlarmMessage", _("A terminal behaves suspiciously"), *_SECURITY)
RECORDING_FAILED: Final = MessageType("RecordingFailedMessage", _("A session could not be recorded"), *_TERMINAL)
COMMAND_REFUSED: Final = MessageType("CommandRefusedMessage", _("A command filter refused a command"), *_TERMINAL)
LICENCE_EXPIRING: Final = MessageType("LicenceExpiringMessage", _("The licence ends"), *_OPERATIONS)

#: Sent to the affected users, independent of subscriptions.
INVITATION: Final = MessageType("InvitationMessage", _("Invitation into an organization"), *_OPERATIONS)
ACCOUNT_UNLOCKED: Final = MessageType("AccountUnlockedMessage", _("Your account was unlocked"), *_SECURITY)
PUBLIC_KEYS_REMOVED: Final = MessageType("PublicKeysRemovedMessage", _("Your SSH public keys were removed"), *_SECURITY)
SECOND_FACTOR_RESET: Final = MessageType("SecondFactorResetMessage", _("Your second factor was removed"), *_SECURITY)
PASSKEY_ADDED: Final = MessageType("PasskeyAddedMessage", _("A passkey was added to your account"), *_SECURITY)
PASSKEY_REMOVED: Final = MessageType("PasskeyRemovedMessage", _("A passkey was removed from your account"), *_SECURITY)
PASSWORD_EXPIRING: Final = MessageType("PasswordExpiringMessage", _("Your password expires"), *_SECURITY)
ACCOUNT_EXPIRING: Final = MessageType("AccountExpiringMessage", _("Your account ends"), *_SECURITY)
#: By mail only, to the user of the link.
SET_PASSWORD_LINK: Final = MessageType("SetPasswordLinkMessage", _("Link to set a password"), *_SECURITY)
_PERSONAL: Final[Mapping[str, MessageType]] = {
    one.name: one
    for one in (
        INVITATION,
        ACCOUNT_UNLOCKED,
        PUBLIC_KEYS_REMOVED,
        SECOND_FACTOR_RESET,
        PASSWORD_EXPIRING,
        ACCOUNT_EXPIRING,
        PASSKEY_ADDED,
        PASSKEY_REMOVED,
        SET_PASSWORD_LINK,
    )
}

MESSAGE_TYPES: Final[Mapping[str, MessageType]] = {
    one.name: one
    for one in (
        HOST_KEY_CHANGED,
        ACCOUNT_LOCKED,
        TERMINAL_LOST,
        TERMINAL_WAITING,
        PROXY_ALARM,
        RECORDING_FAILED,
        COMMAND_REFUSED,
        LICENCE_EXPIRING,
    )
}


def label_of(name: str) -> Text:
    """Label of a message kind; the stored name for a kind that no longer exists."""
    if name == FROM_PEOPLE:
        return _("Message")
    message_type = _PERSONAL.get(name) or MESSAGE_TYPES.get(name)
    return message_type.label if message_type else name
