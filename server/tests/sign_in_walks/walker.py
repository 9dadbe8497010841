"""Random walks: each step is compared with the oracle.

A step in a state is run on the product once. Walks that come through the same state afterwards use what was seen there,
so that many walks cost little. States are the same if their keys are (`Product`). A wrong key would show, too: the
oracle knows the whole walk.
"""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from sign_in_walks.actions import ACTIONS, WEIGHTS, Action
from sign_in_walks.oracle import Oracle
from sign_in_walks.product import Product, Seen, State

_MOST_STEPS = 16
_MOVING_SHARE = 0.5


class Disagreement(AssertionError):
    """`path`: the shortest found that shows it."""

    def __init__(self, root: str, path: Sequence[Action], seed: int, why: str) -> None:
        self.path = tuple(path)
        steps = "\n".join(f"  {number}. {action}" for number, action in enumerate(path, start=1))
        super().__init__(f"seed {seed}, root {root!r}: {why} after\n{steps}")


@dataclass
class Walker:
    """The walks from one root. `most_runs`: how many steps may be run on the product. `verbs`: only these are tried, and
    mostly in the first browser.
    """

    root: str
    seed: int
    most_runs: int
    verbs: frozenset[str] | None = None
    walks: int = 0
    steps: int = 0
    runs: int = 0
    #: What succeeded in the walks, by verb and, for first factors, by whether somebody is then signed in.
    reached: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._product = Product(self.root)
        tried = [number for number, action in enumerate(ACTIONS) if self._is_tried(action)]
        self._actions = [ACTIONS[number] for number in tried]
        self._cumulated = list(accumulate(1 if self.verbs else WEIGHTS[number] for number in tried))
        self._random = random.Random(self.seed)
        first = self._product.root
        self._states: dict[object, State] = {first.key: first}
        self._known: dict[object, dict[Action, tuple[Seen, object]]] = {}
        #: The known actions that lead to another state.
        self._moving: dict[object, list[Action]] = {}
        self._paths: set[int] = set()

    def _is_tried(self, action: Action) -> bool:
        if self.verbs is None:
            return True
        is_in_first = action.values[:1] != (1,) or action.verb == "passkey_alone"
        return action.verb in self.verbs and is_in_first

    def walk(self, number: int) -> None:
        """Walk until so many different paths were taken. Raises Disagreement."""
        until = self.walks + number
        with self._product.running():
            while self.walks < until:
                self._walk_once()

    def follow(self, path: Sequence[Action]) -> None:
        """Walk this path. Raises Disagreement."""
        with self._product.running():
            why = self._why(path)
        if why:
            raise Disagreement(self.root, path, self.seed, why)

    def explore(self) -> None:
        """Walk until the product has run as many steps as it may. Raises Disagreement."""
        with self._product.running():
            while self.runs < self.most_runs:
                self._walk_once()

    def _walk_once(self) -> None:
        key, path = self._product.root.key, []
        oracle = Oracle.at(self.root, self._product.root.held.now_s)
        may_run = self.runs < self.most_runs
        for _ in range(self._random.randint(4, _MOST_STEPS)):
            action = self._chosen(key, may_run=may_run)
            if action is None:
                break
            number = self.runs, len(self._states)
            path.append(action)
            seen, key = self._step(key, action)
            if self.runs > number[0]:  # a new state is followed further at once
                may_run = self.runs < self.most_runs and len(self._states) > number[1]
            why = _difference(oracle, action, seen)
            if why:
                shortest = self._shortened(path)
                raise Disagreement(self.root, shortest, self.seed, self._why(shortest) or why)
            if seen.done:
                self.reached[f"{action.verb}{'' if any(seen.at) else ', not signed in'}"] += 1
        self.steps += len(path)
        hashed = hash(tuple(path))
        if path and hashed not in self._paths:
            self._paths.add(hashed)
            self.walks += 1

    def _chosen(self, key: object, *, may_run: bool) -> Action | None:
        """An action in this state; half of the time a known one that leads on. None: nothing is known here."""
        moving = self._moving.get(key)
        if moving and self._random.random() < _MOVING_SHARE:
            return self._random.choice(moving)
        action = self._random.choices(self._actions, cum_weights=self._cumulated)[0]
        known = self._known.get(key, {})
        if may_run or action in known:
            return action
        return self._random.choice(tuple(known)) if known else None

    def _step(self, key: object, action: Action) -> tuple[Seen, object]:
        known = self._known.setdefault(key, {})
        if action not in known:
            self.runs += 1
            seen, after = self._product.run(self._states[key], action)
            self._states.setdefault(after.key, after)
            known[action] = (seen, after.key)
            if after.key != key:
                self._moving.setdefault(key, []).append(action)
        return known[action]

    @property
    def states(self) -> int:
        return len(self._states)

    def learned(self) -> list[tuple[int, Action, Seen, int]]:
        """What each step did that was run: states are numbered as they were found."""
        numbers = {key: number for number, key in enumerate(self._states)}
        return [
            (numbers[key], action, seen, numbers[after])
            for key, known in self._known.items()
            for action, (seen, after) in known.items()
        ]

    def _why(self, path: Sequence[Action]) -> str:
        """What the oracle says against this path, walked on the product without a memory."""
        state = self._product.root
        oracle = Oracle.at(self.root, state.held.now_s)
        for action in path:
            seen, state = self._product.run(state, action)
            why = _difference(oracle, action, seen)
            if why:
                return why
        return ""

    def _shortened(self, path: Sequence[Action]) -> list[Action]:
        """Leave steps out as long as the rest still shows a disagreement."""
        kept = list(path)
        at = len(kept) - 1
        while at >= 0:
            fewer = kept[:at] + kept[at + 1 :]
            if self._why(fewer):
                kept = fewer
            at -= 1
        return kept


def _difference(oracle: Oracle, action: Action, seen: Seen) -> str:
    done = oracle.does(action)
    if seen.done != done:
        return f"{action} {'succeeded' if seen.done else 'was refused'}"
    if seen.at != oracle.seen():
        return f"{seen.at} are signed in instead of {oracle.seen()}"
    if seen.ticket and not oracle.may_hold_ticket():
        return "a ticket of SSH is good"
    return ""
