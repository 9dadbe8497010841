"""Kinds of jobs. Each declaration makes a kind.

    CHECK = JobKind(
        name="nodes.check",
        label=_("Check the node tree"),
        argument=NoArgument,
        run=check,
        right=Right.ORG_ADMIN,
        on_lost=OnLost.RERUN,
        time_limit=timedelta(minutes=30),
        joins=True,
        outcomes={"whole": _("The tree is in order.")},
    )

`run` gets a `JobRun` and the argument, and returns an `Outcome`. It calls `job.check()` between its steps, at least each
second, and writes to the database only inside `job.write()` or in the `effect` of its outcome. The composition root
collects the kinds (`KINDS`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from typing import Any, Final, Generic, TypeVar

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from postern.apps.jobs.engine.errors import UnknownKind
from postern.apps.jobs.engine.job_run import JobRun
from postern.apps.jobs.engine.models import Job
from postern.foundation.phrases import said, sentence_from
from postern.foundation.provided import Provided
from postern.foundation.rest.rights import Right, RightsOf
from postern.kernel.sentences import Sentence

Argument = TypeVar("Argument", bound=msgspec.Struct)

#: Outcomes that every kind has. The values of a sentence are those of `Outcome.values`.
ENGINE_OUTCOMES: Final[Mapping[str, Promise]] = {
    "cancelled": _("%(by)s cancelled it."),
    "time_limit": _("It took longer than %(minutes)d minutes and was ended."),
    "lost": _("The worker was lost while it ran. It is not known which parts were done."),
    "lost_often": _("The worker was lost %(times)d times while it ran, so it is not tried again."),
    "log_lost": _("Its log could not be written, so it was ended. Is there room on the disk of the worker?"),
    "fault": _("An error in Postern ended it. The worker's log says more under the id of this job."),
    "kind_unknown": _("This version of Postern does not know this kind of job."),
}


class OnLost(Enum):
    """What happens with a job whose worker was lost."""

    #: It starts again: repeating it does no harm.
    RERUN = "rerun"
    #: It ends as interrupted: repeating it could do something twice.
    STOP = "stop"


class NoArgument(msgspec.Struct, frozen=True):
    """The argument of kinds that need none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a job ended. `code` is a key of the kind's `outcomes`, `values` are those of its sentence.

    `effect` is called in the transaction that stores the final state: both are committed, or neither.
    """

    code: str
    succeeded: bool = True
    values: Mapping[str, str | int | Sentence] = field(default_factory=dict)
    effect: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobKind(Generic[Argument]):
    """A kind of job.

    `name` is stored in rows and never changes. `right` is needed to start a job, to cancel it, and to read the logs of
    other people's; `readers` may read them too. `at_once` limits how many run at the same time in the whole
    installation, `at_once_in_org` in one organization, `at_once_of_one` those of one person: for kinds that everybody may
    start, so that nobody keeps the others waiting. With `joins`, a request that equals an open job gets that job.
    `settle` is called with the job in the transaction that stores the final state, however the job ends.

    `kept`: retention of finished jobs, if it differs from the default. `forgetting` is called with the jobs that are
    too old, in the transaction that deletes them.
    """

    name: str
    label: Promise
    argument: type[Argument]
    run: Callable[[JobRun, Argument], Outcome]
    right: Right
    on_lost: OnLost
    time_limit: timedelta
    outcomes: Mapping[str, Promise]
    at_once: int = 2
    at_once_in_org: int = 1
    at_once_of_one: int | None = None
    joins: bool = False
    settle: Callable[[Job], None] | None = None
    readers: RightsOf | None = None
    kept: Callable[[], timedelta] | None = None
    forgetting: Callable[[Sequence[Job]], None] | None = None

    def sentence(self, code: str, values: Mapping[str, Any]) -> str:
        """The outcome in the language of the request; "" for an unknown code."""
        words = self.outcomes.get(code) or ENGINE_OUTCOMES.get(code)
        if not words:
            return ""
        # A value may be a sentence of its own, which is stored with its code.
        shown = {
            name: said(sentence_from(value)) if isinstance(value, Mapping) else value for name, value in values.items()
        }
        return str(words) % shown


class Kinds:
    """The kinds of this installation, by name. Raises ValueError when two have the same name."""

    def __init__(self, *kinds: JobKind[Any]) -> None:
        self._by_name = {kind.name: kind for kind in kinds}
        if len(self._by_name) != len(kinds):
            raise ValueError("two kinds of jobs have the same name")

    def __iter__(self) -> Any:
        return iter(self._by_name.values())

    def get(self, name: str) -> JobKind[Any] | None:
        return self._by_name.get(name)

    def named(self, name: str) -> JobKind[Any]:
        """The kind of this name. Raises UnknownKind."""
        kind = self._by_name.get(name)
        if kind is None:
            raise UnknownKind(f"there is no kind of job {name!r}")
        return kind


KINDS: Final = Provided[Kinds]("the kinds of jobs")
