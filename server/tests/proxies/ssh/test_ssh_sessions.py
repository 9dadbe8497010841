"""Shell, exec and their environment through the front, with the real OpenSSH client and a real sshd."""

import asyncio
import hashlib
import os
from pathlib import Path
from typing import Any

import asyncssh
import pytest
from asyncssh.packet import String

from fakes.control_plane import FakeAsset, FakeSystemUser
from peers.odd_target import OddTarget, echo_signals
from peers.ssh_proxy import World, run
from peers.terminal import Terminal
from postern.contracts.enums import CommandKind, EndReason
from postern.contracts.events import CommandSeen, RequestRefused, SessionEnded, SessionStarted
from postern.proxies.ssh.person_session import PersonSession


@pytest.fixture(params=[True, False], ids=["fast", "stock"])
def fast(request: pytest.FixtureRequest) -> bool:
    """Everything here must hold with the fast data path and with the library's own."""
    return bool(request.param)


async def test_exec_through_direct_form_gives_output_and_status(world: World) -> None:
    result = await run(world.proxy.ssh(world.login, "echo out; echo err >&2; exit 7"))

    assert (result.status, result.out, result.err) == (7, b"out\n", b"err\n")
    ended = await world.plane.event(SessionEnded)
    assert (ended.reason, ended.exit_status, ended.ever_active) == (EndReason.TARGET_CLOSED, 7, True)
    assert world.plane.of(SessionStarted)[0].kind == "exec"
    command = world.plane.of(CommandSeen)[0]
    assert (command.kind, command.input) == (CommandKind.EXEC, "echo out; echo err >&2; exit 7")


@pytest.mark.parametrize("asset", ["web1", "127.0.0.1"])
async def test_direct_form_accepts_asset_by_name_or_address(world: World, asset: str) -> None:
    result = await run(world.proxy.ssh(f"alice@deploy@{asset}", "echo here"))

    assert (result.status, result.out) == (0, b"here\n")


async def test_direct_form_without_system_user_uses_the_default(world: World) -> None:
    result = await run(world.proxy.ssh("alice@web1", "echo here"))

    assert (result.status, result.out) == (0, b"here\n")


async def test_user_name_with_at_sign_is_parsed_from_the_right(world: World) -> None:
    world.plane.add_user("bob@example.org", keys=world.alice.keys)

    direct = await run(world.proxy.ssh("bob@example.org@deploy@web1", "echo direct"))
    default = await run(world.proxy.ssh("bob@example.org@web1", "echo default"))
    menu = await run(world.proxy.ssh("bob@example.org", "echo menu"))

    assert (direct.out, default.out) == (b"direct\n", b"default\n")
    assert menu.status == 255
    assert b"bob@example.org=SYSTEMUSER=ASSET" in menu.err


async def test_shell_with_terminal_is_recorded_before_it_is_shown(world: World) -> None:
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",)), columns=100, rows=30) as terminal:
        await terminal.expect(r"[#$] ")
        await terminal.type("echo size $(stty size)\n")
        await terminal.expect("size 30 100")
        await terminal.type("exit 3\n")
        assert await terminal.wait() == 3

    ended = await world.plane.event(SessionEnded)
    recorder = world.proxy.recordings.recorders[ended.session_id]
    assert b"size 30 100" in recorder.written
    assert terminal.seen in bytes(recorder.written)
    assert (recorder.columns, recorder.rows, recorder.ended) == (100, 30, "target_closed")
    started = world.plane.of(SessionStarted)[0]
    assert (started.kind, started.recording, started.terminal_columns) == ("shell", True, 100)
    assert ended.bytes_out == len(recorder.written)


async def test_shell_without_terminal_is_recorded_with_its_input(world: World) -> None:
    result = await run(world.proxy.ssh(world.login, options=("-T",)), stdin=b"echo secret-work; exit 4\n")

    assert result.status == 4
    ended = await world.plane.event(SessionEnded)
    recorder = world.proxy.recordings.recorders[ended.session_id]
    assert bytes(recorder.typed) == b"echo secret-work; exit 4\n"
    assert b"secret-work" in recorder.written


async def test_window_change_reaches_target_with_pixels_and_recording(world: World) -> None:
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await terminal.expect(r"[#$] ")
        terminal.resize(111, 33, 1000, 700)
        await terminal.type("until stty size | grep -q 111; do sleep 0.1; done; stty size; python3 -c 'import fcntl,struct,termios;"
                            "print(struct.unpack(\"HHHH\",fcntl.ioctl(0,termios.TIOCGWINSZ,b\"0\"*8)))'\n")  # fmt: skip
        await terminal.expect("33 111")
        await terminal.expect(r"\(33, 111, 1000, 700\)")
        await terminal.type("exit\n")
        await terminal.wait()

    ended = await world.plane.event(SessionEnded)
    assert (111, 33) in world.proxy.recordings.recorders[ended.session_id].sizes


async def test_terminal_of_size_zero_becomes_80_by_24(world: World) -> None:
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",)), columns=0, rows=0) as terminal:
        await terminal.type("stty size; exit\n")
        await terminal.expect("24 80")
        await terminal.wait()


async def test_exit_by_signal_is_passed_on(world: World) -> None:
    result = await run(world.proxy.ssh(world.login, "kill -9 $$"))
    direct = await run(
        ["ssh", *world.proxy.options(key=world.sshd.client_key), "-p", str(world.sshd.port), "127.0.0.1", "kill -9 $$"]
    )

    assert result.status == direct.status == 255
    assert (await world.plane.event(SessionEnded)).reason is EndReason.TARGET_CLOSED


async def test_signal_and_break_reach_the_program(world: World) -> None:
    async with OddTarget(echo_signals) as target:
        user = FakeSystemUser("odd", "root", password=target.password)
        world.plane.add_asset(FakeAsset("odd", "127.0.0.1", target.port, [user]))
        async with asyncssh.connect(
            "127.0.0.1", world.proxy.port, username="alice@odd@odd", client_keys=[str(world.proxy.key)],
            known_hosts=None, config=None, agent_path=None,
        ) as connection:  # fmt: skip
            process = await connection.create_process("anything", encoding=None)
            assert await process.stdout.readline() == b"ready\n"
            process.send_signal("USR1")
            assert await process.stdout.readline() == b"USR1\n"
            process.send_break(250)
            assert await process.stdout.readline() == b"break 250\n"
            process.send_signal("TERM")
            result = await process.wait()

    assert (result.stdout, result.exit_status) == (b"TERM\n", 9)


async def test_stdin_half_close_lets_the_output_continue(world: World) -> None:
    data = os.urandom(3_000_000)

    result = await run(world.proxy.ssh(world.login, "sha256sum; sleep 0.2; echo after"), stdin=data)

    assert result.out == hashlib.sha256(data).hexdigest().encode() + b"  -\nafter\n"


async def test_binary_bytes_pass_both_ways_unchanged(world: World) -> None:
    data = bytes(range(256)) * 20_000

    result = await run(world.proxy.ssh(world.login, "cat"), stdin=data)

    assert result.out == data


async def test_exec_command_that_is_not_utf8_passes_as_bytes(world: World) -> None:
    process = await asyncio.create_subprocess_exec(
        *[os.fsencode(word) for word in world.proxy.ssh(world.login)], b"printf '\xff\xfe'; echo \xe4", stdout=-1
    )
    out, _ = await process.communicate()

    assert out == b"\xff\xfe\xe4\n"
    assert (await world.plane.event(CommandSeen)).input == "printf '\\xff\\xfe'; echo \\xe4"


async def test_k38_only_language_variables_reach_the_target(world: World) -> None:
    result = await run(
        world.proxy.ssh(world.login, "env", options=("-o", "SendEnv=LANG LC_TEST", "-o", "SetEnv=EVIL=1 LD_PRELOAD=x"))
    )

    assert "LC_TEST=ü".encode() in result.out
    assert b"LANG=C.UTF-8" in result.out
    assert b"EVIL" not in result.out
    assert b"LD_PRELOAD" not in result.out


async def test_control_master_carries_parallel_sessions_each_with_its_own_record(world: World, tmp_path: Path) -> None:
    mux = ("-o", f"ControlPath={tmp_path}/m", "-o", "ControlMaster=auto", "-o", "ControlPersist=300")
    first = await run(world.proxy.ssh(world.login, "echo 0", options=mux))
    results = await asyncio.gather(
        *(run(world.proxy.ssh(world.login, f"sleep 0.3; echo {n}; exit {n}", options=mux)) for n in range(1, 7))
    )
    await run(
        ["ssh", *world.proxy.options(), *mux, "-O", "exit", "-p", str(world.proxy.port), "-l", world.login, "127.0.0.1"]
    )

    assert first.out == b"0\n"
    assert [(r.status, r.out) for r in results] == [(n, f"{n}\n".encode()) for n in range(1, 7)]
    await world.plane.until(lambda: len(world.plane.of(SessionEnded)) == 7)
    assert len({e.session_id for e in world.plane.of(SessionEnded)}) == 7


async def test_k65_channels_of_one_connection_are_limited(world: World) -> None:
    async with asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)],
        known_hosts=None, config=None, agent_path=None,
    ) as connection:  # fmt: skip
        opened = [await connection.create_process("cat") for _ in range(10)]
        with pytest.raises(asyncssh.ChannelOpenError, match="too many"):
            await connection.create_process("cat")
        opened[0].stdin.write_eof()
        await opened[0].wait()
        again = await connection.create_process("echo again")
        assert (await again.wait()).stdout == "again\n"


async def test_k39_forwards_agent_and_x11_are_refused_and_audited(world: World) -> None:
    result = await run(
        world.proxy.ssh(
            world.login, "sleep 0.3; echo done",
            options=("-A", "-R", "0:127.0.0.1:22", "-W", "127.0.0.1:22"),
        )
    )  # fmt: skip
    assert b"SSH-2.0" not in result.out
    result = await run(world.proxy.ssh(world.login, "echo agent=$SSH_AUTH_SOCK", options=("-o", "ForwardAgent=yes")))
    assert result.out == b"agent=\n"
    refused = await world.plane.event(RequestRefused, request="direct-tcpip")
    assert refused.detail == "127.0.0.1:22"


async def test_k39_remote_forward_is_refused(world: World) -> None:
    result = await run(
        world.proxy.ssh(world.login, "true", options=("-o", "ExitOnForwardFailure=yes", "-R", "0:127.0.0.1:22"))
    )

    assert result.status == 255
    await world.plane.event(RequestRefused, request="tcpip-forward")


async def test_unknown_subsystem_is_refused(world: World) -> None:
    result = await run(world.proxy.ssh(world.login, "netconf", options=("-s",)))

    assert result.status != 0
    await world.plane.event(RequestRefused, request="subsystem", detail="netconf")


async def test_client_that_vanishes_ends_the_session_as_user_closed(world: World) -> None:
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await terminal.expect(r"[#$] ")
        assert terminal.process is not None
        terminal.process.kill()

    ended = await world.plane.event(SessionEnded)
    assert ended.reason is EndReason.USER_CLOSED
    await world.plane.until(lambda: len(world.proxy.registry) == 0)


async def test_exec_output_is_complete_when_the_status_comes_early(world: World) -> None:
    result = await run(world.proxy.ssh(world.login, "head -c 20000000 /dev/zero"))

    assert len(result.out) == 20_000_000


async def test_rekeying_keeps_streams_intact(world: World) -> None:
    data = os.urandom(1_000_000) * 12

    result = await run(world.proxy.ssh(world.login, "cat", options=("-o", "RekeyLimit=2M")), stdin=data)

    assert hashlib.sha256(result.out).digest() == hashlib.sha256(data).digest()


async def test_exec_with_a_terminal_is_recorded(world: World) -> None:
    async with Terminal(world.proxy.ssh(world.login, "echo on-a-$(tty | cut -c1-8)", options=("-tt",))) as terminal:
        await terminal.expect("on-a-/dev/pts")
        assert await terminal.wait() == 0

    ended = await world.plane.event(SessionEnded)
    assert b"on-a-/dev/pts" in world.proxy.recordings.recorders[ended.session_id].written
    assert world.plane.of(CommandSeen)[0].kind is CommandKind.EXEC


async def test_several_matching_assets_are_listed(world: World) -> None:
    twin = world.plane.add_asset(FakeAsset("web1", "10.0.0.7", 22, [world.system_user]))
    result = await run(world.proxy.ssh(world.login, "true"))
    exact = await run(world.proxy.ssh(f"alice@deploy@{world.asset.id}", "echo exact"))

    assert result.status == 255
    assert f"web1 (10.0.0.7) Default: {twin.id}".encode() in result.err
    assert exact.out == b"exact\n"


async def test_k17_the_target_is_what_the_control_plane_says_never_what_the_client_says(world: World) -> None:
    dialled = asyncio.Event()

    def accept(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        dialled.set()
        writer.close()

    listener = await asyncio.start_server(accept, "127.0.0.1", 0)
    async with listener:
        port = listener.sockets[0].getsockname()[1]
        for login in (f"alice@deploy@127.0.0.1:{port}", f"alice@deploy@localhost:{port}", f"alice@deploy@[::1]:{port}"):
            result = await run(world.proxy.ssh(login, "true"))
            assert result.status == 255
            assert b"no asset" in result.err
    assert not dialled.is_set()
    assert world.plane.grants == {}


async def test_k9_address_of_the_user_is_that_of_the_socket(world: World) -> None:
    await run(
        world.proxy.ssh(world.login, "true", options=("-o", "SetEnv=SSH_CLIENT=10.9.8.7 SSH_CONNECTION=10.9.8.7"))
    )

    addresses = {message.remote_addr for _, message in world.plane.calls if hasattr(message, "remote_addr")}
    assert addresses == {"127.0.0.1"}


async def test_flood_on_a_terminal_arrives_completely_and_in_order(world: World) -> None:
    result = await run(world.proxy.ssh(world.login, "stty -opost; seq 1 400000", options=("-tt",)))

    expected = "".join(f"{number}\n" for number in range(1, 400_001)).encode()
    assert result.out == expected
    ended = await world.plane.event(SessionEnded)
    assert bytes(world.proxy.recordings.recorders[ended.session_id].written) == expected


async def test_channel_that_closes_in_a_flood_does_not_end_others_on_its_connection(world: World) -> None:
    """Writing to a closed channel must not end the whole connection."""
    async with asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)],
        known_hosts=None, config=None, agent_path=None,
    ) as connection:  # fmt: skip
        other = await connection.create_process("cat")
        for _ in range(5):
            loud = await connection.create_process("yes", encoding=None)
            await loud.stdout.read(100_000)
            loud.channel.abort()
        other.stdin.write("still here\n")
        assert await other.stdout.readline() == "still here\n"


async def test_internal_error_ends_one_connection_and_is_logged(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)],
        known_hosts=None, config=None, agent_path=None,
    ) as good, asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)],
        known_hosts=None, config=None, agent_path=None,
    ) as bad:  # fmt: skip
        other = await good.create_process("cat")
        process = await bad.create_process("cat")
        monkeypatch.setattr(PersonSession, "terminal_size_changed", lambda *_: 1 / 0)
        process.change_terminal_size(80, 24)
        await asyncio.wait_for(bad.wait_closed(), 60)
        other.stdin.write("still here\n")
        assert await other.stdout.readline() == "still here\n"
    assert "ZeroDivisionError" in caplog.text


async def test_size_changed_before_the_target_is_open_is_applied(world: World) -> None:
    world.plane.delay_s = 0.4
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await world.plane.until(lambda: world.plane.grants)
        terminal.resize(123, 45)
        await terminal.type("stty size\n")
        await terminal.expect("45 123")


async def test_terminal_modes_reach_the_target(world: World) -> None:
    async with asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)],
        known_hosts=None, config=None, agent_path=None,
    ) as connection:  # fmt: skip
        result = await connection.run(
            "stty -a", term_type="vt100", term_modes={asyncssh.PTY_VINTR: 24, asyncssh.PTY_ECHO: 0}
        )

    assert "intr = ^X" in str(result.stdout)
    assert "-echo " in str(result.stdout)


async def test_nothing_of_the_proxys_own_environment_is_used(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No configuration file, no agent, no default keys of the user that the proxy runs as."""
    folder = tmp_path / "home" / ".ssh"
    folder.mkdir(parents=True)
    (folder / "config").write_text("Host *\n  User nobody\n  ProxyCommand false\n  HostName 192.0.2.1\n")
    (folder / "known_hosts").write_text("garbage\n")
    (folder / "id_ed25519").write_text(world.sshd.client_key.read_text())
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "no-agent"))
    world.plane.add_asset(
        FakeAsset("keyless", "127.0.0.1", world.sshd.port, [FakeSystemUser("k", world.sshd.login, password="x")])
    )

    assert (await run(world.proxy.ssh(world.login, "echo through"))).out == b"through\n"
    assert (await run(world.proxy.ssh("alice@k@keyless", "true"))).status == 255


async def test_k30_shell_by_name_without_a_terminal_is_recorded_with_its_input(world: World) -> None:
    result = await run(world.proxy.ssh(world.login, "bash -s"), stdin=b"echo by-$((40+2))\n")

    assert result.out == b"by-42\n"
    ended = await world.plane.event(SessionEnded)
    recorder = world.proxy.recordings.recorders[ended.session_id]
    assert (bytes(recorder.typed), bytes(recorder.written)) == (b"echo by-$((40+2))\n", b"by-42\n")


async def test_k30_empty_command_is_a_recorded_shell(world: World) -> None:
    async with asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=world.login, client_keys=[str(world.proxy.key)],
        known_hosts=None, config=None, agent_path=None,
    ) as connection:  # fmt: skip
        make = asyncssh.SSHClientChannel._make_request

        async def empty(self: Any, request: bytes, *args: bytes) -> bool | None:
            return await make(self, request, String(b"")) if request == b"exec" else await make(self, request, *args)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(asyncssh.SSHClientChannel, "_make_request", empty)
            process = await connection.create_process("anything")
        process.stdin.write("echo hidden-$((40+2))\nexit\n")
        result = await process.wait()

    assert "hidden-42" in str(result.stdout)
    ended = await world.plane.event(SessionEnded)
    assert b"hidden-42" in world.proxy.recordings.recorders[ended.session_id].written
