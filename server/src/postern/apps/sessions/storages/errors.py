"""Expected failures of storages, each with a stable code."""

from collections.abc import Sequence

from postern.kernel.errors import PosternError


class FieldRefused(PosternError):
    """A field of a storage is refused. `fields` maps API names to texts."""

    code = "invalid"

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.fields = {field: [message]}


class KeysRequired(PosternError):
    """The keys have to be entered again, because they would be sent to another host than the one they were entered for."""

    code = "invalid"

    def __init__(self, names: Sequence[str], message: str) -> None:
        super().__init__(message)
        self.fields = {"meta": {name: [message] for name in names}}


class StorageKept(PosternError):
    """The storage cannot be changed or deleted. The contract's clients read `msg`."""

    code = "storage_kept"

    @property
    def fields(self) -> dict[str, object]:
        return {"msg": self.message, "detail": self.message, "code": self.code}
