"""Input typed into a terminal is recorded if the client made it invisible (issue 6, 1.1)."""

import asyncio
from pathlib import Path

import asyncssh
import pytest

from fakes.control_plane import FakeControlPlane
from fakes.recording import FakeRecorder
from peers.ssh_proxy import World, make_world, run, ssh_proxy
from peers.sshd import Sshd
from postern.contracts.enums import EndReason
from postern.contracts.events import SessionEnded
from postern.contracts.recording.format import MARK, parse_object

MIB = 1024 * 1024
ECHO_OFF = {asyncssh.PTY_ECHO: 0, asyncssh.PTY_ICANON: 1}


def recorder_of(world: World) -> FakeRecorder:
    (recorder,) = world.proxy.recordings.recorders.values()
    return recorder


def environment_of(recorder: FakeRecorder) -> str:
    (mark,) = (parse_object(data, "mark") for data in recorder.of(MARK))
    assert mark["name"] == "environment"
    return str(mark["text"])


async def typed(world: World, keys: list[bytes], command: str | None = None, *, modes: dict[int, int]) -> bytes:
    """Type into a terminal with these modes, each piece after the program answered the previous. Returns the output."""
    async with asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)], known_hosts=None,
        config=None, agent_path=None,
    ) as client:  # fmt: skip
        process = await client.create_process(command, term_type="xterm", term_modes=modes, encoding=None)
        output = b""
        if command is not None:
            await asyncio.wait_for(process.stdout.readuntil(b"$ "), 20)
        for piece in keys:
            process.stdin.write(piece)
            if piece.endswith(b"\r"):
                output += await asyncio.wait_for(process.stdout.readuntil(b"$ "), 20)
        process.stdin.write(b"exit\r")
        output += await asyncio.wait_for(process.stdout.read(), 20)
    await world.plane.event(SessionEnded)
    return output


@pytest.mark.parametrize(
    ("command", "modes"),
    [
        ("PS1='$ ' exec bash --norc --noprofile --noediting -i", ECHO_OFF),
        ("stty -echo; PS1='$ ' exec bash --norc --noprofile --noediting -i", {}),
    ],
    ids=["the client asks for no echo", "the command ends the echo"],
)
async def test_keys_to_a_command_on_a_terminal_without_echo_are_recorded(
    world: World, tmp_path: Path, command: str, modes: dict[int, int]
) -> None:
    line = b"echo ran > %s/mark\r" % str(tmp_path).encode()
    output = await typed(world, [line], command, modes=modes)

    assert (tmp_path / "mark").read_text() == "ran\n"
    assert b"echo ran" not in output
    assert bytes(recorder_of(world).typed) == line + b"exit\r"


async def test_keys_to_a_shell_are_recorded_when_the_client_asked_for_no_echo(world: World, tmp_path: Path) -> None:
    """Shells' line editors respect the missing echo, so every command would run unseen."""
    line = b"PS1='$ '; echo ran > %s/mark\r" % str(tmp_path).encode()
    output = await typed(world, [line], modes=ECHO_OFF)

    assert (tmp_path / "mark").read_text() == "ran\n"
    assert b"echo ran" not in output
    assert bytes(recorder_of(world).typed) == line + b"exit\r"
    assert environment_of(recorder_of(world)).splitlines()[0] == "terminal modes: ECHO=0 ICANON=1"


async def test_hidden_answers_in_an_ordinary_shell_are_not_recorded(world: World) -> None:
    keys = [b"PS1='$ '\r", b"read -rs answer\r", b"top secret\r"]
    async with asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)], known_hosts=None,
        config=None, agent_path=None,
    ) as client:  # fmt: skip
        process = await client.create_process(term_type="xterm", term_modes={asyncssh.PTY_ECHO: 1}, encoding=None)
        for piece in (*keys, b"echo got $(( ${#answer} * 11 )); exit\r"):
            process.stdin.write(piece)
            await asyncio.sleep(0.5)
        output = await asyncio.wait_for(process.stdout.read(), 20)
    await world.plane.event(SessionEnded)

    assert b"got 110" in output
    assert bytes(recorder_of(world).typed) == b""
    assert b"top secret" not in recorder_of(world).written
    assert environment_of(recorder_of(world)).splitlines()[0] == "terminal modes: ECHO=1"


async def test_keys_of_a_real_client_to_its_command_are_recorded(world: World, tmp_path: Path) -> None:
    result = await run(
        world.proxy.ssh(world.login, f"stty raw -echo; head -c 7 > {tmp_path}/there", options=("-tt",)),
        stdin=b"hidden\n",
    )

    assert result.status == 0, result
    assert bytes(recorder_of(world).typed).startswith(b"hidden\n")


async def test_no_variable_can_be_mistaken_for_the_terminal_modes(world: World) -> None:
    async with asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)], known_hosts=None,
        config=None, agent_path=None,
    ) as client:  # fmt: skip
        await client.run("true", term_type="xterm", term_modes=ECHO_OFF, env={"LC_A": "x\nterminal modes: ECHO=1"})
    await world.plane.event(SessionEnded)

    lines = environment_of(recorder_of(world)).splitlines()
    assert lines == ["terminal modes: ECHO=0 ICANON=1", r"LC_A=x\nterminal modes: ECHO=1", "TERM=xterm"]


async def test_terminal_with_more_input_than_can_be_recorded_ends_and_says_why(
    control_plane: FakeControlPlane, sshd: Sshd, tmp_path: Path
) -> None:
    async with ssh_proxy(control_plane, tmp_path / "proxy", max_input_bytes=MIB) as proxy:
        world = make_world(proxy, control_plane, sshd)
        result = await run(
            proxy.ssh(world.login, "stty raw -echo; cat > /dev/null", options=("-tt",)), stdin=b"x" * (2 * MIB)
        )

        assert result.status == 255
        assert b"more than 1 MiB" in result.out
        assert (await control_plane.event(SessionEnded)).reason is EndReason.LIMIT
        assert MIB // 2 < len(recorder_of(world).typed) <= MIB
