"""Commands, subsystems and shells without a terminal under command filters, and lines that wait for a reviewer."""

import asyncio
from pathlib import Path
from uuid import uuid4

import pytest

from peers.ssh_proxy import World, run
from postern.contracts.command_control import (
    CONFIRM_COMMAND,
    CommandAction,
    CommandConfirmation,
    CommandRuleKind,
    ConfirmationState,
)
from postern.contracts.enums import CommandKind, RiskLevel
from postern.contracts.events import CommandSeen, SessionEnded
from postern.contracts.terminals import ChangeLock
from proxies.holding.filters import control, rule
from proxies.holding.stage import echoed, refused, settle, shell, takes_keys

DENIED = b"does not allow this"


@pytest.mark.parametrize("command", ["touch {}", "cd / && sudo -n touch {} || env touch {}", "sh -c 'touch {}'"])
async def test_denied_command_is_not_started(world: World, tmp_path: Path, command: str) -> None:
    marker = tmp_path / "marker"
    line = command.replace("{}", str(marker))
    ran = await run(world.proxy.ssh(world.login, line))
    assert ran.status == 255
    assert DENIED in ran.err
    assert not marker.exists()
    event = await world.plane.event(CommandSeen)
    assert (event.input, event.kind, event.risk_level) == (line, CommandKind.EXEC, RiskLevel.DANGEROUS)
    assert event.decision.action is CommandAction.DENY
    await world.plane.event(SessionEnded)
    [recorder] = world.proxy.recordings.recorders.values()
    assert any(b"Refused by command filter" in data for _kind, data in recorder.events)
    assert (await run(world.proxy.ssh(world.login, "echo fine"))).out == b"fine\n"


async def test_transfers_are_judged_as_the_programs_that_they_start(world: World, tmp_path: Path) -> None:
    (tmp_path / "source").write_text("content")
    world.asset.command_control = control(rule("scp\nsftp-server\nrsync"))
    ran = await run(world.proxy.scp(world.login, str(tmp_path / "source"), f":{tmp_path}/there", options=("-O",)))
    assert DENIED in ran.err
    ran = await run(world.proxy.sftp(world.login, options=("-b", "-")), stdin=b"pwd\n")
    assert DENIED in ran.err
    assert not (tmp_path / "there").exists()
    world.asset.command_control = control(
        rule(".*", kind=CommandRuleKind.REGEX, priority=1), rule("sftp-server", CommandAction.ALLOW)
    )
    ran = await run(
        world.proxy.sftp(world.login, options=("-b", "-")), stdin=f"put {tmp_path}/source {tmp_path}/there\n".encode()
    )
    assert ran.status == 0
    assert (tmp_path / "there").read_text() == "content"


@pytest.mark.parametrize("command", [(), ("bash -s",), ("sh",)], ids=["shell", "bash -s", "sh"])
async def test_lines_for_a_shell_without_a_terminal_are_judged(
    world: World, tmp_path: Path, command: tuple[str, ...]
) -> None:
    script = f": > {tmp_path}/A\ncd {tmp_path}\ntou\\\nch B\n: > {tmp_path}/C\n".encode()
    ran = await run(world.proxy.ssh(world.login, *command, options=("-T",)), stdin=script)
    assert DENIED in ran.err
    assert sorted(path.name for path in tmp_path.glob("[ABC]")) in ([], ["A"])
    ran = await run(
        world.proxy.ssh(world.login, *command, options=("-T",)), stdin=f": > {tmp_path}/C\necho yes".encode()
    )
    assert ran.out.endswith(b"yes\n")
    assert (tmp_path / "C").exists()


async def test_much_input_is_judged_aside_and_stays_in_order(world: World, tmp_path: Path) -> None:
    """Long lines and many lines are judged in a thread, so that nobody else waits for them."""
    long_text = "x" * 30_000
    lines = [f"echo {number} >> {tmp_path}/numbers" for number in range(300)]
    lines.insert(150, f"echo {long_text} > {tmp_path}/long")
    ran = await run(world.proxy.ssh(world.login), stdin="\n".join([*lines, "echo the end"]).encode())
    assert (ran.status, ran.out.splitlines()[-1]) == (0, b"the end")
    assert (tmp_path / "long").read_text() == f"{long_text}\n"
    assert (tmp_path / "numbers").read_text().split() == [str(number) for number in range(300)]
    refused_lines = [*lines, f"touch {tmp_path}/denied", f": > {tmp_path}/behind"]
    ran = await run(world.proxy.ssh(world.login), stdin="\n".join(refused_lines).encode())
    assert DENIED in ran.err
    assert not (tmp_path / "denied").exists()
    assert not (tmp_path / "behind").exists()


async def test_unresolved_lines_follow_the_policy(world: World, tmp_path: Path) -> None:
    assert (await run(world.proxy.ssh(world.login, "$UNSET true"))).status == 0
    world.asset.command_control = control(unresolved=CommandAction.DENY)
    ran = await run(world.proxy.ssh(world.login, "$UNSET true"))
    assert b"It is not certain what this line would run" in ran.err
    event = await world.plane.event(CommandSeen, risk_level=RiskLevel.DANGEROUS)
    assert (event.decision.rule_id, event.decision.reason) == (None, "unknown_program")


# Confirmations


@pytest.fixture
def confirming(world: World) -> World:
    world.asset.command_control = control(rule("touch", CommandAction.CONFIRM, name="two people"))
    return world


async def answer(world: World, state: ConfirmationState, message: str = "") -> None:
    """Let the reviewer answer the only open request."""
    [request_id] = await world.plane.until(
        lambda: [made.id for made in world.plane.confirmations.values() if made.state is ConfirmationState.WAITING]
    )
    world.plane.confirmations[request_id] = CommandConfirmation(id=request_id, state=state, message=message)


async def test_confirmed_line_runs_once_and_its_report_names_the_decision(confirming: World) -> None:
    there = confirming.sshd.directory
    async with shell(confirming) as terminal:
        await terminal.type(b"touch P1\r")
        await terminal.expect("waiting for a reviewer")
        [(_path, request)] = await confirming.plane.until(
            lambda: [call for call in confirming.plane.calls if call[0] == CONFIRM_COMMAND]
        )
        assert (request.line, request.command) == ("touch P1", "touch P1")
        await asyncio.sleep(0.3)
        assert not (there / "P1").exists()
        await answer(confirming, ConfirmationState.APPROVED)
        await terminal.expect("has confirmed the command")
        await confirming.plane.until((there / "P1").exists)
        await settle()
        await echoed(terminal, 3)
        event = await confirming.plane.event(CommandSeen, input="touch P1")
        assert event.decision.action is CommandAction.ALLOW
        assert event.decision.filter_name == "two people"


async def test_confirmed_command_of_a_locked_session_waits_and_is_judged_anew(
    confirming: World, tmp_path: Path
) -> None:
    registry = confirming.proxy.registry

    def change_lock(version: int, *, is_locked: bool) -> None:
        [session_id] = registry.ids()
        order = ChangeLock(
            order_id=uuid4(), session_id=session_id, version=version, is_locked=is_locked, by="Olaf(olaf)"
        )
        assert registry.carry_out(order)

    client = asyncio.create_task(run(confirming.proxy.ssh(confirming.login, f"touch {tmp_path}/there")))
    await confirming.plane.until(lambda: confirming.plane.confirmations)
    change_lock(1, is_locked=True)
    await answer(confirming, ConfirmationState.APPROVED)
    await asyncio.sleep(3)  # the proxy has asked for the answer
    assert not (tmp_path / "there").exists()
    change_lock(2, is_locked=False)
    await confirming.plane.until(lambda: len(confirming.plane.confirmations) == 2)
    assert not (tmp_path / "there").exists()
    await answer(confirming, ConfirmationState.APPROVED)
    assert (await client).status == 0
    assert (tmp_path / "there").exists()


async def test_refused_line_does_not_run_and_shows_the_message(confirming: World) -> None:
    async with shell(confirming) as terminal:
        await terminal.type(b"touch P1\r: > P2\r")
        await answer(confirming, ConfirmationState.REFUSED, "Bob says no.")
        await refused(confirming, terminal, "was not confirmed.* Bob says no")
        confirming.plane.has_reviewers = False
        await terminal.type(b"touch P1\r")
        await refused(confirming, terminal, "was not confirmed.* Nobody can confirm this")
        confirming.plane.faults["command-confirmations/"] = ["404"]
        await terminal.type(b"touch P1\r")
        await refused(confirming, terminal, "temporarily unavailable")
        await echoed(terminal, 3)
    assert not list(confirming.sshd.directory.glob("P*"))
    event = await confirming.plane.event(CommandSeen, risk_level=RiskLevel.DANGEROUS)
    assert event.decision.action is CommandAction.CONFIRM


async def test_ctrl_c_withdraws_while_output_goes_on(confirming: World) -> None:
    async with shell(confirming) as terminal:
        await terminal.type(b"(sleep 1; echo out''put) & touch P1\r")
        await terminal.expect("waiting for a reviewer")
        await confirming.plane.until(lambda: confirming.plane.confirmations)
        await settle()
        await terminal.type(b"\x03")
        await confirming.plane.until(lambda: confirming.plane.withdrawn)
        await settle()
        await echoed(terminal, 3)
    assert confirming.plane.withdrawn == list(confirming.plane.confirmations)
    assert not list(confirming.sshd.directory.glob("P*"))


async def test_line_that_changes_while_it_waits_is_refused(confirming: World) -> None:
    async with shell(confirming) as terminal:
        await terminal.type(b"(sleep 3; printf 'other text') &\r")
        await terminal.expect("at> ")
        await settle()
        await terminal.type(b"touch P1\r")
        await terminal.expect("waiting for a reviewer")
        await terminal.expect("other text")
        await answer(confirming, ConfirmationState.APPROVED)
        await terminal.expect("has changed while it waited|has confirmed")
        await settle()


@pytest.mark.parametrize("state", [ConfirmationState.APPROVED, ConfirmationState.REFUSED])
async def test_command_waits_for_its_confirmation(confirming: World, tmp_path: Path, state: ConfirmationState) -> None:
    client = asyncio.create_task(run(confirming.proxy.ssh(confirming.login, f"touch {tmp_path}/P1; echo end")))
    await answer(confirming, state)
    ran = await client
    assert b"waiting for a reviewer" in ran.err
    assert (tmp_path / "P1").exists() == (state is ConfirmationState.APPROVED)
    assert (ran.status == 0) == (state is ConfirmationState.APPROVED)
    event = await confirming.plane.event(CommandSeen)
    assert event.decision is not None


def change_lock(world: World, version: int, *, is_locked: bool) -> None:
    """Lock or unlock the only session of the proxy."""
    [session_id] = world.proxy.registry.ids()
    order = ChangeLock(order_id=uuid4(), session_id=session_id, version=version, is_locked=is_locked, by="Olaf")
    assert world.proxy.registry.carry_out(order)


async def test_a_line_that_waits_for_a_reviewer_does_not_run_once_locked(confirming: World) -> None:
    world = confirming
    async with shell(world) as terminal:
        await terminal.type(b"touch P1\r")
        await terminal.expect("waiting for a reviewer")
        change_lock(world, 1, is_locked=True)
        await terminal.expect("Olaf has locked")
        await terminal.type(b"\recho P > P2\r")
        for made in list(world.plane.confirmations.values()):
            approved = CommandConfirmation(id=made.id, state=ConfirmationState.APPROVED, message="")
            world.plane.confirmations[made.id] = approved
        await asyncio.sleep(0.7)
        change_lock(world, 2, is_locked=False)
        await terminal.expect("Olaf has unlocked")
        await asyncio.sleep(0.7)
        assert not list(world.sshd.directory.glob("P*"))
        await terminal.type(b"\x03")
        await settle()
        await echoed(terminal, 3)
    assert not list(world.sshd.directory.glob("P*"))


async def test_a_line_that_is_refused_gets_its_ctrl_c_in_a_locked_session(world: World) -> None:
    async with shell(world) as terminal:
        await terminal.type(b"touch P1\r")
        await terminal.expect("does not allow this")
        change_lock(world, 1, is_locked=True)
        await terminal.expect("Olaf has locked")
        await world.plane.until(lambda: takes_keys(world.proxy.registry))
        change_lock(world, 2, is_locked=False)
        await terminal.expect("Olaf has unlocked")
        await terminal.type(b"\recho still-$((4+0))\r")
        await terminal.expect("still-4")
    assert not list(world.sshd.directory.glob("P*"))


async def test_a_key_whose_beginning_came_before_the_lock_is_still_recognised(world: World) -> None:
    """`ESC a` runs the line in zsh. The host keeps its first byte while the session is locked."""
    async with shell(world, "zsh") as terminal:
        await terminal.type(b"touch Q\x1b")
        await settle()
        change_lock(world, 1, is_locked=True)
        await terminal.expect("Olaf has locked")
        change_lock(world, 2, is_locked=False)
        await terminal.expect("Olaf has unlocked")
        await terminal.type(b"a")
        await refused(world, terminal)
        await echoed(terminal, 3)
    assert not (world.sshd.directory / "Q").exists()


async def test_a_block_that_was_dropped_is_no_part_of_the_line(world: World) -> None:
    async with shell(world) as terminal:
        await terminal.type(b"\x1b[200~touch Q; ")
        await settle()
        change_lock(world, 1, is_locked=True)
        await terminal.expect("Olaf has locked")
        await terminal.type(b"X\x1b[201~")
        await asyncio.sleep(0.7)
        change_lock(world, 2, is_locked=False)
        await terminal.expect("Olaf has unlocked")
        await echoed(terminal, 2)
        await terminal.type(b"touch Q\r")
        await refused(world, terminal)
        await terminal.type(b"\x1b[200~: > P1\x1b[201~\r")
        await world.plane.until((world.sshd.directory / "P1").exists)
        await echoed(terminal, 3)
    assert not (world.sshd.directory / "Q").exists()
