"""Maps the claims of a provider: names by their paths, and the rules that give roles and groups.

Rule("realm_access.roles", "ops", role="Auditor")     # people with the value `ops` are system auditors
Rule("groups", "dba", group=<id>)                      # people with `dba` are members of this group
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from postern.apps.users.models import SystemRole
from postern.kernel.ids import parse_id
from postern.kernel.visible_text import is_disguise

#: Maximum number of values of one claim that are compared.
_MOST_VALUES: Final = 5_000
_RANKS: Final = (SystemRole.USER, SystemRole.AUDITOR, SystemRole.ADMIN)


@dataclass(frozen=True, slots=True)
class Rule:
    """People with `value` at the path `claim` get a system role, or become members of a group."""

    claim: str
    value: str
    role: str = ""
    group: UUID | None = None


@dataclass(frozen=True, slots=True)
class ProviderData:
    """The data of a person from a provider. `held`: the (claim, value) pairs of the rules that the person has."""

    username: str
    name: str
    email: str
    held: tuple[tuple[str, str], ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "username": self.username,
            "name": self.name,
            "email": self.email,
            "held": [list(pair) for pair in self.held],
        }


def provider_data_from(details: Mapping[str, Any]) -> ProviderData:
    """The inverse of `as_json`."""
    held = tuple((str(claim), str(value)) for claim, value in details.get("held", ()))
    return ProviderData(
        str(details.get("username", "")), str(details.get("name", "")), str(details.get("email", "")), held
    )


def rules_from(rows: Iterable[Mapping[str, Any]]) -> tuple[Rule, ...]:
    """The rules from a stored column."""
    return tuple(
        Rule(str(row["claim"]), str(row["value"]), str(row.get("role") or ""), parse_id(str(row.get("group") or "")))
        for row in rows
    )


def text_at(claims: Mapping[str, Any], path: str) -> str:
    """The text at a path as one line; empty without a text."""
    value = _at(claims, path) if path else None
    if not isinstance(value, str):
        return ""
    return " ".join("".join(" " if _is_hidden(char) else char for char in value[:1024]).split())


def held_by(claims: Mapping[str, Any], rules: Collection[Rule]) -> tuple[tuple[str, str], ...]:
    """The (claim, value) pairs of the rules that the person has. Values are compared exactly."""
    values = {claim: _texts(_at(claims, claim)) for claim in {rule.claim for rule in rules}}
    return tuple(sorted({(rule.claim, rule.value) for rule in rules if rule.value in values[rule.claim]}))


def role_by(rules: Collection[Rule], held: Collection[tuple[str, str]]) -> str | None:
    """The highest system role of the matching rules; `User` if none matches; None if no rule gives a role."""
    about_roles = [rule for rule in rules if rule.role]
    if not about_roles:
        return None
    roles = {rule.role for rule in about_roles if (rule.claim, rule.value) in held}
    return max((role for role in _RANKS if role in roles), key=_RANKS.index, default=SystemRole.USER)


def groups_by(rules: Collection[Rule], held: Collection[tuple[str, str]]) -> tuple[frozenset[UUID], frozenset[UUID]]:
    """All groups of the rules, and the groups among them of which the person is a member."""
    about = frozenset(rule.group for rule in rules if rule.group is not None)
    given = frozenset(rule.group for rule in rules if rule.group is not None and (rule.claim, rule.value) in held)
    return about, given


def _is_hidden(char: str) -> bool:
    return not char.isprintable() or is_disguise(char, lines=False)


def _at(claims: Mapping[str, Any], path: str) -> Any:
    """The value at a path. A claim whose full name is the path takes precedence, because names may contain dots."""
    if path in claims:
        return claims[path]
    value: Any = claims
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _texts(value: Any) -> frozenset[str]:
    """The texts of a claim: the text itself, the texts of a list, or the keys of an object."""
    if isinstance(value, str):
        return frozenset({value})
    items: Iterable[Any] = value if isinstance(value, list | Mapping) else ()
    return frozenset(item for item, _ in zip(items, range(_MOST_VALUES), strict=False) if isinstance(item, str))
