"""Converts an entry of the directory to a person."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from postern.apps.directory.source import Source
from postern.apps.users import facade as users
from postern.apps.users.models import username_key
from postern.integrations.directory.messages import Entry

#: Permanent ids of an entry that are text; the id of Active Directory is binary.
_TEXT_IDS: Final = ("entryUUID", "ipaUniqueID", "nsUniqueId")
_AD_ID: Final = "objectGUID"
_AD_FLAGS: Final = "userAccountControl"
_AD_DISABLED: Final = 2
_LOCK: Final = "nsAccountLock"
_MEMBER_OF: Final = "memberOf"
_MAX: Final = {"username": 128, "name": 128, "email": 128, "phone": 20, "wechat": 128, "comment": 1024}
_MAX_GROUPS: Final = 50


@dataclass(frozen=True, slots=True)
class Person:
    """A person of the directory. `uid` empty: the entry has no permanent id, so it cannot be imported."""

    uid: str
    dn: str
    username: str
    name: str
    email: str
    groups: tuple[str, ...] = ()
    is_enabled: bool = True
    more: Mapping[str, str] = field(default_factory=dict)

    @property
    def username_key(self) -> str:
        return username_key(self.username)

    @property
    def digest(self) -> str:
        """Hash of all values that were read."""
        values = [
            self.dn,
            self.username,
            self.name,
            self.email,
            self.groups,
            self.is_enabled,
            sorted(self.more.items()),
        ]
        return hashlib.sha256(json.dumps(values).encode()).hexdigest()


def wanted_attributes(source: Source) -> tuple[str, ...]:
    """The attributes of a person that a search requests."""
    return (*sorted(set(source.attributes.values())), *_TEXT_IDS, _AD_ID, _AD_FLAGS, _LOCK, _MEMBER_OF)


def person_of(entry: Entry, source: Source) -> Person | None:
    """The person that an entry describes; None without a login name."""
    values = {name: _clean(entry.text(attribute))[: _MAX[name]] for name, attribute in source.attributes.items()}
    username = values.pop("username", "")
    if not username:
        return None
    name = values.pop("name", "") or username
    email = users.usable_mail(values.pop("email", ""))
    groups = tuple(_clean(common_name(dn)) for dn in entry.texts(_MEMBER_OF)[:_MAX_GROUPS])
    return Person(
        _uid(entry), entry.dn.replace("\x00", "")[:2048], username, name, email, groups, _is_enabled(entry), values
    )


def common_name(dn: str) -> str:
    """The value of the first part of a DN, for display."""
    return dn.split(",", 1)[0].partition("=")[2].strip()[:128] or dn[:128]


def dn_key(dn: str) -> str:
    """The form of a DN for comparison: case and blanks around commas are ignored."""
    return ",".join(part.strip() for part in dn.casefold().split(","))


def _uid(entry: Entry) -> str:
    binary = entry.attributes.get(_AD_ID.lower(), ())
    if binary and len(binary[0]) == 16:
        return str(UUID(bytes_le=binary[0]))
    text_ids = (_clean(entry.text(name)).lower() for name in _TEXT_IDS)
    return next((uid for uid in text_ids if 0 < len(uid) <= 64), "")


def _is_enabled(entry: Entry) -> bool:
    flags = entry.text(_AD_FLAGS)
    if flags.isascii() and flags.isdigit() and len(flags) < 12 and int(flags) & _AD_DISABLED:
        return False
    return entry.text(_LOCK).lower() != "true"


def _clean(text: str) -> str:
    """`text` without control characters, which names and databases do not allow."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
