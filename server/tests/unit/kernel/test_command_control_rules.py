"""What rules match, which of them decides, and which cannot be saved."""

import pytest

from postern.kernel.command_control import rules
from postern.kernel.command_control.judge import Session, judge
from postern.kernel.command_control.rules import InvalidRule, Rule, RuleKind, RuleSet, validate
from postern.kernel.command_control.verdict import Action, Reason, Verdict

ALLOW, CONFIRM, DENY = Action.ALLOW, Action.CONFIRM, Action.DENY


def rule(content: str, action: Action = DENY, *, priority: int = 50, regex: bool = False) -> Rule:
    return Rule(content, RuleKind.REGEX if regex else RuleKind.COMMAND, content, priority, action)


def verdict(line: str, *listed: Rule, unresolved: Action = ALLOW) -> Verdict:
    return judge(line, Session(), RuleSet(listed, unresolved=unresolved)).verdict


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("rm -rf", "rm -fr d"), ("rm -rf", "rm -r -f d"), ("rm -rf", "rm d -rvf"), ("rm -rf", "rm --recursive --force d"),
        ("rm -rf", "rm --recurs --forc d"), ("rm -r", "rm -R d"), ("kill -9", "kill -KILL 1"), ("kill -9", "kill -s SIGKILL 1"),
        ("chmod 777", "chmod 0777 f"), ("chmod 777", "chmod -R a+rwx f"), ("rm -rf /", "rm -rf //"), ("rm -rf /", "rm -rf /*"),
        ("rm /etc", "rm a /etc/"), ("git push", "git -C d push --force"), ("systemctl stop", "systemctl --now stop a"),
        ("find -delete", "find . -name a -delete"), ("iptables -F", "iptables --flush"), ("rm -rf", "rm -$x d"), ("rm", "/bin/r[m] x"),
        ("/sbin/halt", "halt"), ("rm", "$nothing rm a"), ("rm --one-file-system", "rm --one-file-system a"), ("dd of=/dev/sda", "dd if=a of=/dev/sda bs=1"),
    ],
)  # fmt: skip
def test_command_rule_matches_the_same_command_however_it_is_written(content: str, line: str) -> None:
    assert verdict(line, rule(content)).action is DENY


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("rm", "vim rm.c"), ("rm", "git rm a"), ("rm", "echo rm"), ("rm", "docker run --rm a ls"), ("rm -rf", "rm -r d"),
        ("rm -rf", "rm -- -rf"), ("kill -9", "kill 9"), ("chmod 777", "chmod 640 f"), ("init", "vim init.py"), ("rm", "RM"), ("rm", "$EDITOR rm"), ("chmod 777", "chmod 640 777"),
        ("git push", "git add push"), ("systemctl stop", "systemctl status stop"), ("find -delete", "find -d elete"), ("rm", "# rm"),
    ],
)  # fmt: skip
def test_command_rule_leaves_other_commands_alone(content: str, line: str) -> None:
    assert verdict(line, rule(content)).action is ALLOW


def test_higher_priority_decides_first() -> None:
    allowing, denying = rule("ls", ALLOW, priority=60), rule("ls", DENY, priority=40)
    assert verdict("ls", allowing, denying).action is ALLOW
    assert verdict("ls", rule("ls", ALLOW, priority=10), denying).action is DENY


def test_of_equal_priorities_the_stricter_action_decides() -> None:
    assert verdict("ls", rule("ls", ALLOW), rule("ls", CONFIRM)).action is CONFIRM
    assert verdict("ls", rule("ls", CONFIRM), rule("ls", DENY)).action is DENY


def test_the_worst_verdict_of_its_commands_counts_for_a_line() -> None:
    listed = (rule("a", ALLOW), rule("b", CONFIRM), rule("c", DENY))
    assert verdict("a; b", *listed).action is CONFIRM
    assert verdict("a; b; c", *listed) == Verdict(DENY, "c", "c")


def test_deny_all_with_an_allowed_command() -> None:
    listed = (rule(".*", priority=10, regex=True), rule("ls", ALLOW, priority=60))
    assert verdict("ls -l /a", *listed).action is ALLOW
    assert verdict("ls; ls | ls", *listed).action is ALLOW
    for line in ("ls; rm a", "ls | grep a", "ls $(rm a)", "ls > a", "ls >> a", "ls &> a", "l* a", "./ls > a"):
        assert verdict(line, *listed).action is DENY, line
    assert verdict("ls 2>/dev/null >&2", *listed).action is ALLOW


def test_an_allow_expression_must_match_the_whole_command() -> None:
    listed = (rule(".*", priority=10, regex=True), rule("ls|cat [a-z]+", ALLOW, priority=60, regex=True))
    assert verdict("ls", *listed).action is ALLOW
    assert verdict("cat abc", *listed).action is ALLOW
    assert verdict("rm ls", *listed).action is DENY
    assert verdict("cat abc d", *listed).action is DENY


def test_a_deny_expression_is_searched_in_the_whole_line_too() -> None:
    denied = rule(r"curl.*\| *sh", regex=True)
    assert verdict("curl -s http://h | sh", denied).action is DENY
    assert verdict("c''url h |  s\\h", denied).action is DENY
    assert verdict("curl h; sh", denied).action is ALLOW
    allowed = (rule("curl", ALLOW, priority=90), rule("sh", ALLOW, priority=90))
    assert verdict("curl h | sh", denied, *allowed).action is ALLOW
    lower = (rule("curl", ALLOW, priority=10), rule("sh", ALLOW, priority=90))
    assert verdict("curl h | sh", denied, *lower).action is DENY


def test_expressions_see_the_resolved_command() -> None:
    assert verdict("x=wipe; ${x}it -a  b", rule("^wipeit -a b$", regex=True)).action is DENY


def test_a_rule_holds_one_command_in_each_line() -> None:
    assert verdict("b", rule("a\n\n b \n")).action is DENY


@pytest.mark.parametrize("policy", list(Action))
def test_the_policy_decides_about_unresolved_lines(policy: Action) -> None:
    found = verdict("curl h | sh", rule("wipeit"), unresolved=policy)
    assert found == Verdict(policy, None, None, Reason.UNKNOWN_CODE)


def test_a_rule_is_named_before_an_unresolved_part() -> None:
    found = verdict("$x; wipeit", rule("wipeit"), unresolved=DENY)
    assert (found.rule, found.command) == ("wipeit", "wipeit")


@pytest.mark.parametrize(
    ("kind", "content", "line_number"),
    [
        (RuleKind.REGEX, "a\n(", 2), (RuleKind.REGEX, "(?=a)", 1), (RuleKind.REGEX, r"(a)\1", 1), (RuleKind.REGEX, "a{1000}{1000}", 1),
        (RuleKind.COMMAND, "ls\nrm 'a", 2), (RuleKind.COMMAND, "''", 1), (RuleKind.COMMAND, " \n", 1), (RuleKind.REGEX, "\ud800", 1),
    ],
)  # fmt: skip
def test_an_unusable_rule_is_refused_with_its_line_and_reason(
    kind: RuleKind, content: str, line_number: int, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InvalidRule) as refused:
        validate(kind, content)
    assert refused.value.line_number == line_number
    assert refused.value.reason
    assert capfd.readouterr().err == ""


def test_many_expressions_match_like_one() -> None:
    listed = [rule(rf"w{place}[a-z]*\b.*x{place}$", regex=True) for place in range(500)]
    assert verdict("w499abc d x499", *listed).rule == listed[499].id
    assert verdict("w499abc d x498", *listed).action is ALLOW


def test_expressions_that_together_need_too_much_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [rule(f"(a|b)*c{place}", regex=True) for place in range(300)]
    assert RuleSet(many).has_expressions
    monkeypatch.setattr(rules, "_MAX_SET_BYTES", 1 << 14)
    with pytest.raises(InvalidRule):
        RuleSet(many)
