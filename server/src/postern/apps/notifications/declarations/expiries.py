"""Warnings that something ends soon: a password, an account, an access key, a permission."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from postern.apps.notifications.declarations.categories import SECURITY
from postern.apps.notifications.declarations.declaration import (
    Audience,
    MessageText,
    MessageType,
    Text,
    Written,
    console_link,
    written,
)

_AT: Final = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
_ID: Final = UUID("6fa459ea-ee8a-3ca4-894e-db77e160355e")


@dataclass(frozen=True, slots=True)
class Ending:
    """What ends. `days_left`: begun days, at least one. `row_id`: the service account or permission.

    `username`: the account. `name`: the name of its key, or of the permission; "" when the account itself ends.
    `of_applications`: the permission is one of applications.
    """

    ends_at: datetime
    days_left: int
    username: str = ""
    name: str = ""
    row_id: UUID | None = None
    of_applications: bool = False

    @property
    def date(self) -> str:
        """The end in the time zone of the installation."""
        return f"{timezone.localtime(self.ends_at):%Y-%m-%d %H:%M %Z}"


#: Subject and paragraph about an end, in the active language.
_Texts = Callable[[Ending], tuple[str, str]]


def _warning(type_name: str, label: Text, texts: _Texts, *examples: Ending, page: str = "") -> MessageText[Ending]:
    """A type of warning. `page`: the page of the console that helps, with `{row_id}` and `{permissions}`; "" for none."""

    def write(facts: Ending) -> Written:
        return written(
            *texts(facts),
            *(["{link}"] if page else []),
            count=facts.days_left,
            username=facts.username,
            name=facts.name,
            date=facts.date,
            link=console_link(page.format(row_id=facts.row_id, permissions=_permissions(facts))),
        )

    return MessageText(MessageType(type_name, label, *SECURITY, Audience.PERSON), write, examples)


def _permissions(facts: Ending) -> str:
    """The pages of permissions of this kind."""
    return "app-permissions" if facts.of_applications else "asset-permissions"


def _of_password(facts: Ending) -> tuple[str, str]:
    return (
        ngettext(
            "Your password expires within %(count)d day", "Your password expires within %(count)d days", facts.days_left
        ),
        _(
            "The password of your account {username} expires on {date}. Choose a new one on your profile page before then. "
            "Afterwards you must choose a new one before you can do anything else."
        ),
    )


def _of_account(facts: Ending) -> tuple[str, str]:
    return (
        ngettext("Your account ends within %(count)d day", "Your account ends within %(count)d days", facts.days_left),
        _(
            "Your account {username} ends on {date}. Afterwards you cannot sign in, and open sessions are ended. If you "
            "still need it, ask an administrator to change its end."
        ),
    )


def _of_key(facts: Ending) -> tuple[str, str]:
    return (
        ngettext(
            "Your access key ends within %(count)d day", "Your access key ends within %(count)d days", facts.days_left
        ),
        _(
            "The access key “{name}” of your account {username} ends on {date}. Afterwards the programs that use it are "
            "refused. If they still need it, give them a new key or change its end: account menu › API keys."
        ),
    )


def _of_service_account(facts: Ending) -> tuple[str, str]:
    subject = ngettext(
        "The access of a service account ends within %(count)d day",
        "The access of a service account ends within %(count)d days",
        facts.days_left,
    )
    if facts.name:
        return subject, _(
            "The access key “{name}” of the service account {username} ends on {date}. Afterwards the programs that use it "
            "are refused. Give them a new key before then, or change its end."
        )
    return subject, _(
        "The service account {username} ends on {date}. Afterwards its programs are refused, and open sessions are "
        "ended. If it is still needed, change its end."
    )


def _of_permission(facts: Ending) -> tuple[str, str]:
    if facts.of_applications:
        return (
            ngettext(
                "An application permission ends within %(count)d day",
                "An application permission ends within %(count)d days",
                facts.days_left,
            ),
            _(
                "The application permission {name} ends on {date}. Afterwards its people lose this access. If it is still "
                "needed, change its end."
            ),
        )
    return (
        ngettext(
            "An asset permission ends within %(count)d day",
            "An asset permission ends within %(count)d days",
            facts.days_left,
        ),
        _(
            "The asset permission {name} ends on {date}. Afterwards its people lose this access, and open sessions are "
            "ended. If it is still needed, change its end."
        ),
    )


PASSWORD_EXPIRING: Final = _warning(
    "PasswordExpiringMessage",
    gettext_lazy("Your password expires"),
    _of_password,
    *(Ending(_AT, days, "li") for days in (1, 5)),
    page="users/profile",
)
ACCOUNT_EXPIRING: Final = _warning(
    "AccountExpiringMessage",
    gettext_lazy("Your account ends"),
    _of_account,
    *(Ending(_AT, days, "li") for days in (1, 5)),
)
ACCESS_KEY_EXPIRING: Final = _warning(
    "AccessKeyExpiringMessage",
    gettext_lazy("Your access key ends"),
    _of_key,
    *(Ending(_AT, days, "li", "nightly report") for days in (1, 5)),
    page="users/profile",
)
SERVICE_ACCOUNT_EXPIRING: Final = _warning(
    "ServiceAccountExpiringMessage",
    gettext_lazy("A service account ends"),
    _of_service_account,
    Ending(_AT, 5, "ci", "nightly build", _ID),
    Ending(_AT, 1, "ci", row_id=_ID),
    page="users/service-accounts/{row_id}",
)
PERMISSION_EXPIRING: Final = _warning(
    "PermissionExpiringMessage",
    gettext_lazy("A permission ends"),
    _of_permission,
    Ending(_AT, 5, name="web release", row_id=_ID),
    Ending(_AT, 1, name="on call", row_id=_ID),
    Ending(_AT, 5, name="orders, read only", row_id=_ID, of_applications=True),
    page="perms/{permissions}/{row_id}/update",
)

TEXTS: Final = (
    ACCESS_KEY_EXPIRING,
    PERMISSION_EXPIRING,
    SERVICE_ACCOUNT_EXPIRING,
    PASSWORD_EXPIRING,
    ACCOUNT_EXPIRING,
)
