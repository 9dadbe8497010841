"""Command filters: the score of the corpora by class and by level, and the cost of a line with few and with many rules.

The programs of the corpora are invented, so that nothing here depends on what is installed.
"""

import sys
import time
from pathlib import Path

SERVER = Path(__file__).resolve().parents[1] / "server"
sys.path[:0] = [str(SERVER / "src"), str(SERVER / "tests")]

from factories.command_corpus import (  # noqa: E402 - the path comes first
    BEYOND,
    Outcome,
    Sample,
    outcome,
    rule_sets,
    samples,
    scores,
)
from postern.kernel.command_control.judge import Session, judge  # noqa: E402 - the path comes first
from postern.kernel.command_control.rules import Rule, RuleKind, RuleSet  # noqa: E402 - the path comes first
from postern.kernel.command_control.verdict import Action  # noqa: E402 - the path comes first

HALVES = ("built_with", "kept_back")
GOAL_REFUSED_STRICT = 0.95
GOAL_FALSE_ALARMS = 0.01
ROUNDS = 5


def share(part: int, whole: int) -> str:
    return f"{part:3}/{whole:3} ({100 * part / whole:5.1f} %)"


def print_scores(name: str, listed: list[Sample]) -> None:
    print(f"\n{name}: class, lines, refused, unresolved, passed")
    for kind, row in sorted(scores(listed).items()):
        counts = [len(row[outcome_]) for outcome_ in Outcome]
        print(f"  {kind:14} {sum(counts):4} {counts[0]:4} {counts[1]:4} {counts[2]:4}")


def print_levels(bypasses: list[Sample], harmless: list[Sample]) -> None:
    sets = rule_sets()
    print("\nlevel                               bypasses refused         harmless refused")
    for level, counted in (
        ("1, unresolved lines pass", {Outcome.REFUSED}),
        ("1, strict: unresolved lines refused", {Outcome.REFUSED, Outcome.UNRESOLVED}),
    ):
        refused = sum(outcome(sample, sets[sample.rules]) in counted for sample in bypasses)
        alarms = sum(outcome(sample, sets[sample.rules]) in counted for sample in harmless)
        print(f"{level:36}{share(refused, len(bypasses))}       {share(alarms, len(harmless))}")
    beyond = sum(sample.kind == BEYOND for sample in bypasses)
    print(
        f"({beyond} of the bypasses are beyond the library: other programs with the same effect, scripts of the host)"
    )
    print(
        f"goals: strict at least {GOAL_REFUSED_STRICT:.0%} of bypasses, at most {GOAL_FALSE_ALARMS:.0%} of harmless lines"
    )


def rules(count: int) -> RuleSet:
    half = count // 2
    commands = [Rule(f"c{at}", RuleKind.COMMAND, f"denied{at} -r", 50, Action.DENY) for at in range(count - half)]
    expressions = [Rule(f"e{at}", RuleKind.REGEX, rf"\bforbidden{at}\b.*-[rf]+", 40, Action.DENY) for at in range(half)]
    return RuleSet([*commands, *expressions])


def print_costs(listed: list[Sample]) -> None:
    print()
    for count in (5, 500):
        start = time.perf_counter()
        compiled = rules(count)
        compile_ms = (time.perf_counter() - start) * 1000
        times_us: list[float] = []
        for _round in range(ROUNDS):
            times_us = []
            for sample in listed:
                session = Session()
                for line in sample.lines:
                    before = time.perf_counter()
                    judged = judge(line, session, compiled)
                    times_us.append((time.perf_counter() - before) * 1e6)
                    session = judged.session
        times_us.sort()
        p50, p99 = times_us[len(times_us) // 2], times_us[int(len(times_us) * 0.99)]
        print(f"{count:4} rules: compiled in {compile_ms:6.1f} ms; a line p50 {p50:5.0f} us, p99 {p99:6.0f} us")


def main() -> None:
    for half in HALVES:
        print_scores(f"bypass lines, {half}", samples(f"bypass_{half}"))
        print_scores(f"harmless lines, {half}", samples(f"harmless_{half}"))
    bypasses = [sample for half in HALVES for sample in samples(f"bypass_{half}")]
    harmless = [sample for half in HALVES for sample in samples(f"harmless_{half}")]
    print_levels(bypasses, harmless)
    print_costs(bypasses + harmless)


if __name__ == "__main__":
    main()
