"""A proxy on another machine: it waits, is accepted in the console, carries sessions, and its stolen credential is
worthless.
"""

import json
import os
import re
import socket
import stat
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import admin_console
import pytest
from playwright.sync_api import Page, expect
from product import POSTERN, Product, wait_until
from world import World

from peers.ports import free_port

signed_in, page = admin_console.signed_in, admin_console.page

TERMINALS = "/api/v1/terminal/terminals/"
INTERNAL = "/api/internal/v1/"
NAME = "branch-gate"


@dataclass
class RemoteProxy:
    """`postern proxy` with its own data folder, as on another machine."""

    home: Path
    environ: dict[str, str]
    ssh_port: int
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def log(self) -> str:
        path = self.home.with_suffix(".log")
        return path.read_text(errors="replace") if path.exists() else ""

    @property
    def credential(self) -> dict[str, str]:
        found: dict[str, str] = json.loads((self.home / "proxy" / "credential.json").read_text())
        return found

    def start(self) -> None:
        with self.home.with_suffix(".log").open("ab") as log:
            self.process = subprocess.Popen([str(POSTERN), "proxy"], env=self.environ, stdout=log, stderr=log)

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(90)

    @property
    def listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.ssh_port)) == 0


@pytest.fixture
def remote(product: Product, tmp_path: Path) -> Iterator[RemoteProxy]:
    port = free_port()
    environ = {
        **{key: value for key, value in os.environ.items() if not key.startswith("POSTERN_")},
        "POSTERN_HOME": str(tmp_path / "branch"),
        "POSTERN_CONTROL_URL": product.url,
        "POSTERN_BOOTSTRAP_TOKEN": (product.home / "secrets" / "bootstrap.token").read_text().strip(),
        "POSTERN_PROXY_NAME": NAME,
        "POSTERN_SSH": f"127.0.0.1:{port}",
        "POSTERN_ALLOW_LOCAL_TARGETS": "1",
    }
    proxy = RemoteProxy(tmp_path / "branch", environ, port)
    yield proxy
    proxy.stop()
    for row in product.api().get(TERMINALS):
        if row["name"].startswith(NAME):
            product.api().delete(f"{TERMINALS}{row['id']}/")


def row_of(product: Product, name: str = NAME) -> Any:
    return next((row for row in product.api().get(TERMINALS) if row["name"] == name), None)


def knock(product: Product, credential: dict[str, str], path: str, body: Any = None) -> tuple[int, Any]:
    """Return what an attacker with a stolen proxy credential gets."""
    request = urllib.request.Request(
        product.url + INTERNAL + path,
        data=json.dumps(body).encode() if body is not None else None,
        headers={
            "Authorization": f"Terminal {credential['terminal_id']}.{credential['secret']}",
            "Content-Type": "application/json",
        },
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_local_proxy_is_accepted_by_a_secret_that_never_leaves_the_data_folder(product: Product, world: World) -> None:
    (local,) = [row for row in product.api().get(TERMINALS) if row["is_local"]]
    assert local["is_accepted"] is True
    secret = product.home / "secrets" / "local-proxy.secret"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert secret.read_text().strip() not in product.output()
    environ = {**os.environ, "POSTERN_HOME": str(product.home)}
    listing = subprocess.run(
        [str(POSTERN), "terminal", "list"], env=environ, capture_output=True, text=True, timeout=120, check=True
    )
    assert f"{local['name']}\trunning" in listing.stdout
    done = subprocess.run(
        world.ssh("echo through the local proxy"), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout == "through the local proxy\n"


def test_remote_proxy_waits_is_accepted_and_its_stolen_credential_is_worthless(
    product: Product,
    world: World,
    remote: RemoteProxy,
    page: Page,
) -> None:
    remote.start()
    waiting = wait_until(lambda: row_of(product), message="the registration")
    assert (waiting["is_accepted"], waiting["is_local"]) == (False, False)
    wait_until(lambda: waiting["fingerprint"] in remote.log, message="the fingerprint in the proxy's log")
    assert not remote.listens

    # The credential of a waiting proxy can only query its state.
    assert knock(product, remote.credential, "registration/") == (200, {"state": "waiting"})
    assert knock(product, remote.credential, "heartbeat/", {})[0] == 401

    # Super administrators are notified by the bell, and accept it on its page.
    def noticed() -> bool:
        answer = product.api().get("/api/v1/notifications/site-message/?limit=20&offset=0")
        return any(NAME in str(message) for message in answer["results"])

    wait_until(noticed, message="the message about the waiting proxy")
    page.goto(f"{product.url}/ui/terminal/terminal")
    row = page.get_by_role("row").filter(has_text=NAME)
    expect(row).to_contain_text("Waiting")
    row.get_by_role("link", name=NAME).click()
    page.get_by_role("button", name="Accept").click()
    dialog = page.get_by_role("alertdialog").or_(page.get_by_role("dialog"))
    expect(dialog).to_contain_text(waiting["fingerprint"])
    dialog.get_by_role("button", name="Accept").click()
    expect(page.get_by_text(f"{NAME} is accepted")).to_be_visible()
    wait_until(lambda: remote.listens, message="the SSH port of the accepted proxy")

    # A user signs in through it and works.
    through = [str(product.ssh_port), str(remote.ssh_port)]
    argv = [remote.ssh_port.__str__() if part == through[0] else part for part in world.ssh("echo from the branch")]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "from the branch\n", done.stderr

    # A stolen credential gives nothing for users who are not connected.
    people = {row["username"]: row["id"] for row in product.api().get("/api/v1/users/users/")}
    wish = {"asset": "shop-1", "protocol": "ssh", "login_from": "ST", "remote_addr": "127.0.0.1"}
    before = len(world.sessions())
    for username, user_id in people.items():
        assert knock(product, remote.credential, "authorize/", {**wish, "user_id": user_id})[0] == 400
        status, answer = knock(product, remote.credential, "authorize/", {**wish, "ticket": user_id})
        assert (status, answer["grant"], answer["denial"]["code"]) == (200, None, "sign_in_ended"), username
        listed = {"ticket": username, "remote_addr": "127.0.0.1"}
        assert knock(product, remote.credential, "reachable-assets/", listed)[1]["assets"] == []
    for session in world.sessions():
        asked = {"session_id": session["id"], "opening_key": ""}
        assert knock(product, remote.credential, "credential/", asked)[1]["credential"] is None
    assert len(world.sessions()) == before

    # A new credential, then none.
    former = remote.credential
    assert product.api().post(f"{TERMINALS}{waiting['id']}/renew-credential/", status=200)["is_renewal_due"] is True
    wait_until(lambda: remote.credential["secret"] != former["secret"], message="the new credential")
    wait_until(lambda: not row_of(product)["is_renewal_due"], message="its first use")
    assert knock(product, former, "registration/")[0] == 401
    assert subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False).stdout == "from the branch\n"
    stolen = remote.credential
    product.api().post(f"{TERMINALS}{waiting['id']}/revoke-credential/", status=200)
    assert knock(product, stolen, "registration/")[0] == 401
    assert remote.process is not None
    assert remote.process.wait(90) == 1
    assert re.search(r"does not take this proxy's credential", remote.log)
    # After a restart it registers again, and waits again.
    remote.start()
    again = wait_until(
        lambda: (row := row_of(product)) and row["id"] != waiting["id"] and row, message="the second registration"
    )
    assert (again["is_accepted"], again["is_revoked"]) == (False, False)
