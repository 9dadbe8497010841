"""A small company on a running Postern: a host, its account, users and a permission, all created through the API."""

import getpass
import os
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from product import Api, Product, ask_for_no_puzzles, mute_load_messages, wait_until

ZHANG_PASSWORD = "river-Stone-lantern-42"
AUDITOR_PASSWORD = "quiet-Window-archive-17"


class TargetHost:
    """A real sshd on a free port, for the user who runs the tests."""

    def __init__(self, directory: Path, port: int) -> None:
        self.directory = directory
        self.port = port
        self.login = getpass.getuser()
        directory.mkdir(parents=True)
        self.client_key = self._key("client_key")
        self.host_key = self._key("host_key")
        self._process: subprocess.Popen[bytes] | None = None

    def _key(self, name: str) -> Path:
        path = self.directory / name
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", str(path)], check=True)
        return path

    def start(self) -> Self:
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        home = self.directory / "home"
        home.mkdir(exist_ok=True)
        authorized = self.directory / "authorized_keys"
        authorized.write_text(self.client_key.with_suffix(".pub").read_text())
        config = self.directory / "sshd_config"
        config.write_text(
            f"ListenAddress 127.0.0.1:{self.port}\nHostKey {self.host_key}\nPidFile none\n"
            f"AuthorizedKeysFile {authorized}\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
            "KbdInteractiveAuthentication no\nPermitRootLogin yes\nUseDNS no\nPrintMotd no\nPrintLastLog no\n"
            "AcceptEnv LANG LC_*\nSubsystem sftp internal-sftp\nLogLevel VERBOSE\nMaxStartups 1000\n"
            # The tester's own shell may take long to start, or wait for a killed predecessor.
            f"SetEnv HOME={home}\n"
        )
        self._process = subprocess.Popen(
            ["/usr/sbin/sshd", "-D", "-f", str(config), "-E", str(self.directory / "log")], stdin=subprocess.DEVNULL
        )
        wait_until(lambda: "Server listening" in self.log, message="sshd")
        return self

    @property
    def log(self) -> str:
        path = self.directory / "log"
        return path.read_text() if path.exists() else ""

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(60)
            self._process = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def change_host_key(self) -> None:
        """Change the host key, as a reinstalled or false host would."""
        self.stop()
        (self.directory / "log").unlink()
        for path in (self.host_key, self.host_key.with_suffix(".pub")):
            path.unlink()
        self._key("host_key")
        self.start()


@dataclass
class World:
    """The objects that tests refer to."""

    product: Product
    host: TargetHost
    admin: Api
    asset_id: str
    system_user_id: str
    permission_id: str
    zhang_id: str
    auditor_id: str
    directory: Path
    keys: dict[str, Path] = field(default_factory=dict)

    def zhang(self) -> Api:
        """Return the colleague's API client."""
        return self.product.api("zhang", ZHANG_PASSWORD)

    def auditor(self) -> Api:
        return self.product.api("auditor", AUDITOR_PASSWORD)

    def ssh_options(self) -> list[str]:
        """Options for ssh, sftp and scp that exclude the tester's own configuration."""
        return [
            "-F", "none", "-o", f"UserKnownHostsFile={self.directory / 'known_hosts'}", "-o", "StrictHostKeyChecking=accept-new",
            "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none", "-o", "LogLevel=ERROR", "-i", str(self.keys["zhang"]),
        ]  # fmt: skip

    def ssh(self, *command: str, login: str = "", options: tuple[str, ...] = ()) -> list[str]:
        """Run the colleague's ssh directly to the host."""
        name = login or f"zhang@deploy@{ASSET}"
        return [
            "ssh",
            *self.ssh_options(),
            *options,
            "-p",
            str(self.product.ssh_port),
            "-l",
            name,
            "127.0.0.1",
            *command,
        ]

    def forgive(self) -> None:
        """Forget the colleague's wrong passwords, so that no later test has to wait for seconds."""
        self.admin.patch(f"/api/v1/users/users/{self.zhang_id}/unblock/", {})

    def sessions(self, **filters: str) -> list[dict[str, object]]:
        query = "&".join(f"{key}={value}" for key, value in {"limit": "50", "offset": "0", **filters}.items())
        rows: list[dict[str, object]] = self.admin.get(f"/api/v1/terminal/sessions/?{query}")["results"]
        return rows

    def new_asset(self, kind: str) -> dict[str, str]:
        """Create an asset with the account `deploy`; returns its id and its name, which no other test uses."""
        name = f"{kind}-{uuid.uuid4().hex[:6]}"
        made = self.admin.post(
            "/api/v1/assets/assets/",
            {"hostname": name, "ip": "127.0.0.1", "platform": "Linux", "protocols": [f"ssh/{self.host.port}"]},
        )
        self.admin.post(
            "/api/v1/assets/system-users-assets-relations/", {"asset": made["id"], "systemuser": self.system_user_id}
        )
        return {"id": made["id"], "name": name}

    @contextmanager
    def asset_of_zhang(self, kind: str) -> Iterator[str]:
        """A new asset that zhang may open until the block ends; its name."""
        made = self.new_asset(kind)
        permission = self.admin.post(
            "/api/v1/perms/asset-permissions/",
            {
                "name": f"zhang on {made['name']}",
                "users": [self.zhang_id],
                "assets": [made["id"]],
                "system_users": [self.system_user_id],
            },
        )
        yield made["name"]
        self.admin.delete(f"/api/v1/perms/asset-permissions/{permission['id']}/")


ASSET = "web-1"


def build_world(product: Product, directory: Path, host: TargetHost) -> World:
    """Set up everything that an administrator would: the first part of the demo story."""
    admin = product.api()
    mute_load_messages(admin)
    ask_for_no_puzzles(admin)
    asset = admin.post(
        "/api/v1/assets/assets/",
        {"hostname": ASSET, "ip": "127.0.0.1", "platform": "Linux", "protocols": [f"ssh/{host.port}"]},
    )
    system_user = admin.post(
        "/api/v1/assets/system-users/",
        {
            "name": "deploy",
            "username": host.login,
            "protocol": "ssh",
            "login_mode": "auto",
            "private_key": host.client_key.read_text(),
            "sftp_root": "/",  # the tests copy into their own folders
        },
    )
    zhang = admin.post(
        "/api/v1/users/users/",
        {
            "name": "张伟",
            "username": "zhang",
            "email": "zhang@example.invalid",
            "password_strategy": "custom",
            "password": ZHANG_PASSWORD,
        },
    )
    auditor = admin.post(
        "/api/v1/users/users/",
        {
            "name": "Ada Auditor",
            "username": "auditor",
            "email": "ada@example.invalid",
            "role": "Auditor",
            "password_strategy": "custom",
            "password": AUDITOR_PASSWORD,
        },
    )
    permission = admin.post(
        "/api/v1/perms/asset-permissions/",
        {
            "name": "zhang on web-1",
            "users": [zhang["id"]],
            "assets": [asset["id"]],
            "system_users": [system_user["id"]],
        },
    )
    key = directory / "zhang_key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "zhang", "-f", str(key)], check=True)
    for name, password in (("zhang", ZHANG_PASSWORD), ("auditor", AUDITOR_PASSWORD)):
        # As on the first-login page: users get no session until they confirm that sessions are recorded.
        product.api(name, password).call("PATCH", "/api/v1/users/profile/", {"is_first_login": False})
    product.api("zhang", ZHANG_PASSWORD).call(
        "PUT", "/api/v1/users/profile/public-key/", {"public_key": key.with_suffix(".pub").read_text()}
    )
    return World(
        product=product,
        host=host,
        admin=admin,
        asset_id=asset["id"],
        system_user_id=system_user["id"],
        permission_id=permission["id"],
        zhang_id=zhang["id"],
        auditor_id=auditor["id"],
        directory=directory,
        keys={"zhang": key},
    )
