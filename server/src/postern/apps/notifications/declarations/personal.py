"""Messages to users about their own account."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from postern.apps.authn.lock_out.events import AccountUnlocked
from postern.apps.authn.passkeys.events import PasskeyAdded, PasskeyRemoved
from postern.apps.authn.second_factors.events import SecondFactorReset
from postern.apps.notifications.declarations.categories import SECURITY
from postern.apps.notifications.declarations.declaration import (
    Audience,
    MessageText,
    MessageType,
    Written,
    console_link,
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


@dataclass(frozen=True, slots=True)
class Expiry:
    """A password or account ends. `days_left`: begun days, at least one."""

    username: str
    ends_at: datetime
    days_left: int

    @property
    def date(self) -> str:
        return f"{timezone.localtime(self.ends_at):%Y-%m-%d %H:%M %Z}"


_EXPIRIES: Final = tuple(Expiry("li", _AT, days) for days in (1, 5))


def _of_expiring_password(facts: Expiry) -> Written:
    return written(
        ngettext(
            "Your password expires within %(count)d day", "Your password expires within %(count)d days", facts.days_left
        ),
        _(
            "The password of your account {username} expires on {date}. Choose a new one on your profile page before then. "
            "Afterwards you must choose a new one before you can do anything else."
        ),
        "{link}",
        count=facts.days_left,
        username=facts.username,
        date=facts.date,
        link=console_link("users/profile"),
    )


PASSWORD_EXPIRING: Final = MessageText(
    MessageType("PasswordExpiringMessage", gettext_lazy("Your password expires"), *SECURITY, _PERSON),
    _of_expiring_password,
    _EXPIRIES,
)


def _of_expiring_account(facts: Expiry) -> Written:
    return written(
        ngettext("Your account ends within %(count)d day", "Your account ends within %(count)d days", facts.days_left),
        _(
            "Your account {username} ends on {date}. Afterwards you cannot sign in, and open sessions are ended. If you "
            "still need it, ask an administrator to change its end."
        ),
        count=facts.days_left,
        username=facts.username,
        date=facts.date,
    )


ACCOUNT_EXPIRING: Final = MessageText(
    MessageType("AccountExpiringMessage", gettext_lazy("Your account ends"), *SECURITY, _PERSON),
    _of_expiring_account,
    _EXPIRIES,
)


@dataclass(frozen=True, slots=True)
class ProgramExpiry:
    """A service account, or one of its access keys, ends. `key`: the comment of the key or its id; "" for the account."""

    user_id: UUID
    username: str
    key: str
    ends_at: datetime
    days_left: int

    @property
    def date(self) -> str:
        return f"{timezone.localtime(self.ends_at):%Y-%m-%d %H:%M %Z}"


@dataclass(frozen=True, slots=True)
class KeyExpiry(Expiry):
    """An access key of a person ends. `key`: the comment of the key, or its id."""

    key: str


def _of_expiring_key(facts: KeyExpiry) -> Written:
    return written(
        ngettext(
            "Your access key ends within %(count)d day", "Your access key ends within %(count)d days", facts.days_left
        ),
        _(
            "The access key “{key}” of your account {username} ends on {date}. Afterwards the programs that use it are "
            "refused. If they still need it, give them a new key or change its end: account menu › API keys."
        ),
        "{link}",
        count=facts.days_left,
        key=facts.key,
        username=facts.username,
        date=facts.date,
        link=console_link("users/profile"),
    )


ACCESS_KEY_EXPIRING: Final = MessageText(
    MessageType("AccessKeyExpiringMessage", gettext_lazy("Your access key ends"), *SECURITY, _PERSON),
    _of_expiring_key,
    tuple(KeyExpiry("li", _AT, days, "nightly report") for days in (1, 5)),
)


def _of_expiring_program(facts: ProgramExpiry) -> Written:
    subject = ngettext(
        "The access of a service account ends within %(count)d day",
        "The access of a service account ends within %(count)d days",
        facts.days_left,
    )
    body = (
        _(
            "The access key “{key}” of the service account {username} ends on {date}. Afterwards the programs that use it "
            "are refused. Give them a new key before then, or change its end."
        )
        if facts.key
        else _(
            "The service account {username} ends on {date}. Afterwards its programs are refused, and open sessions are "
            "ended. If it is still needed, change its end."
        )
    )
    return written(
        subject,
        body,
        "{link}",
        count=facts.days_left,
        username=facts.username,
        key=facts.key,
        date=facts.date,
        link=console_link(f"users/service-accounts/{facts.user_id}"),
    )


SERVICE_ACCOUNT_EXPIRING: Final = MessageText(
    MessageType("ServiceAccountExpiringMessage", gettext_lazy("A service account ends"), *SECURITY, _PERSON),
    _of_expiring_program,
    (ProgramExpiry(_ID, "ci", "nightly build", _AT, 5), ProgramExpiry(_ID, "ci", "", _AT, 1)),
)


@dataclass(frozen=True, slots=True)
class PermissionExpiry:
    """A permission ends."""

    permission_id: UUID
    name: str
    ends_at: datetime
    days_left: int
    of_applications: bool = False

    @property
    def date(self) -> str:
        return f"{timezone.localtime(self.ends_at):%Y-%m-%d %H:%M %Z}"


def _of_expiring_permission(facts: PermissionExpiry) -> Written:
    if facts.of_applications:
        title = ngettext(
            "An application permission ends within %(count)d day",
            "An application permission ends within %(count)d days",
            facts.days_left,
        )
        text = _(
            "The application permission {name} ends on {date}. Afterwards its people lose this access. If it is still "
            "needed, change its end."
        )
    else:
        title = ngettext(
            "An asset permission ends within %(count)d day",
            "An asset permission ends within %(count)d days",
            facts.days_left,
        )
        text = _(
            "The asset permission {name} ends on {date}. Afterwards its people lose this access, and open sessions are "
            "ended. If it is still needed, change its end."
        )
    page = "perms/app-permissions" if facts.of_applications else "perms/asset-permissions"
    return written(
        title,
        text,
        "{link}",
        count=facts.days_left,
        name=facts.name,
        date=facts.date,
        link=console_link(f"{page}/{facts.permission_id}/update"),
    )


PERMISSION_EXPIRING: Final = MessageText(
    MessageType("PermissionExpiringMessage", gettext_lazy("A permission ends"), *SECURITY, _PERSON),
    _of_expiring_permission,
    (
        PermissionExpiry(_ID, "web release", _AT, 5),
        PermissionExpiry(_ID, "on call", _AT, 1),
        PermissionExpiry(_ID, "orders, read only", _AT, 5, of_applications=True),
    ),
)

TEXTS: Final = (
    ACCESS_KEY_EXPIRING,
    PERMISSION_EXPIRING,
    SERVICE_ACCOUNT_EXPIRING,
    ACCOUNT_UNLOCKED,
    PUBLIC_KEYS_REMOVED,
    SECOND_FACTOR_RESET,
    PASSWORD_EXPIRING,
    ACCOUNT_EXPIRING,
    PASSKEY_ADDED,
    PASSKEY_REMOVED,
)
