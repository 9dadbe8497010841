"""Clients of other projects against the whole product, configured with the guide's snippets."""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import paramiko
import pytest
from product import wait_until
from world import ASSET, World

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "guide" / "ssh-access.md"
LOGIN = f"zhang=deploy={ASSET}"
ANSIBLE = Path(sys.executable).parent / "ansible"


def run(argv: list[str], **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, capture_output=True, text=True, timeout=180, check=False, **options)  # type: ignore[call-overload]  # options of `run`, handed on


def snippet(language: str, world: World) -> str:
    """Return the guide's code block in this language, for the host of the tests."""
    text = GUIDE.read_text(encoding="utf-8")
    (block,) = re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    for there, here in (
        ("postern.example.com", "127.0.0.1"), ("2222", str(world.product.ssh_port)), ("li=deploy", "zhang=deploy"),
        ("shop-1", ASSET), ("shop-2", "web-2"), ("shop-*", "web-*"),
    ):  # fmt: skip
        block = block.replace(there, here)
    return str(block)


@pytest.fixture
def ssh_config(world: World, tmp_path: Path) -> Path:
    """Return the guide's `~/.ssh/config` with the user's key, without anything of the tester's configuration."""
    path = tmp_path / "ssh_config"
    path.write_text(
        snippet("ssh_config", world) + f"    IdentityFile {world.keys['zhang']}\n    IdentitiesOnly yes\n"
        f"    IdentityAgent none\n    UserKnownHostsFile {tmp_path / 'known_hosts'}\n"
        "    StrictHostKeyChecking accept-new\n    LogLevel ERROR\n"
    )
    return path


def ansible(inventory: Path, ssh_args: str, tmp_path: Path, *arguments: str) -> dict[str, object]:
    """Make one ad-hoc call. Returns its output about the host."""
    # The path of a Unix socket is limited to about a hundred characters, which the folders of tests use up.
    with tempfile.TemporaryDirectory() as sockets:
        environ = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "LANG": "C.UTF-8",
            "ANSIBLE_HOME": str(tmp_path / "ansible"),
            "ANSIBLE_SSH_ARGS": f"-C -o ControlMaster=auto -o ControlPersist=5s {ssh_args}",
            "ANSIBLE_SSH_CONTROL_PATH_DIR": sockets,
            "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
        }
        # An ssh of another test may have left the tester's own input non-blocking, which Ansible refuses.
        done = run(
            [str(ANSIBLE), "-i", str(inventory), ASSET, *arguments], env=environ, cwd=tmp_path, stdin=subprocess.DEVNULL
        )
    assert done.returncode == 0, done.stdout + done.stderr
    answer: dict[str, object] = json.loads(done.stdout.partition(" => ")[2])
    return answer


def test_ssh_config_of_the_guide_works_for_ssh_scp_and_sftp(world: World, ssh_config: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.write_bytes(os.urandom(200_000))
    ran = run(["ssh", "-F", str(ssh_config), ASSET, "echo in; exit 7"])
    assert (ran.returncode, ran.stdout) == (7, "in\n")
    copied = run(["scp", "-F", str(ssh_config), str(source), f"{ASSET}:{tmp_path}/copied"])
    assert (copied.returncode, copied.stderr) == (0, "")
    synced = run(["rsync", "-e", f"ssh -F {shlex.quote(str(ssh_config))}", str(source), f"{ASSET}:{tmp_path}/synced"])
    assert (synced.returncode, synced.stderr) == (0, "")
    fetched = run(["sftp", "-F", str(ssh_config), "-b", "-", ASSET], input=f"get {source} {tmp_path}/fetched\n")
    assert fetched.returncode == 0, fetched.stderr
    for name in ("copied", "synced", "fetched"):
        assert (tmp_path / name).read_bytes() == source.read_bytes()


def test_rsync_files_are_in_the_file_log_by_name_both_ways(world: World, ssh_config: Path, tmp_path: Path) -> None:
    (tmp_path / "from" / "sub").mkdir(parents=True)
    for name, size in (("report 数据.txt", 70_000), ("sub/notes", 10)):
        (tmp_path / "from" / name).write_bytes(os.urandom(size))
    rsync = ["rsync", "-az", "-e", f"ssh -F {shlex.quote(str(ssh_config))}"]
    sent = run([*rsync, f"{tmp_path}/from/", f"{ASSET}:{tmp_path}/there/"])
    assert (sent.returncode, sent.stderr) == (0, "")
    fetched = run([*rsync, f"{ASSET}:{tmp_path}/there", f"{tmp_path}/back"])
    assert (fetched.returncode, fetched.stderr) == (0, "")

    def logged() -> bool:
        rows = world.admin.get("/api/v1/audits/ftp-logs/?limit=100&offset=0")["results"]
        entries = {(row["operate"], row["filename"], row["is_success"]) for row in rows}
        return {
            (operation, f"{tmp_path}/there/{name}", True)
            for operation in ("Upload", "Download")
            for name in ("report 数据.txt", "sub/notes")
        } <= entries

    wait_until(logged, message="files of both transfers in the log")


def test_ansible_pings_and_copies_with_the_ssh_config_of_the_guide(
    world: World, ssh_config: Path, tmp_path: Path
) -> None:
    inventory = tmp_path / "inventory"
    inventory.write_text(f"[shops]\n{ASSET}\n")
    assert ansible(inventory, f"-F {ssh_config}", tmp_path, "-m", "ping")["ping"] == "pong"
    ansible_copies(world, inventory, f"-F {ssh_config}", tmp_path)


def test_ansible_copies_with_the_inventory_of_the_guide(world: World, tmp_path: Path) -> None:
    inventory = tmp_path / "inventory"
    inventory.write_text(snippet("ini", world))
    ansible_copies(world, inventory, shlex.join(world.ssh_options()), tmp_path)


def ansible_copies(world: World, inventory: Path, ssh_args: str, tmp_path: Path) -> None:
    landed = tmp_path / "landed"
    copied = ansible(inventory, ssh_args, tmp_path, "-m", "copy", "-a", f"content=hello dest={landed}")
    assert copied["changed"] is True
    assert landed.read_text() == "hello"
    home = world.host.directory / "home"
    odd = [
        path.name for folder in (home, tmp_path, Path.home()) for path in folder.iterdir() if path.name.startswith("~")
    ]
    assert odd == [], "a folder named after the user was made"


def test_curl_with_libssh2_fetches_a_file(world: World, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("through Postern\n")
    key = world.keys["zhang"]
    done = run(
        ["curl", "-sSk", "--key", str(key), "--pubkey", f"{key}.pub", "-u", f"{LOGIN}:",
         f"sftp://127.0.0.1:{world.product.ssh_port}{file}"]
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "through Postern\n", "")


def test_dropbear_client_runs_a_command(world: World, tmp_path: Path) -> None:
    key = tmp_path / "key"
    assert run(["dropbearconvert", "openssh", "dropbear", str(world.keys["zhang"]), str(key)]).returncode == 0
    done = run(
        [
            "dbclient",
            "-y",
            "-y",
            "-i",
            str(key),
            "-p",
            str(world.product.ssh_port),
            f"{LOGIN}@127.0.0.1",
            "echo in; exit 7",
        ]
    )
    assert (done.returncode, done.stdout) == (7, "in\n"), done.stderr


def test_putty_tools_run_a_command_and_fetch_a_file(world: World, tmp_path: Path) -> None:
    key, file, batch, back = (tmp_path / name for name in ("key.ppk", "file", "batch", "back"))
    file.write_text("through Postern\n")
    batch.write_text(f"get {file} {back}\n")
    assert run(["puttygen", str(world.keys["zhang"]), "-o", str(key)]).returncode == 0
    fingerprints = re.findall(r"host keys ED25519 (SHA256:\S+), RSA (SHA256:\S+)", world.product.output())
    assert fingerprints, "both fingerprints are in the log"
    options = [
        "-batch",
        "-hostkey",
        fingerprints[-1][0],
        "-i",
        str(key),
        "-P",
        str(world.product.ssh_port),
        "-l",
        LOGIN,
    ]
    ran = run(["plink", "-ssh", *options, "127.0.0.1", "echo in; exit 7"])
    assert (ran.returncode, ran.stdout) == (7, "in\n"), ran.stderr
    fetched = run(["psftp", *options, "-b", str(batch), "127.0.0.1"])
    assert fetched.returncode == 0, fetched.stderr
    assert back.read_text() == "through Postern\n"


def test_paramiko_runs_a_command(world: World) -> None:
    with paramiko.SSHClient() as client:
        client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
        client.connect(
            "127.0.0.1", world.product.ssh_port, LOGIN, key_filename=str(world.keys["zhang"]),
            allow_agent=False, look_for_keys=False,
        )  # fmt: skip
        _, out, _ = client.exec_command("echo in; exit 7")
        assert (out.read(), out.channel.recv_exit_status()) == (b"in\n", 7)


def test_mosh_is_refused_with_the_reason(world: World) -> None:
    done = run(world.ssh("mosh-server new -s -c 256", login=LOGIN))
    assert done.returncode == 255
    # The user's own language is Chinese.
    assert "mosh-server" in done.stderr
    assert "录像" in done.stderr or "recording" in done.stderr


def test_k36_postern_itself_is_not_a_target(world: World) -> None:
    """Local targets are allowed here. Postern's own services stay blocked on every address of the machine."""
    product = world.product
    for number, (address, port) in enumerate(
        (("127.0.0.1", product.http_port), ("127.0.0.1", product.ssh_port), ("::ffff:127.0.0.1", product.ssh_port))
    ):
        asset = world.admin.post(
            "/api/v1/assets/assets/",
            {"hostname": f"own-{number}", "ip": address, "platform": "Linux", "protocols": [f"ssh/{port}"]},
        )
        permission = world.admin.post(
            "/api/v1/perms/asset-permissions/",
            {
                "name": f"zhang on own-{number}",
                "users": [world.zhang_id],
                "assets": [asset["id"]],
                "system_users": [world.system_user_id],
            },
        )
        done = run(world.ssh("true", login=f"zhang=deploy=own-{number}"))
        assert done.returncode == 255
        assert "Postern" in done.stderr, done.stderr
        world.admin.delete(f"/api/v1/perms/asset-permissions/{permission['id']}/")
        world.admin.delete(f"/api/v1/assets/assets/{asset['id']}/")
    wait_until(product.healthy, message="health")
