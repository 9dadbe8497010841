"""What holds for every line."""

import shlex

from hypothesis import given, settings
from hypothesis import strategies as st

from postern.kernel.command_control.judge import Session, judge
from postern.kernel.command_control.limits import MAX_LINE_CHARACTERS, MAX_STEPS
from postern.kernel.command_control.rules import Rule, RuleKind, RuleSet
from postern.kernel.command_control.verdict import Action

RULES = RuleSet(
    [
        Rule("deny", RuleKind.COMMAND, "wipeit\nrm -rf", 50, Action.DENY),
        Rule("allow", RuleKind.COMMAND, "ls", 60, Action.ALLOW),
        Rule("confirm", RuleKind.REGEX, "sure", 40, Action.CONFIRM),
    ],
    unresolved=Action.CONFIRM,
)
PIECES = [
    "wipeit", "rm -rf a", "ls", "echo a", "x=wipe", "${x}it", "$x", "$(", ")", "`", "'", '"', "\\", "\n", ";", "&&", "||", "|", "&",
    "{", "}", "(", "if", "then", "fi", "for a in b", "do", "done", "case a in", "esac", "<<E", "E", "<<<", ">", "<(", "sh -c", "sudo",
    "xargs", "alias a=b", "a", "f() {", "!!", "!$", "^a^b^", "*", "[a]", "{a,b}", "$((1+1))", "${x:1}", "#", "\ud800", "\x00", "eval",
    "find . -exec", "base64 -d", "printf", "python3 -c", "while read a", "set --", "$@", "unset x", "exit", "bash", "export x", "\t",
]  # fmt: skip
lines = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join),
)
words = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Co"], exclude_characters="!"), min_size=1, max_size=12
)
HARMLESS = st.sampled_from(["true", "ls -l", "echo hi", "cd /tmp", "date", "x=1", ":"])


@given(st.lists(lines, max_size=4))
@settings(max_examples=600, deadline=None)
def test_judging_never_raises_and_is_bounded(typed: list[str]) -> None:
    session = Session()
    for line in typed:
        judged = judge(line, session, RULES)
        assert judged.steps <= 4 * (MAX_STEPS + MAX_LINE_CHARACTERS * 8)
        session = judged.session


@given(st.lists(lines, max_size=3), lines)
@settings(max_examples=300, deadline=None)
def test_a_line_that_is_not_released_leaves_the_session_as_it_was(before: list[str], line: str) -> None:
    session, twin = Session(), Session()
    for earlier in before:
        session, twin = judge(earlier, session, RULES).session, judge(earlier, twin, RULES).session
    first = judge(line, session, RULES)
    assert session == twin
    assert judge(line, session, RULES) == first


def _quoted(word: str, way: int) -> str:
    if way == 0:
        return shlex.quote(word)
    if way == 1:
        return "".join("\\" + letter for letter in word)
    if way == 2:
        return "".join(shlex.quote(letter) if letter != "'" else '"\'"' for letter in word)
    return '"' + "".join("\\" + letter if letter in '"\\$`' else letter for letter in word) + '"'


@given(
    st.one_of(st.sampled_from(["wipeit", "rm", "ls", "sure"]), words),
    st.lists(words, max_size=3),
    st.integers(0, 3),
    st.integers(0, 3),
)
@settings(max_examples=400, deadline=None)
def test_quoting_a_word_in_any_way_does_not_change_the_verdict(
    program: str, arguments: list[str], one: int, other: int
) -> None:
    def verdict(way: int) -> tuple[Action, str | None, str | None]:
        line = " ".join(_quoted(word, way) for word in (program, *arguments))
        found = judge(line, Session(), RULES).verdict
        # The text of the line, which an expression is searched in, differs by its quotes.
        return found.action, found.rule, found.command if found.rule != "confirm" else None

    if any("sure" in word for word in arguments):
        return
    assert verdict(one) == verdict(other)


@given(st.sampled_from(["wipeit a", "rm -rf d", "sh -c wipeit", "echo wipeit | sh", "x=wipeit; $x", "$(echo wipeit)"]),
       st.lists(HARMLESS, max_size=4), st.lists(HARMLESS, max_size=4), st.sampled_from(["; ", " && ", "\n", " || ", " & "]))  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_harmless_commands_around_it_never_free_a_refused_command(
    denied: str, before: list[str], after: list[str], join: str
) -> None:
    line = join.join([*before, denied, *after])
    assert judge(line, Session(), RULES).verdict.action is Action.DENY
