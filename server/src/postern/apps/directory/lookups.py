"""Searches in a directory: one person by login name, everybody, and membership in groups."""

from typing import Final

from postern.apps.directory.people import Person, dn_key, person_of, wanted_attributes
from postern.apps.directory.source import Source, every_group
from postern.apps.directory.staging import Staged
from postern.foundation.network import outbound
from postern.integrations.directory import ber
from postern.integrations.directory.client import Conversation, Search, converse
from postern.integrations.directory.filters import equals
from postern.integrations.directory.messages import Entry

_MEMBERS: Final = ("member", "uniqueMember", "memberUid")
_NO_ATTRIBUTES: Final = ("1.1",)
#: Maximum number of groups that a check of one nested membership reads.
_MAX_PARENT_GROUPS: Final = 200
_OR: Final = 0xA1
#: Prefix of a login name, to distinguish it from a DN.
_BY_NAME: Final = "uid:"


async def find(conversation: Conversation, source: Source, username: str) -> list[tuple[Entry, Person]]:
    """The people with this login name. Returns at most two, which is enough to see that the name is ambiguous."""
    matches: list[tuple[Entry, Person]] = []
    for base in source.bases:
        search = Search(base, source.filter.encoded(username), wanted_attributes(source))
        for entry in await conversation.first(search, 2):
            person = person_of(entry, source)
            if person is not None and all(dn_key(entry.dn) != dn_key(match.dn) for match, _person in matches):
                matches.append((entry, person))
    return matches[:2]


async def is_member(conversation: Conversation, source: Source, dn: str, username: str) -> bool:
    """Whether this person is a direct or nested member of a group of the settings. True without a group base."""
    if not source.group_base:
        return True
    roots = set(await _roots(conversation, source))
    seen: set[str] = set()
    waiting = [(dn, username)]
    while waiting and len(seen) < _MAX_PARENT_GROUPS:
        member, name = waiting.pop()
        tests = [equals("member", member), equals("uniqueMember", member)]
        if name:
            tests.append(equals("memberUid", name))
        search = Search(source.group_base, ber.element(_OR, *tests), _NO_ATTRIBUTES)
        # Read all results, because the loop sends the next search on the same connection.
        for group in [group async for group in conversation.entries(search)]:
            key = dn_key(group.dn)
            if key in roots:
                return True
            if key not in seen:
                seen.add(key)
                waiting.append((group.dn, ""))
    return False


async def stage_everybody(conversation: Conversation, source: Source, people: Staged) -> None:
    """Add all people whom the settings admit to `people`, in the order of the directory."""
    if source.group_base:
        await _stage_members(conversation, source, people)
    for base in source.bases:
        async for entry in conversation.entries(Search(base, source.filter.encoded(None), wanted_attributes(source))):
            person = person_of(entry, source)
            if person is not None and (not source.group_base or _is_in(people, person)):
                people.add(person)


def read_all(source: Source, people: Staged, *, limit_s: float) -> None:
    """Connect and read everybody. Blocks for `limit_s` at most. Raises DirectoryFailed."""

    async def talk(conversation: Conversation) -> None:
        await conversation.bind()
        await stage_everybody(conversation, source, people)

    converse(source.server, talk, check=outbound.check_directory_server, limit_s=limit_s)


def _is_in(people: Staged, person: Person) -> bool:
    return people.is_member(dn_key(person.dn), f"{_BY_NAME}{person.username}")


async def _roots(conversation: Conversation, source: Source) -> list[str]:
    search = Search(source.group_base, source.group_filter.encoded(None), _NO_ATTRIBUTES)
    return [dn_key(group.dn) async for group in conversation.entries(search)]


async def _stage_members(conversation: Conversation, source: Source, people: Staged) -> None:
    """Store the direct and nested members of the groups of the settings, by DN, or by login name in POSIX groups."""
    roots = await _roots(conversation, source)
    search = Search(source.group_base, every_group().encoded(None), _MEMBERS)
    async for group in conversation.entries(search):
        key = dn_key(group.dn)
        for name in _MEMBERS[:2]:
            people.add_group(key, map(dn_key, group.texts(name)))
        people.add_group(key, (f"{_BY_NAME}{name}" for name in group.texts(_MEMBERS[2])))
    people.close_groups(roots)
