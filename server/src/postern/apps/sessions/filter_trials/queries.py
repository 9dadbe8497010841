"""Reads stored commands, newest first, and judges them with rules that are being tried.

All work is bounded by counts, so that one call takes about a second on a slow machine; the caller continues with the
next call where this call ended.
"""

import base64
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Q

from postern.apps.acls.facade import ACTION_NAMES, Trial
from postern.apps.sessions.commands.models import Command
from postern.contracts.enums import CommandKind
from postern.kernel import clock
from postern.kernel.command_control.verdict import Action
from postern.kernel.ids import parse_id

PERIOD: Final = timedelta(days=30)
#: Commands of the organization that one call looks at, and how many of those it judges.
_MAX_READ: Final = 5_000
_MAX_JUDGED: Final = 2_000
#: Steps of the kernel in one call. An ordinary line takes some hundred.
_MAX_STEPS: Final = 800_000
_MAX_EXAMPLES: Final = 50

#: What a filter would have judged: lines of a shell. Not the input of full-screen programs, which is no command line.
_KINDS: Final = (CommandKind.ECHO.value, CommandKind.TYPED.value, CommandKind.EXEC.value)

#: A position in the list of commands: the command at it was judged already.
Place = tuple[datetime, UUID]


@dataclass(frozen=True, slots=True)
class Example:
    """A command that the rules would not let through."""

    command: Command
    action: Action
    rule: str
    reason: str


@dataclass(slots=True)
class Outcome:
    """What the rules would have done with the commands of one call. `next_place`: None when all were looked at."""

    since: datetime
    judged: int = 0
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ACTION_NAMES.values(), 0))
    unresolved: int = 0
    users: set[str] = field(default_factory=set)
    examples: list[Example] = field(default_factory=list)
    next_place: Place | None = None


def judge_commands(trial: Trial, *, org_id: UUID, system_user_ids: Collection[UUID], before: Place | None) -> Outcome:
    """Judge the newest commands of these system users before a place, each line by itself.

    Equal lines are judged once. What earlier lines of a session set (variables, aliases) is unknown here.
    """
    since = clock.now() - PERIOD
    outcome = Outcome(since)
    places = _places(org_id, since, before)
    wanted = [pk for pk, _at, system_user_id, kind in places if system_user_id in system_user_ids and kind in _KINDS]
    commands = Command.objects.in_bulk(wanted[:_MAX_JUDGED])
    later = set(wanted[_MAX_JUDGED:])
    verdicts: dict[str, tuple[Action, str, str]] = {}
    steps = 0
    last: Place | None = None
    for pk, at, _system_user_id, _kind in places:
        command = commands.get(pk)
        if pk in later:
            break
        if command is not None:
            if command.input not in verdicts:
                if steps > _MAX_STEPS:
                    break
                verdict, spent = trial.verdict(command.input)
                steps += spent
                reason = verdict.unresolved.value if verdict.unresolved else ""
                verdicts[command.input] = (verdict.action, verdict.rule or "", reason)
            _count(outcome, command, *verdicts[command.input])
        last = (at, pk)
    is_whole = last == ((places[-1][1], places[-1][0]) if places else None)
    if not (is_whole and len(places) < _MAX_READ):
        outcome.next_place = last or before
    return outcome


def _places(org_id: UUID, since: datetime, before: Place | None) -> list[Any]:
    """Newest commands of the organization as (id, time, system user, kind), read through the index by time."""
    rows = Command.objects.filter(org_id=org_id, at__gte=since)
    if before is not None:
        at, pk = before
        rows = rows.filter(at__lte=at).exclude(Q(at=at) & Q(pk__gte=pk))
    columns = rows.order_by("-at", "-pk").values_list("pk", "at", "session__system_user_id", "kind")
    return list(columns[:_MAX_READ])


def _count(outcome: Outcome, command: Command, action: Action, rule: str, reason: str) -> None:
    outcome.judged += 1
    outcome.counts[ACTION_NAMES[action]] += 1
    outcome.unresolved += bool(reason)
    if action is Action.ALLOW:
        return
    outcome.users.add(command.user)
    if len(outcome.examples) < _MAX_EXAMPLES:
        outcome.examples.append(Example(command, action, rule, reason))


def text_of(place: Place) -> str:
    """A place as the API gives it."""
    at, pk = place
    return base64.urlsafe_b64encode(f"{at.isoformat()} {pk}".encode()).decode()


def place_of(text: str) -> Place | None:
    """The place in a text of `text_of`; None for any other text."""
    try:
        at, _blank, pk = base64.urlsafe_b64decode(text.encode()).decode().partition(" ")
        instant, key = datetime.fromisoformat(at), parse_id(pk)
    except ValueError:
        return None
    return (instant, key) if key is not None and instant.tzinfo is not None else None
