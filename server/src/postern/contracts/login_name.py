"""How the user name of an SSH sign-in is read: who, and perhaps as which system user and where to.

Two forms lead straight to a host:

- `USER@SYSTEMUSER@ASSET` or `USER@ASSET`, read from the right, because names of people may contain `@`;
- `USER=SYSTEMUSER=ASSET` or `USER=ASSET`, read from the left. No person's name contains `=`, and no tool that was tried
  (OpenSSH, scp, sftp, rsync, curl, PuTTY, dropbear, Ansible) gives that character a meaning inside a user name.

Only the control plane knows which people exist; it chooses among the readings (`read_login_name` of the sessions app).
"""

from typing import Final

from postern.contracts.access import LoginNameAnswer

AT: Final = "@"
EQUALS: Final = "="
MAX_CHARS: Final = 512
_PARTS_AFTER_USER: Final = 2


def readings(text: str) -> list[LoginNameAnswer]:
    """Every reading, the one with the longest user name first.

    The first one whose person exists counts. When none exists it is the last one, so that a stranger's attempt is
    counted for the name that they typed.
    """
    text = text[:MAX_CHARS]
    found: list[LoginNameAnswer] = []
    username, equals, rest = text.partition(EQUALS)
    if equals and username:
        # Further `=` belong to the asset: `USER=SYSTEMUSER=ASSET` reaches one whose name contains it.
        found.append(_reading(username, rest.split(EQUALS, _PARTS_AFTER_USER - 1)))
    if AT in text or not found:
        parts = text.split(AT)
        least = max(1, len(parts) - _PARTS_AFTER_USER)
        found += [_reading(AT.join(parts[:taken]), parts[taken:]) for taken in range(len(parts), least - 1, -1)]
    return found


def _reading(username: str, rest: list[str]) -> LoginNameAnswer:
    match rest:
        case [system_user, asset]:
            return LoginNameAnswer(username=username, system_user=system_user, asset=asset)
        case [asset]:
            return LoginNameAnswer(username=username, asset=asset)
        case _:
            return LoginNameAnswer(username=username)
