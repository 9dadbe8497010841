"""Solves puzzles as the console does, by trying one number after the other."""

import hashlib
from typing import Any


def solved(puzzle: dict[str, Any]) -> dict[str, Any]:
    """What a browser sends for this puzzle: `{"token", "number"}`."""
    salt, key = bytes.fromhex(puzzle["salt"]), bytes.fromhex(puzzle["key"])
    for number in range(puzzle["most"]):
        if hashlib.pbkdf2_hmac("sha256", str(number).encode(), salt, puzzle["rounds"], len(key)) == key:
            return {"token": puzzle["token"], "number": number}
    raise AssertionError("the puzzle has no solution")


def post_solving(client: Any, path: str, body: dict[str, Any], **extra: Any) -> Any:
    """Send a request, and send it again with the solution if the answer is a puzzle, as the console does."""
    answer = client.post(path, body, **extra)
    if answer.status_code == 400 and answer.json().get("error") == "puzzle_required":
        answer = client.post(path, {**body, "puzzle": solved(answer.json()["puzzle"])}, **extra)
    return answer
