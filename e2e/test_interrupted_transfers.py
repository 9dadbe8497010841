"""A file that is open when the proxy is killed stays in the file log."""

import subprocess
from typing import Any

from product import wait_until
from world import World


def transfer(world: World, name: str) -> dict[str, Any] | None:
    rows: list[dict[str, Any]] = world.admin.get("/api/v1/audits/ftp-logs/?limit=50&offset=0")["results"]
    return next((row for row in rows if row["filename"] == name), None)


def test_upload_of_a_killed_proxy_is_listed_as_running_and_then_interrupted(world: World) -> None:
    command = world.ssh(f"scp -t {world.directory}")
    path = f"half of a report -> {world.directory}"
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as client:
        assert client.stdin is not None
        assert client.stdout is not None
        assert client.stdout.read(1) == b"\0"
        client.stdin.write(b"C0644 1000 half of a report\n")
        assert client.stdout.read(1) == b"\0"
        client.stdin.write(b"x" * 500)
        wait_until(lambda: transfer(world, path), message="the upload in the log")
        row = transfer(world, path)
        assert row is not None
        assert (row["state"], row["size"]) == ("under_way", None)

        world.product.kill_part("proxy")
        client.stdin.close()
        client.wait(60)

    def interrupted() -> bool:
        row = transfer(world, path)
        return row is not None and row["state"] == "interrupted"

    wait_until(interrupted, message="the interrupted upload")
