"""A console that shows live sessions is told when they change, while its user may read them."""

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from asgiref.sync import sync_to_async
from channels.layers import get_channel_layer

from factories.bell import PASSWORD, Tab, sign_in
from postern.apps.authn import page_sockets
from postern.apps.notifications import push
from postern.apps.notifications.subscriptions import LIVE_SESSIONS
from postern.apps.orgs.roles import OrgRole
from postern.apps.sessions.sessions.events import SessionChanged, SessionFinished, SessionOpened
from postern.apps.users.models import Membership, SystemRole, User
from postern.foundation.bus.events import publish
from postern.kernel.ids import DEFAULT_ORG_ID, ROOT_ORG_ID

pytestmark = [pytest.mark.django_db(transaction=True)]


@pytest.fixture
def person(make_user: Callable[..., User], transactional_db: None) -> Callable[..., User]:
    def make(name: str, **values: Any) -> User:
        user = make_user(name, **values)
        user.set_password(PASSWORD)
        user.save()
        return user

    return make


async def opened(user: User) -> Tab:
    tab = Tab(await sync_to_async(sign_in)(user))
    assert (await tab.open())["type"] == "websocket.accept"
    assert await tab.count() == 0
    return tab


async def follow(tab: Tab, org_id: UUID | None) -> None:
    await tab.say(json.dumps({"follow_sessions_of": None if org_id is None else str(org_id)}))


async def next_message(tab: Tab) -> str:
    message = await tab.next()
    assert message["type"] == "websocket.send", message
    return str(message["text"])


CHANGED, REFUSED = '{"type":"sessions_changed"}', '{"type":"sessions_refused"}'


async def test_auditor_is_told_at_once_and_of_each_change_in_their_organization(person: Callable[..., User]) -> None:
    tab = await opened(await sync_to_async(person)("audra", org_role=OrgRole.AUDITOR))
    try:
        await follow(tab, DEFAULT_ORG_ID)
        assert await next_message(tab) == CHANGED
        await sync_to_async(push.sessions_changed)({uuid4()})  # a change in another organization
        await sync_to_async(push.sessions_changed)({DEFAULT_ORG_ID})
        assert await next_message(tab) == CHANGED
        for _ in range(20):  # a burst, which gives one message
            await sync_to_async(push.sessions_changed)({DEFAULT_ORG_ID})
        assert await next_message(tab) == CHANGED
        await follow(tab, None)
        await sync_to_async(push.sessions_changed)({DEFAULT_ORG_ID})
        await tab.say('{"refresh_every_seconds": 0}')  # the next message is the answer to this one
        assert (await tab.next())["code"] == page_sockets.CLOSE_MALFORMED
    finally:
        await tab.close()


@pytest.mark.parametrize("org_id", [DEFAULT_ORG_ID, ROOT_ORG_ID, UUID(int=7)])
async def test_user_who_may_not_read_sessions_is_refused_and_told_nothing(
    person: Callable[..., User], org_id: UUID
) -> None:
    tab = await opened(await sync_to_async(person)("uma"))
    try:
        await follow(tab, org_id)
        assert await next_message(tab) == REFUSED
        await sync_to_async(push.sessions_changed)({org_id})
        await tab.say("{}")
        assert (await tab.next())["code"] == page_sockets.CLOSE_MALFORMED
    finally:
        await tab.close()


async def test_auditor_of_one_organization_cannot_follow_all(person: Callable[..., User]) -> None:
    tab = await opened(await sync_to_async(person)("audra", org_role=OrgRole.AUDITOR))
    try:
        await follow(tab, ROOT_ORG_ID)
        assert await next_message(tab) == REFUSED
    finally:
        await tab.close()


async def test_root_organization_is_told_of_every_organization(person: Callable[..., User]) -> None:
    tab = await opened(await sync_to_async(person)("sybil", role=SystemRole.AUDITOR))
    try:
        await follow(tab, ROOT_ORG_ID)
        assert await next_message(tab) == CHANGED
        await sync_to_async(push.sessions_changed)({uuid4()})
        assert await next_message(tab) == CHANGED
    finally:
        await tab.close()


async def test_withdrawn_role_ends_the_messages(person: Callable[..., User]) -> None:
    audra = await sync_to_async(person)("audra", org_role=OrgRole.AUDITOR)
    tab = await opened(audra)
    try:
        await follow(tab, DEFAULT_ORG_ID)
        assert await next_message(tab) == CHANGED
        await sync_to_async(Membership.objects.filter(user=audra).update)(role=OrgRole.USER)
        await sync_to_async(push.sessions_changed)({DEFAULT_ORG_ID})
        assert await next_message(tab) == REFUSED
    finally:
        await tab.close()


@pytest.mark.parametrize(
    "event",
    [
        SessionOpened(session_id=uuid4(), org_id=DEFAULT_ORG_ID, user_id=uuid4()),
        SessionChanged(session_id=uuid4(), org_id=DEFAULT_ORG_ID),
        SessionFinished(
            session_id=uuid4(), org_id=DEFAULT_ORG_ID, user_id=uuid4(), reason="user_closed", ever_active=True
        ),
    ],
)
def test_beginning_change_and_end_of_sessions_are_announced(event: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    changed_org_ids: list[UUID] = []
    monkeypatch.setattr(LIVE_SESSIONS, "_work", changed_org_ids.extend)
    publish(event)
    LIVE_SESSIONS.wait()
    assert changed_org_ids == [DEFAULT_ORG_ID]


async def test_closed_socket_leaves_the_channel_group(person: Callable[..., User]) -> None:
    tab = await opened(await sync_to_async(person)("audra", org_role=OrgRole.AUDITOR))
    await follow(tab, DEFAULT_ORG_ID)
    assert await next_message(tab) == CHANGED
    group = push.group_of_sessions(DEFAULT_ORG_ID)
    assert len(get_channel_layer().groups[group]) == 1
    await tab.close()
    assert group not in get_channel_layer().groups
