"""100,000 random sequences of sign-in steps: none leads to a session without a required factor (K27: an unfinished
sign-in belongs to one person).

`bench/sign_in_walks.py` runs longer.
"""

from collections.abc import Callable

import pytest
from django.db import transaction

from sign_in_walks.actions import ANN, BOB, ROOTS, Action
from sign_in_walks.defects import DEFECTS, Patch, planted, trust_of_another_user
from sign_in_walks.walker import Disagreement, Walker

SEED = 20_261_126
#: Number of walks from each of the five roots.
WALKS = 20_000
#: Number of steps that run on the product, from each root.
RUNS = 500
#: Limit of steps for a planted defect. If the limit is reached, the search continues with the next seed.
RUNS_FOR_DEFECT = 120
RUNS_TO_REPEAT = 60
SEEDS_FOR_DEFECT = range(SEED, SEED + 12)
#: Maximum number of steps of a shortened path.
LONGEST = 6
WAYS = {
    "bare": {"password", "provider"},
    "forced": {"password", "enrol"},
    "app": {"code", "recovery_code"},
    "passkey": {"passkey", "passkey_alone"},
    "both": {"code", "passkey"},
}
pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


@pytest.mark.parametrize("root", ROOTS)
def test_k27_no_walk_leads_to_a_session_that_lacks_a_factor(root: str) -> None:
    walker = Walker(root, SEED, RUNS)
    walker.walk(WALKS)
    assert walker.walks == WALKS
    assert walker.runs == RUNS
    assert set(walker.reached) >= WAYS[root], (walker.reached, "walks that sign nobody in show nothing")


def test_walks_of_the_same_seed_are_equal() -> None:
    """Steps must not depend on secrets and ids, which differ between runs."""
    traces = []
    for _run in range(2):
        with transaction.atomic():
            walker = Walker("both", SEED, RUNS_TO_REPEAT)
            walker.explore()
            traces.append((walker.walks, walker.steps, walker.reached, walker.learned()))
            transaction.set_rollback(True)
    assert traces[0] == traces[1]
    assert len(traces[0][-1]) == RUNS_TO_REPEAT


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.__name__.strip("_"))
def test_walks_find_a_planted_defect(defect: Callable[[], list[Patch]]) -> None:
    disagreement = first_disagreement(defect)
    assert disagreement is not None
    assert len(disagreement.path) <= LONGEST
    assert "seed " in str(disagreement)


STOLEN_TRUST = (
    Action("password", (0, ANN, 0)),
    Action("code", (0, ANN, True)),
    Action("claim_trust_for_bob"),
    Action("password", (0, BOB, 0)),
)


def test_walk_with_the_trust_of_another_user_is_a_disagreement() -> None:
    """The random search rarely finds these four consecutive steps."""
    walker = Walker("both", SEED, 0)
    walker.follow(STOLEN_TRUST)
    with planted(trust_of_another_user), pytest.raises(Disagreement, match="signed in"):
        walker.follow(STOLEN_TRUST)


def first_disagreement(defect: Callable[[], list[Patch]]) -> Disagreement | None:
    root, verbs = DEFECTS[defect]
    for seed in SEEDS_FOR_DEFECT:
        with transaction.atomic():
            walker = Walker(root, seed, RUNS_FOR_DEFECT, verbs)
            try:
                with planted(defect):
                    walker.explore()
            except Disagreement as disagreement:
                return disagreement
            finally:
                transaction.set_rollback(True)
    return None
