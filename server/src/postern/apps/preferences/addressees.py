"""Whom a stored secret is sent to: to these servers and accounts and nowhere else."""

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.apps.preferences.declarations.preference import Text


@dataclass(frozen=True, slots=True)
class Addressee:
    """The settings that say where a secret goes. The first one is empty until the feature is set up.

    `refusal`: said to whoever changes one of them without entering the secret.
    """

    secret: str
    names: tuple[str, ...]
    refusal: Text


MAIL: Final = Addressee(
    "EMAIL_HOST_PASSWORD",
    ("EMAIL_HOST", "EMAIL_PORT", "EMAIL_HOST_USER"),
    _("Enter the password: the stored one is only sent to the SMTP host, port and account that it is stored for."),
)
LDAP: Final = Addressee(
    "AUTH_LDAP_BIND_PASSWORD",
    ("AUTH_LDAP_SERVER_URI", "AUTH_LDAP_BIND_DN"),
    _("Enter the password: the stored one is only sent to the LDAP server and the bind DN that it is stored for."),
)
ADDRESSEES: Final = (MAIL, LDAP)
