"""Browser links that break at the worst moment: the session ends in time, and the watcher's place is released."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from postern.contracts.access import ActionsUntil
from postern.contracts.browser import Opened, Resumed, ServerMessage, Watching
from postern.contracts.enums import Actions, EndReason
from postern.contracts.events import SessionEnded
from postern.contracts.terminals import ChangeGrant
from postern.kernel.clock import now
from postern.proxies.core.limits import Limits
from postern.proxies.terminal import browser_session
from postern.proxies.terminal.link import BrowserLink
from proxies.terminal.stage import Stage


@pytest.fixture
def breaks_at(monkeypatch: pytest.MonkeyPatch) -> Any:
    """From now on links break just before this message would be sent. None: they do not break."""
    say, kinds = BrowserLink.say, []

    async def break_then_say(link: BrowserLink, message: ServerMessage) -> None:
        if type(message) in kinds:
            await link.close()
        await say(link, message)

    monkeypatch.setattr(BrowserLink, "say", break_then_say)

    def choose(kind: type | None) -> None:
        kinds[:] = [kind] if kind is not None else []

    return choose


async def test_session_whose_link_breaks_during_opened_ends(stage: Stage, breaks_at: Any) -> None:
    breaks_at(Opened)
    async with stage.page() as page:
        await page.say(type="open", token=stage.token(), columns=80, rows=24)
        ended = await stage.plane.event(SessionEnded)
    assert (ended.reason, ended.detail) == (EndReason.USER_CLOSED, "left before the session was open")
    assert stage.targets.shells[-1].closed
    assert len(stage.registry) == 0


async def test_session_whose_link_breaks_during_resume_ends_if_nobody_returns(
    stage: Stage,
    breaks_at: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(browser_session, "RESUME_GRACE_S", 0.5)
    async with stage.page() as page:
        opened, shell = await stage.open(page)
    breaks_at(Resumed)
    async with stage.page() as back:
        await back.say(
            type="resume", session_id=opened["session_id"], resume_secret=opened["resume_secret"], received=0,
            columns=80, rows=24,
        )  # fmt: skip
        ended = await stage.plane.event(SessionEnded, timeout_s=20)
    assert ended.detail == "the browser did not come back"
    assert shell.closed
    assert len(stage.registry) == 0


async def test_session_whose_link_breaks_during_resume_can_be_resumed_again(
    stage: Stage,
    breaks_at: Any,
) -> None:
    async with stage.page() as page:
        opened, shell = await stage.open(page)
    again = {
        "type": "resume", "session_id": opened["session_id"], "resume_secret": opened["resume_secret"], "received": 0,
        "columns": 80, "rows": 24,
    }  # fmt: skip
    breaks_at(Resumed)
    async with stage.page() as back:
        await back.say(**again)
        await back.until(lambda: back.closed)
    breaks_at(None)
    async with stage.page() as back:
        await back.say(**again)
        await back.message("resumed")
        shell.show(b"still here")
        await back.shows(b"still here")


async def test_view_whose_first_message_fails_releases_its_place(stage: Stage, breaks_at: Any) -> None:
    async with stage.page() as page:
        opened, _ = await stage.open(page)
        session = stage.registry.get(UUID(opened["session_id"]))
        assert session is not None
        breaks_at(Watching)
        for _ in range(Limits().watchers_per_session):
            token, _, auditor = stage.watch_token(opened["session_id"])
            async with stage.page(user=auditor) as view:
                await view.say(type="watch", token=token)
                await view.until(lambda view=view: view.closed)
        await page.until(lambda: not session.watchers)
        breaks_at(None)
        token, _, auditor = stage.watch_token(opened["session_id"])
        async with stage.page(user=auditor) as view:
            await view.say(type="watch", token=token)
            await view.message("watching")


async def test_session_of_a_token_used_as_a_watch_token_ends(stage: Stage) -> None:
    async with stage.page() as page:
        await page.say(type="watch", token=stage.token())
        assert (await page.message("ended"))["reason"] == "protocol"
    [session_id] = stage.plane.grants
    ended = await stage.plane.event(SessionEnded, session_id=session_id)
    assert (ended.reason, ended.ever_active) == (EndReason.USER_CLOSED, False)


async def test_page_is_told_of_changed_permissions(stage: Stage) -> None:
    async with stage.page() as page:
        opened, _ = await stage.open(page)
        ends = (ActionsUntil(actions=Actions.ALL & ~Actions.CLIPBOARD_COPY, until=now().replace(year=now().year + 1)),)
        order = ChangeGrant(order_id=uuid4(), session_id=UUID(opened["session_id"]), version=1, ends=ends)
        assert stage.registry.carry_out(order)
        notice = await page.message("notice")
        assert (notice["code"], notice["actions"]) == ("actions", 255 & ~8)
        assert notice["message"] == "Your permission for this asset no longer includes: copying to the clipboard."
