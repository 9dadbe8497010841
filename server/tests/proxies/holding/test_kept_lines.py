"""A shell may keep a line in spite of Ctrl-C. Such a line does not run with the next Enter."""

import sys
from pathlib import Path

import pytest

from peers.ssh_proxy import World
from peers.terminal import Terminal
from postern.proxies.core.commands.standing import StandingLine
from postern.proxies.core.holding.dropped_line import DroppedLine
from postern.proxies.core.holding.rulings import HeldLine
from proxies.holding.stage import REFUSED, refused, settle, shell

SCRIPT = Path(__file__).parent / "stubborn_shell.py"


async def start(terminal: Terminal, keeps: int) -> None:
    """Start the shell, and run an allowed line first, so that its prompt is known."""
    await terminal.type(f"exec {sys.executable} {SCRIPT} {keeps}\r")
    await terminal.expect("at> ")
    await settle()
    await terminal.type(b"date\r")
    await terminal.expect("ran <date>\r\n")
    await settle()


@pytest.mark.parametrize("keeps", [1, 2])
async def test_refused_line_gets_ctrl_c_until_the_shell_has_dropped_it(world: World, keeps: int) -> None:
    async with shell(world) as terminal:
        await start(terminal, keeps)
        await terminal.type(b"touch Q\r")
        await refused(world, terminal)
        await terminal.expect("at> ")
        await settle()
        await terminal.type(b"\r")
        await terminal.expect("at> ")
        await settle()
        await terminal.type(b"x\r")
        await terminal.expect("ran <x>")
    assert b"ran <touch" not in terminal.seen


@pytest.mark.parametrize("next_line", [b"\r", b"x\r"], ids=["Enter", "more"])
async def test_refused_line_that_is_never_dropped_is_refused_again(world: World, next_line: bytes) -> None:
    async with shell(world) as terminal:
        await start(terminal, 5)
        await terminal.type(b"touch Q\r")
        await refused(world, terminal)
        await settle()
        await terminal.type(next_line)
        await refused(world, terminal)
        await terminal.expect("at> ")
        await settle()
        await terminal.type(b"x\r")
        await terminal.expect("ran <x>")
    assert b"ran <touch" not in terminal.seen


@pytest.mark.parametrize("pause", [0.0, 0.3], ids=["at once", "later"])
@pytest.mark.parametrize("next_line", [b"\r", b"x\r"], ids=["Enter", "more"])
async def test_line_that_the_user_gave_up_is_judged_while_the_shell_may_hold_it(
    world: World, next_line: bytes, pause: float
) -> None:
    async with shell(world) as terminal:
        await start(terminal, 1)
        keys = [b"touch Q\x03"] if not pause else [b"touch Q", b"\x03"]
        for part in keys:
            await terminal.type(part)
            await settle()
        await terminal.type(next_line)
        await terminal.expect(REFUSED)
        await settle()
    assert b"ran <touch" not in terminal.seen


async def test_line_that_the_user_gave_up_is_forgotten_at_a_new_prompt(world: World) -> None:
    async with shell(world) as terminal:
        await start(terminal, 0)
        await terminal.type(b"touch Q")
        await settle()
        await terminal.type(b"\x03")
        await terminal.expect("at> ")
        await settle()
        await terminal.type(b"x\r")
        await terminal.expect("ran <x>")
    assert b"does not allow" not in terminal.seen


GIVEN_UP = HeldLine("touch Q", StandingLine("touch Q", "at> ", has_prompt=True))
NEW_PROMPT = StandingLine("", "at> ", has_prompt=True)


def test_dropped_line_may_stand_until_a_prompt_came_below_it() -> None:
    dropped = DroppedLine()
    assert not dropped.may_stand(NEW_PROMPT)
    dropped.drop(GIVEN_UP, rests=True)
    assert dropped.may_stand(NEW_PROMPT)
    dropped.output(b"^C\r\nat> ")
    assert not dropped.may_stand(NEW_PROMPT)
    assert dropped.may_stand(None)
    assert dropped.may_stand(StandingLine("touch Q^C", "at> ", has_prompt=True))
    assert not dropped.may_stand(StandingLine("", is_alternate=True))
    dropped.drop(GIVEN_UP, rests=False)
    dropped.output(b"\r\nat> ")
    assert dropped.may_stand(NEW_PROMPT)
    dropped.forget()
    assert not dropped.may_stand(NEW_PROMPT)


def test_kept_line_is_judged_alone_and_with_the_next_one() -> None:
    dropped = DroppedLine()
    dropped.drop(GIVEN_UP, rests=True)
    assert [line.typed for line in dropped.with_next(HeldLine("x", NEW_PROMPT))] == ["touch Q", "touch Qx", "xtouch Q"]
    assert [line.typed for line in dropped.with_next(HeldLine("", NEW_PROMPT))] == ["touch Q"]
    hidden = HeldLine("secret", NEW_PROMPT, is_echoed=False)
    dropped.drop(hidden, rests=True)
    assert [line.text for line in dropped.with_next(HeldLine("x", NEW_PROMPT))] == ["", "", ""]
