"""The type of a declaration. Form, validation, public settings, environment override and reference are derived from it."""

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

#: Example: the environment variable POSTERN_SET_SITE_URL fixes the setting SITE_URL.
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
    #: A JSON object. Stored and audited as text. The API returns the object, and accepts both forms.
    MAPPING = "mapping"
    #: An ordered subset of the choices. Stored and audited as comma-separated text. The API returns a list, and accepts both.
    ORDER = "order"


class Effect(StrEnum):
    """When a change takes effect. Every process reads it within two seconds."""

    AT_ONCE = "at_once"
    NEXT_SIGN_IN = "next_sign_in"
    NEXT_SESSION = "next_session"
    NEXT_PASSWORD = "next_password"  # noqa: S105 - not a secret: at the next change of a password


EFFECT_LABELS: Final[Mapping[Effect, Text]] = {
    Effect.AT_ONCE: _("at once"),
    Effect.NEXT_SIGN_IN: _("at the next sign-in"),
    Effect.NEXT_SESSION: _("for new sessions"),
    Effect.NEXT_PASSWORD: _("when a password is set"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """One setting. `category` None: no form has it. `is_public`: readable before sign-in.

    `is_secret`: write-only, stored encrypted, and masked in audit records. An empty value keeps the stored secret.
    """

    name: str
    kind: Kind
    default: Value
    label: Text
    #: Computes the default from the settings of the installation; replaces `default`.
    derived: Callable[[Settings], Value] | None = None
    #: Value in use while the stored value is invalid. For settings whose default is less strict.
    if_unusable: Value = None
    category: Category | None = None
    #: Heading of a group of fields in the form.
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
    #: The contract has the setting, but this version does not use it: the API stores it, and no form shows it.
    is_dormant: bool = False
    #: Raise Django's ValidationError for an invalid text. They are not called for empty texts.
    validators: tuple[Callable[[str], None], ...] = ()

    @property
    def variable(self) -> str:
        """The environment variable that fixes this setting."""
        return f"{ENVIRONMENT_PREFIX}{self.name}"

    def in_words(self, value: Any) -> Any:
        """The label of a stored choice; any other value unchanged."""
        return next((str(label) for choice, label in self.choices if choice == value), value)

    def unset(self) -> Value:
        """The value of a setting that no administrator has set."""
        return self.default if self.derived is None else self.derived(settings.POSTERN)


def boolean(name: str, label: Text, *, default: bool, **more: Any) -> Preference:
    """A yes/no setting."""
    return Preference(name=name, kind=Kind.BOOLEAN, default=default, label=label, **more)


def integer(name: str, label: Text, default: int, limits: tuple[int, int], **more: Any) -> Preference:
    """A whole number between two limits, inclusive."""
    low, high = limits
    return Preference(name=name, kind=Kind.INTEGER, default=default, label=label, min_value=low, max_value=high, **more)


def string(name: str, label: Text, default: str | None, max_length: int, **more: Any) -> Preference:
    """A line of text. Default None: the setting can be null."""
    return Preference(name=name, kind=Kind.STRING, default=default, label=label, max_length=max_length, **more)
