"""The product's data is private to its owner: every file after real use, and every environment of its processes."""

import os
import shutil
import socket
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import psutil
import pytest
from company import install_licence
from product import ADMIN_PASSWORD, Api, Product, wait_until
from world import TargetHost, build_world

SECRETS = {"POSTERN_BOOTSTRAP_TOKEN": "MARK-boot-token-of-this-test", "POSTERN_HEALTH_TOKEN": "MARK-health"}


class WatchedProduct(Product):
    """Its health page requires a token."""

    def healthy(self) -> bool:
        try:
            answer = self.call_health()
        except OSError:
            return False
        return bool(answer.status == 200)

    def call_health(self) -> Any:
        return Api(self.url).call("GET", f"/api/health/?token={SECRETS['POSTERN_HEALTH_TOKEN']}")


def open_to_others(home: Path) -> list[str]:
    """Return every file, folder and socket that group or others can access."""
    return [
        f"{stat.filemode(info.st_mode)} {path}"
        for path in (home, *home.rglob("*"))
        if not stat.S_ISLNK((info := path.lstat()).st_mode) and info.st_mode & 0o077
    ]


@pytest.fixture
def used(tmp_path: Path, host: TargetHost) -> Any:
    """A data folder that everybody could read before, then a start and some real use."""
    # A short path, so that the folder of the sockets lies within it.
    outer = Path(tempfile.mkdtemp(prefix="postern-"))
    home = outer / "home"
    (home / "replays").mkdir(parents=True)
    (home / "replays" / "of-an-older-version.cast").write_text("x")
    for path in (home, home / "replays"):
        path.chmod(0o755)
    (home / "replays" / "of-an-older-version.cast").chmod(0o644)
    product = WatchedProduct(home, **SECRETS).start()
    try:
        yield product, build_world(product, tmp_path, host)
    finally:
        product.stop()
        shutil.rmtree(outer)


def test_everything_in_the_data_folder_is_private_after_real_use(used: Any, tmp_path: Path) -> None:
    product, world = used
    home: Path = product.home
    install_licence(product, tmp_path)
    ran = subprocess.run(
        world.ssh("-tt", "echo recorded-$((40+2))"),
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
    )
    assert b"recorded-42" in ran.stdout, ran
    (tmp_path / "upload.txt").write_text("x" * 100_000)
    put = subprocess.run(
        ["sftp", *world.ssh_options(), "-P", str(product.ssh_port), "-b", "-",
         "-o", "User=zhang@deploy@web-1", "127.0.0.1"],
        check=False, input=f"put {tmp_path / 'upload.txt'} {tmp_path / 'there.txt'}\n".encode(),
        capture_output=True, timeout=120,
    )  # fmt: skip
    assert put.returncode == 0, put
    wait_until(lambda: any(row["has_replay"] for row in world.sessions(is_finished="1")), message="a sealed recording")
    product.kill_part("web")  # a restarted service is as careful as the first
    wait_until(product.healthy, message="health")

    kinds = {part for path in home.rglob("*") for part in path.relative_to(home).parts[:1]}
    assert {"postern.sqlite3", "secrets", "proxy", "run", "replays", "licence", "postern.lock"} <= kinds
    assert any(stat.S_ISSOCK(path.lstat().st_mode) for path in home.rglob("*"))
    assert open_to_others(home) == []
    assert "of-an-older-version.cast" in product.output()  # and it was logged

    marks = [b"MARK-", ADMIN_PASSWORD.encode()]
    environments = {}
    for process in psutil.Process(product.process.pid).children(recursive=True):
        environ = Path(f"/proc/{process.pid}/environ").read_bytes()
        environments[" ".join(process.cmdline())[:90]] = [mark for mark in marks if mark in environ]
    for line, present in environments.items():
        allowed = [b"MARK-"] if "entrypoints web" in line or "entrypoints proxy" in line else []
        assert present == allowed, line
    assert len(environments) >= 5, environments  # redis, web, worker, proxy, sealer


def test_redis_and_proxy_sockets_refuse_connections_of_another_user(product: Product) -> None:
    """Connects as that user, if the tests may switch users."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    sockets = [path for path in product.home.rglob("*") if stat.S_ISSOCK(path.lstat().st_mode)]
    assert len(sockets) >= 2
    for path in sockets:
        pid = os.fork()
        if pid == 0:
            try:
                os.setgid(65534)
                os.setuid(65534)
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(str(path))
                os._exit(0)
            except PermissionError:
                os._exit(7)
        _, status = os.waitpid(pid, 0)
        assert os.waitstatus_to_exitcode(status) == 7, path
