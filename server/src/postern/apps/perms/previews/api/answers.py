"""A preview as the API shows it."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from postern.apps.applications.models import Application
from postern.apps.assets.models import Asset
from postern.apps.perms.previews.changes import AssetAfter, Changes, NewPerson
from postern.apps.perms.previews.difference import Delta, Difference, Figures, Tally
from postern.apps.perms.previews.previewing import OrgPreview
from postern.apps.users.models import User
from postern.apps.vault.models import SystemUser

#: Usernames that have every right on a host.
_PRIVILEGED: Final = frozenset({"root", "administrator"})
#: An order of hosts is cut into pages per organization.
_BY_NAME: Final = "hostname"


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of each list is shown, and for which person only."""

    offset: int
    limit: int
    user_id: UUID | None = None


def answer(previews: Sequence[OrgPreview], changes: Changes, window: Window) -> dict[str, Any]:
    """Figures of everything, and one page of each list. New people and assets of the changes come first."""
    assets = [preview.assets for preview in previews]
    applications = [preview.applications for preview in previews]
    return {
        "assets": _figures(assets),
        "applications": _figures(applications),
        "people": _people(assets, applications, changes.new_people, window),
        "asset_list": _assets(previews, changes.assets, window),
        "application_list": _applications(previews, window),
    }


def _figures(several: Sequence[Difference]) -> dict[str, Any]:
    system_users: dict[UUID, tuple[Tally, Tally]] = {}
    for preview in several:
        system_users |= preview.system_users  # a system user belongs to one organization
    rows = SystemUser.objects.filter(pk__in=system_users).order_by("-priority", "name", "pk")
    return {
        "gained": _shown(_sum(several, "gained")),
        "lost": _shown(_sum(several, "lost")),
        "system_users": [
            {
                "id": str(row.pk),
                "name": row.name,
                "username": row.username,
                "protocol": row.protocol,
                "is_privileged": row.username.lower() in _PRIVILEGED,
                "gained": _shown(system_users[row.pk][0].figures),
                "lost": _shown(system_users[row.pk][1].figures),
            }
            for row in rows
        ],
    }


def _sum(several: Sequence[Difference], side: str) -> Figures:
    """Assets and pairs belong to one organization; a person may be in several."""
    if len(several) == 1:
        tally: Tally = getattr(several[0], side)
        return tally.figures
    people = {person for difference in several for person, delta in difference.people.items() if getattr(delta, side)}
    figures = [getattr(difference, side).figures for difference in several]
    return Figures(len(people), sum(part.targets for part in figures), sum(part.pairs for part in figures))


def _shown(figures: Figures) -> dict[str, int]:
    return {"people": figures.people, "targets": figures.targets, "pairs": figures.pairs}


def _people(
    assets: Sequence[Difference],
    applications: Sequence[Difference],
    new_people: Mapping[UUID, NewPerson],
    window: Window,
) -> dict[str, Any]:
    deltas: dict[UUID, list[list[Delta]]] = {}
    for place, several in enumerate((assets, applications)):
        for difference in several:
            for person, delta in difference.people.items():
                deltas.setdefault(person, [[], []])[place].append(delta)
    new = sorted((new_people[key].name, new_people[key].username, str(key), key) for key in deltas if key in new_people)
    page = [(key, name, username) for name, username, _text, key in new[window.offset : window.offset + window.limit]]
    first, room = max(window.offset - len(new), 0), window.limit - len(page)
    rows = User.objects.filter(pk__in=deltas).order_by("name", "username")
    page += rows.values_list("pk", "name", "username")[first : first + room]

    def number(deltas: Iterable[Delta], side: str) -> int:
        return sum(len(getattr(delta, side)) for delta in deltas)

    return {
        "count": len(deltas),
        "results": [
            {
                "id": None if key in new_people else str(key),
                "name": name,
                "username": username,
                "gained_assets": number(deltas[key][0], "gained"),
                "lost_assets": number(deltas[key][0], "lost"),
                "gained_applications": number(deltas[key][1], "gained"),
                "lost_applications": number(deltas[key][1], "lost"),
            }
            for key, name, username in page
        ],
    }


def _of(difference: Difference, window: Window) -> Delta:
    """The targets to list: of everybody, or of one person."""
    if window.user_id is None:
        return Delta(difference.gained.targets, difference.lost.targets)
    return difference.people.get(window.user_id, Delta())


def _assets(previews: Sequence[OrgPreview], changed: Mapping[UUID, AssetAfter], window: Window) -> dict[str, Any]:
    count = 0
    keys: dict[UUID, tuple[bool, bool]] = {}
    for preview in previews:
        delta = _of(preview.assets, window)
        listed = delta.gained | delta.lost
        start = max(window.offset - count, 0)
        room = window.limit - len(keys)
        if listed and room > 0 and start < len(listed):
            for number in preview.world.orders[_BY_NAME].page(listed, start, room):
                keys[preview.world.key(number)] = (number in delta.gained, number in delta.lost)
        count += len(listed)
    names = dict(Asset.objects.filter(pk__in=keys).values_list("pk", "hostname"))
    new = {key: after.new for key in keys if (after := changed.get(key)) is not None and after.new is not None}
    return {"count": count, "results": _rows(keys, names | new, new)}


def _applications(previews: Sequence[OrgPreview], window: Window) -> dict[str, Any]:
    marks: dict[UUID, tuple[bool, bool]] = {}
    for preview in previews:
        delta = _of(preview.applications, window)
        for key, number in preview.numbers.items():
            if number in delta.gained or number in delta.lost:
                marks[key] = (number in delta.gained, number in delta.lost)
    rows = Application.objects.filter(pk__in=marks).order_by("name", "pk").values_list("pk", "name", "category")
    return {
        "count": len(marks),
        "results": [
            {"id": str(key), "name": name, "category": category, "gained": marks[key][0], "lost": marks[key][1]}
            for key, name, category in rows[window.offset : window.offset + window.limit]
        ],
    }


def _rows(
    marks: Mapping[UUID, tuple[bool, bool]], names: Mapping[UUID, str], new: Container[UUID] = ()
) -> list[dict[str, Any]]:
    return [
        {"id": None if key in new else str(key), "name": names[key], "gained": gained, "lost": lost}
        for key, (gained, lost) in marks.items()
        if key in names
    ]
