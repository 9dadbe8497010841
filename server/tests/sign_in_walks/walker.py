"""Random walks, with each step compared with the oracle.

Each step of a state runs on the product once. Later walks through the same state use the stored result, so that many
walks cost little. States with equal keys are the same (`Product`). A wrong key would also lead to a disagreement,
because the oracle follows the whole walk.
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
    """Product and oracle disagree. `path`: the shortest known path to the disagreement."""

    def __init__(self, root: str, path: Sequence[Action], seed: int, why: str) -> None:
        self.path = tuple(path)
        steps = "\n".join(f"  {number}. {action}" for number, action in enumerate(path, start=1))
        super().__init__(f"seed {seed}, root {root!r}: {why} after\n{steps}")


@dataclass
class Walker:
    """The walks from one root. `most_runs`: maximum number of steps on the product. `verbs`: limits the actions to
    these, mostly in the first browser.
    """

    root: str
    seed: int
    most_runs: int
    verbs: frozenset[str] | None = None
    walks: int = 0
    steps: int = 0
    runs: int = 0
    #: Number of successes by verb and, for first factors, by whether a user is then signed in.
    reached: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._product = Product(self.root)
        tried = [number for number, action in enumerate(ACTIONS) if self._is_tried(action)]
        self._actions = [ACTIONS[number] for number in tried]
        self._cumulated = list(accumulate(1 if self.verbs else WEIGHTS[number] for number in tried))
        self._random = random.Random(self.seed)
        first = self._product.root
        self._states: dict[object, State] = {first.key: first}
        self._results: dict[object, dict[Action, tuple[Seen, object]]] = {}
        #: Actions with a stored result that lead to another state.
        self._moving: dict[object, list[Action]] = {}
        self._paths: set[int] = set()

    def _is_tried(self, action: Action) -> bool:
        if self.verbs is None:
            return True
        is_in_first = action.values[:1] != (1,) or action.verb == "passkey_alone"
        return action.verb in self.verbs and is_in_first

    def walk(self, number: int) -> None:
        """Walk until `number` different paths were taken. Raises Disagreement."""
        until = self.walks + number
        with self._product.running():
            while self.walks < until:
                self._walk_once()

    def follow(self, path: Sequence[Action]) -> None:
        """Follow this path. Raises Disagreement."""
        with self._product.running():
            why = self._why(path)
        if why:
            raise Disagreement(self.root, path, self.seed, why)

    def explore(self) -> None:
        """Walk until the product has run `most_runs` steps. Raises Disagreement."""
        with self._product.running():
            while self.runs < self.most_runs:
                self._walk_once()

    def _walk_once(self) -> None:
        key, path = self._product.root.key, []
        oracle = Oracle.at(self.root, self._product.root.outside.now_s)
        may_run = self.runs < self.most_runs
        for _ in range(self._random.randint(4, _MOST_STEPS)):
            action = self._chosen(key, may_run=may_run)
            if action is None:
                break
            number = self.runs, len(self._states)
            path.append(action)
            seen, key = self._step(key, action)
            if self.runs > number[0]:  # continue from a new state at once
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
        """A random action in this state; half of the time one with a stored result that leads to another state.

        None if `may_run` is False and no action of this state has a stored result.
        """
        moving = self._moving.get(key)
        if moving and self._random.random() < _MOVING_SHARE:
            return self._random.choice(moving)
        action = self._random.choices(self._actions, cum_weights=self._cumulated)[0]
        stored = self._results.get(key, {})
        if may_run or action in stored:
            return action
        return self._random.choice(tuple(stored)) if stored else None

    def _step(self, key: object, action: Action) -> tuple[Seen, object]:
        stored = self._results.setdefault(key, {})
        if action not in stored:
            self.runs += 1
            seen, after = self._product.run(self._states[key], action)
            self._states.setdefault(after.key, after)
            stored[action] = (seen, after.key)
            if after.key != key:
                self._moving.setdefault(key, []).append(action)
        return stored[action]

    @property
    def states(self) -> int:
        return len(self._states)

    def learned(self) -> list[tuple[int, Action, Seen, int]]:
        """The results of all steps on the product. States are numbered in the order of discovery."""
        numbers = {key: number for number, key in enumerate(self._states)}
        return [
            (numbers[key], action, seen, numbers[after])
            for key, stored in self._results.items()
            for action, (seen, after) in stored.items()
        ]

    def _why(self, path: Sequence[Action]) -> str:
        """The disagreement on this path, run on the product without stored results."""
        state = self._product.root
        oracle = Oracle.at(self.root, state.outside.now_s)
        for action in path:
            seen, state = self._product.run(state, action)
            why = _difference(oracle, action, seen)
            if why:
                return why
        return ""

    def _shortened(self, path: Sequence[Action]) -> list[Action]:
        """Remove steps while the rest still leads to a disagreement."""
        steps = list(path)
        at = len(steps) - 1
        while at >= 0:
            fewer = steps[:at] + steps[at + 1 :]
            if self._why(fewer):
                steps = fewer
            at -= 1
        return steps


def _difference(oracle: Oracle, action: Action, seen: Seen) -> str:
    done = oracle.does(action)
    if seen.done != done:
        return f"{action} {'succeeded' if seen.done else 'was refused'}"
    if seen.at != oracle.seen():
        return f"{seen.at} are signed in instead of {oracle.seen()}"
    if seen.ticket and not oracle.may_hold_ticket():
        return "a ticket of SSH is good"
    return ""
