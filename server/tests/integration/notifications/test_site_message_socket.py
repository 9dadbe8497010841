"""The websocket of site messages: who may open it, what it sends to each tab, and when it closes."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from uvicorn.protocols.utils import ClientDisconnected

from factories.bell import PASSWORD, Tab, sign_in
from postern.apps.authn import page_sockets
from postern.apps.authn.models import LoginSession
from postern.apps.notifications import actions, consumers
from postern.apps.notifications.models import SiteMessageReceipt
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM, Actor, ActorKind

pytestmark = [pytest.mark.django_db(transaction=True)]


Opener = Callable[..., Awaitable[Tab]]


@pytest.fixture
async def tabs() -> AsyncIterator[list[Tab]]:
    opened: list[Tab] = []
    yield opened
    for tab in opened:
        await tab.close()


@pytest.fixture
def uma(make_user: Callable[..., User], transactional_db: None) -> User:
    user = make_user("uma")
    user.set_password(PASSWORD)
    user.save()
    return user


def send_to(*users: User) -> None:
    actions.send(actor=SYSTEM, subject="Hello", message="<p>there</p>", users=users)


def read_all(user: User) -> None:
    ids = list(SiteMessageReceipt.objects.filter(user=user).values_list("pk", flat=True))
    actions.mark_as_read(actor=Actor(kind=ActorKind.USER, user_id=user.pk, username="uma"), receipt_ids=ids)


@pytest.mark.spec("S7-039")
async def test_every_tab_gets_the_number_at_once_and_after_each_change(uma: User, tabs: list[Tab]) -> None:
    await sync_to_async(send_to)(uma)
    cookies = await sync_to_async(sign_in)(uma)
    tabs += [Tab(cookies), Tab(cookies)]
    for tab in tabs:
        assert (await tab.open())["type"] == "websocket.accept"
        assert await tab.count() == 1
    await sync_to_async(send_to)(uma)
    assert [await tab.count() for tab in tabs] == [2, 2]
    await sync_to_async(read_all)(uma)
    assert [await tab.count() for tab in tabs] == [0, 0]


async def test_broadcast_reaches_open_tabs(uma: User, tabs: list[Tab], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("postern.apps.notifications.push._MANY", 0)
    tabs.append(Tab(await sync_to_async(sign_in)(uma)))
    await tabs[0].open()
    assert await tabs[0].count() == 0
    await sync_to_async(send_to)(uma)
    assert await tabs[0].count() == 1


async def test_message_to_others_sends_nothing(uma: User, tabs: list[Tab], make_user: Callable[..., User]) -> None:
    other = await sync_to_async(make_user)("other")
    tabs.append(Tab(await sync_to_async(sign_in)(uma)))
    await tabs[0].open()
    assert await tabs[0].count() == 0
    await sync_to_async(send_to)(other)
    await sync_to_async(send_to)(uma)
    assert await tabs[0].count() == 1


async def test_k42_page_of_another_origin_and_anonymous_visitor_are_refused(uma: User, tabs: list[Tab]) -> None:
    cookies = await sync_to_async(sign_in)(uma)
    tabs += [Tab(cookies, origin="https://evil.test"), Tab(""), Tab("sessionid=made-up")]
    assert (await tabs[0].open())["type"] == "websocket.close"
    for tab in tabs[1:]:
        assert (await tab.open())["type"] == "websocket.accept"
        closed = await tab.next()
        assert (closed["type"], closed["code"]) == ("websocket.close", page_sockets.CLOSE_SIGNED_OUT)


async def test_k40_tab_closes_when_its_sign_in_ends(uma: User, tabs: list[Tab]) -> None:
    cookies = await sync_to_async(sign_in)(uma)
    tabs.append(Tab(cookies))
    await tabs[0].open()
    assert await tabs[0].count() == 0

    def sign_out() -> None:
        client = Client()
        for pair in cookies.split("; "):
            name, _, value = pair.partition("=")
            client.cookies[name] = value
        token = client.cookies["csrftoken"].value
        assert client.post("/api/v1/authentication/sign-out/", headers={"X-CSRFToken": token}).status_code < 400

    await sync_to_async(sign_out)()
    closed = await tabs[0].next()
    assert (closed["type"], closed["code"]) == ("websocket.close", page_sockets.CLOSE_SIGNED_OUT)


async def test_k40_watch_closes_sockets_that_no_event_closed(uma: User, tabs: list[Tab]) -> None:
    """For example, the account expired, or Redis lost the message."""
    tabs.append(Tab(await sync_to_async(sign_in)(uma)))
    await tabs[0].open()
    assert await tabs[0].count() == 0
    await sync_to_async(User.objects.filter(pk=uma.pk).update)(is_active=False)
    closed = await tabs[0].next()
    assert (closed["type"], closed["code"]) == ("websocket.close", page_sockets.CLOSE_SIGNED_OUT)
    assert await sync_to_async(LoginSession.objects.filter(date_ended__isnull=True).exists)()


async def test_k40_watch_survives_a_socket_that_cannot_be_closed(
    uma: User, tabs: list[Tab], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The client left at that moment. The other sockets of the sign-in must still close, and later ones too."""
    monkeypatch.setattr(consumers, "RECHECK_S", 0.1)
    close, broken = consumers.SiteMessages.close, []

    async def first_one_fails(socket: consumers.SiteMessages, *args: Any, **kwargs: Any) -> None:
        if not broken:
            broken.append(socket)
            raise RuntimeError("the connection is gone")
        await close(socket, *args, **kwargs)

    cookies = await sync_to_async(sign_in)(uma)
    tabs += [Tab(cookies), Tab(cookies)]
    for tab in tabs:
        await tab.open()
        assert await tab.count() == 0
    monkeypatch.setattr(consumers.SiteMessages, "close", first_one_fails)
    await sync_to_async(User.objects.filter(pk=uma.pk).update)(is_active=False)
    for tab in tabs:
        closed = await tab.next()
        assert (closed["type"], closed["code"]) == ("websocket.close", page_sockets.CLOSE_SIGNED_OUT)
    assert broken


async def test_socket_of_a_vanished_client_is_forgotten(
    uma: User, tabs: list[Tab], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it would count for ever towards the sockets that a sign-in may have."""
    before = dict(consumers.WATCH._sockets)
    tabs.append(Tab(await sync_to_async(sign_in)(uma)))
    await tabs[0].open()
    assert await tabs[0].count() == 0
    assert dict(consumers.WATCH._sockets) != before

    async def gone(*_: Any, **__: Any) -> None:
        raise ClientDisconnected

    monkeypatch.setattr(consumers.SiteMessages, "send", gone)
    await sync_to_async(send_to)(uma)
    with pytest.raises(ClientDisconnected):
        await tabs[0].ended()
    tabs.clear()
    assert dict(consumers.WATCH._sockets) == before


@pytest.mark.parametrize("text", ["", "{}", "[", '{"refresh_every_seconds": 0}', '"x"', "x" * 2000])
async def test_invalid_message_closes_the_tab(uma: User, tabs: list[Tab], text: str) -> None:
    tabs.append(Tab(await sync_to_async(sign_in)(uma)))
    await tabs[0].open()
    assert await tabs[0].count() == 0
    await tabs[0].say(text)
    closed = await tabs[0].next()
    assert (closed["type"], closed["code"]) == ("websocket.close", page_sockets.CLOSE_MALFORMED)


async def test_number_is_sent_repeatedly_when_requested(
    uma: User, tabs: list[Tab], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    sleep = asyncio.sleep

    async def no_sleep(seconds: float) -> None:
        if seconds == 7:
            waits.append(seconds)
            seconds = 0.05
        await sleep(seconds)

    monkeypatch.setattr(consumers.asyncio, "sleep", no_sleep)
    tabs.append(Tab(await sync_to_async(sign_in)(uma)))
    await tabs[0].open()
    assert await tabs[0].count() == 0
    await tabs[0].say('{"refresh_every_seconds": 7}')
    assert [await tabs[0].count() for _ in range(3)] == [0, 0, 0]
    assert waits


async def test_number_of_tabs_of_a_sign_in_is_limited(
    uma: User, tabs: list[Tab], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers.SiteMessages, "max_sockets", 1)
    cookies = await sync_to_async(sign_in)(uma)
    tabs += [Tab(cookies), Tab(cookies)]
    await tabs[0].open()
    assert await tabs[0].count() == 0
    assert (await tabs[1].open())["type"] == "websocket.accept"
    assert (await tabs[1].next())["code"] == page_sockets.CLOSE_TOO_MANY
    await tabs[0].close()
    third = Tab(cookies)
    tabs.append(third)
    await third.open()
    assert await third.count() == 0
