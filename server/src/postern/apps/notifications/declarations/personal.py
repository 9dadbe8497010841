"""Messages to users about their own account."""

from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from postern.apps.authn.lock_out.events import AccountUnlocked
from postern.apps.authn.passkeys.events import PasskeyAdded, PasskeyRemoved
from postern.apps.authn.second_factors.events import SecondFactorReset
from postern.apps.notifications.declarations.categories import SECURITY
from postern.apps.notifications.declarations.declaration import (
    Audience,
    MessageText,
    MessageType,
    Written,
    written,
)
from postern.apps.users.credentials.events import PublicKeysRemoved

_ID: Final = UUID("6fa459ea-ee8a-3ca4-894e-db77e160355e")
_AT: Final = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
_ADDRESS: Final = "198.51.100.7"
_PERSON: Final = Audience.PERSON


def _of_unlocking(facts: AccountUnlocked) -> Written:
    return written(
        _("Your account was unlocked"),
        _(
            "{by} unlocked your account after failed sign-ins. If the failed sign-ins were not yours, change your password."
        ),
        by=facts.by,
    )


ACCOUNT_UNLOCKED: Final = MessageText(
    MessageType("AccountUnlockedMessage", gettext_lazy("Your account was unlocked"), *SECURITY, _PERSON),
    _of_unlocking,
    (AccountUnlocked(_ID, "li", "Adam(adam)", _AT),),
)


def _of_removed_keys(facts: PublicKeysRemoved) -> Written:
    return written(
        _("Your SSH public keys were removed"),
        _("{by} removed your SSH public keys. To sign in over SSH with a key, add a new one in your profile."),
        by=facts.by,
    )


PUBLIC_KEYS_REMOVED: Final = MessageText(
    MessageType("PublicKeysRemovedMessage", gettext_lazy("Your SSH public keys were removed"), *SECURITY, _PERSON),
    _of_removed_keys,
    (PublicKeysRemoved(_ID, "Adam(adam)", _AT),),
)


def _of_reset_factor(facts: SecondFactorReset) -> Written:
    return written(
        _("Your second factor was removed"),
        _(
            "{by} removed your authenticator app, passkeys and recovery codes, and your sign-ins were ended. Set up a new "
            "second factor in your profile. If you did not ask for this, tell your administrators."
        ),
        by=facts.by,
    )


SECOND_FACTOR_RESET: Final = MessageText(
    MessageType("SecondFactorResetMessage", gettext_lazy("Your second factor was removed"), *SECURITY, _PERSON),
    _of_reset_factor,
    (SecondFactorReset(_ID, "Adam(adam)", _AT),),
)


def _of_added_passkey(facts: PasskeyAdded) -> Written:
    return written(
        _("A passkey was added to your account"),
        _(
            "The passkey “{name}” was added to your account from {address}. If this was not you, tell your "
            "administrators at once: they can reset your second factor and your password, also when you cannot sign in."
        ),
        name=facts.name,
        address=facts.remote_addr,
    )


PASSKEY_ADDED: Final = MessageText(
    MessageType("PasskeyAddedMessage", gettext_lazy("A passkey was added to your account"), *SECURITY, _PERSON),
    _of_added_passkey,
    (PasskeyAdded(_ID, _ID, "YubiKey 5", _ADDRESS, _AT),),
)


def _of_removed_passkey(facts: PasskeyRemoved) -> Written:
    return written(
        _("A passkey was removed from your account"),
        _(
            "The passkey “{name}” was removed from your account from {address}, and your other sign-ins were ended. If "
            "this was not you, change your password and tell your administrators."
        ),
        name=facts.name,
        address=facts.remote_addr,
    )


PASSKEY_REMOVED: Final = MessageText(
    MessageType("PasskeyRemovedMessage", gettext_lazy("A passkey was removed from your account"), *SECURITY, _PERSON),
    _of_removed_passkey,
    (PasskeyRemoved(_ID, _ID, "YubiKey 5", _ADDRESS, _AT),),
)


TEXTS: Final = (
    ACCOUNT_UNLOCKED,
    PUBLIC_KEYS_REMOVED,
    SECOND_FACTOR_RESET,
    PASSKEY_ADDED,
    PASSKEY_REMOVED,
)
