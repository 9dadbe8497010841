"""SFTP packets built by hand, and the part of a session that an inspector uses."""

from typing import Any, Self

from postern.contracts.enums import Actions, TransferDirection
from postern.kernel.ids import new_id
from postern.proxies.core.sessions.session_log import Begun


class Audit:
    """The part of a session that an inspector uses."""

    language = "en"

    def __init__(self, actions: Actions = Actions.ALL) -> None:
        self.actions = actions
        self.transfers: list[tuple[Any, ...]] = []
        self.refused: list[tuple[str, str]] = []
        self.holds: list[str] = []
        self.told: list[str] = []
        self.held = 0
        #: Transfers that have begun and not ended.
        self.open: list[Begun] = []
        #: Space granted to each event; 0 if the session ends for lack of space.
        self.room = 100

    @property
    def log(self) -> Self:
        return self

    def may(self, actions: Actions) -> bool:
        return bool(self.actions & actions)

    def refusal(self, actions: Actions) -> str:
        return f"no {actions.name}"

    def tell_user(self, sentence: str) -> None:
        self.told.append(sentence)

    def begin_transfer(self, direction: TransferDirection, operation: str, path: str) -> Begun | None:
        self.holds.append(path)
        if not self.room:
            return None
        self.held += self.room
        self.open.append(Begun(new_id(), direction, operation, path, self.room))
        return self.open[-1]

    def end_transfer(
        self, begun: Begun, *, size: int = 0, success: bool = True, detail: str = "", sha256: str = ""
    ) -> None:
        self.open.remove(begun)
        self.held -= begun.held
        self.transfers.append((begun.operation, begun.path, size, success))

    def request_refused(self, request: str, detail: str = "") -> None:
        self.refused.append((request, detail))


def packet(kind: int, *parts: int | bytes) -> bytes:
    body = b"".join(
        part.to_bytes(4, "big") if isinstance(part, int) else len(part).to_bytes(4, "big") + part for part in parts
    )
    return (len(body) + 1).to_bytes(4, "big") + bytes([kind]) + body
