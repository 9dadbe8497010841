"""The way to a domain, through the domains that it is reached through. Pure functions."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

#: Most domains on one way. Each adds an SSH connection to every session, and its delay to every key.
MAX_STAGES: Final = 4

#: Domain → the domain that it is reached through.
Links = Mapping[UUID, UUID | None]


def way_to(domain_id: UUID, links: Links) -> list[UUID]:
    """The domains on the way, beginning with `domain_id`. A circle is cut off after `MAX_STAGES` + 1 domains."""
    way: list[UUID] = []
    step: UUID | None = domain_id
    while step is not None and len(way) <= MAX_STAGES:
        way.append(step)
        step = links.get(step)
    return way


def is_circular(domain_id: UUID, links: Links) -> bool:
    """Whether the domain is reached through itself."""
    seen: set[UUID] = set()
    step = links.get(domain_id)
    while step is not None and step not in seen:
        seen.add(step)
        step = links.get(step)
    return domain_id in seen


def longest_way_over(domain_id: UUID, links: Links) -> int:
    """The number of domains on the longest way that this domain is part of."""
    beyond = [other for other in links if domain_id in way_to(other, links)]
    return max(len(way_to(other, links)) for other in (*beyond, domain_id))
