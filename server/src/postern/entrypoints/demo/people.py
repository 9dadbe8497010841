"""The people of the demo and their passwords, which are generated for each data folder."""

import json
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from postern.foundation.machine.secret_files import read_or_create
from postern.kernel.secret import Secret

#: Without letters and digits that look alike, because people type these passwords.
_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"
_GROUPS: Final = 4
_GROUP_CHARS: Final = 4


@dataclass(frozen=True, slots=True)
class Person:
    """A person of the demo; `part` is the description in the banner."""

    username: str
    name: str
    part: str
    groups: tuple[str, ...] = ()
    role: str = "User"
    org_role: str = "User"


OPERATIONS: Final = "运维组"
PLATFORM: Final = "Platform engineers"

PEOPLE: Final = (
    Person("lin", "林晓", "operations; full access to the demo host", (OPERATIONS,)),
    Person("wang", "王建国", "operations; has the live session", (OPERATIONS,)),
    Person("maria", "Maria Keller", "platform engineer; production through its node", (PLATFORM,)),
    Person("tom", "Tom Okafor", "contractor; shell without file transfer, one permission has expired", (PLATFORM,)),
    Person("zhao", "赵敏", "auditor; watches, replays and searches, changes nothing", (), "Auditor"),
)
#: The people of the second organization (see `branch`).
BRANCH_PEOPLE: Final = (
    Person("chen", "陈静", "administrator of the Shanghai branch, nowhere else", org_role="Admin"),
    Person("sofia", "Sofia Rossi", "works at the Shanghai branch; sees nothing of headquarters"),
    Person("xu", "徐磊", "auditor of the Shanghai branch", org_role="Auditor"),
)
EVERYBODY: Final = (*PEOPLE, *BRANCH_PEOPLE)
ADMIN: Final = "admin"


def passwords(file: Path) -> dict[str, Secret]:
    """User name → password of every person of the demo and of the administrator. Stored in `file` with mode 0600."""

    def make() -> str:
        return json.dumps({username: _made_up() for username in (ADMIN, *(person.username for person in EVERYBODY))})

    stored_passwords: dict[str, str] = json.loads(read_or_create(file, make))
    return {username: Secret(password) for username, password in stored_passwords.items()}


def _made_up() -> str:
    groups = ("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP_CHARS)) for _ in range(_GROUPS))
    return "-".join(groups)
