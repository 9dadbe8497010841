"""The session learns from released lines only, and follows shells inside shells."""

from postern.kernel.command_control.judge import Session, judge
from postern.kernel.command_control.rules import Rule, RuleKind, RuleSet
from postern.kernel.command_control.verdict import Action

RULES = RuleSet([Rule("r", RuleKind.COMMAND, "wipeit", 50, Action.DENY)])


def refused(session: Session, line: str) -> bool:
    return judge(line, session, RULES).verdict.action is Action.DENY


def released(*lines: str) -> Session:
    session = Session()
    for line in lines:
        session = judge(line, session, RULES).session
    return session


def test_judging_does_not_change_the_session() -> None:
    session = released("x=ls")
    judge("x=wipeit; alias a=wipeit; cp /bin/wipeit b; echo wipeit > c; f() { wipeit; }", session, RULES)
    assert session == released("x=ls")
    for line in ("$x", "a", "./b", "sh c", "f"):
        assert not refused(session, line)


def test_a_released_line_is_remembered() -> None:
    session = released("x=wipeit; alias a=wipeit; cp /bin/wipeit b; echo wipeit > c; f() { wipeit; }")
    for line in ("$x", "a", "./b", "sh c", "f"):
        assert refused(session, line)


def test_an_interrupt_drops_the_open_text() -> None:
    session = released("cat <<E")
    assert not refused(session, "wipeit")
    assert refused(session.interrupted(), "wipeit")


def test_values_and_aliases_of_an_outer_shell_do_not_hide_a_command() -> None:
    session = released("alias wipeit=ls")
    assert not refused(session, "wipeit")
    assert refused(released("alias wipeit=ls", "bash"), "wipeit")


def test_a_nested_shell_that_never_started_hides_nothing() -> None:
    assert refused(released("alias a=wipeit", "zsh"), "a")


def test_leaving_a_nested_shell_ends_what_it_learnt() -> None:
    session = released("bash", "alias b=ls", "exit")
    assert len(session.shells) == 1
    assert refused(session, "wipeit")


def test_remarks_count_as_commands_in_interactive_zsh_only() -> None:
    assert not refused(Session.of_shell("bash"), ": # ; wipeit")
    assert refused(Session.of_shell("zsh"), ": # ; wipeit")
