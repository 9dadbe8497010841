"""Nonsense of 16 KB costs a bounded number of steps and a bounded time, whatever it is made of."""

import time

import pytest

from postern.kernel.command_control.judge import Session, judge
from postern.kernel.command_control.limits import MAX_LINE_CHARACTERS, MAX_STEPS
from postern.kernel.command_control.rules import Rule, RuleKind, RuleSet
from postern.kernel.command_control.verdict import Action, Reason

RULES = RuleSet(
    [
        Rule("command", RuleKind.COMMAND, "wipeit", 50, Action.DENY),
        Rule("expression", RuleKind.REGEX, r"(w+i+)+peit$", 40, Action.CONFIRM),
    ],
    unresolved=Action.DENY,
)
#: Far above the largest value seen (0.3 s), far below that of quadratic work.
MOST_SECONDS = 6.0
PIECES = [
    "a|", "a;", "a&", "a&&", "(", ")", "{", "}", "{a,b}", "{a,", "$(", "${", "${x:-", "`", "'", '"', "\\", "\\\n", "$((", "<<a ",
    "<<", "<<<", "<(", ">", "> a ", "!!", "!a ", "^a^", "!#", "$'", "$'\\x", "*", "?", "[", "[a", "@(", "a=", "a=$a$a;", "a=(", "\n", "\t",
    "if ", "case a in ", "for a in b;do ", "while ", "a(){", "function a ", "[[ ", "# ", "~", "sudo ", "env ", "sh -c ", "eval ",
    "xargs ", "find -exec ", "echo a|sh;", "alias a='a a';a;", "alias a='b b';alias b='a a'\na\n", "f(){ f;f; };f\n", "f(){ f|f& };f;",
    "cat<<a\n", "${a//a/aa}", "${a%%*}", "\ue000", "\ue003", "\ud800", "\x00", "é", "字", "$", "=", "-", "--", "%", ",", "..", "{1..9}",
    "((", "))", "]]", "a[", "a[1]=b ", "$[", "${!", "${#", "${a:0:", "python3 -c '", "perl -e 'system(", "\x1b[", "!$", "!?a?", "\r",
    '"$(', '"${', '$("', "`\\`", "case ", "esac ", "for a in {1..60};do ", "while read a;do ", "{ ", "until a;do ",
]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES, ids=ascii)
def test_16_kb_of_a_pattern_costs_bounded_steps(piece: str) -> None:
    line = (piece * (MAX_LINE_CHARACTERS // len(piece) + 1))[:MAX_LINE_CHARACTERS]
    session = Session()
    start = time.process_time()
    for typed in (line, line[: MAX_LINE_CHARACTERS // 2] + " wipeit"):
        judged = judge(typed, session, RULES)
        # The step that exceeds the limit is counted before its work, which is not done.
        assert judged.steps <= MAX_STEPS + MAX_LINE_CHARACTERS * 8
        session = judged.session
    assert time.process_time() - start < MOST_SECONDS


def test_a_line_beyond_16_kb_is_unresolved() -> None:
    judged = judge("echo " + "a" * MAX_LINE_CHARACTERS, Session(), RULES)
    assert judged.verdict.action is Action.DENY
    assert judged.verdict.unresolved is Reason.TOO_LONG


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("true;" * 500, Reason.TOO_MANY_COMMANDS),
        ("echo $(" * 20 + "true" + ")" * 20, Reason.TOO_DEEP),
        ("echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", Reason.TOO_MANY_WORDS),
        ("printf '%s\\n' {1..60} {1..60} {1..60} {1..60} | xargs echo", Reason.TOO_MANY_WORDS),
        ("f() { f; }; f", Reason.TOO_DEEP),
    ],
)
def test_a_line_beyond_a_bound_is_unresolved_for_that_reason(line: str, reason: Reason) -> None:
    assert judge(line, Session(), RULES).verdict.unresolved is reason
