"""A world whose asset denies `touch`."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from fakes.control_plane import FakeControlPlane
from peers.ssh_proxy import World, make_world, ssh_proxy
from peers.sshd import Sshd
from postern.proxies.core.commands import CommandDetector
from proxies.holding.filters import control, rule


@pytest.fixture
async def world(control_plane: FakeControlPlane, sshd: Sshd, tmp_path: Path) -> AsyncIterator[World]:
    async with ssh_proxy(control_plane, tmp_path / "proxy", new_detector=CommandDetector) as proxy:
        made = make_world(proxy, control_plane, sshd)
        made.asset.command_control = control(rule("touch"))
        yield made
