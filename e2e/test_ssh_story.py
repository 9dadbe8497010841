"""The purpose of the product with a user's own ssh: reach a host without its credential, recorded and terminable."""

import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

from product import wait_until
from world import World

from timing import soon


class Terminal:
    """A program on its own terminal, as a user would run it."""

    def __init__(self, argv: list[str]) -> None:
        pid, self._fd = pty.fork()
        if pid == 0:
            os.environ["TERM"] = "xterm-256color"
            os.execvp(argv[0], argv)
        self.pid = pid
        self.output = b""
        self.status: int | None = None

    def type(self, text: str) -> None:
        os.write(self._fd, text.encode())

    def read(self, seconds: float) -> None:
        ready, _, _ = select.select([self._fd], [], [], seconds)
        if ready:
            try:
                data = os.read(self._fd, 65536)
            except OSError:  # the program has ended
                data = b""
            if data:
                self.output += data
            else:
                self.close()

    def close(self) -> None:
        if self.status is None:
            _, status = os.waitpid(self.pid, 0)
            self.status = os.waitstatus_to_exitcode(status)
            os.close(self._fd)

    def shows(self, text: str, seconds: float = 60.0) -> None:
        deadline = time.monotonic() + seconds
        while text.encode() not in self.output:
            assert self.status is None, f"ended with {self.status}: {self.output[-2000:]!r}"
            assert time.monotonic() < deadline, f"{text!r} never came: {self.output[-2000:]!r}"
            self.read(0.1)

    def ends(self, seconds: float = 60.0) -> int:
        deadline = time.monotonic() + seconds
        while self.status is None:
            assert time.monotonic() < deadline, f"did not end: {self.output[-2000:]!r}"
            self.read(0.1)
        return self.status


def run(argv: list[str], **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, capture_output=True, text=True, timeout=180, check=False, **options)  # type: ignore[call-overload]  # options of `run`, handed on


def test_ssh_exec_reaches_the_host_and_keeps_its_exit_status(world: World) -> None:
    done = run(world.ssh("echo out; echo err >&2; exit 7"))
    assert (done.returncode, done.stdout, done.stderr) == (7, "out\n", "err\n")


def test_ssh_shell_is_recorded_with_its_commands(world: World) -> None:
    before = {row["id"] for row in world.sessions()}
    terminal = Terminal(world.ssh(options=("-tt",)))
    terminal.shows("$" if os.geteuid() else "#")
    terminal.type("echo the-answer-is-$((6*7))\r")
    terminal.shows("the-answer-is-42")
    terminal.type("exit\r")
    assert terminal.ends() == 0

    def sealed() -> dict[str, object] | None:
        rows = world.sessions(is_finished="1")
        new = (row for row in rows if row["id"] not in before and row["kind"] == "shell")
        return next((row for row in new if row["recording_state"] == "sealed" and row["can_replay"]), None)

    session = wait_until(sealed, message="a sealed recording")
    assert session["end_reason"] == "target_closed"
    assert session["asset"].startswith("web-1")
    commands = wait_until(
        lambda: world.admin.get(f"/api/v1/terminal/commands/?session_id={session['id']}&limit=10&offset=0")["results"],
        message="commands",
    )
    assert "echo the-answer-is-$((6*7))" in [command["input"] for command in commands]
    replay = world.admin.get(f"/api/v1/terminal/sessions/{session['id']}/replay/")
    assert replay["state"] == "sealed"
    assert world.admin.post(f"/api/v1/terminal/sessions/{session['id']}/replay/verify/", {}, 200)["valid"] is True
    cast = world.admin.call("GET", replay["cast_url"]).body
    assert "the-answer-is-42" in cast
    text = world.admin.call("GET", replay["text_url"]).body.splitlines()
    assert [line for line in text if line.startswith("the-answer-is-")] == ["the-answer-is-42"]


def test_every_command_has_a_replay_with_its_piped_input(world: World) -> None:
    before = {row["id"] for row in world.sessions()}
    done = run(
        world.ssh("/usr/bin/env sh"),
        input="echo the-answer-is-$((6*7)); head -c 900000 /dev/urandom >&2\n",
        errors="replace",
    )
    assert done.stdout == "the-answer-is-42\n"

    def sealed() -> dict[str, object] | None:
        new = (row for row in world.sessions(is_finished="1") if row["id"] not in before)
        return next((row for row in new if row["recording_state"] == "sealed" and row["can_replay"]), None)

    session = wait_until(sealed, message="a sealed recording")
    assert (session["kind"], session["has_replay"], session["command_amount"]) == ("exec", True, 1)
    commands = world.admin.get(f"/api/v1/terminal/commands/?session_id={session['id']}&limit=10&offset=0")["results"]
    assert [command["input"] for command in commands] == ["/usr/bin/env sh"]
    assert world.admin.post(f"/api/v1/terminal/sessions/{session['id']}/replay/verify/", {}, 200)["valid"] is True
    replay = world.admin.get(f"/api/v1/terminal/sessions/{session['id']}/replay/")
    cast = world.admin.call("GET", replay["cast_url"]).body
    for part in (
        "/usr/bin/env sh",
        "echo the-answer-is-$((6*7))",
        "the-answer-is-42",
        "stderr: 900,000 bytes, ",
        "SHA-256",
    ):
        assert part in cast
    text = world.admin.call("GET", replay["text_url"]).body.splitlines()
    typed = "echo the-answer-is-$((6*7)); head -c 900000 /dev/urandom >&2"
    assert [line for line in text if "the-answer-is-" in line] == [typed, "the-answer-is-42"]


def test_ssh_menu_lists_and_opens_granted_assets(world: World) -> None:
    terminal = Terminal(world.ssh(login="zhang", options=("-tt",)))
    terminal.shows("web-1")
    terminal.type("1\r")
    terminal.shows("$" if os.geteuid() else "#")
    terminal.type("exit\r")
    terminal.shows("back in the asset menu")
    terminal.type("q\r")
    terminal.ends()


def test_sftp_and_scp_transfer_files_and_are_audited(world: World, tmp_path: Path) -> None:
    source = tmp_path / "report.txt"
    source.write_bytes(os.urandom(300_000))
    landed, back = tmp_path / "landed.txt", tmp_path / "back.txt"
    options = world.ssh_options()
    port = str(world.product.ssh_port)
    done = run(
        ["sftp", *options, "-P", port, "-o", "User=zhang@deploy@web-1", "-b", "-", "127.0.0.1"],
        input=f"put {source} {landed}\nget {landed} {back}\n",
    )
    assert done.returncode == 0, done.stderr
    assert landed.read_bytes() == back.read_bytes() == source.read_bytes()
    copied = tmp_path / "copied.txt"
    done = run(["scp", *options, "-P", port, "-o", "User=zhang@deploy@web-1", str(source), f"127.0.0.1:{copied}"])
    assert done.returncode == 0, done.stderr
    assert copied.read_bytes() == source.read_bytes()

    def logged() -> bool:
        rows = world.admin.get("/api/v1/audits/ftp-logs/?limit=50&offset=0")["results"]
        names = {(row["filename"], row["operate"]) for row in rows}
        return {str(landed), str(copied)} <= {name for name, _ in names} and len(names) >= 3

    wait_until(logged, message="file transfers in the log")


def test_ssh_wrong_password_is_refused_without_a_hint(world: World) -> None:
    def refused(login: str) -> str:
        argv = world.ssh(
            "true", login=login, options=("-o", "PubkeyAuthentication=no", "-o", "NumberOfPasswordPrompts=1")
        )
        return run(["sshpass", "-p", "wrong-password-123", *argv]).stderr

    known, unknown = refused("zhang"), refused("nobody-of-that-name")
    world.forgive()
    assert re.sub(r"\S+@127", "X@127", known) == re.sub(r"\S+@127", "X@127", unknown)
    assert "Permission denied" in known


def test_ssh_asset_without_permission_says_so(world: World) -> None:
    done = run(world.ssh("true", login="zhang@deploy@no-such-host"))
    assert done.returncode != 0
    assert "no-such-host" in done.stderr + done.stdout


def test_ssh_forward_is_refused(world: World) -> None:
    done = run(world.ssh(options=("-W", f"127.0.0.1:{world.host.port}")))
    assert done.returncode != 0
    assert "SSH-2.0" not in done.stdout


def test_terminate_ends_a_shell_within_two_seconds_and_says_why(world: World) -> None:
    def terminated() -> float:
        before = {row["id"] for row in world.sessions()}
        terminal = Terminal(world.ssh(options=("-tt",)))
        terminal.shows("$" if os.geteuid() else "#")

        def live() -> dict[str, object] | None:
            rows = (row for row in world.sessions(is_finished="0") if row["id"] not in before)
            return next((row for row in rows if row["state"] == "active"), None)

        session = wait_until(live, message="a live session")
        started = time.monotonic()
        done = world.admin.post("/api/v1/terminal/tasks/kill-session/", [session["id"]], 200)
        assert done == {"ok": [session["id"]]}
        terminal.ends()
        took = time.monotonic() - started
        assert "terminated by Administrator(admin)" in terminal.output.decode()

        def ended() -> bool:
            row = world.admin.get(f"/api/v1/terminal/sessions/{session['id']}/")
            return bool(row["is_finished"]) and row["end_reason"] == "terminated"

        wait_until(ended, message="the end in the record")
        return took

    soon(terminated, 2)
