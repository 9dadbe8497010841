"""The control channel over a real server and a real Redis: orders arrive at once, answers count, strangers
are refused.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from live import LiveServer, in_thread
from rest_framework.test import APIClient
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from factories.proxy_client import Proxy
from postern.apps.sessions.models import ProxyOrder, Session
from postern.contracts.terminals import CONTROL_CHANNEL, Order, OrderDone, SettingsUpdate, TerminateSession
from timing import soon_async

KILL = "/api/v1/terminal/tasks/kill-session/"


def dial(live: LiveServer, authorization: str) -> Any:
    return connect(
        f"ws://{live.host}{CONTROL_CHANNEL}", additional_headers={"Authorization": authorization}, compression=None
    )


async def next_order(channel: ClientConnection) -> Order:
    async with asyncio.timeout(60):
        return msgspec.json.decode(await channel.recv(), type=Order)


async def finished(order_id: UUID) -> ProxyOrder:
    """Wait until the order is done, and return it."""
    async with asyncio.timeout(60):
        while (row := await in_thread(lambda: ProxyOrder.objects.get(pk=order_id))).date_finished is None:  # noqa: ASYNC110 - other process
            await asyncio.sleep(0.05)
        return row


def run(story: Callable[[], Awaitable[None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(300):
            await story()

    asyncio.run(limited())


def test_k74_terminate_reaches_the_proxy_within_two_seconds(
    live: LiveServer, proxy: Proxy, active: Session, as_org_admin: APIClient
) -> None:
    async def story() -> None:
        async with dial(live, proxy.headers["Authorization"]) as channel:

            async def reached() -> float:
                started = time.monotonic()
                answer = await in_thread(lambda: as_org_admin.post(KILL, [str(active.pk)], format="json"))
                assert answer.json() == {"ok": [str(active.pk)]}
                order = await next_order(channel)
                took = time.monotonic() - started
                assert isinstance(order, TerminateSession)
                assert order.session_id == active.pk
                await channel.send(msgspec.json.encode(OrderDone(order_id=order.order_id, detail="ended")).decode())
                row = await finished(order.order_id)
                assert (row.ok, row.detail) == (True, "ended")
                return took

            await soon_async(reached, 2)

    run(story)


def test_changed_settings_reach_the_proxy_within_two_seconds(
    live: LiveServer, proxy: Proxy, as_admin: APIClient
) -> None:
    async def story() -> None:
        async with dial(live, proxy.headers["Authorization"]) as channel:
            version = 0

            async def reached() -> float:
                nonlocal version
                size = "15" if version % 2 else "25"
                started = time.monotonic()
                url = "/api/v1/settings/setting/?category=terminal"
                change = {"TERMINAL_ASSET_LIST_PAGE_SIZE": size}
                answer = await in_thread(lambda: as_admin.patch(url, change, format="json"))
                assert answer.status_code == 200
                async with asyncio.timeout(60):
                    update = msgspec.json.decode(await channel.recv(), type=SettingsUpdate)
                took = time.monotonic() - started
                assert update.settings.asset_list_page_size == size
                assert update.settings.version > version
                version = update.settings.version
                return took

            await soon_async(reached, 2)

    run(story)


def test_order_made_while_the_channel_was_closed_is_sent_on_the_next_channel(
    live: LiveServer, proxy: Proxy, active: Session, as_org_admin: APIClient
) -> None:
    as_org_admin.post(KILL, [str(active.pk)], format="json")

    async def story() -> None:
        for _ in range(2):  # the order is repeated until it is done
            async with dial(live, proxy.headers["Authorization"]) as channel:
                order = await next_order(channel)
                assert isinstance(order, TerminateSession)
                assert order.session_id == active.pk

    run(story)


def test_k19_control_channel_accepts_only_the_credential_of_a_terminal(live: LiveServer, proxy: Proxy) -> None:
    async def story() -> None:
        for text in (
            "",
            f"Terminal {proxy.id}.wrong",
            f"Terminal {uuid4()}.{proxy.secret}",
            f"Bearer {proxy.id}.{proxy.secret}",
            f"Terminal {proxy.secret}",
        ):
            with pytest.raises(InvalidStatus) as refused:
                async with dial(live, text):
                    pass
            assert refused.value.response.status_code == 403

    run(story)


@pytest.mark.parametrize("message", ["", "{}", "[1]", '{"order_id": 7}', "x" * 70_000])
def test_k19_control_channel_accepts_no_other_message(live: LiveServer, proxy: Proxy, message: str) -> None:
    async def story() -> None:
        async with dial(live, proxy.headers["Authorization"]) as channel:
            await channel.send(message)
            with pytest.raises(ConnectionClosed) as closed:
                async with asyncio.timeout(60):
                    await channel.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4400

    run(story)


def test_order_of_another_terminal_cannot_be_answered(
    live: LiveServer, proxy: Proxy, other_proxy: Proxy, active: Session, as_org_admin: APIClient
) -> None:
    as_org_admin.post(KILL, [str(active.pk)], format="json")
    order_id = ProxyOrder.objects.get().pk

    async def story() -> None:
        async with dial(live, other_proxy.headers["Authorization"]) as channel:
            await channel.send(msgspec.json.encode(OrderDone(order_id=order_id)).decode())
            await asyncio.sleep(0.5)
        assert (await in_thread(ProxyOrder.objects.get)).date_finished is None

    run(story)


def test_control_channel_closes_when_the_terminal_is_deleted(
    live: LiveServer, proxy: Proxy, as_admin: APIClient
) -> None:
    async def story() -> None:
        async with dial(live, proxy.headers["Authorization"]) as channel:
            await asyncio.sleep(0.3)
            deleted = await in_thread(lambda: as_admin.delete(f"/api/v1/terminal/terminals/{proxy.id}/"))
            assert deleted.status_code == 204
            with pytest.raises(ConnectionClosed) as closed:
                async with asyncio.timeout(60):
                    await channel.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 4401

    run(story)
