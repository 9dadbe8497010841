"""The cached worlds of this process, and how they follow the tables.

A world is used only for exactly the version of the tree (`TreeVersion.seq`) that the reader's snapshot shows. If the
tables went on, the first reader brings the world up to date. Every write of a tree or its assets counts the version up
in its own transaction and lists the changed rows (`TreeChange`), so no write is missed, however another process made
it. Worlds are published only from snapshots, which see committed rows only: what a transaction may still roll back
never gets here.
"""

from collections.abc import Collection
from threading import Lock
from typing import Final
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections

from postern.apps.assets.models import TreeVersion
from postern.apps.perms.index.reading import caught_up, read_world
from postern.apps.perms.index.world import World
from postern.foundation.rest.memo import Memo

#: Organizations whose worlds are cached; the least recently used is evicted. An empty world takes a few kilobytes, and
#: 100,000 assets 15 MB, in however many organizations they are.
_MAX_ORGANIZATIONS: Final = 1_000

_worlds: Final[Memo[World]] = Memo(_MAX_ORGANIZATIONS)
#: One reader at a time makes a world; others that need the same world wait for it.
_making: Final = tuple(Lock() for _ in range(16))


class WentOn(Exception):
    """Another reader has brought a world beyond the caller's snapshot."""


def can_be_used() -> bool:
    """Whether the index may answer: not inside a transaction, which may have changed what it would answer from."""
    return not connections[DEFAULT_DB_ALIAS].in_atomic_block


def worlds_of(org_ids: Collection[UUID], *, alone: bool = False) -> dict[UUID, World]:
    """The worlds of these organizations, as the snapshot shows them. Must run inside a snapshot.

    Raises `WentOn`; with `alone`, a world that others have passed is read for this caller only.
    """
    versions = dict(TreeVersion.objects.filter(org_id__in=org_ids).order_by().values_list("org_id", "seq"))
    return {org_id: _world(org_id, versions[org_id], alone) for org_id in org_ids if org_id in versions}


def is_kept(org_id: UUID) -> bool:
    """Whether this process has a world of the organization."""
    return _worlds.find(org_id) is not None


def at_version(org_id: UUID, seq: int) -> World | None:
    """The organization's world, if this process has it at this version. A transaction that has changed the tree of the
    organization must not ask.
    """
    cached = _worlds.find(org_id)
    return cached if cached is not None and cached.seq == seq else None


def _world(org_id: UUID, seq: int, alone: bool) -> World:
    cached = _worlds.find(org_id)
    if cached is not None and cached.seq == seq:
        return cached
    with _making[hash(org_id) % len(_making)]:
        cached = _worlds.find(org_id)
        if cached is not None and cached.seq == seq:
            return cached
        if cached is not None and cached.seq > seq:
            if alone:
                return read_world(org_id, seq)
            raise WentOn
        if cached is None:
            _drop_deleted()
        world = read_world(org_id, seq) if cached is None else caught_up(cached, seq)
        _worlds.keep(org_id, world)
        return world


def _drop_deleted() -> None:
    """Drop the worlds of organizations that no longer exist. Another process may have deleted them."""
    held = {world.org_id for world in _worlds.values()}
    existing = set(TreeVersion.objects.filter(org_id__in=held).order_by().values_list("org_id", flat=True))
    for org_id in held - existing:
        _worlds.drop(org_id)
