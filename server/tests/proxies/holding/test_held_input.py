"""What waits behind a held key: pastes, type-ahead, floods, hidden input, other programs, changes of the rules."""

import asyncio
from pathlib import Path
from uuid import uuid4

import pytest

from peers.ssh_proxy import World
from peers.terminal import Terminal
from postern.contracts.command_control import CommandAction, CommandRuleKind
from postern.contracts.enums import CommandKind, RiskLevel
from postern.contracts.events import CommandSeen, RequestRefused, SessionStarted
from postern.contracts.terminals import ChangeCommandControl
from proxies.holding.delay import distant
from proxies.holding.filters import control, rule
from proxies.holding.stage import SHELLS, UP, echoed, refused, settle, shell


@pytest.mark.parametrize("name", SHELLS)
async def test_paste_runs_up_to_the_denied_line_and_nothing_behind_it(world: World, name: str) -> None:
    there = world.sshd.directory
    async with shell(world, name) as terminal:
        lines = [f": > P{number}\r" for number in range(6)] + ["touch Q\r"] + [f": > R{n}\r" for n in range(5)]
        await terminal.type("".join(lines))
        await refused(world, terminal)
        await echoed(terminal, 3)
    assert sorted(path.name for path in there.glob("[PQR]*")) == [f"P{number}" for number in range(6)]


async def test_pasted_block_with_a_denied_line_does_not_run(world: World) -> None:
    async with shell(world) as terminal:
        await terminal.type(b"\x1b[200~: > P1\r: > P2\x1b[201~")
        await settle()
        await terminal.type(b"\r")
        await terminal.expect("at> ")
        await settle()
        await terminal.type(b"\x1b[200~: > P3\rtouch Q\r: > P4\x1b[201~\r")
        await refused(world, terminal)
        await echoed(terminal, 3)
    assert sorted(path.name for path in world.sshd.directory.glob("[PQ]*")) == ["P1", "P2"]


async def test_marks_of_a_paste_that_the_shell_did_not_ask_for_do_not_hide_lines(world: World) -> None:
    async with shell(world, "dash") as terminal:
        await terminal.type(b"printf '\\033[?2004h'\r")
        await terminal.expect("at> ")
        await settle()
        await terminal.type(b"\x1b[200~:\rtouch Q\r\x1b[201~\r")
        await refused(world, terminal)
        await echoed(terminal, 3)
    assert not (world.sshd.directory / "Q").exists()


async def test_lines_typed_ahead_of_their_prompt_are_judged(world: World) -> None:
    async with shell(world) as terminal:
        await terminal.type(b"sleep 0.5\r")
        await settle()
        await terminal.type(b"ouch Q\x01t\x05\r")  # edited before any line editor reads it
        await refused(world, terminal)
        await terminal.type(b": touch Q\r")
        await settle()
        await terminal.type(b"sleep 0.5\r")
        await settle()
        await terminal.type(UP + UP + b"\x01\x1b[3~\r")  # what this becomes is known half a second later
        await refused(world, terminal)
        await terminal.type(b"sleep 5\r")
        await settle()
        await terminal.type(UP + UP + b"\x01\x1b[3~\r")  # what this becomes is not known in time
        await terminal.expect("was edited before its prompt")
        await settle()
        await echoed(terminal, 3)
    assert not (world.sshd.directory / "Q").exists()


async def test_ctrl_c_is_never_held_and_drops_what_waits(world: World) -> None:
    async with shell(world) as terminal:
        await terminal.type(b"sleep 30\r")
        await settle()
        await terminal.type(b"\x03")
        await terminal.expect("at> ", 5)
        await settle()
        await terminal.type(b": > P1\r: > P2\r\x03: > P3\r")
        await terminal.expect(r"\^C", 5)
        await world.plane.until((world.sshd.directory / "P3").exists, 20)
        await terminal.type(b"(sleep 2; : > P1) \r")
        await settle()
        await terminal.type(b": > P2\r\x03")
        await terminal.expect(r"\^C", 5)
        await terminal.expect("at> ", 5)
        await settle()
        await echoed(terminal, 3)
    assert not (world.sshd.directory / "P1").exists()
    assert not (world.sshd.directory / "P2").exists()


async def test_flood_of_output_neither_opens_nor_blocks_the_gate(world: World) -> None:
    async with shell(world) as terminal:
        # Without a rest that the gate could wait for, but the host's terminal has room for the shell's own echo.
        await terminal.type(b"while :; do seq -f 'flood %g' 40; sleep 0.005; done &\r")
        await terminal.expect("flood 40")
        await terminal.type(b"touch Q\r")
        await terminal.expect("does not allow this")
        await asyncio.sleep(0.3)
        await terminal.type(b"kill %1; : > P1\r")
        await world.plane.until((world.sshd.directory / "P1").exists, 20)
    assert not (world.sshd.directory / "Q").exists()


async def test_password_is_let_through_and_nothing_of_it_is_kept(world: World) -> None:
    async with shell(world) as terminal:
        await terminal.type(b"stty -echo; printf 'Password: '; read x; stty echo; echo got=${#x}\r")
        await terminal.expect("Password: ")
        await settle()
        await terminal.type(b"hunter2-touch\r")
        await terminal.expect("got=13")
        await terminal.expect("at> ")
        await settle()
        await terminal.type(b"stty -echo; printf 'Password: '; read x; stty echo; echo got=${#x}\r")
        await terminal.expect(r"Password: (?!')")
        await settle()
        await terminal.type(b"touch hunter3\r")  # looks like a denied line
        await terminal.expect("does not allow this")
        await settle()
        await terminal.type(b"\x03stty echo\r")
        await echoed(terminal, 3)
    seen = world.plane.of(CommandSeen)
    assert "hunter" not in repr(seen)
    [recorder] = world.proxy.recordings.recorders.values()
    assert b"hunter" not in recorder.written + b"".join(data for _kind, data in recorder.events)
    assert b"hunter" not in terminal.seen
    hidden = [event for event in seen if event.risk_level is RiskLevel.DANGEROUS]
    assert [(event.kind, event.input) for event in hidden] == [(CommandKind.HIDDEN, "")]


async def test_password_of_sudo_passes_a_filter_that_allows_only_some_commands(world: World, tmp_path: Path) -> None:
    world.asset.command_control = control(
        rule(".*", kind=CommandRuleKind.REGEX, priority=1),
        rule("cd\nexec\nbash\necho\nsudo\nenv", CommandAction.ALLOW, priority=60),
    )
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "sudo").write_text(
        "#!/bin/sh\nstty -echo; printf '[sudo] password for u: '; read x; stty echo; echo; echo got=$x | tr a-z A-Z\n"
    )
    (folder / "sudo").chmod(0o755)
    async with shell(world) as terminal:
        await terminal.type(f"{folder}/sudo echo hello\r".encode())
        await terminal.expect("password for u: ")
        await settle()
        await terminal.type(b"some words\r")
        await terminal.expect("GOT=SOME WORDS")
        await terminal.expect("at> ")
        await settle()
        await terminal.type(b"uname\r")
        await refused(world, terminal)


async def test_prompt_of_a_language_reads_its_own_language(world: World) -> None:
    async with shell(world) as terminal:
        await terminal.type(b"python3 -q\r")
        await terminal.expect(">>> ")
        await settle()
        for line in (b"touch = 3", b"print('to' 'uch', touch)"):
            await terminal.type(line + b"\r")
            await terminal.expect(">>> ")
            await settle()
        await terminal.type(b"import os; os.system('touch Q')\r")
        await terminal.expect("does not allow this")
        await settle()
        await terminal.type(b"exit()\r")
        await terminal.expect("at> ")
        await settle()
        await terminal.type(b"PS1='>>> '\r")  # output cannot switch judging off
        await terminal.expect(">>> ")
        await settle()
        await terminal.type(b"touch Q\r")
        await terminal.expect("does not allow this")
    assert not (world.sshd.directory / "Q").exists()


async def test_editor_and_pager_are_usable_and_their_commands_are_judged(world: World) -> None:
    there = world.sshd.directory
    (there / "long.txt").write_text("line\n" * 200)
    async with shell(world) as terminal:
        await terminal.type(b"less long.txt\r")
        await terminal.expect(r"\[\?1049h")
        await asyncio.sleep(0.4)
        await terminal.type(b"\r\r !touch Q\r")
        await terminal.expect("does not allow this")
        await settle()
        await terminal.type(b"q")
        await terminal.expect("at> ")
        await settle()
        await terminal.type(b"vim -u NONE -i NONE new.txt\r")
        await terminal.expect(r"\[\?1049h")
        await asyncio.sleep(0.5)
        await terminal.type(b"itouch this\rtouch that\r\x1b")
        await asyncio.sleep(0.5)
        await terminal.type(b":w\r")
        await world.plane.until((there / "new.txt").exists)
        await asyncio.sleep(0.3)
        await terminal.type(b":!touch Q\r")
        await terminal.expect("does not allow this")
        await asyncio.sleep(0.3)
        await terminal.type(b":q!\r")
        await terminal.expect("at> ")
        await settle()
        await echoed(terminal, 3)
    assert (there / "new.txt").read_text() == "touch this\ntouch that\n\n"
    assert not (there / "Q").exists()


async def test_host_that_turns_on_the_alternate_screen_does_not_switch_judging_off(world: World) -> None:
    async with shell(world) as terminal:
        await terminal.type(b"printf '\\033[?1049h'\r")
        await asyncio.sleep(0.3)
        await terminal.type(b"touch Q\r")
        await terminal.expect("does not allow this")
    assert not (world.sshd.directory / "Q").exists()


async def test_key_bound_on_the_host_that_runs_a_line_is_reported(world: World) -> None:
    async with shell(world) as terminal:
        await terminal.type(b"bind '\"\\C-g\": accept-line'\r")
        await terminal.expect("at> ")
        await settle()
        await echoed(terminal, 2)
        await terminal.type(b"touch Q\x07")
        event = await world.plane.event(CommandSeen, risk_level=RiskLevel.DANGEROUS)
        assert event.kind is CommandKind.UNKNOWN
        assert event.decision is None


@pytest.mark.parametrize("round_trip_ms", [20, 80])
async def test_refusals_are_right_over_a_distance(world: World, round_trip_ms: int) -> None:
    async with distant(world.asset.port, round_trip_ms / 1000) as port:
        world.asset.port = port
        async with shell(world) as terminal:
            for number in range(4):
                for key in (b"o", b"u", b"c", b"h", b" ", b"Q", b"\x01", b"t", b"\x05", b"\r"):
                    await terminal.type(key)
                    await asyncio.sleep(0.008)
                await refused(world, terminal)
                await asyncio.sleep(round_trip_ms / 1000)
                await terminal.type(f": > P{number}x\x7f\r")
                await terminal.expect("at> ")
                await asyncio.sleep(round_trip_ms / 1000 + 0.05)
            await terminal.type(b": touch Q\r")
            await asyncio.sleep(0.3)
            for key in (UP, b"\x01", b"\x06", b"\x06", b"\x7f", b"\x7f", b"\r"):
                await terminal.type(key)
                await asyncio.sleep(0.008)
            await refused(world, terminal)
    assert sorted(path.name for path in world.sshd.directory.glob("[PQ]*")) == ["P0", "P1", "P2", "P3"]


def _order(world: World, changed: object) -> bool:
    session_id = world.plane.of(SessionStarted)[-1].session_id
    return world.proxy.registry.carry_out(
        ChangeCommandControl(order_id=uuid4(), session_id=session_id, control=changed)  # type: ignore[arg-type]
    )


async def test_changed_rules_act_at_the_next_key_and_stale_ones_do_not(world: World) -> None:
    there = world.sshd.directory
    rules = world.asset.command_control.rules
    world.asset.command_control = control()
    async with shell(world) as terminal:
        await world.plane.event(SessionStarted)
        await terminal.type(b"touch P1\r")
        await terminal.expect("at> ")
        await settle()
        await terminal.type(b"touch P2")
        await settle()
        assert _order(world, control(*rules, version=3))
        await terminal.type(b"\r")
        await refused(world, terminal)
        assert _order(world, control(version=2))
        await terminal.type(b"touch P3\r")
        await refused(world, terminal)
        assert _order(world, control(version=4))
        await terminal.type(b"touch P4\r")
        await terminal.expect("at> ")
        await settle()
        [session] = [world.proxy.registry.get(session_id) for session_id in world.proxy.registry.ids()]
        assert session is not None
        assert session.filtering.gate is None
        assert _order(world, control(rule("(", kind=CommandRuleKind.REGEX), version=5))
        await terminal.type(b"echo x\r")
        await refused(world, terminal, "are faulty")
    assert sorted(path.name for path in there.glob("P*")) == ["P1", "P4"]
    assert [event.request for event in world.plane.of(RequestRefused)] == ["command filters"]
    assert not world.proxy.registry.carry_out(
        ChangeCommandControl(order_id=uuid4(), session_id=uuid4(), control=control(version=9))
    )


async def test_rules_that_come_back_are_the_new_ones_in_the_shell_of_a_command(world: World) -> None:
    there = world.sshd.directory
    rules = world.asset.command_control.rules
    world.asset.command_control = control(rule("halt"))
    async with Terminal(world.proxy.ssh(world.login, f"cd {there}; {SHELLS['bash']}", options=("-tt",))) as terminal:
        await terminal.expect("at> ")
        await settle()
        assert _order(world, control(version=2))
        assert _order(world, control(*rules, version=3))
        await terminal.type(b"touch P1\r")
        await refused(world, terminal)
    assert not (there / "P1").exists()
