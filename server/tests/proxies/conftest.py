"""Fixtures of the proxy's tests: a fake control plane, a real sshd, and the real SSH front between them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fakes.control_plane import FakeControlPlane
from peers.ssh_proxy import SshProxy, World, make_world, ssh_proxy
from peers.sshd import Sshd


@pytest.fixture
async def control_plane() -> AsyncIterator[FakeControlPlane]:
    async with FakeControlPlane() as plane:
        yield plane


@pytest.fixture
async def sshd(tmp_path: Path) -> AsyncIterator[Sshd]:
    async with Sshd(tmp_path / "target") as server:
        yield server


@pytest.fixture
def fast() -> bool:
    """Which data path the front uses. Modules that test both override this."""
    return True


@pytest.fixture
async def proxy(control_plane: FakeControlPlane, tmp_path: Path, fast: bool) -> AsyncIterator[SshProxy]:
    async with ssh_proxy(control_plane, tmp_path / "proxy", fast=fast) as running:
        yield running


@pytest.fixture
async def world(proxy: SshProxy, control_plane: FakeControlPlane, sshd: Sshd) -> World:
    return make_world(proxy, control_plane, sshd)
