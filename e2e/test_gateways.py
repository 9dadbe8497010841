"""Sessions through the gateways of domains: real `ssh`, the whole product, and real sshds on the way."""

import subprocess
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from product import free_port, wait_until
from world import TargetHost, World

DOMAINS, GATEWAYS, HOST_KEYS = (f"/api/v1/assets/{name}/" for name in ("domains", "gateways", "host-keys"))


@dataclass
class Branch:
    """Two domains in a row, with one gateway that answers in each, and one in the inner domain that does not."""

    mark: str
    gate: TargetHost
    silent: dict[str, Any]
    inner: dict[str, Any]


@pytest.fixture
def branch(world: World, tmp_path: Path) -> Iterator[Branch]:
    api, mark = world.admin, uuid.uuid4().hex[:6]

    def gateway(name: str, host: TargetHost, domain: str, port: int) -> dict[str, Any]:
        account = {"username": host.login, "private_key": host.client_key.read_text()}
        body = {"name": f"{name}-{mark}", "ip": "127.0.0.1", "port": port, "domain": domain, **account}
        made: dict[str, Any] = api.post(GATEWAYS, body)
        return made

    with TargetHost(tmp_path / "inner", free_port()) as gate, TargetHost(tmp_path / "outer", free_port()) as outer_gate:
        outer = api.post(DOMAINS, {"name": f"outer-{mark}"})["id"]
        inner = api.post(DOMAINS, {"name": f"inner-{mark}", "reached_through": outer})["id"]
        gateway("outer-gate", outer_gate, outer, outer_gate.port)
        silent = gateway("a-silent", gate, inner, free_port())
        answering = gateway("inner-gate", gate, inner, gate.port)
        api.patch(f"/api/v1/assets/assets/{world.asset_id}/", {"domain": inner})
        yield Branch(mark, gate, silent, answering)
        api.patch(f"/api/v1/assets/assets/{world.asset_id}/", {"domain": None})


def run(world: World, command: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(world.ssh(command), capture_output=True, timeout=60, check=False)


@pytest.mark.spec("S1-018")
def test_session_passes_one_gateway_of_each_domain(world: World, branch: Branch) -> None:
    assert run(world, "echo through the gates").stdout == b"through the gates\n"
    way = f"outer-gate-{branch.mark} → inner-gate-{branch.mark}"
    wait_until(
        lambda: [row for row in world.sessions(is_finished="1") if row["via"] == way],
        message="the session with its way",
    )
    rows = {row["id"]: row for row in world.admin.get(f"{GATEWAYS}?domain={branch.inner['domain']}")}
    assert (rows[branch.silent["id"]]["is_connective"], rows[branch.inner["id"]]["is_connective"]) == (False, True)


def test_k52_changed_key_of_a_gateway_refuses_the_session_until_it_is_forgotten(world: World, branch: Branch) -> None:
    assert run(world, "echo first").stdout == b"first\n"
    pin = world.admin.get(f"{HOST_KEYS}?gateway={branch.inner['id']}")[0]
    assert pin["via"] == f"outer-gate-{branch.mark}"
    branch.gate.change_host_key()
    refused = run(world, "echo second")
    assert refused.stdout == b""
    assert f"inner-gate-{branch.mark} has changed".encode() in refused.stderr
    world.admin.delete(f"{HOST_KEYS}{pin['id']}/")
    assert run(world, "echo third").stdout == b"third\n"


def test_asset_whose_gateways_are_inactive_is_not_reached_directly(world: World, branch: Branch) -> None:
    for gateway in (branch.silent, branch.inner):
        world.admin.patch(f"{GATEWAYS}{gateway['id']}/", {"is_active": False})
    refused = run(world, "echo direct")
    assert refused.returncode == 255
    assert refused.stdout == b""
    assert b"no gateway in use" in refused.stderr
