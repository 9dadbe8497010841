"""The fields of SSH messages, keys and certificates (RFC 4251, section 5)."""

import struct


class FieldsProblem(ValueError):
    """The bytes are not the fields that they should be."""


class FieldReader:
    """Reads fields one after the other. Raises FieldsProblem when the data is too short, or too long at the end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def is_over(self) -> bool:
        return self._at == len(self._data)

    @property
    def consumed(self) -> bytes:
        """The data that was read so far."""
        return self._data[: self._at]

    def take(self, count: int) -> bytes:
        piece = self._data[self._at : self._at + count]
        if len(piece) != count:
            raise FieldsProblem("too short")
        self._at += count
        return piece

    def byte(self) -> int:
        return self.take(1)[0]

    def number(self) -> int:
        """An unsigned number of four bytes."""
        return int.from_bytes(self.take(4), "big")

    def long_number(self) -> int:
        """An unsigned number of eight bytes."""
        return int.from_bytes(self.take(8), "big")

    def string(self) -> bytes:
        return self.take(self.number())

    def end(self) -> None:
        if not self.is_over:
            raise FieldsProblem("too long")


def string_field(value: bytes) -> bytes:
    """A string with its length before it."""
    return struct.pack(">I", len(value)) + value
