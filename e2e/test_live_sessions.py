"""Browser sessions over the one public port: opened, resumed, watched, terminated, and undisturbed by restarts."""

import asyncio
import signal
import subprocess
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from browser_socket import BrowserSocket
from product import Api, wait_until
from world import World

from timing import soon_async


def token_for(api: Api, world: World) -> dict[str, Any]:
    """Request a connection token as the console does."""
    granted: dict[str, Any] = api.post(
        "/api/v1/authentication/connection-token/", {"asset": world.asset_id, "system_user": world.system_user_id}
    )
    return granted


async def opened(socket: BrowserSocket, token: str) -> dict[str, Any]:
    await socket.say(type="open", token=token, columns=90, rows=30)
    message = await socket.message("opened")
    await socket.until(lambda link: b"#" in link.output or b"$" in link.output)
    return message


async def test_browser_session_echoes_and_ends_with_the_shell(world: World) -> None:
    zhang = world.zhang()
    granted = token_for(zhang, world)
    async with BrowserSocket(zhang, granted["ws_path"]) as socket:
        message = await opened(socket, granted["token"])
        assert message["recorded"] is True
        assert message["host_key"].startswith("SHA256:")
        await socket.type("stty size; echo sum=$((20+22))\r")
        await socket.shows("30 90")
        await socket.shows("sum=42")
        await socket.type("exit 3\r")
        ended = await socket.message("ended")
        assert (ended["reason"], ended["exit_status"]) == ("target_closed", 3)


async def test_connection_token_works_once_and_for_its_owner_only(world: World) -> None:
    zhang, auditor = world.zhang(), world.auditor()
    granted = token_for(zhang, world)
    async with BrowserSocket(auditor, granted["ws_path"]) as stranger:
        await stranger.say(type="open", token=granted["token"], columns=80, rows=24)
        assert (await stranger.message("ended"))["reason"].startswith("token_")
    granted = token_for(zhang, world)
    async with BrowserSocket(zhang, granted["ws_path"]) as socket:
        await opened(socket, granted["token"])
        async with BrowserSocket(zhang, granted["ws_path"]) as again:
            await again.say(type="open", token=granted["token"], columns=80, rows=24)
            assert (await again.message("ended"))["reason"] == "token_used"
        await socket.say(type="close")


async def test_auditor_watches_from_the_present_screen_within_a_second(world: World) -> None:
    zhang, auditor = world.zhang(), world.auditor()
    granted = token_for(zhang, world)
    async with BrowserSocket(zhang, granted["ws_path"]) as socket:
        message = await opened(socket, granted["token"])
        await socket.type("echo before-$((1+1))-came\r")
        await socket.shows("before-2-came")

        def is_watchable() -> bool:
            # The proxy reports that a session is open while it is used already.
            return bool(auditor.get(f"/api/v1/terminal/sessions/{message['session_id']}/")["can_join"])

        await asyncio.to_thread(wait_until, is_watchable, message="a session that can be watched")

        def watch_token() -> Any:
            return auditor.post(f"/api/v1/terminal/sessions/{message['session_id']}/watch-token/", {})

        async def look_in() -> float:
            watch = await asyncio.to_thread(watch_token)
            async with BrowserSocket(auditor, watch["ws_path"]) as view:
                started = time.monotonic()
                await view.say(type="watch", token=watch["token"])
                await view.shows("before-2-came")
                return time.monotonic() - started

        await soon_async(look_in, 1)
        watch = await asyncio.to_thread(watch_token)
        async with BrowserSocket(auditor, watch["ws_path"]) as view:
            await view.say(type="watch", token=watch["token"])
            await view.shows("before-2-came")
            await socket.type("echo while-watched\r")
            await view.shows("while-watched")
            await view.type("echo watchers-do-not-type\r")
            assert await asyncio.to_thread(
                world.admin.post, "/api/v1/terminal/tasks/kill-session/", [message["session_id"]], 200
            )
            ended = await socket.message("ended")
            assert ended["reason"] == "terminated"
            assert (await view.message("ended"))["reason"] == "terminated"
            assert b"watchers-do-not-type" not in socket.output


async def test_lost_browser_connection_is_resumed_without_a_gap(world: World) -> None:
    zhang = world.zhang()
    granted = token_for(zhang, world)
    first = BrowserSocket(zhang, granted["ws_path"])
    async with first:
        message = await opened(first, granted["token"])
        await first.type("for i in 1 2 3 4 5 6; do echo tick-$i; sleep 0.4; done\r")
        await first.shows("tick-2")
    async with BrowserSocket(zhang, granted["ws_path"]) as second:
        await second.say(
            type="resume", session_id=message["session_id"], resume_secret=message["resume_secret"],
            received=first.received, columns=90, rows=30,
        )  # fmt: skip
        await second.message("resumed")
        await second.shows("tick-6")
        both = first.output + second.output
        assert [both.count(b"tick-%d\r" % number) for number in range(1, 7)] == [1] * 6
        async with BrowserSocket(zhang, granted["ws_path"]) as thief:
            await thief.say(
                type="resume", session_id=message["session_id"], resume_secret=message["resume_secret"],
                received=0, columns=90, rows=30,
            )  # fmt: skip
            assert (await thief.message("ended"))["reason"] == "session_unknown"
        await second.say(type="close")


async def test_signing_out_ends_the_browser_session(world: World) -> None:
    zhang = world.zhang()
    granted = token_for(zhang, world)
    async with BrowserSocket(zhang, granted["ws_path"]) as socket:
        message = await opened(socket, granted["token"])
        await asyncio.to_thread(zhang.call, "POST", "/api/v1/authentication/sign-out/", {})

        def over() -> bool:
            row = world.admin.get(f"/api/v1/terminal/sessions/{message['session_id']}/")
            return bool(row["is_finished"])

        await asyncio.to_thread(wait_until, over)


async def test_end_moved_during_a_session_takes_effect_on_time_as_expired(world: World) -> None:
    zhang = world.zhang()
    permission = f"/api/v1/perms/asset-permissions/{world.permission_id}/"
    before = world.admin.get(permission)
    granted = token_for(zhang, world)
    async with BrowserSocket(zhang, granted["ws_path"]) as socket:
        message = await opened(socket, granted["token"])
        end = datetime.now(UTC) + timedelta(seconds=8)
        try:
            await asyncio.to_thread(
                world.admin.call, "PATCH", permission, {"date_expired": end.isoformat(), "actions": ["connect"]}
            )
            notice = await socket.message("notice")
            assert (notice["code"], notice["actions"]) == ("actions", 1), "uploads and downloads go at once"
            ended = await socket.message("ended")
            assert ended["reason"] == "grant_expired"
        finally:
            restored = {name: before[name] for name in ("date_expired", "actions")}
            await asyncio.to_thread(world.admin.call, "PATCH", permission, restored)

    def over() -> dict[str, Any] | None:
        row: dict[str, Any] = world.admin.get(f"/api/v1/terminal/sessions/{message['session_id']}/")
        return row if row["is_finished"] else None

    row = await asyncio.to_thread(wait_until, over)
    assert row["end_reason"] == "grant_expired"


async def test_restarting_web_worker_and_redis_drops_no_session(world: World) -> None:
    zhang = world.zhang()
    granted = token_for(zhang, world)
    ssh = subprocess.Popen(
        world.ssh("for i in $(seq 1 100000); do echo line-$i; sleep 0.1; done"), stdout=subprocess.DEVNULL
    )
    try:
        socket = BrowserSocket(zhang, granted["ws_path"])
        async with socket:
            message = await opened(socket, granted["token"])
            for part in ("worker", "redis", "web"):
                await asyncio.to_thread(world.product.kill_part, part, signal.SIGKILL)
        await asyncio.to_thread(wait_until, world.product.healthy, 180.0)
        async with BrowserSocket(zhang, granted["ws_path"]) as again:
            await again.say(
                type="resume", session_id=message["session_id"], resume_secret=message["resume_secret"],
                received=socket.received, columns=90, rows=30,
            )  # fmt: skip
            await again.message("resumed")
            await again.type("echo still-$((1+1))\r")
            await again.shows("still-2")
            await again.type("exit\r")
            await again.message("ended")
        assert ssh.poll() is None
    finally:
        ssh.kill()
        ssh.wait()

    def told() -> bool:
        row = world.admin.get(f"/api/v1/terminal/sessions/{message['session_id']}/")
        return row["recording_state"] == "sealed" and row["end_reason"] == "target_closed"

    await asyncio.to_thread(wait_until, told, 180.0)


async def test_killed_proxy_loses_no_shown_byte_and_the_recording_plays(world: World) -> None:
    zhang = world.zhang()
    granted = token_for(zhang, world)
    socket = BrowserSocket(zhang, granted["ws_path"])
    async with socket:
        message = await opened(socket, granted["token"])
        await socket.type("for i in $(seq 1 300); do echo number-$i; done\r")
        await socket.shows("number-120")
        await asyncio.to_thread(world.product.kill_part, "proxy", signal.SIGKILL)
        await asyncio.sleep(0.3)
    await asyncio.to_thread(wait_until, world.product.healthy, 180.0)

    def recovered() -> dict[str, Any] | None:
        row: dict[str, Any] = world.admin.get(f"/api/v1/terminal/sessions/{message['session_id']}/")
        return row if row["is_finished"] and row["can_replay"] else None

    row = await asyncio.to_thread(wait_until, recovered, 180.0)
    assert row["end_reason"] == "interrupted"
    replay = world.admin.get(f"/api/v1/terminal/sessions/{message['session_id']}/replay/")
    cast = world.admin.call("GET", replay["cast_url"]).body
    lines = [line for line in socket.output.decode(errors="replace").split() if line.startswith("number-")]
    assert [line for line in lines if line not in cast] == []


async def test_health_is_never_200_while_a_service_is_dead(world: World) -> None:
    """Polled continuously from the kill on: the last heartbeat of a killed service stays valid for almost a minute."""
    product = world.product
    await asyncio.to_thread(wait_until, product.healthy, 180.0)
    for name in ("worker", "proxy"):
        before = product.part(name)
        before.kill()
        before.wait(60)
        assert not product.healthy(), name
        await asyncio.to_thread(wait_until, product.healthy, 180.0)
        assert product.part(name).pid != before.pid
