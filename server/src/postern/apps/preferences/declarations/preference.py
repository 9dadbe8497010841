"""The type of a declaration. From it come form, validation, public settings, environment override and reference."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from postern.foundation.settings import Settings

Text = str | Promise
Value = bool | int | str | None

#: A setting SITE_URL is fixed by the environment variable POSTERN_SET_SITE_URL.
ENVIRONMENT_PREFIX: Final = "POSTERN_SET_"
MANY: Final = 99_999


class Category(StrEnum):
    """Groups of the settings screen."""

    BASIC = "basic"
    EMAIL = "email"
    EMAIL_CONTENT = "email_content"
    TERMINAL = "terminal"
    SECURITY = "security"
    LDAP = "ldap"
    WECOM = "wecom"
    DINGTALK = "dingtalk"
    FEISHU = "feishu"
    SYSLOG = "syslog"


class Kind(StrEnum):
    BOOLEAN = "boolean"
    INTEGER = "integer"
    STRING = "string"
    TEXT = "text"  # several lines
    URL = "url"
    CHOICE = "choice"
    #: A JSON object. Stored and audited as its text; the API shows the object, and takes either.
    MAPPING = "mapping"
    #: Some of the choices, in an order. Stored and audited as a text with commas; the API shows a list, and takes either.
    ORDER = "order"


class Effect(StrEnum):
    """When a change takes effect. It reaches every process within two seconds in any case."""

    AT_ONCE = "at_once"
    NEXT_SIGN_IN = "next_sign_in"
    NEXT_SESSION = "next_session"
    NEXT_PASSWORD = "next_password"  # noqa: S105 - no secret: when people set a password the next time


EFFECT_LABELS: Final[Mapping[Effect, Text]] = {
    Effect.AT_ONCE: _("at once"),
    Effect.NEXT_SIGN_IN: _("at the next sign-in"),
    Effect.NEXT_SESSION: _("for new sessions"),
    Effect.NEXT_PASSWORD: _("when a password is set"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """One setting. `category` None: not in any form. `is_public`: readable before sign-in.

    `is_secret`: write-only, stored encrypted, and masked in audit records. An empty value keeps the stored secret.
    """

    name: str
    kind: Kind
    default: Value
    label: Text
    #: Instead of `default`, for values that follow from the settings of the installation.
    derived: Callable[[Settings], Value] | None = None
    #: Instead of the default, if a stored value cannot be used. For settings whose default is less strict.
    if_unusable: Value = None
    category: Category | None = None
    #: Heading above the fields of the form that belong together.
    section: Text = ""
    required: bool = False
    min_value: int | None = None
    max_value: int | None = None
    max_length: int | None = None
    choices: tuple[tuple[str | int, Text], ...] = ()
    help_text: Text = ""
    is_public: bool = False
    is_secret: bool = False
    effect: Effect = Effect.AT_ONCE
    #: The contract has it, but nothing of this version obeys it: the API stores it, and no form shows it.
    is_dormant: bool = False
    #: Raise Django's ValidationError for a text that the setting does not allow. Empty texts are not passed.
    validators: tuple[Callable[[str], None], ...] = ()

    @property
    def variable(self) -> str:
        """The environment variable that fixes this setting."""
        return f"{ENVIRONMENT_PREFIX}{self.name}"

    def in_words(self, value: Any) -> Any:
        """A stored choice as its label; any other value as it is."""
        return next((str(label) for choice, label in self.choices if choice == value), value)

    def unset(self) -> Value:
        """The value while no administrator has set one."""
        return self.default if self.derived is None else self.derived(settings.POSTERN)


def boolean(name: str, label: Text, *, default: bool, **more: Any) -> Preference:
    """A yes/no setting."""
    return Preference(name=name, kind=Kind.BOOLEAN, default=default, label=label, **more)


def integer(name: str, label: Text, default: int, limits: tuple[int, int], **more: Any) -> Preference:
    """A whole number between two limits, both included."""
    low, high = limits
    return Preference(name=name, kind=Kind.INTEGER, default=default, label=label, min_value=low, max_value=high, **more)


def string(name: str, label: Text, default: str | None, max_length: int, **more: Any) -> Preference:
    """A line of text. Default None: the setting can be null."""
    return Preference(name=name, kind=Kind.STRING, default=default, label=label, max_length=max_length, **more)
