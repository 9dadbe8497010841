"""What the other apps may ask about settings.

    preferences.get_int("SECURITY_LOGIN_LIMIT_COUNT")

Unknown names and wrong types are programming errors (KeyError, TypeError).
"""

from postern.apps.licence import facade as licence
from postern.apps.preferences import queries
from postern.apps.preferences.registry import Value


def get_int(name: str) -> int:
    """The value in force of an integer setting."""
    found = queries.value(name)
    if not isinstance(found, int) or isinstance(found, bool):
        raise TypeError(f"{name} is no integer setting")
    return found


def get_bool(name: str) -> bool:
    """The value in force of a yes/no setting."""
    found = queries.value(name)
    if not isinstance(found, bool):
        raise TypeError(f"{name} is no boolean setting")
    return found


def get_str(name: str) -> str:
    """The value in force of a text or choice setting; empty when none is set."""
    found = queries.value(name)
    return "" if found is None else str(found)


def get_many(*names: str) -> dict[str, Value]:
    """The values in force of several settings, with one query."""
    return queries.values(names)


def is_set(name: str) -> bool:
    """Whether an administrator has set the setting; otherwise its default is in force."""
    return queries.is_set(name)


def licence_is_valid() -> bool:
    """Whether the licensed features are open."""
    return licence.is_valid()
