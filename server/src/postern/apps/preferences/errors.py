"""Refused changes of settings."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from django.utils.translation import gettext as _

from postern.kernel.errors import Conflict, PosternError


class FixedByEnvironment(PosternError):
    """The environment of the installation sets the value. `fields` maps names to messages for the console."""

    code: ClassVar[str] = "invalid"

    def __init__(self, variables: Mapping[str, str]) -> None:
        texts = {
            name: _("The environment variable %(variable)s sets this value. Change it there.") % {"variable": variable}
            for name, variable in variables.items()
        }
        super().__init__(" ".join(texts.values()))
        self.fields = {name: [text] for name, text in texts.items()}


class ChangedMeanwhile(Conflict):
    """Another person changed the same settings since the form was loaded."""

    code: ClassVar[str] = "settings_changed"

    def __init__(self, by: str, labels: Sequence[str]) -> None:
        super().__init__(
            _("%(by)s has changed these settings since you opened the form: %(names)s. Load the form again.")
            % {"by": by, "names": ", ".join(labels)}
        )


class NothingToUndo(PosternError):
    """The record has no earlier values that can be restored."""

    code: ClassVar[str] = "nothing_to_undo"


class ConflictingSettings(PosternError):
    """Values that are valid alone contradict each other. `fields` maps names to messages for the console."""

    code: ClassVar[str] = "invalid"

    def __init__(self, fields: Mapping[str, str]) -> None:
        super().__init__(" ".join(fields.values()))
        self.fields = {name: [text] for name, text in fields.items()}


class SecretRequired(PosternError):
    """The stored secret belongs to another server or account. The message says what to enter."""

    code: ClassVar[str] = "secret_wanted"


class PasswordRequired(SecretRequired):
    """The stored password belongs to another mail server or account."""

    code: ClassVar[str] = "password_wanted"
