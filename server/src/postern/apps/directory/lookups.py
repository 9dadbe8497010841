"""Searches in a directory: one person by login name, everybody, and membership in groups."""

from collections.abc import Mapping
from typing import Final

from postern.apps.directory.people import Person, dn_key, person_of, wanted_attributes
from postern.apps.directory.source import Source, every_group
from postern.foundation.network import outbound
from postern.integrations.directory import ber
from postern.integrations.directory.client import Conversation, Search, converse
from postern.integrations.directory.filters import equals
from postern.integrations.directory.messages import Entry

_MEMBERS: Final = ("member", "uniqueMember", "memberUid")
_NO_ATTRIBUTES: Final = ("1.1",)
#: Groups that are looked at to find out whether one person is in a group through others.
_MAX_CLIMBED: Final = 200
_OR: Final = 0xA1


async def find(conversation: Conversation, source: Source, username: str) -> list[tuple[Entry, Person]]:
    """The people with this login name: none, one, or two when it is ambiguous."""
    found: list[tuple[Entry, Person]] = []
    for base in source.bases:
        search = Search(base, source.filter.encoded(username), wanted_attributes(source))
        for entry in await conversation.first(search, 2):
            person = person_of(entry, source)
            if person is not None and all(dn_key(entry.dn) != dn_key(known.dn) for known, _person in found):
                found.append((entry, person))
    return found[:2]


async def is_member(conversation: Conversation, source: Source, dn: str, username: str) -> bool:
    """Whether this person is in a group of the settings, also through other groups. True without a group base."""
    if not source.group_base:
        return True
    roots = set(await _roots(conversation, source))
    seen: set[str] = set()
    waiting = [(dn, username)]
    while waiting and len(seen) < _MAX_CLIMBED:
        member, name = waiting.pop()
        tests = [equals("member", member), equals("uniqueMember", member)]
        if name:
            tests.append(equals("memberUid", name))
        search = Search(source.group_base, ber.element(_OR, *tests), _NO_ATTRIBUTES)
        async for group in conversation.entries(search):
            key = dn_key(group.dn)
            if key in roots:
                return True
            if key not in seen:
                seen.add(key)
                waiting.append((group.dn, ""))
    return False


async def everybody(conversation: Conversation, source: Source) -> list[Person]:
    """All people that the settings admit, in the order in which the directory has them."""
    members = await _members(conversation, source) if source.group_base else None
    people: dict[str, Person] = {}
    for base in source.bases:
        async for entry in conversation.entries(Search(base, source.filter.encoded(None), wanted_attributes(source))):
            person = person_of(entry, source)
            if person is None or (members is not None and not _is_in(members, person)):
                continue
            people.setdefault(dn_key(person.dn), person)
    return list(people.values())


def read_all(source: Source, *, limit_s: float) -> list[Person]:
    """Connect and read everybody. Blocks for `limit_s` at most. Raises DirectoryFailed."""

    async def talk(conversation: Conversation) -> list[Person]:
        await conversation.bind()
        return await everybody(conversation, source)

    return converse(source.server, talk, check=outbound.check_directory_server, limit_s=limit_s)


def _is_in(members: frozenset[str], person: Person) -> bool:
    return dn_key(person.dn) in members or f"uid:{person.username}" in members


async def _roots(conversation: Conversation, source: Source) -> list[str]:
    search = Search(source.group_base, source.group_filter.encoded(None), _NO_ATTRIBUTES)
    return [dn_key(group.dn) async for group in conversation.entries(search)]


async def _members(conversation: Conversation, source: Source) -> frozenset[str]:
    """DNs, and login names of POSIX groups, of everybody in the groups of the settings, also through other groups."""
    roots = await _roots(conversation, source)
    groups: dict[str, list[str]] = {}
    search = Search(source.group_base, every_group().encoded(None), _MEMBERS)
    async for group in conversation.entries(search):
        direct = [dn_key(dn) for name in _MEMBERS[:2] for dn in group.texts(name)]
        groups[dn_key(group.dn)] = direct + [f"uid:{name}" for name in group.texts(_MEMBERS[2])]
    return _closed(roots, groups)


def _closed(roots: list[str], groups: Mapping[str, list[str]]) -> frozenset[str]:
    """Everybody below these groups. Groups may contain each other in circles."""
    seen: set[str] = set()
    waiting = list(roots)
    while waiting:
        for member in groups.get(waiting.pop(), ()):
            if member not in seen:
                seen.add(member)
                if member in groups:
                    waiting.append(member)
    return frozenset(seen)
