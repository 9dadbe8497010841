"""Lines in real shells behind a real sshd, typed by a real ssh client: what a filter denies does not run."""

import asyncio
import os
import signal

import pytest

from peers.ssh_proxy import World
from postern.contracts.command_control import CommandAction
from postern.contracts.enums import CommandKind, RiskLevel
from postern.contracts.events import CommandSeen
from proxies.holding.stage import SHELLS, UP, echoed, refused, shell


@pytest.mark.parametrize("name", SHELLS)
async def test_denied_line_does_not_run_and_the_shell_goes_on(world: World, name: str) -> None:
    marker = world.sshd.directory / "marker"
    async with shell(world, name) as terminal:
        await echoed(terminal, 1)
        await terminal.type(f"touch {marker}\r")
        await refused(world, terminal)
        await echoed(terminal, 2)
        assert not marker.exists()
        await terminal.type(f": > {marker}\r")
        await terminal.expect("at> ")
        await echoed(terminal, 3)
        assert marker.exists()
    seen = await world.plane.event(CommandSeen, risk_level=RiskLevel.DANGEROUS)
    assert seen.input == f"touch {marker}"
    assert seen.kind is CommandKind.ECHO
    assert seen.decision.action is CommandAction.DENY
    assert seen.decision.rule_id == world.asset.command_control.rules[0].id
    assert seen.decision.filter_name == "no touching"
    [recorder] = world.proxy.recordings.recorders.values()
    assert any(b"Refused by command filter" in data for _kind, data in recorder.events)


@pytest.mark.parametrize(
    "keys",
    [
        pytest.param([b"ouch M", b"\x01", b"t", b"\x05"], id="both ends"),
        pytest.param([b"touchh M", b"\x1b[D" * 2, b"\x7f"], id="in the middle"),
        pytest.param([b"x=tou; ${x}ch M"], id="value"),
        pytest.param([b"alias t=touch\r", b"t M"], id="alias"),
        pytest.param([b"echo touch M\r", b"!!:1*"], id="history word"),
        pytest.param([b"echo t; : touch M\r", UP, b"\x01", b"\x1b[C" * 9, b"\x7f"], id="history line"),
        pytest.param(
            [b": ; touch M", b"\x03", b": touch M #\r", b"\x12", b"touch", b"\x01", b"\x06\x06\x7f\x7f"], id="search"
        ),
        pytest.param([b"tou\\\r", b"ch M"], id="continued"),
        pytest.param([b"for i in 1; do\r", b"touch M\r", b"done"], id="loop"),
    ],
)
@pytest.mark.parametrize("name", ["bash", "zsh"])
async def test_edited_lines_are_judged_as_they_run(world: World, name: str, keys: list[bytes]) -> None:
    marker = world.sshd.directory / "M"
    async with shell(world, name) as terminal:
        for key in keys:
            for part in [key] if key.startswith(b"\x1b") else [key[at : at + 1] for at in range(len(key))]:
                await terminal.type(part)
                await asyncio.sleep(0.02)
            if key.endswith(b"\r"):
                await asyncio.sleep(0.2)
        await terminal.type(b"\r")
        await refused(world, terminal)
        await echoed(terminal, 7)
    assert not marker.exists()


async def test_line_whose_echo_comes_late_is_refused_by_name(world: World) -> None:
    """A busy host shows keys late. They are no password for that, and the report of the refusal names the line."""
    marker = world.sshd.directory / "M"
    async with shell(world) as terminal:
        await terminal.type("echo $$ > pid\r")
        await echoed(terminal, 1)
        shell_pid = int((world.sshd.directory / "pid").read_text())
        os.kill(shell_pid, signal.SIGSTOP)
        await terminal.type("touch M\r")
        await asyncio.sleep(0.5)
        os.kill(shell_pid, signal.SIGCONT)
        await refused(world, terminal)
        await echoed(terminal, 2)
    assert not marker.exists()
    seen = await world.plane.event(CommandSeen, risk_level=RiskLevel.DANGEROUS)
    assert (seen.input, seen.kind) == ("touch M", CommandKind.ECHO)
