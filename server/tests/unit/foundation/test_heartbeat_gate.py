"""Heartbeats of unknown clients do not delay known proxies, because requests wait for their turn before
authentication.
"""

import asyncio
from ipaddress import ip_network
from uuid import uuid4

import pytest
from django.http import HttpRequest, HttpResponse

from unit.foundation.test_request_threads import Answering, Client, Gate, heartbeat

HONEST, HOME = str(uuid4()), "192.0.2.1"
#: Constant, because it is in test ids, which must be equal in all test workers.
NAME = b"Terminal 0f8fad5b-d9cb-469f-a165-70867728950e"
SECRET = "right-" * 8


class Control:
    """A web part that knows one proxy. Requests of other clients take as long as `gate` is closed."""

    def __init__(self) -> None:
        self.gate = Gate()
        self.holds = True
        self.application = Answering(self._view)

    def _view(self, request: HttpRequest) -> HttpResponse:
        if request.headers["Authorization"] == f"Terminal {HONEST}.{SECRET}":
            return HttpResponse(b"beat", status=200 if self.holds else 401)
        if request.path.endswith("/heartbeat/"):
            self.gate(request)
            return HttpResponse(status=401)
        return HttpResponse(b"well")

    async def beat(self) -> int:
        return await status_of(self, heartbeat(HONEST, SECRET, HOME))

    def crowd(self, *clients: Client) -> list[asyncio.Task[None]]:
        return [asyncio.create_task(client.ask(self.application)) for client in clients]

    async def over(self, crowd: list[asyncio.Task[None]]) -> None:
        self.gate.open.set()
        await asyncio.gather(*crowd)


async def status_of(control: Control, client: Client) -> int:
    await client.ask(control.application)
    return int(client.sent[0]["status"])


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        b"",
        b"Terminal",
        b"Terminal x.y",
        NAME,
        NAME + b".short",
        NAME + b"." + b"s" * 257,
        NAME + b"." + b"\xff" * 43,
        b"Bearer " + b"s" * 43,
        b"BootstrapToken " + b"s" * 43,
    ],
)
async def test_heartbeat_without_a_terminal_name_is_refused_without_a_turn(authorization: bytes | None) -> None:
    control = Control()
    crowd = control.crowd(heartbeat(str(uuid4())))
    await control.gate.until_running(1)
    client = heartbeat()
    client.scope["headers"] = [(b"host", b"localhost")] + (
        [] if authorization is None else [(b"authorization", authorization)]
    )
    assert await status_of(control, client) == 401
    assert dict(client.sent[0]["headers"])[b"WWW-Authenticate"] == b"Terminal"
    assert control.gate.running == 1
    await control.over(crowd)


async def test_heartbeat_of_a_known_proxy_does_not_wait_for_unknown_clients() -> None:
    control = Control()
    assert await control.beat() == 200
    strangers = [heartbeat(str(uuid4()), address=f"198.51.100.{number % 200}") for number in range(400)]
    namesakes = [heartbeat(HONEST, address=HOME, secret=f"wrong-{number:040}") for number in range(50)]
    crowd = control.crowd(*strangers, *namesakes)
    await control.gate.until_running(1)
    for _ in range(5):
        assert await control.beat() == 200
    await control.over(crowd)


async def test_unknown_address_takes_few_places_and_leaves_the_others_to_other_addresses() -> None:
    """After a restart no credential is known yet. A proxy at another address must still get in."""
    control = Control()
    crowd = control.crowd(*[heartbeat(str(uuid4()), address="198.51.100.7") for _ in range(400)])
    crowd += control.crowd(*[heartbeat(HONEST, f"wrong-{number:040}", "198.51.100.7") for number in range(10)])
    await control.gate.until_running(1)
    beating = asyncio.create_task(control.beat())
    await control.over(crowd)
    assert await beating == 200
    statuses = [client.result() for client in crowd]
    assert statuses == [None] * len(crowd)
    assert control.gate.answered <= 10, "the others were turned away without a turn"


async def test_one_heartbeat_may_wait_for_each_terminal_and_address() -> None:
    control = Control()
    clients = [heartbeat(str(uuid4())) for _ in range(1)] + [heartbeat() for _ in range(5)]
    crowd = control.crowd(*clients)
    await control.gate.until_running(1)
    await control.over(crowd)
    assert sorted(client.sent[0]["status"] for client in clients) == [401, 401, 503, 503, 503, 503]


async def test_revoked_credential_loses_its_priority() -> None:
    control = Control()
    assert await control.beat() == 200
    control.holds = False
    assert await control.beat() == 401
    crowd = control.crowd(heartbeat(str(uuid4()), address="198.51.100.7"))
    await control.gate.until_running(1)
    crowd += control.crowd(late := heartbeat(HONEST, SECRET, HOME))
    await asyncio.sleep(0.05)
    assert not late.sent
    await control.over(crowd)


async def test_heartbeats_delay_no_other_request() -> None:
    control = Control()
    crowd = control.crowd(*[heartbeat(str(uuid4()), address=f"198.51.100.{number}") for number in range(20)])
    await control.gate.until_running(1)
    for path in ("/api/health/", "/api/internal/v1/events/", "/api/v1/nothing/"):
        client = heartbeat()
        client.scope["path"] = path
        assert await status_of(control, client) == 200
    await control.over(crowd)


async def test_address_is_the_one_behind_a_trusted_proxy() -> None:
    control = Control()
    control.application = Answering(control._view, trusted_proxies=[ip_network("127.0.0.1")])
    strangers = [heartbeat(str(uuid4()), address="127.0.0.1") for _ in range(30)]
    for stranger in strangers:
        stranger.scope["headers"].append((b"x-forwarded-for", b"198.51.100.7"))
    crowd = control.crowd(*strangers)
    await control.gate.until_running(1)
    honest = heartbeat(HONEST, SECRET, "127.0.0.1")
    honest.scope["headers"].append((b"x-forwarded-for", HOME.encode()))
    beating = asyncio.create_task(status_of(control, honest))
    await control.over(crowd)
    assert await beating == 200
