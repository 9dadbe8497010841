"""A value that must never be printed, logged, compared or serialized by accident."""

from typing import Any, Final, NoReturn

MASK: Final = "******"


class Secret:
    """Holds a secret string. Accidental output gives `******` or fails.

    Call `reveal()` only where the value is used. Secrets are compared and hashed by identity and cannot be pickled, so
    they cannot end up in a task message or a cache key.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The secret itself."""
        return self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Secret({MASK})"

    def __str__(self) -> str:
        return MASK

    def __format__(self, spec: str) -> str:
        return MASK

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Secret cannot be pickled")

    def __deepcopy__(self, memo: dict[int, Any]) -> "Secret":
        return self
