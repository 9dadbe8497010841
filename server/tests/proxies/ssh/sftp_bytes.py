"""SFTP packets by hand, and what an inspector needs of a session."""

from typing import Any

from postern.contracts.enums import Actions


class Audit:
    """What an inspector needs of a session."""

    language = "en"

    def __init__(self, actions: Actions = Actions.ALL) -> None:
        self.actions = actions
        self.transfers: list[tuple[Any, ...]] = []
        self.refused: list[tuple[str, str]] = []
        self.holds: list[str] = []
        self.held = 0
        #: What each event gets; 0 when the session ends for want of room.
        self.room = 100

    def may(self, actions: Actions) -> bool:
        return bool(self.actions & actions)

    def refusal(self, actions: Actions) -> str:
        return f"no {actions.name}"

    def hold(self, text: str, events: int = 1) -> int:
        self.holds.append(text)
        self.held += events * self.room
        return events * self.room

    def release(self, held: int) -> None:
        self.held -= held

    def file_transferred(self, direction: Any, operation: str, path: str, **more: Any) -> None:
        self.held -= more.get("held", 0)
        self.transfers.append((operation, path, more.get("size", 0), more.get("success", True)))

    def request_refused(self, request: str, detail: str = "") -> None:
        self.refused.append((request, detail))


def packet(kind: int, *parts: int | bytes) -> bytes:
    body = b"".join(
        part.to_bytes(4, "big") if isinstance(part, int) else len(part).to_bytes(4, "big") + part for part in parts
    )
    return (len(body) + 1).to_bytes(4, "big") + bytes([kind]) + body
