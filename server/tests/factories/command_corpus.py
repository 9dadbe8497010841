"""The corpora of command lines: lines that must be refused (`bypass*.tsv`) and lines that must pass (`harmless*.tsv`).

`*_built_with.tsv` was there while the resolver was written. `*_kept_back.tsv` was written afterwards: its first score
is the honest one. `⏎` separates lines that are typed one after the other, `@BIN@` stands for the folder of the programs.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from postern.kernel.command_control.judge import Session, judge
from postern.kernel.command_control.rules import Rule, RuleKind, RuleSet
from postern.kernel.command_control.verdict import Action

FOLDER = Path(__file__).parents[1] / "corpora/command_control"
ENTER = " ⏎ "
BEYOND = "beyond"
#: A folder of programs, as it appears in lines that are only judged.
PROGRAMS = "/opt/tools/bin"


class Outcome(Enum):
    REFUSED = "refused"
    UNRESOLVED = "unresolved"
    PASSED = "passed"


@dataclass(frozen=True)
class Sample:
    kind: str  # the class
    rules: str
    #: Where a bypass is run to show that it is real: bash, zsh, dash, `file` (bash writes a file), or none.
    shown_in: str
    lines: tuple[str, ...]

    @property
    def title(self) -> str:
        return ENTER.join(self.lines)


def samples(name: str) -> list[Sample]:
    """The lines of a file, such as `bypass_built_with`."""
    found = []
    for row in (FOLDER / f"{name}.tsv").read_text(encoding="utf-8").splitlines():
        if name.startswith("bypass"):
            kind, rules, shown_in, typed = row.split("\t", 3)
        else:
            (kind, rules, typed), shown_in = row.split("\t", 2), "none"
        found.append(Sample(kind, rules, shown_in, tuple(typed.split(ENTER))))
    return found


def rule_sets(unresolved: Action = Action.ALLOW) -> dict[str, RuleSet]:
    rules: dict[str, list[Rule]] = {}
    for place, row in enumerate((FOLDER / "rules.tsv").read_text(encoding="utf-8").splitlines()):
        name, kind, action, priority, content = row.split("\t")
        rule = Rule(str(place), RuleKind(kind), content, int(priority), Action[action.upper()])
        rules.setdefault(name, []).append(rule)
    return {name: RuleSet(listed, unresolved=unresolved) for name, listed in rules.items()}


def outcome(sample: Sample, rules: RuleSet) -> Outcome:
    """What happens to the lines when they are typed in order: refused at any of them is refused."""
    session = Session.of_shell(sample.shown_in)
    is_unresolved = False
    for line in sample.lines:
        judged = judge(line.replace("@BIN@", PROGRAMS), session, rules)
        if judged.verdict.action is Action.DENY:
            return Outcome.REFUSED
        is_unresolved = is_unresolved or judged.verdict.unresolved is not None
        session = judged.session
    return Outcome.UNRESOLVED if is_unresolved else Outcome.PASSED


def scores(listed: Iterable[Sample]) -> dict[str, dict[Outcome, list[Sample]]]:
    """The samples by class and outcome."""
    sets = rule_sets()
    table: dict[str, dict[Outcome, list[Sample]]] = {}
    for sample in listed:
        row = table.setdefault(sample.kind, {kind: [] for kind in Outcome})
        row[outcome(sample, sets[sample.rules])].append(sample)
    return table
