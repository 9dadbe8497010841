"""How sessions end, and the effects of bad targets, failures and administrators: explained clearly, nothing else
disturbed.
"""

import asyncio
import time
from contextlib import suppress
from datetime import timedelta
from ipaddress import IPv4Address
from pathlib import Path
from uuid import uuid4

import psutil
import pytest

import postern.proxies.ssh
from fakes.control_plane import FakeAsset, FakeControlPlane, FakeSystemUser
from peers.odd_target import OddTarget, flood, say_hello, wait_for_end
from peers.ports import free_port
from peers.ssh_proxy import World, make_world, run, ssh_proxy
from peers.sshd import Sshd
from peers.terminal import Terminal
from postern.contracts.enums import EndReason
from postern.contracts.events import RequestRefused, SessionEnded, SessionStarted
from postern.contracts.terminals import ChangeLock, TerminateSession
from postern.kernel.clock import now
from postern.kernel.dialing import DialPolicy, Surroundings
from postern.proxies.ssh.limits import SshLimits
from timing import soon_async


def terminate(world: World, reason: str = "terminated") -> TerminateSession:
    return TerminateSession(
        order_id=uuid4(), session_id=world.plane.of(SessionStarted)[-1].session_id, by="auditor", reason=reason,
        message_zh="会话已被 auditor 终止。", message_en="auditor has ended this session.",
    )  # fmt: skip


async def test_terminated_session_tells_the_user_why_within_two_seconds(world: World) -> None:
    async def terminated() -> float:
        known = len(world.plane.of(SessionStarted))
        async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
            await terminal.expect(r"[#$] ")
            await world.plane.until(lambda: len(world.plane.of(SessionStarted)) > known)
            order = terminate(world)
            begun = time.monotonic()
            world.proxy.registry.carry_out(order)
            await terminal.expect("auditor has ended this session")
            assert await terminal.wait() == 255
            took = time.monotonic() - begun
        ended = await world.plane.event(SessionEnded, session_id=order.session_id)
        assert (ended.reason, ended.detail) == (EndReason.TERMINATED, "by auditor")
        return took

    await soon_async(terminated, 2)


async def test_user_of_a_terminated_session_reads_the_reason_in_chinese(world: World) -> None:
    world.alice.language = "zh-hans"
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await terminal.expect(r"[#$] ")
        await world.plane.event(SessionStarted)
        world.proxy.registry.carry_out(terminate(world))
        await terminal.expect("会话已被 auditor 终止")


async def test_one_ended_session_leaves_the_others_alone(world: World) -> None:
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as other:
        await other.expect(r"[#$] ")
        async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as victim:
            await victim.expect(r"[#$] ")
            await world.plane.until(lambda: len(world.plane.of(SessionStarted)) == 2)
            world.proxy.registry.carry_out(terminate(world))
            await victim.wait()
        await other.type("echo still-$((40+2))\n")
        await other.expect("still-42")


async def test_idle_session_ends(world: World) -> None:
    world.asset.idle_timeout_s = 1
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await terminal.expect("nothing happened for too long")
        await terminal.wait()

    assert (await world.plane.event(SessionEnded)).reason is EndReason.IDLE


async def test_session_ends_with_the_permission(world: World) -> None:
    world.asset.expires_at = now() + timedelta(seconds=1.5)
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await terminal.expect("Your permission has run out")

    assert (await world.plane.event(SessionEnded)).reason is EndReason.GRANT_EXPIRED


async def test_session_continues_without_the_control_plane_up_to_the_limit(world: World) -> None:
    world.asset.control_loss_limit_s = 10
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await terminal.expect(r"[#$] ")
        world.plane.down = True
        await terminal.type("echo works-$((1+1))\n")
        await terminal.expect("works-2")
        await terminal.expect("control plane has been out of reach")
    world.plane.down = False

    assert (await world.plane.event(SessionEnded)).reason is EndReason.CONTROL_LOST


async def test_session_that_cannot_be_recorded_does_not_start(world: World) -> None:
    world.proxy.recordings.refuse = True
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await terminal.expect("cannot record this session")
        assert await terminal.wait() == 255

    ended = await world.plane.event(SessionEnded)
    assert (ended.reason, ended.ever_active) == (EndReason.CANNOT_RECORD, False)


async def test_session_whose_recording_fails_ends_and_shows_nothing_unrecorded(world: World) -> None:
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await terminal.expect(r"[#$] ")
        recorder = next(iter(world.proxy.recordings.recorders.values()))
        recorder.break_writes = True
        await terminal.type("echo secret-$((40+2))\n")
        await terminal.expect("cannot record this session")
        await terminal.wait()

    assert b"secret-42" not in terminal.seen
    assert (await world.plane.event(SessionEnded)).reason is EndReason.CANNOT_RECORD


async def test_session_whose_sync_fails_ends_within_two_seconds(world: World) -> None:
    async def ended() -> float:
        async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
            await terminal.expect(r"[#$] ")
            begun = time.monotonic()
            list(world.proxy.recordings.recorders.values())[-1].failed = True
            await terminal.expect("cannot record this session")
            return time.monotonic() - begun

    await soon_async(ended, 2)


async def test_best_effort_session_continues_and_the_audit_says_from_when(world: World) -> None:
    world.asset.strict = False
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await terminal.expect(r"[#$] ")
        next(iter(world.proxy.recordings.recorders.values())).break_writes = True
        await terminal.type("echo on-$((40+2))\n")
        await terminal.expect("on-42")
        await terminal.type("exit\n")
        await terminal.wait()

    await world.plane.event(RequestRefused, request="recording")


# Targets that cannot be opened


def add_target(world: World, name: str, host: str, port: int, **user: object) -> FakeSystemUser:
    added = FakeSystemUser("su", "root", **user)  # type: ignore[arg-type]
    world.plane.add_asset(FakeAsset(name, host, port, [added]))
    return added


async def refused(world: World, name: str) -> tuple[str, SessionEnded]:
    result = await run(world.proxy.ssh(f"alice@su@{name}", "true"))
    assert result.status == 255
    return result.err.decode(), await world.plane.event(SessionEnded)


async def test_unreachable_port_is_explained(world: World) -> None:
    add_target(world, "down", "127.0.0.1", free_port())
    message, ended = await refused(world, "down")

    assert "refused the connection. Is its SSH service running?" in message
    assert (ended.reason, ended.ever_active) == (EndReason.UNREACHABLE, False)


async def test_unknown_host_name_is_explained(world: World) -> None:
    add_target(world, "typo", "no-such-host.invalid", 22)
    message, ended = await refused(world, "typo")

    assert "no-such-host.invalid cannot be resolved" in message
    assert ended.reason is EndReason.UNREACHABLE


async def test_connecting_to_a_silent_host_times_out(
    control_plane: FakeControlPlane, sshd: Sshd, tmp_path: Path
) -> None:
    dialled = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        dialled.set()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    limits = SshLimits(target_login_s=0.5)
    async with server, ssh_proxy(control_plane, tmp_path / "p", ssh_limits=limits) as proxy:
        world = make_world(proxy, control_plane, sshd)
        add_target(world, "silent", "127.0.0.1", server.sockets[0].getsockname()[1])
        message, ended = await refused(world, "silent")

    assert "did not answer in time" in message
    assert ended.reason is EndReason.UNREACHABLE


async def test_host_that_does_not_speak_ssh_is_explained(world: World) -> None:
    async def http(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 2)
        writer.close()

    server = await asyncio.start_server(http, "127.0.0.1", 0)
    async with server:
        add_target(world, "http", "127.0.0.1", server.sockets[0].getsockname()[1])
        message, ended = await refused(world, "http")

    assert "did not complete the SSH handshake" in message
    assert ended.reason is EndReason.UNREACHABLE


async def test_wrong_stored_credential_is_explained_without_showing_it(world: World) -> None:
    async with OddTarget(say_hello) as target:
        add_target(world, "odd", "127.0.0.1", target.port, password="stale-secret")
        message, ended = await refused(world, "odd")

    assert "did not accept the credential of root" in message
    assert "“su”" in message
    assert "stale-secret" not in message
    assert ended.reason is EndReason.CREDENTIAL_REFUSED
    assert target.tries == 1


@pytest.mark.parametrize("methods", ["password", "kbdint", "both"])
async def test_stored_password_logs_in_by_either_method(world: World, methods: str) -> None:
    async with OddTarget(say_hello, methods=methods) as target:
        add_target(world, "odd", "127.0.0.1", target.port, password=target.password)
        result = await run(world.proxy.ssh("alice@su@odd", "anything"))

    assert (result.status, result.out) == (0, b"hello\n")


async def test_k52_changed_host_key_is_refused_before_the_credential_is_asked_for(world: World) -> None:
    async with OddTarget(say_hello) as target:
        add_target(world, "odd", "127.0.0.1", target.port, password=target.password)
        assert (await run(world.proxy.ssh("alice@su@odd", "true"))).status == 0
        await world.plane.event(SessionEnded)
        world.plane.events.clear()
        world.plane.calls.clear()
        port = target.port
    impostor = OddTarget(say_hello)
    impostor.port = port
    async with impostor:
        message, ended = await refused(world, "odd")

    assert "The host key of 127.0.0.1 has changed" in message
    assert impostor.host_key.get_fingerprint() in message
    assert ended.reason is EndReason.HOST_KEY_REFUSED
    assert not [path for path, _ in world.plane.calls if path == "credential/"]
    assert impostor.seen_logins == []


async def test_k36_own_service_is_not_dialled_even_where_local_targets_are_allowed(
    control_plane: FakeControlPlane, sshd: Sshd, tmp_path: Path
) -> None:
    own = Surroundings(services=frozenset({(IPv4Address("0.0.0.0"), sshd.port)}))
    policy = DialPolicy(allow_local=True, look_around=lambda: own)
    async with ssh_proxy(control_plane, tmp_path / "p", policy=policy) as proxy:
        world = make_world(proxy, control_plane, sshd)
        result = await run(proxy.ssh(world.login, "true"))

    assert result.status == 255
    assert b"it is a service of Postern itself" in result.err
    assert f"Accepted publickey for {sshd.login}" not in sshd.log


async def test_k36_name_that_resolves_elsewhere_at_the_dial_is_judged_again(
    control_plane: FakeControlPlane, sshd: Sshd, tmp_path: Path
) -> None:
    """The control plane saw another address a moment ago. The address that the proxy is about to dial counts."""
    async with ssh_proxy(control_plane, tmp_path / "p", policy=DialPolicy()) as proxy:
        world = make_world(proxy, control_plane, sshd)
        world.asset.host = "localhost"
        result = await run(proxy.ssh(world.login, "true"))

    assert result.status == 255
    assert f"localhost:{sshd.port} may not be dialled" in result.err.decode()
    assert f"Accepted publickey for {sshd.login}" not in sshd.log


async def test_k36_local_target_is_refused_with_the_setting_that_would_permit_it(
    control_plane: FakeControlPlane, sshd: Sshd, tmp_path: Path
) -> None:
    async with ssh_proxy(control_plane, tmp_path / "p", policy=DialPolicy()) as proxy:
        world = make_world(proxy, control_plane, sshd)
        result = await run(proxy.ssh(world.login, "true"))

    assert b"POSTERN_ALLOW_LOCAL_TARGETS" in result.err


async def test_unknown_asset_and_system_user_are_explained(world: World) -> None:
    nowhere = await run(world.proxy.ssh("alice@deploy@nowhere", "true"))
    nobody = await run(world.proxy.ssh("alice@nobody@web1", "true"))

    assert (nowhere.status, nobody.status) == (255, 255)
    assert "no asset “nowhere”".encode() in nowhere.err
    assert "no system user “nobody”".encode() in nobody.err


async def test_manual_login_asks_in_the_terminal(world: World) -> None:
    async with OddTarget(wait_for_end) as target:
        add_target(world, "odd", "127.0.0.1", target.port, manual=True)
        async with Terminal(world.proxy.ssh("alice@su@odd", options=("-tt",))) as terminal:
            await terminal.expect("User name on odd: ")
            await terminal.type("carol\n")
            await terminal.expect("Password of carol@odd: ")
            await terminal.type("hunter2\n")
            started = await world.plane.event(SessionStarted)
            assert started.kind == "shell"
        assert target.seen_logins == ["carol"]
    assert b"hunter2" not in terminal.seen


@pytest.mark.parametrize("is_unlocked", [True, False], ids=["unlocked", "terminated"])
async def test_answers_of_a_locked_session_wait_before_the_target(world: World, is_unlocked: bool) -> None:
    registry = world.proxy.registry

    def change_lock(version: int, *, is_locked: bool) -> None:
        [session_id] = registry.ids()
        order = ChangeLock(
            order_id=uuid4(), session_id=session_id, version=version, is_locked=is_locked, by="Olaf(olaf)"
        )
        assert registry.carry_out(order)

    async with OddTarget(wait_for_end) as target:
        add_target(world, "odd", "127.0.0.1", target.port, manual=True)
        async with Terminal(world.proxy.ssh("alice@su@odd", options=("-tt",))) as terminal:
            await terminal.expect("User name on odd: ")
            change_lock(1, is_locked=True)
            await terminal.type("carol\n")
            await terminal.expect("Olaf.olaf. has locked this session")
            await asyncio.sleep(0.7)
            assert target.seen_logins == []
            if is_unlocked:
                change_lock(2, is_locked=False)
                await terminal.expect("Password of carol@odd: ")
                await terminal.type("hunter2\n")
                await world.plane.event(SessionStarted)
            else:
                registry.end_all(EndReason.TERMINATED)
                assert await terminal.wait() == 255
        assert target.seen_logins == (["carol"] if is_unlocked else [])


async def test_manual_login_with_a_wrong_password_is_explained(world: World) -> None:
    async with OddTarget(wait_for_end) as target:
        add_target(world, "odd", "127.0.0.1", target.port, manual=True)
        async with Terminal(world.proxy.ssh("alice@su@odd", options=("-tt",))) as terminal:
            await terminal.expect("User name on odd: ")
            await terminal.type("carol\n")
            await terminal.expect("Password of carol@odd: ")
            await terminal.type("wrong-one\n")
            await terminal.expect("The host did not accept it. Password of carol@odd: ")
            await terminal.type("wrong-two\n")
            await terminal.expect("The host did not accept it. Password of carol@odd: ")
            await terminal.type("wrong-three\n")
            await terminal.expect("did not accept the password that you gave for carol")
            assert await terminal.wait() == 255
        assert target.seen_logins.count("carol") == len(target.seen_logins)
    ended = await world.plane.event(SessionEnded)
    assert ended.reason is EndReason.CREDENTIAL_REFUSED
    assert b"wrong-" not in terminal.seen
    assert "wrong-" not in repr(world.plane.events) + repr(world.plane.calls)


@pytest.mark.spec("S3-036")
async def test_manual_login_accepts_the_right_password_after_a_wrong_one(world: World) -> None:
    async with OddTarget(wait_for_end) as target:
        add_target(world, "odd", "127.0.0.1", target.port, manual=True)
        async with Terminal(world.proxy.ssh("alice@su@odd", options=("-tt",))) as terminal:
            await terminal.type("carol\nwrong\n")
            await terminal.expect("The host did not accept it. Password of carol@odd: ")
            await terminal.type("hunter2\n")
            started = await world.plane.event(SessionStarted)
            assert (started.kind, started.login_name) == ("shell", "carol")
    assert b"hunter2" not in terminal.seen
    (recorder,) = world.proxy.recordings.recorders.values()
    assert "hunter2" not in repr(recorder.events)


async def test_credential_that_was_entered_beforehand_needs_no_terminal(world: World) -> None:
    async with OddTarget(wait_for_end) as target:
        added = add_target(world, "odd", "127.0.0.1", target.port, manual=True)
        added.login, added.password, added.entered = "carol", "hunter2", True
        process = await asyncio.create_subprocess_exec(
            *world.proxy.ssh("alice@su@odd", "anything"), stdin=asyncio.subprocess.DEVNULL
        )
        await world.plane.event(SessionStarted)
        process.kill()
        await process.wait()
        assert target.seen_logins == ["carol"]


async def test_without_a_terminal_the_refusal_is_the_reason_and_without_a_password_it_is_explained(
    world: World,
) -> None:
    async with OddTarget(wait_for_end) as target:
        added = add_target(world, "odd", "127.0.0.1", target.port, manual=True)
        nothing = await run(world.proxy.ssh("alice@su@odd", "anything"))
        added.login, added.password, added.entered = "carol", "outdated", True
        wrong = await run(world.proxy.ssh("alice@su@odd", "anything"))
    assert (nothing.status, wrong.status) == (255, 255)
    assert b"a program without a terminal" in nothing.err
    assert b"did not accept the password that you gave for carol" in wrong.err


async def test_target_that_dies_ends_the_session_as_target_closed(world: World, tmp_path: Path) -> None:
    async with Sshd(tmp_path / "mortal") as mortal:
        world.plane.add_asset(
            FakeAsset(
                "mortal", "127.0.0.1", mortal.port,
                [FakeSystemUser("m", mortal.login, private_key=mortal.client_key.read_text())],
            )
        )  # fmt: skip
        async with Terminal(world.proxy.ssh("alice@m@mortal", options=("-tt",))) as terminal:
            await terminal.expect(r"[#$] ")
            for child in psutil.Process(mortal.pid).children(recursive=True):
                with suppress(psutil.NoSuchProcess):  # it exited together with its parent
                    child.kill()
            assert await terminal.wait() == 255

    assert (await world.plane.event(SessionEnded)).reason is EndReason.TARGET_CLOSED


async def test_drain_refuses_new_sessions_and_ends_the_rest_at_its_limit(world: World) -> None:
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await terminal.expect(r"[#$] ")
        draining = asyncio.create_task(world.proxy.registry.drain(600))
        await world.plane.until(lambda: world.proxy.registry.draining)
        late = await run(world.proxy.ssh(world.login, "true"))
        assert late.status == 255
        assert b"shutting down" in late.err
        await terminal.type("echo still-$((40+2))\n")
        await terminal.expect("still-42")
        assert not draining.done()
        draining.cancel()
        await world.proxy.registry.drain(0.1)
        await terminal.expect("The service is shutting down")
        await terminal.wait()

    await world.plane.until(lambda: len(world.plane.of(SessionEnded)) == 2)
    assert {e.reason for e in world.plane.of(SessionEnded)} == {EndReason.DRAINED}


@pytest.mark.parametrize(
    ("language", "told", "menu_told"),
    [("en", "may go on for 600 seconds", "Please connect again in a moment"),
     ("zh-hans", "还可以继续 600 秒", "服务正在关闭。稍后重新连接。")],
)  # fmt: skip
async def test_users_in_sessions_and_in_the_menu_are_told_of_a_shutdown(
    world: World, language: str, told: str, menu_told: str
) -> None:
    world.alice.language = language
    menu = Terminal(world.proxy.ssh("alice", options=("-tt",)))
    session = Terminal(world.proxy.ssh(world.login, options=("-tt",)))
    by_menu = Terminal(world.proxy.ssh("alice", options=("-tt",)))
    async with menu, session, by_menu:
        await menu.expect("(asset|资产)> ")
        await by_menu.expect("(asset|资产)> ")
        await by_menu.type("1\r")
        await world.plane.event(SessionStarted)
        await session.expect(r"[#$] ")
        await world.plane.until(lambda: len(world.plane.of(SessionStarted)) == 2)
        at_once = asyncio.Event()
        draining = asyncio.create_task(world.proxy.registry.drain(600, at_once=at_once))
        for terminal in (session, by_menu):
            await terminal.expect(told)
            await terminal.type("echo still-$((40+2))\n")
            await terminal.expect("still-42")
        # Nothing can be opened from the menu any more, so its users are told and disconnected.
        await menu.expect(menu_told)
        assert await menu.wait() == 255
        await by_menu.type("exit\n")
        await by_menu.expect(menu_told)
        assert await by_menu.wait() == 255
        assert not draining.done()
        at_once.set()
        await session.expect("(The service is shutting down|服务正在关闭，会话已结束)")
        assert await session.wait() == 255
        await draining

    await world.plane.until(lambda: len(world.plane.of(SessionEnded)) == 2)
    assert [e.reason for e in world.plane.of(SessionEnded)] == [EndReason.TARGET_CLOSED, EndReason.DRAINED]


async def test_closed_account_ends_the_whole_connection(world: World) -> None:
    async with Terminal(world.proxy.ssh(world.login, options=("-tt",))) as terminal:
        await terminal.expect(r"[#$] ")
        await world.plane.event(SessionStarted)
        world.proxy.registry.carry_out(terminate(world, "account_closed"))
        await terminal.wait()

    assert (await world.plane.event(SessionEnded)).reason is EndReason.ACCOUNT_CLOSED


async def test_user_who_leaves_while_the_target_is_dialled_leaves_nothing_behind(world: World) -> None:
    dialled = asyncio.Event()

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        dialled.set()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(silent, "127.0.0.1", 0)
    async with server:
        add_target(world, "silent", "127.0.0.1", server.sockets[0].getsockname()[1])
        async with Terminal(world.proxy.ssh("alice@su@silent", options=("-tt",))):
            await dialled.wait()
        ended = await world.plane.event(SessionEnded)

    assert (ended.reason, ended.ever_active) == (EndReason.USER_CLOSED, False)
    await world.plane.until(lambda: len(world.proxy.registry) == 0)


async def test_k56_early_input_waits_for_the_target_and_is_not_lost(world: World) -> None:
    world.plane.delay_s = 0.3
    result = await run(world.proxy.ssh(world.login, "cat"), stdin=b"early" * 100_000)

    assert result.out == b"early" * 100_000


async def test_k43_flooding_target_can_be_left_immediately(world: World) -> None:
    async with OddTarget(flood) as target:
        add_target(world, "flood", "127.0.0.1", target.port, password=target.password)

        async def left() -> float:
            known = len(world.plane.of(SessionStarted))
            async with Terminal(world.proxy.ssh("alice@su@flood", options=("-tt",))) as terminal:
                await terminal.expect("y{10000}")
                await world.plane.until(lambda: len(world.plane.of(SessionStarted)) > known)
                begun = time.monotonic()
                world.proxy.registry.carry_out(terminate(world))
                await terminal.expect("auditor has ended this session")
                return time.monotonic() - begun

        await soon_async(left, 2)


def test_k28_the_front_starts_no_process_and_no_shell() -> None:
    folder = Path(postern.proxies.ssh.__file__).parent
    text = "".join(file.read_text() for file in folder.glob("*.py"))
    for word in ("subprocess", "os.system", "create_subprocess", "shell=True", "popen"):
        assert word not in text
