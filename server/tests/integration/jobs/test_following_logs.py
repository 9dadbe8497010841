"""The websocket that follows the log of a job."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from channels.routing import URLRouter
from django.conf import settings
from rest_framework.test import APIClient

from endpoints import PASSWORD, SIGN_IN
from factories.jobs import Numbered
from postern.apps.authn import page_sockets
from postern.apps.authn.models import LoginSession
from postern.apps.jobs.engine import actions, claims
from postern.apps.jobs.engine.models import Job
from postern.apps.jobs.log_reading import consumers
from postern.apps.jobs.logs.files import LogWriter
from postern.apps.users.models import Membership, User
from postern.entrypoints.websockets import websocket_urlpatterns
from postern.foundation.caller.actor import SYSTEM
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID, new_id

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("test_kinds")]
WAIT_S = 60


class Socket(ApplicationCommunicator):
    """A browser's socket."""

    def __init__(self, cookies: str, origin: str = "http://testserver") -> None:
        headers = [(b"host", b"testserver"), (b"origin", origin.encode()), (b"cookie", cookies.encode())]
        path = "/ws/ops/tasks/log/"
        super().__init__(
            URLRouter(websocket_urlpatterns),
            {
                "type": "websocket",
                "path": path,
                "raw_path": path.encode(),
                "query_string": b"",
                "headers": headers,
                "client": ("127.0.0.1", 50_000),
                "server": ("testserver", 80),
                "subprotocols": [],
            },
        )

    async def open(self) -> dict[str, Any]:
        await self.send_input({"type": "websocket.connect"})
        answer: dict[str, Any] = await self.receive_output(WAIT_S)
        return answer

    async def ask(self, message: object) -> None:
        text = message if isinstance(message, str) else json.dumps(message)
        await self.send_input({"type": "websocket.receive", "text": text})

    async def hear(self) -> dict[str, Any]:
        """The next message, or `{"closed": code}`."""
        answer = await self.receive_output(WAIT_S)
        if answer["type"] == "websocket.close":
            return {"closed": answer["code"]}
        message: dict[str, Any] = json.loads(answer["text"])
        return message

    async def leave(self) -> None:
        await self.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wait(WAIT_S)


@pytest.fixture
def sign_in() -> Callable[[User], str]:
    def cookies_of(user: User) -> str:
        client = APIClient()
        user.set_password(PASSWORD)
        user.save()
        body = {"username": user.username, "password": PASSWORD}
        answer = client.post(SIGN_IN, body, format="json")
        assert answer.status_code == 200, answer.content
        return "; ".join(f"{name}={morsel.value}" for name, morsel in client.cookies.items())

    return cookies_of


def accept() -> Job:
    return actions.accept(actor=SYSTEM, org_id=DEFAULT_ORG_ID, kind="test.quick", argument=Numbered(1))


def claim() -> Job:
    (job,) = claims.claim({"test.quick": 1}, holder="worker")
    return job


def end(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(state="succeeded")


async def test_log_is_followed_from_waiting_to_its_end(people: dict[str, User], sign_in: Callable[[User], str]) -> None:
    cookies = await sync_to_async(sign_in)(people["org_admin"])
    job = await sync_to_async(accept)()
    task = str(job.pk)
    socket = Socket(cookies)
    assert (await socket.open())["type"] == "websocket.accept"
    await socket.ask({"task": task, "type": "celery"})
    assert await socket.hear() == {"message": ".", "task": task, "offset": 0}
    claimed = await sync_to_async(claim)()
    writer = LogWriter(settings.POSTERN.home, job.pk, claimed.token)
    writer.write("erste Zeile ä\n".encode())
    heard = await socket.hear()
    while heard["message"] == ".":
        heard = await socket.hear()
    assert heard == {"message": "\r\n", "task": task, "offset": 0}
    assert await socket.hear() == {"message": "erste Zeile ä\r\n", "task": task, "offset": 15}
    writer.write("行\n".encode()[:2])  # a character arrives in two halves
    writer.write("行\n".encode()[2:])
    rest = await socket.hear()
    assert rest == {"message": "行\r\n", "task": task, "offset": 19}
    writer.write(b"last\n")
    writer.close()
    await sync_to_async(end)(job)
    assert await socket.hear() == {"message": "last\r\n", "task": task, "offset": 24}
    assert await socket.hear() == {"task": task, "end": True}
    # A reconnected browser goes on where it was.
    await socket.ask({"task": task, "offset": 19})
    assert await socket.hear() == {"message": "last\r\n", "task": task, "offset": 24}
    assert await socket.hear() == {"task": task, "end": True}
    await socket.leave()


@pytest.mark.parametrize("name", ["user", "auditor"])
async def test_log_of_others_is_not_found(people: dict[str, User], sign_in: Callable[[User], str], name: str) -> None:
    cookies = await sync_to_async(sign_in)(people[name])
    job = await sync_to_async(accept)()
    for task in (str(job.pk), str(new_id())):
        socket = Socket(cookies)
        await socket.open()
        await socket.ask({"task": task})
        assert await socket.hear() == {"closed": consumers.CLOSE_NOT_FOUND}
        await socket.leave()


@pytest.mark.parametrize("message", ["", "{}", "[]", '{"task": 7}', '{"task": "x"}', "x" * 2000])
async def test_malformed_messages_close_the_socket(
    people: dict[str, User], sign_in: Callable[[User], str], message: str
) -> None:
    socket = Socket(await sync_to_async(sign_in)(people["org_admin"]))
    await socket.open()
    await socket.ask(message)
    assert await socket.hear() == {"closed": page_sockets.CLOSE_MALFORMED}
    await socket.leave()


async def test_socket_belongs_to_our_page_and_to_a_sign_in(
    people: dict[str, User], sign_in: Callable[[User], str]
) -> None:
    cookies = await sync_to_async(sign_in)(people["org_admin"])
    assert (await Socket(cookies, "http://elsewhere.test").open())["type"] == "websocket.close"
    anonymous = Socket("")
    await anonymous.open()
    assert await anonymous.hear() == {"closed": page_sockets.CLOSE_SIGNED_OUT}


async def test_reading_ends_with_the_sign_in(
    people: dict[str, User], sign_in: Callable[[User], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "_RECHECK_S", 0.1)
    cookies = await sync_to_async(sign_in)(people["org_admin"])
    job = await sync_to_async(accept)()
    socket = Socket(cookies)
    await socket.open()
    await socket.ask({"task": str(job.pk)})
    assert (await socket.hear())["message"] == "."
    await sync_to_async(LoginSession.objects.update)(date_ended=clock.now())
    heard = await socket.hear()
    while "closed" not in heard:
        heard = await socket.hear()
    assert heard == {"closed": consumers.CLOSE_NOT_FOUND}
    await socket.leave()


async def test_reading_ends_when_the_person_leaves_the_organization(
    people: dict[str, User], sign_in: Callable[[User], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "_RECHECK_S", 0.1)
    user = people["user"]
    cookies = await sync_to_async(sign_in)(user)
    job = await sync_to_async(accept)()
    await sync_to_async(Job.objects.filter(pk=job.pk).update)(created_by_id=user.pk)
    socket = Socket(cookies)
    await socket.open()
    await socket.ask({"task": str(job.pk)})
    assert (await socket.hear())["message"] == "."
    await sync_to_async(Membership.objects.filter(user=user).delete)()
    heard = await socket.hear()
    while "closed" not in heard:
        heard = await socket.hear()
    assert heard == {"closed": consumers.CLOSE_NOT_FOUND}
    await socket.leave()
