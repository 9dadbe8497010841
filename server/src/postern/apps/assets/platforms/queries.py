"""Reads of platforms: what uses them. Platforms are shared, so the assets of all organizations count."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.db.models import Count

from postern.apps.assets.platforms.models import Platform
from postern.foundation.caller import identity

#: A refused deletion names this many assets.
_EXAMPLES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformUsage:
    """How many assets use a platform, and the first of them as `hostname (organization)`."""

    count: int
    examples: tuple[str, ...]


def usage_of(platform: Platform) -> PlatformUsage:
    rows = platform.assets.order_by("hostname", "pk").values_list("hostname", "org_id")
    return PlatformUsage(
        count=platform.assets.count(),
        examples=tuple(f"{hostname} ({identity.org_name(org_id)})" for hostname, org_id in rows[:_EXAMPLES]),
    )


def asset_counts(platforms: Iterable[Platform]) -> dict[int, int]:
    """Number of assets of each platform, in all organizations."""
    rows = Platform.objects.filter(pk__in=[platform.pk for platform in platforms]).order_by()
    return dict(rows.annotate(number=Count("assets")).values_list("pk", "number"))
