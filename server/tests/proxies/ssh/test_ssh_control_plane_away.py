"""A control plane that is away briefly costs users a short wait. A longer absence is reported as such.

"Permission denied" is only said after the control plane has judged the credentials.
"""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from fakes.control_plane import FakeControlPlane
from peers.ssh_proxy import World, make_world, run, ssh_proxy
from peers.sshd import Sshd
from postern.contracts import access
from postern.contracts.enums import EndReason
from postern.contracts.events import SessionEnded
from postern.proxies.core.control.patience import PatientControlPlane
from postern.proxies.core.control.plane import ControlUnavailable
from postern.proxies.core.limits import Limits

#: Duration of a test that waits until requests are no longer held.
PATIENCE_S = 1.5
FAULTS = ["503", "502", "reset", "lost"]


@pytest.fixture
async def impatient(control_plane: FakeControlPlane, sshd: Sshd, tmp_path: Path) -> AsyncIterator[World]:
    """A proxy that holds requests only briefly."""
    async with ssh_proxy(control_plane, tmp_path / "p", limits=Limits(control_hold_s=PATIENCE_S)) as proxy:
        yield make_world(proxy, control_plane, sshd)


def connect(world: World, **options: object) -> Any:
    return asyncssh.connect(
        "127.0.0.1", world.proxy.port, username=world.login, known_hosts=None, config=None, agent_path=None,
        **{"client_keys": None, **options},
    )  # fmt: skip


def key(world: World) -> dict[str, object]:
    return {"client_keys": [str(world.proxy.key)]}


PASSWORD = {"password": "right"}


class Coder(asyncssh.SSHClient):
    """Answers with the code."""

    def kbdint_auth_requested(self) -> str:
        return ""

    def kbdint_challenge_received(self, name: str, instructions: str, lang: str, prompts: Any) -> list[str]:
        return ["314159"] if prompts else []


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(
    ("path", "way"),
    [
        (access.PUBLIC_KEY_OFFER, {}),
        (access.SIGN_IN_PUBLIC_KEY, {}),
        (access.SIGN_IN_PASSWORD, PASSWORD),
        (access.AUTHORIZE, PASSWORD),
        (access.HOST_KEY, PASSWORD),
        (access.CREDENTIAL, PASSWORD),
    ],
)
async def test_call_that_meets_a_restart_is_repeated(
    world: World, path: str, way: dict[str, object], fault: str
) -> None:
    world.plane.faults[path] = [fault, fault]
    async with connect(world, **(way or key(world))) as connection:
        assert (await connection.run("echo in")).stdout == "in\n"
    assert world.plane.faults[path] == []


async def test_right_key_signs_in_if_the_control_plane_returns_meanwhile(world: World) -> None:
    await world.plane.stop()
    ssh = asyncio.create_task(run(world.proxy.ssh(world.login, "echo in")))
    patient = world.proxy.services.plane
    assert isinstance(patient, PatientControlPlane)
    await world.plane.until(lambda: patient.held)
    await world.plane.start()
    result = await ssh
    assert (result.status, result.out) == (0, b"in\n")


@pytest.mark.parametrize("fault", FAULTS)
async def test_code_during_a_restart_is_repeated(world: World, fault: str) -> None:
    world.alice.code = "314159"
    world.plane.faults[access.SIGN_IN_CODE] = [fault, fault]
    async with connect(world, **PASSWORD, client_factory=Coder) as connection:
        assert (await connection.run("echo in")).stdout == "in\n"
    assert world.plane.faults[access.SIGN_IN_CODE] == []


def attempts_at(world: World, path: str) -> list[str]:
    return [message.attempt for called, message in world.plane.calls if called == path]


@pytest.mark.parametrize("path", [access.SIGN_IN_PASSWORD, access.SIGN_IN_CODE, access.CREDENTIAL])
async def test_call_that_counts_once_is_repeated_as_the_same_attempt(world: World, path: str) -> None:
    """The control plane carries it out and disappears before it answers, twice."""
    world.alice.code = "314159"
    world.plane.faults[path] = ["lost", "lost"]
    async with connect(world, **PASSWORD, client_factory=Coder) as connection:
        assert (await connection.run("echo in")).stdout == "in\n"
    made = attempts_at(world, path)
    assert len(made) == 3
    assert len(set(made)) == 1
    assert re.fullmatch(r"[0-9a-f]{32}", made[0])


async def test_each_password_and_each_session_has_its_own_attempt_id(world: World) -> None:
    for password in ("wrong", "wrong", "right"):
        with contextlib.suppress(asyncssh.PermissionDenied):
            async with connect(world, password=password) as connection:
                assert (await connection.run("echo in")).stdout == "in\n"
                assert (await connection.run("echo in")).stdout == "in\n"
    for path in (access.SIGN_IN_PASSWORD, access.CREDENTIAL):
        made = attempts_at(world, path)
        assert len(made) >= 2
        assert len(set(made)) == len(made)


async def test_wrong_password_whose_answer_was_lost_is_refused_and_not_unavailable(world: World) -> None:
    world.plane.faults[access.SIGN_IN_PASSWORD] = ["lost"]
    with pytest.raises(asyncssh.PermissionDenied):
        async with connect(world, password="wrong"):
            raise AssertionError("signed in")


@pytest.mark.parametrize(
    ("path", "way"),
    [
        (access.SIGN_IN_PASSWORD, PASSWORD),
        (access.PUBLIC_KEY_OFFER, {}),
        (access.SIGN_IN_PUBLIC_KEY, {}),
    ],
)
async def test_unjudged_sign_in_ends_as_unavailable_and_signs_nobody_in(
    impatient: World, path: str, way: dict[str, object]
) -> None:
    impatient.plane.faults[path] = ["503"] * 100
    with pytest.raises(asyncssh.DisconnectError, match="temporarily unavailable") as caught:
        async with connect(impatient, **(way or key(impatient))):
            raise AssertionError("signed in")
    assert caught.value.code == asyncssh.DISC_SERVICE_NOT_AVAILABLE
    assert access.AUTHORIZE not in [path for path, _ in impatient.plane.calls]


@pytest.mark.parametrize("how", ["stopped", "503"])
async def test_ssh_says_temporarily_unavailable_and_not_permission_denied(impatient: World, how: str) -> None:
    if how == "stopped":
        await impatient.plane.stop()
    else:
        impatient.plane.down = True
    result = await run(impatient.proxy.ssh(impatient.login, "true"))
    assert result.status == 255
    assert b":7: Postern is temporarily unavailable. Please try again in a moment." in result.err
    assert b"Permission denied" not in result.err
    await impatient.plane.stop()
    await impatient.plane.start()


async def test_wrong_password_is_still_refused_when_its_answer_came_late(world: World) -> None:
    world.plane.faults[access.SIGN_IN_PASSWORD] = ["503", "503"]
    with pytest.raises(asyncssh.PermissionDenied):
        async with connect(world, password="wrong"):
            raise AssertionError("signed in")


@pytest.mark.parametrize("path", [access.AUTHORIZE, access.HOST_KEY, access.CREDENTIAL])
async def test_session_that_cannot_be_opened_now_ends_with_its_own_status(impatient: World, path: str) -> None:
    impatient.plane.faults[path] = ["503"] * 100
    result = await run(impatient.proxy.ssh(impatient.login, "true"))
    assert result.status == 75
    assert result.err.strip() == b"Postern is temporarily unavailable. Please try again in a moment."
    if path != access.AUTHORIZE:
        assert (await impatient.plane.event(SessionEnded)).reason is EndReason.CONTROL_LOST


async def test_held_calls_are_limited_per_source_and_in_total() -> None:
    class Away:
        async def public_key_offer(self, _request: access.PublicKeyOffer) -> access.PublicKeyAnswer:
            raise ControlUnavailable("away")

    limits = Limits(control_hold_s=60, control_held=5, control_held_per_source=3)
    plane = PatientControlPlane(Away(), limits)  # type: ignore[arg-type]  # only one method is called
    calls = [
        asyncio.create_task(
            plane.public_key_offer(access.PublicKeyOffer(username="a", public_key="", remote_addr=source))
        )
        for source in ["192.0.2.1"] * 10 + ["192.0.2.2"] * 10
    ]
    done, held = await asyncio.wait(calls, timeout=0.2)
    assert (len(done), len(held), plane.held) == (15, 5, 5)
    assert all(isinstance(call.exception(), ControlUnavailable) for call in done)
    for call in held:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)
    assert plane.held == 0


async def test_calls_of_a_disconnected_user_are_no_longer_held(world: World) -> None:
    world.plane.down = True
    ssh = asyncio.create_task(run(world.proxy.ssh(world.login, "true")))
    patient = world.proxy.services.plane
    assert isinstance(patient, PatientControlPlane)
    await world.plane.until(lambda: patient.held)
    for link in list(world.proxy.listener._links):
        link.abort()
    await world.plane.until(lambda: not patient.held)
    with contextlib.suppress(AssertionError):
        await ssh
    world.plane.down = False
