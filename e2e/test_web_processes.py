"""Several web processes behave like one: changes in one are visible in all, and one can be lost without harm."""

import asyncio
import http.client
import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from typing import Any, Self

import psutil
import pytest
from browser_socket import BrowserSocket
from product import POSTERN, Api, Product, wait_until
from web_processes import Bell, Pinned, one_for_each, owner_of, web_pids
from world import AUDITOR_PASSWORD, TargetHost, World, build_world

PROCESSES = 3
SETTINGS = "/api/v1/settings/setting/?category=security"
NODES = "/api/v1/assets/nodes/"


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """A separate product with three web processes, because some tests kill them."""
    with Product(tmp_path_factory.mktemp("processes") / "home", POSTERN_WEB_PROCESSES=str(PROCESSES)) as running:
        yield running


@pytest.fixture(scope="module")
def world(product: Product, host: TargetHost, tmp_path_factory: pytest.TempPathFactory) -> World:
    return build_world(product, tmp_path_factory.mktemp("people"), host)


def all_run(product: Product) -> bool:
    answer = Api(product.url).call("GET", "/api/health/")
    part = answer.body["parts"]["web"]
    return answer.status == 200 and part["running"] == part["wanted"] == PROCESSES


@pytest.fixture(autouse=True)
def all_processes_run(product: Product) -> None:
    wait_until(lambda: all_run(product), 120, message="all web processes")


def test_setting_changed_in_one_process_applies_in_all_immediately(product: Product) -> None:
    with one_for_each(product, product.api()) as pinned:
        for number, writer in enumerate(pinned):
            changed = writer.call("PATCH", SETTINGS, {"SECURITY_LOGIN_LIMIT_COUNT": 20 + number})
            assert changed.status == 200, changed
            seen = {reader.call("GET", SETTINGS).body["SECURITY_LOGIN_LIMIT_COUNT"] for reader in pinned}
            assert seen == {20 + number}


def test_sign_out_in_one_process_ends_the_sign_in_in_all(product: Product, world: World) -> None:
    with one_for_each(product, world.zhang()) as pinned:
        assert {client.call("GET", "/api/v1/users/profile/").status for client in pinned} == {200}
        assert pinned[0].call("POST", "/api/v1/authentication/sign-out/", {}).status == 200
        assert {client.call("GET", "/api/v1/users/profile/").status for client in pinned} == {401}


def test_right_removed_in_one_process_is_gone_in_all_immediately(product: Product, world: World) -> None:
    asked = f"/api/v1/perms/asset-permissions/{world.permission_id}/"
    with one_for_each(product, world.admin) as writers, one_for_each(product, world.zhang()) as readers:
        for number, writer in enumerate(writers * 2):
            is_active = bool(number % 2)
            assert writer.call("PATCH", asked, {"is_active": is_active}).status == 200
            counts = {
                client.call("GET", "/api/v1/perms/users/assets/?limit=5&offset=0").body["count"] for client in readers
            }
            assert counts == {int(is_active)}


def test_wrong_passwords_count_together_across_all_processes(product: Product, world: World) -> None:
    world.admin.call("PATCH", SETTINGS, {"SECURITY_LOGIN_LIMIT_COUNT": 6})
    stranger = Api(product.url)
    stranger.call("GET", "/core/auth/login/")
    guess = {"username": "auditor", "password": "wrong-Guess-of-a-thief-1"}
    right = {"username": "auditor", "password": AUDITOR_PASSWORD}
    try:
        with one_for_each(product, stranger) as pinned:
            for number in range(6):
                answer = pinned[number % PROCESSES].call("POST", "/api/v1/authentication/sign-in/", guess)
                assert answer.body["error"] in {"password_failed", "block_login"}, answer
            for client in pinned:
                assert client.call("POST", "/api/v1/authentication/sign-in/", right).body["error"] == "block_login"
    finally:
        subprocess.run(
            [str(POSTERN), "user", "unlock", "auditor"], env=product._environ, check=True, stdout=subprocess.DEVNULL
        )
        world.admin.call("PATCH", SETTINGS, {"SECURITY_LOGIN_LIMIT_COUNT": 7})


async def test_message_reaches_consoles_at_all_processes_and_signing_out_closes_them(
    product: Product, world: World
) -> None:
    zhang = world.zhang()
    async with AsyncExitStack() as stack:
        bells: list[Bell] = []
        while {bell.pid for bell in bells} != web_pids(product):
            assert len(bells) < 30
            bells.append(await stack.enter_async_context(Bell(product, zhang)))

        async def unread(bell: Bell) -> int:
            async with asyncio.timeout(60):
                return int(json.loads(await bell.socket.recv())["unread_count"])

        before = {await unread(bell) for bell in bells}
        assert len(before) == 1
        text: dict[str, Any] = {
            "subject": "Maintenance",
            "message": "Tonight at ten.",
            "user_ids": [world.zhang_id],
            "group_ids": [],
        }
        text["is_broadcast"] = False
        await asyncio.to_thread(world.admin.post, "/api/v1/notifications/site-message/send/", text, 200)
        assert {await unread(bell) for bell in bells} == {before.pop() + 1}
        await asyncio.to_thread(zhang.call, "POST", "/api/v1/authentication/sign-out/", {})
        async with asyncio.timeout(60):
            await asyncio.gather(*(bell.socket.wait_closed() for bell in bells))
        assert {bell.socket.close_code for bell in bells} == {4401}


async def test_watchers_at_all_processes_see_a_session_and_terminate_reaches_it(product: Product, world: World) -> None:
    zhang, auditor = world.zhang(), world.auditor()
    asked = {"asset": world.asset_id, "system_user": world.system_user_id}
    granted = await asyncio.to_thread(zhang.post, "/api/v1/authentication/connection-token/", asked)
    async with AsyncExitStack() as stack:
        socket = await stack.enter_async_context(BrowserSocket(zhang, granted["ws_path"]))
        message = await opened(socket, granted["token"])

        def is_watchable() -> bool:
            # The proxy reports that a session is open while it is used already.
            return bool(auditor.get(f"/api/v1/terminal/sessions/{message['session_id']}/")["can_join"])

        await asyncio.to_thread(wait_until, is_watchable, message="a session that can be watched")
        seen: dict[int | None, BrowserSocket] = {}
        while set(seen) != web_pids(product):
            assert len(seen) < 30
            watch = await asyncio.to_thread(
                auditor.post, f"/api/v1/terminal/sessions/{message['session_id']}/watch-token/", {}
            )
            view = await stack.enter_async_context(BrowserSocket(auditor, watch["ws_path"]))
            await view.say(type="watch", token=watch["token"])
            assert view._socket is not None
            seen[await asyncio.to_thread(owner_of, product, view._socket.local_address[1])] = view
        await socket.type("echo seen-by-$((1+2))\r")
        for view in seen.values():
            await view.shows("seen-by-3")
        await asyncio.to_thread(world.admin.post, "/api/v1/terminal/tasks/kill-session/", [message["session_id"]], 200)
        for link in (socket, *seen.values()):
            assert (await link.message("ended"))["reason"] == "terminated"


def test_writers_in_all_processes_wait_for_each_other_and_none_fails(product: Product, world: World) -> None:
    """SQLite has one writer at a time, and the audit chain has one end."""
    api = product.api()

    def write(number: int) -> list[int]:
        pinned = Pinned(product, api)
        root = pinned.call("GET", f"{NODES}?limit=1&offset=0").body["results"][0]["id"]
        statuses = [
            pinned.call("POST", f"{NODES}{root}/children/", {"value": f"writer {number} node {turn}"}).status
            for turn in range(15)
        ]
        pinned.connection.close()
        return statuses

    with ThreadPoolExecutor(12) as writers:
        statuses = [status for results in writers.map(write, range(12)) for status in results]
    assert set(statuses) == {201}
    verified = subprocess.run(
        [str(POSTERN), "audit", "verify"], env=product._environ, check=False, capture_output=True, text=True
    )
    assert verified.returncode == 0, verified.stdout


class Load:
    """Signed-in clients that read a list continuously, each on its own persistent connection."""

    def __init__(self, product: Product, api: Api, clients: int) -> None:
        self._product = product
        self._api = api
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._run) for _ in range(clients)]
        self.answers = 0
        self.faults: list[tuple[int | None, str]] = []

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        pinned: Pinned | None = None
        while not self._over.is_set():
            try:
                # the previous answer said that it was the connection's last
                if pinned is None or pinned.connection.sock is None:
                    pinned = Pinned(self._product, self._api)
                status = pinned.call("GET", "/api/v1/assets/assets/?limit=15&offset=0").status
                if status != 200:
                    self.faults.append((pinned.pid, str(status)))
                self.answers += 1
            except (OSError, http.client.HTTPException) as fault:
                self.faults.append((pinned.pid if pinned is not None else None, repr(fault)))
                if pinned is not None:
                    pinned.connection.close()
                pinned = None
        if pinned is not None:
            pinned.connection.close()

    def more(self, count: int = 100) -> None:
        target = self.answers + count
        wait_until(lambda: self.answers >= target, 120, message="answers")


def test_killed_process_ends_only_its_own_connections(product: Product, world: World) -> None:
    before = web_pids(product)
    victim = psutil.Process(min(before))
    ssh = subprocess.Popen(
        world.ssh("for i in $(seq 1 400); do echo line-$i; sleep 0.05; done"), stdout=subprocess.PIPE, text=True
    )
    try:
        with Load(product, product.api(), clients=6) as load:
            load.more()
            victim.kill()
            load.more()
            answer = Api(product.url).call("GET", "/api/health/")
            assert answer.status == 200, "the others answer"
            wait_until(lambda: all_run(product), 60, message="a successor")
            load.more()
        assert {pid for pid, _fault in load.faults} <= {victim.pid, None}
        assert len(load.faults) <= 6, load.faults
        assert len(web_pids(product) - before) == 1
        output, _ = ssh.communicate(timeout=120)
        assert output.split() == [f"line-{number}" for number in range(1, 401)]
    finally:
        ssh.kill()
        ssh.wait()


def test_replacing_the_processes_one_by_one_under_load_loses_no_request(product: Product) -> None:
    assert product.process is not None
    parent, before = product.part("web").pid, web_pids(product)
    with Load(product, product.api(), clients=6) as load:
        load.more()
        product.process.send_signal(signal.SIGUSR1)
        wait_until(
            lambda: not web_pids(product) & before and len(web_pids(product)) == PROCESSES, 180, message="new processes"
        )
        load.more()
    assert load.faults == []
    assert product.part("web").pid == parent


async def opened(socket: BrowserSocket, token: str) -> dict[str, Any]:
    await socket.say(type="open", token=token, columns=90, rows=30)
    message = await socket.message("opened")
    await socket.until(lambda link: b"#" in link.output or b"$" in link.output)
    return message
