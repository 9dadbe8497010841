"""The server and account of each stored secret. A secret is sent nowhere else."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.apps.preferences import queries
from postern.apps.preferences.declarations.preference import Text, Value

_OF_AN_APPLICATION: Final = _(
    "Enter the secret: the stored one is only sent to the address and application that it is stored for."
)


@dataclass(frozen=True, slots=True)
class SecretDestination:
    """A secret setting and its destination.

    `to`: the settings that name server and account. While the first of them is empty, the secret is sent nowhere.
    `refusal`: the message for an administrator who changes server or account without entering the secret.
    """

    secret: str
    to: tuple[str, ...]
    refusal: Text = _OF_AN_APPLICATION

    def refusal_text(self) -> str:
        """The refusal in the active language."""
        return str(self.refusal)

    def is_changed(self, stored: Mapping[str, Value], values: Mapping[str, Value]) -> bool:
        """Whether `values` name a different server or account than the stored values."""
        return any(_plain(stored[name]) != _plain(values[name]) for name in self.to)


MAIL: Final = SecretDestination(
    "EMAIL_HOST_PASSWORD",
    ("EMAIL_HOST", "EMAIL_PORT", "EMAIL_HOST_USER"),
    _("Enter the password: the stored one is only sent to the SMTP host, port and account that it is stored for."),
)
LDAP: Final = SecretDestination(
    "AUTH_LDAP_BIND_PASSWORD",
    ("AUTH_LDAP_SERVER_URI", "AUTH_LDAP_BIND_DN"),
    _("Enter the password: the stored one is only sent to the LDAP server and the bind DN that it is stored for."),
)
WECOM: Final = SecretDestination("WECOM_SECRET", ("WECOM_CORPID", "WECOM_API_URL"))
DINGTALK: Final = SecretDestination(
    "DINGTALK_APPSECRET", ("DINGTALK_APPKEY", "DINGTALK_API_URL", "DINGTALK_MESSAGE_URL")
)
FEISHU: Final = SecretDestination("FEISHU_APP_SECRET", ("FEISHU_APP_ID", "FEISHU_API_URL"))
_ALL: Final = (MAIL, LDAP, WECOM, DINGTALK, FEISHU)


def secrets_to_reenter(changed: Collection[str]) -> dict[str, str]:
    """The secrets that must be entered again because of these changed settings, with the reason."""
    return {
        destination.secret: destination.refusal_text()
        for destination in _ALL
        if destination.secret not in changed
        and any(name in changed for name in destination.to)
        and queries.is_set(destination.secret)
        and queries.value(destination.to[0])
    }


def _plain(value: Value) -> str:
    return str(value).strip()
