"""Parsing the user name of an SSH sign-in: the person, and optionally system user and asset.

Two forms connect directly to a host:

- `USER@SYSTEMUSER@ASSET` or `USER@ASSET`, parsed from the right, because user names may contain `@`;
- `USER=SYSTEMUSER=ASSET` or `USER=ASSET`, parsed from the left. User names never contain `=`, and no tested tool
  (OpenSSH, scp, sftp, rsync, curl, PuTTY, dropbear, Ansible) gives that character a meaning inside a user name.

Only the control plane knows which users exist; it chooses among the readings (`read_login_name` of the sessions app).
"""

from typing import Final

from postern.contracts.access import LoginNameAnswer

AT: Final = "@"
EQUALS: Final = "="
MAX_CHARS: Final = 512
_PARTS_AFTER_USER: Final = 2


def readings(text: str) -> list[LoginNameAnswer]:
    """All readings, the reading with the longest user name first.

    The first reading with an existing user is valid. If there is none, the last reading is used, so that a failed
    attempt is counted for the name that was typed.
    """
    text = text[:MAX_CHARS]
    all_readings: list[LoginNameAnswer] = []
    username, equals, rest = text.partition(EQUALS)
    if equals and username:
        # Further `=` belong to the asset, so assets whose name contains `=` can be reached by `USER=SYSTEMUSER=ASSET`.
        all_readings.append(_reading(username, rest.split(EQUALS, _PARTS_AFTER_USER - 1)))
    if AT in text or not all_readings:
        parts = text.split(AT)
        shortest_user = max(1, len(parts) - _PARTS_AFTER_USER)
        all_readings += [
            _reading(AT.join(parts[:user_parts]), parts[user_parts:])
            for user_parts in range(len(parts), shortest_user - 1, -1)
        ]
    return all_readings


def _reading(username: str, rest: list[str]) -> LoginNameAnswer:
    match rest:
        case [system_user, asset]:
            return LoginNameAnswer(username=username, system_user=system_user, asset=asset)
        case [asset]:
            return LoginNameAnswer(username=username, asset=asset)
        case _:
            return LoginNameAnswer(username=username)
