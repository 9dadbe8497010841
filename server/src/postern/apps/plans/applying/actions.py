"""Plans and applies a file. Both carry out the same writes; a plan is rolled back at its end."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.orgs import facade as orgs
from postern.apps.plans.applying.errors import PlanBusy, StateMoved
from postern.apps.plans.applying.writers import WRITERS, RefusedAt, Writer, Writing, hold
from postern.apps.plans.files.checking import Checker, Wish
from postern.apps.plans.files.errors import START, FileRefused, Place, Problem
from postern.apps.plans.files.items import read_items
from postern.apps.plans.files.shapes import KINDS, VERSION
from postern.apps.plans.files.writing import write_file
from postern.apps.plans.states import differences
from postern.apps.plans.states.access import Access, Measure
from postern.apps.plans.states.differences import Change, plain
from postern.apps.plans.states.queries import State, read_state
from postern.apps.plans.states.references import References, missing, spell
from postern.foundation.caller.actor import Actor
from postern.foundation.caller.scope import OrgScope
from postern.foundation.database.snapshot import snapshot_or_own
from postern.foundation.database.trial import undone
from postern.foundation.database.write_transaction import write_transaction
from postern.foundation.rest import bulk, errors
from postern.foundation.rest.exchange import trail
from postern.kernel.clock import now

#: Objects that one call of the API changes, as in a list of objects: other writes wait for the transaction.
MOST_CHANGED: Final = bulk.MAX_ITEMS
#: How often the present state is read again because others changed it before their rows were locked.
_TURNS: Final = 3
#: In this order objects are deleted: what refers to others first.
_DELETED: Final = tuple(kind.name for kind in reversed(KINDS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a file changes. `digest` covers the present state, the changes and their effect on access."""

    organization: str
    changes: Sequence[Change]
    access: Access
    digest: str

    def shown(self) -> dict[str, Any]:
        """The plan as JSON."""
        return {
            "version": VERSION,
            "organization": self.organization,
            "digest": self.digest,
            "changes": [change.shown() for change in self.changes],
            "access": self.access.shown(),
        }


def read_wish(text: str) -> Checker:
    """The file, as far as it can be read, with its problems. Raises FileRefused when it is no YAML."""
    return Checker(read_items(text))


def plan(*, actor: Actor, org_id: UUID, checker: Checker, most: int | None = None) -> Plan:
    """What applying the file would do now, with all refusals. Writes nothing. Raises FileRefused.

    `most`: a file that changes more objects is refused.
    """
    return _carry_out(actor, org_id, checker, undone, expected="", most=most)


def apply(*, actor: Actor, org_id: UUID, checker: Checker, expected: str = "", most: int | None = None) -> Plan:
    """Carry out the file in one transaction, all or nothing. Without changes nothing is written.

    `expected`: the digest of the plan that was agreed on. `most`: as for `plan`. Raises FileRefused, and StateMoved when
    it is not this plan.
    """
    return _carry_out(actor, org_id, checker, write_transaction, expected=expected, most=most)


def export(*, actor: Actor, org_id: UUID) -> str:
    """A file that says what the organization has now. The export is on record."""
    with snapshot_or_own():
        state = read_state(org_id)
    values = state.values()
    rows = sum(len(objects) for objects in values.values())
    trail.record(
        trail.Export(
            actor=actor,
            scope=OrgScope(org_id),
            resource="AccessPlan",
            rows=rows,
            kind="export",
            file_format="yaml",
            query={},
        )
    )
    return write_file(orgs.name_of(org_id), values)


def _carry_out(
    actor: Actor,
    org_id: UUID,
    checker: Checker,
    transact: Callable[[], AbstractContextManager[None]],
    *,
    expected: str,
    most: int | None,
) -> Plan:
    with transact():
        writing, changes = _settled(actor, org_id, checker, most)
        measure = Measure(org_id, now(), changes)
        refused = list(_write(writing, changes))
        if refused:
            raise FileRefused(refused)
        access = measure.compared()
        made = Plan(
            organization=orgs.name_of(org_id),
            changes=changes,
            access=access,
            digest=_digest(writing.state, changes, access),
        )
        if expected and made.digest != expected:
            raise StateMoved(
                _("What this file would change is not what was planned: something has changed since. Plan again.")
            )
        if changes:
            _record(actor, org_id, made)
        return made


def _settled(actor: Actor, org_id: UUID, checker: Checker, most: int | None) -> tuple[Writing, list[Change]]:
    """The changes to a state that stays as it is until the transaction ends. Raises FileRefused, PlanBusy."""
    state, turns = read_state(org_id), _TURNS
    while turns:
        references = References(org_id)
        problems = [*checker.problems, *_problems(checker.wish, state, references)]
        if problems:
            raise FileRefused(problems)
        writing = Writing(actor, org_id, state, references)
        changes = differences.changes(checker.wish, state)
        _require_few(changes, most)
        hold(writing, changes)
        if not connection.features.has_select_for_update:  # the only writer already
            return writing, changes
        held = read_state(org_id)
        if held == state:
            return writing, changes
        state, turns = held, turns - 1
    raise PlanBusy(_("Somebody else is changing this object at the moment. Try again."))


def _require_few(changes: Sequence[Change], most: int | None) -> None:
    """Each rule of a filter counts, too: it is written by itself."""
    count = sum(1 + len(change.new.get("rules", ())) for change in changes)
    if most is None or count <= most:
        return
    message = _(
        "This file changes %(count)d objects, and one call at most %(most)d. Divide it, or let an operator apply it on the "
        "machine with “postern apply”."
    )
    raise FileRefused([Problem(START, message % {"count": count, "most": most})])


def _problems(wish: Wish, state: State, references: References) -> Iterator[Problem]:
    name = orgs.name_of(state.org_id)
    if wish.organization and wish.organization != name:
        message = _("This file is for the organization “%(other)s”, not for “%(name)s”.")
        yield Problem(wish.organization_place, message % {"other": wish.organization, "name": name})
    yield from missing(wish, state, references)
    spell(wish, references)
    yield from differences.impossible(wish, state)


def _write(writing: Writing, changes: Sequence[Change]) -> Iterator[Problem]:
    """Carry out the changes; yields what their actions refuse. What depends on something refused is left out."""
    failed: set[str] = set()
    for kind in KINDS:
        own = [change for change in changes if change.kind is kind and change.verb != "delete"]
        if not own or failed & {"nodes", "user_groups"}:
            continue
        problems = list(_write_kind(writing, WRITERS[kind.name], own))
        if problems:
            failed.add(kind.name)
        writing.references.forget(kind.name)
        yield from problems
    if failed:
        return
    for name in _DELETED:
        # Nodes from the leaves upwards.
        own = [change for change in changes if change.kind.name == name and change.verb == "delete"]
        for change in sorted(own, key=lambda change: (-change.name.count("/"), change.name)):
            yield from _tried(partial(WRITERS[name].delete, writing, change), change)


def _write_kind(writing: Writing, writer: Writer, changes: Sequence[Change]) -> Iterator[Problem]:
    created = [change for change in changes if change.verb == "create"]
    # Together, because that is quick; one after the other, if one of them is refused, to say which.
    together: list[Problem] = list(_tried(partial(writer.create, writing, created), created[0])) if created else []
    if together:
        for change in created:
            yield from _tried(partial(writer.create, writing, [change]), change)
    for change in changes:
        if change.verb == "update" and writer.update is not None:
            yield from _tried(partial(writer.update, writing, change), change)


def _tried(write: Callable[[], None], change: Change) -> Iterator[Problem]:
    """Carry out a write; a refusal becomes problems at the place of the field. Other errors propagate."""
    try:
        with transaction.atomic():
            write()
    except RefusedAt as error:
        yield from _refusal(error.refusal, change, change.place_of(error.place))
    except Exception as error:
        problems = list(_refusal(error, change, None))
        if not problems:  # not about this object, so every further object would fail as well
            raise
        yield from problems


def _refusal(error: Exception, change: Change, place: Place | None) -> Iterator[Problem]:
    """The problems of a refusal; none for an error that is no refusal of this object."""
    fields = getattr(error, "fields", None)
    field_errors = fields if isinstance(fields, dict) else errors.of_item(error) or {}
    for field, messages in field_errors.items():
        for message in messages if isinstance(messages, list) else [messages]:
            yield Problem(place or change.place_of(field), f"{change.name}: {message}")


def _digest(state: State, changes: Sequence[Change], access: Access) -> str:
    content = {
        "state": {
            kind: {name: [str(entry.id), plain(entry.values)] for name, entry in objects.items()}
            for kind, objects in state.kinds.items()
        },
        "changes": [{**change.shown(), "line": None} for change in changes],
        "access": access.shown(),
    }
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _record(actor: Actor, org_id: UUID, made: Plan) -> None:
    """One record for the whole, besides those of each change."""
    counts: dict[str, int] = {}
    for change in made.changes:
        counts[f"{change.kind.name}.{change.verb}"] = counts.get(f"{change.kind.name}.{change.verb}", 0) + 1
    audits.record(
        actor=actor,
        org_id=org_id,
        event=audits.Event.PLAN_APPLIED,
        object_type="AccessPlan",
        object_name=made.organization,
        action="update",
        new={
            "digest": made.digest,
            "changes": counts,
            "gained": made.access.gained.pairs,
            "lost": made.access.lost.pairs,
        },
    )
