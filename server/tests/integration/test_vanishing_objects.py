"""An object that is deleted during a call on it: the answer is 404, never a 5xx, and the object is not
inserted again.
"""

import pytest

from endpoints import HTTP
from writes.case import Write
from writes.table import AREAS
from writes.trial import Trial, prepared, undone
from writes.vanishing import is_back, moments, reading, victims
from writes.world import World

pytestmark = [pytest.mark.timeout(600), pytest.mark.django_db, pytest.mark.stricter_on_postgresql]

READS = {endpoint.path for endpoint in HTTP if endpoint.method == "GET"}


def _calls(area: str) -> list[Write]:
    """Every write that names an object in its path, and the reads of the same paths."""
    writes = [write for write in AREAS[area] if write.at]
    reads = {write.path: reading(write) for write in writes if write.path in READS}
    return [*writes, *reads.values()]


def _changes_the_object(write: Write) -> bool:
    """Whether the call changes the object itself, not something of it, such as the lock of its sign-in name."""
    return write.method in {"PUT", "PATCH"} and write.path.endswith("<pk>/") and bool(write.told)


def _faults(trial: Trial, known: set[str]) -> list[str]:
    faults = []
    for victim in victims(trial):
        with undone(), moments(victim) as seen:
            trial.call()
        for number in seen.open_to_others:
            with undone(), moments(victim, number) as watching:
                answer = trial.call()
                if not watching.vanished:
                    continue
                label = f"{trial.write}: {type(victim).__name__} vanishes before statement {number}"
                known.add(str(trial.write))
                if answer.status_code >= 500:
                    faults.append(f"{label}: {answer.status_code}")
                elif answer.status_code < 400 and is_back(victim):
                    faults.append(f"{label}: it is back ({answer.status_code})")
                elif answer.status_code < 300 and _changes_the_object(trial.write):
                    faults.append(f"{label}: {answer.status_code}, as if it had been changed")
    return faults


@pytest.mark.parametrize("area", list(AREAS))
def test_object_deleted_during_a_call_is_not_found(area: str, world: World) -> None:
    faults: list[str] = []
    tried: set[str] = set()
    calls = _calls(area)
    for call in calls:
        with undone():
            faults += _faults(prepared(call, world), tried)
    assert not faults, "\n".join(faults)
    assert tried or not calls
