"""Failures and bad input: each gets a clear sentence, an audit record where it matters, and disturbs nothing else."""

import os
import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from product import POSTERN, Api, Product, free_port, wait_until
from test_ssh_story import Terminal, run
from world import ZHANG_PASSWORD, TargetHost, World, build_world

from peers.memory import held_bytes
from timing import soon


@pytest.fixture(scope="module")
def own_product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with Product(tmp_path_factory.mktemp("refusing") / "home") as running:
        yield running


@pytest.fixture(scope="module")
def own_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TargetHost]:
    with TargetHost(tmp_path_factory.mktemp("other") / "sshd", free_port()) as running:
        yield running


@pytest.fixture(scope="module")
def company(own_product: Product, own_host: TargetHost, tmp_path_factory: pytest.TempPathFactory) -> World:
    """A separate world, because these tests change keys and close accounts."""
    return build_world(own_product, tmp_path_factory.mktemp("staff"), own_host)


def said(company: World, login: str) -> str:
    """Return what ssh shows to a refused user."""
    done = run(company.ssh("true", login=login))
    assert done.returncode != 0
    return done.stderr + done.stdout


def recorded(company: World, asset: str, reason: str) -> bool:
    """Wait until the record of the newest session on `asset` says that it ended for `reason`."""

    def told() -> bool:
        rows = (row for row in company.sessions(is_finished="1") if str(row["asset"]).startswith(asset))
        return next((row["end_reason"] for row in rows), None) == reason

    return bool(wait_until(told, message=f"a session on {asset} ended as {reason}"))


def add_asset(company: World, name: str, port: int, system_user: str) -> None:
    asset = company.admin.post(
        "/api/v1/assets/assets/",
        {"hostname": name, "ip": "127.0.0.1", "platform": "Linux", "protocols": [f"ssh/{port}"]},
    )
    company.admin.post(
        "/api/v1/perms/asset-permissions/",
        {
            "name": f"zhang on {name}",
            "users": [company.zhang_id],
            "assets": [asset["id"]],
            "system_users": [system_user],
        },
    )


def test_unreachable_host_is_named_with_its_address(company: World) -> None:
    port = free_port()
    add_asset(company, "silent", port, company.system_user_id)
    assert f"127.0.0.1:{port} refused the connection" in said(company, "zhang@deploy@silent")
    assert recorded(company, "silent", "unreachable")


def test_wrong_credential_says_whom_to_ask(company: World, tmp_path: Path) -> None:
    key = tmp_path / "other_key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    stale = company.admin.post(
        "/api/v1/assets/system-users/",
        {"name": "stale", "username": company.host.login, "protocol": "ssh", "private_key": key.read_text()},
    )
    add_asset(company, "locked", company.host.port, stale["id"])
    assert "did not accept the credential" in said(company, "zhang@stale@locked")
    assert recorded(company, "locked", "credential_refused")


def test_unknown_asset_and_missing_permission_reveal_nothing_more(company: World) -> None:
    assert "nowhere" in said(company, "zhang@deploy@nowhere")
    before = {row["id"] for row in company.sessions()}
    company.admin.post(
        "/api/v1/assets/assets/",
        {"hostname": "secret-vault", "ip": "127.0.0.1", "platform": "Linux", "protocols": ["ssh/22"]},
    )
    unknown = said(company, "zhang@deploy@nowhere").replace("nowhere", "X")
    hidden = said(company, "zhang@deploy@secret-vault").replace("secret-vault", "X")
    assert unknown == hidden
    assert {row["id"] for row in company.sessions()} == before


def test_withdrawn_permission_ends_the_session(company: World) -> None:
    def withdrawn() -> float:
        terminal = Terminal(company.ssh(options=("-tt",)))
        terminal.shows("$" if os.geteuid() else "#")
        started = time.monotonic()
        company.admin.patch(f"/api/v1/perms/asset-permissions/{company.permission_id}/", {"is_active": False})
        terminal.ends()
        took = time.monotonic() - started
        assert "web-1" in said(company, "zhang@deploy@web-1")
        company.admin.patch(f"/api/v1/perms/asset-permissions/{company.permission_id}/", {"is_active": True})
        assert run(company.ssh("true")).returncode == 0
        return took

    soon(withdrawn, 6)


def test_changed_host_key_is_refused_and_recorded(company: World) -> None:
    assert run(company.ssh("true")).returncode == 0
    company.host.change_host_key()
    message = said(company, "zhang@deploy@web-1")
    assert "key" in message
    assert recorded(company, "web-1", "host_key_refused")
    rows = company.admin.get("/api/v1/audits/operate-logs/?limit=30&offset=0")["results"]
    assert any("host" in str(row).lower() and "key" in str(row).lower() for row in rows)


def test_disabled_user_is_disconnected_within_seconds(company: World) -> None:
    # After the test above, the pinned key is removed by an administrator who has verified the change.
    keys = company.admin.get("/api/v1/assets/host-keys/?limit=10&offset=0")["results"]
    for key in keys:
        company.admin.delete(f"/api/v1/assets/host-keys/{key['id']}/")

    def disabled() -> float:
        terminal = Terminal(company.ssh(options=("-tt",)))
        terminal.shows("$" if os.geteuid() else "#")
        company.admin.patch(f"/api/v1/users/users/{company.zhang_id}/", {"is_active": False})
        started = time.monotonic()
        terminal.ends()
        took = time.monotonic() - started
        assert run(company.ssh("true", options=("-o", "BatchMode=yes"))).returncode == 255
        company.admin.patch(f"/api/v1/users/users/{company.zhang_id}/", {"is_active": True})
        assert run(company.ssh("true")).returncode == 0
        return took

    soon(disabled, 5)


def test_unmet_conditions_are_explained_in_ssh_with_the_address_to_open(company: World) -> None:
    before = {row["id"] for row in company.sessions()}
    command = [part.replace("LogLevel=ERROR", "LogLevel=INFO") for part in company.ssh("true")]  # shows banners
    zhang, path = company.zhang(), "/api/v1/users/profile/"
    zhang.call("PATCH", path, {"is_first_login": True})
    result = run(command)
    assert result.returncode == 255
    assert "first sign-in is not complete" in result.stderr
    assert f"http://localhost:{company.product.http_port}" in result.stderr
    zhang.call("PATCH", path, {"is_first_login": False})
    company.admin.patch(f"/api/v1/users/users/{company.zhang_id}/", {"need_update_password": True})
    result = run(command)
    assert result.returncode == 255
    assert "have to change your password" in result.stderr
    assert f"http://localhost:{company.product.http_port}" in result.stderr
    company.admin.patch(f"/api/v1/users/users/{company.zhang_id}/", {"need_update_password": False})
    assert {row["id"] for row in company.sessions()} == before
    assert run(command).returncode == 0


def test_guessing_locks_the_account_and_an_administrator_unlocks_it(company: World) -> None:
    # The third wrong password locks; later ones would have to wait for seconds in between.
    company.admin.patch("/api/v1/settings/setting/?category=security", {"SECURITY_LOGIN_LIMIT_COUNT": 3})
    stranger = Api(company.product.url)
    stranger.call("GET", "/core/auth/login/")
    answers = [
        stranger.call("POST", "/api/v1/authentication/sign-in/", {"username": "zhang", "password": f"wrong-{number}"})
        for number in range(3)
    ]
    assert {answer.status for answer in answers} == {400}
    assert answers[-1].body["error"] == "block_login"
    right = stranger.call("POST", "/api/v1/authentication/sign-in/", {"username": "zhang", "password": ZHANG_PASSWORD})
    assert right.body["error"] == "block_login"
    company.forgive()

    # The guesser's failures at this address are cleared for the user as well, because the address is one of theirs.
    elsewhere = run(company.ssh("true"))
    assert elsewhere.returncode == 0


def test_operator_unlocks_at_the_command_line(company: World) -> None:
    stranger = Api(company.product.url)
    stranger.call("GET", "/core/auth/login/")
    for number in range(8):
        stranger.call("POST", "/api/v1/authentication/sign-in/", {"username": "zhang", "password": f"guess-{number}"})
    environ = {**os.environ, "POSTERN_HOME": str(company.product.home)}
    postern = [str(POSTERN), "user"]
    locked = run([*postern, "locked"], env=environ)
    assert re.search(r"^account zhang until \d{4}-\d\d-\d\d \d\d:\d\d UTC$", locked.stdout, re.MULTILINE)
    assert run([*postern, "unlock", "zhang"], env=environ).returncode == 0
    left = run([*postern, "locked"], env=environ).stdout
    assert "account zhang" not in left
    assert left.strip(), "an operator who sees nothing does not know whether the command did anything"
    answer = stranger.call("POST", "/api/v1/authentication/sign-in/", {"username": "zhang", "password": ZHANG_PASSWORD})
    assert answer.status == 200


def test_log_of_all_this_is_intact(company: World) -> None:
    def verified() -> bool:
        done = subprocess.run(
            [str(POSTERN), "audit", "verify"],
            env={"PATH": "/usr/bin:/bin", "POSTERN_HOME": str(company.product.home)},
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        return done.returncode == 0 and " 0 faults" in done.stdout

    wait_until(verified, 300, every_s=1, message="an audit log without a fault")


PASTE_BYTES = 200 * 1024 * 1024


def test_paste_of_200_mb_arrives_completely_with_bounded_memory_and_disturbs_nobody(company: World) -> None:
    proxy = company.product.part("proxy")
    before = held_bytes(proxy.pid)
    command = f"stty raw -echo; printf ready; head -c {PASTE_BYTES} | wc -c"
    paste = subprocess.Popen(
        company.ssh(command, options=("-tt",)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert paste.stdin is not None
    assert paste.stdout is not None
    try:
        output = b""
        while b"ready" not in output:
            output += os.read(paste.stdout.fileno(), 1024)
        piece = b"x" * 1024 * 1024
        highest = before
        for number in range(PASTE_BYTES // len(piece)):
            paste.stdin.write(piece)
            if number % 50 == 25:
                highest = max(highest, held_bytes(proxy.pid))
                assert run(company.ssh("echo undisturbed")).stdout == "undisturbed\n"
        paste.stdin.flush()
        while str(PASTE_BYTES).encode() not in output and (chunk := os.read(paste.stdout.fileno(), 1024)):
            output += chunk
        assert str(PASTE_BYTES).encode() in output
        assert highest - before < PASTE_BYTES / 4
    finally:
        paste.kill()
        paste.wait()
        paste.stdin.close()
        paste.stdout.close()
