"""Every exec is recorded: command line, input, output and error, whatever the command is called (issue 6, 1.1)."""

import asyncio
import hashlib
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from fakes.recording import FakeRecorder
from peers.ssh_proxy import World, run
from peers.terminal import Terminal
from postern.contracts.enums import Actions, EndReason
from postern.contracts.events import CommandSeen, FileTransferred, RequestRefused, SessionEnded, SessionStarted
from postern.contracts.recording.format import INPUT, MARK, OUTPUT
from postern.contracts.recording.streams import COMMAND, ERROR, SAMPLE, SKIPPED, STREAM_END, Sample, Skipped, StreamEnd
from postern.proxies.core.recording.streams import TAIL_BYTES
from postern.proxies.ssh.rsync import inspector
from postern.proxies.ssh.target import TargetConnection

MIB = 1024 * 1024
GIT_SERVER = (
    "cd $(mktemp -d); git init -q .; git config user.name a; git config user.email a@b; "
    "git commit -q --allow-empty -m x; git upload-pack ."
)


async def recorder_of(world: World) -> FakeRecorder:
    ended = await world.plane.event(SessionEnded)
    return world.proxy.recordings.recorders[ended.session_id]


def accounts(recorder: FakeRecorder) -> dict[str, StreamEnd]:
    return {end.stream.label: end for end in map(StreamEnd.decode, recorder.of(STREAM_END))}


def covered(recorder: FakeRecorder) -> dict[str, int]:
    """Return how far each stream is accounted for without a gap: recorded, sampled or counted as skipped."""
    at = {"stdin": 0, "stdout": 0, "stderr": 0}
    for kind, data in recorder.events:
        if kind in (INPUT, OUTPUT, ERROR):
            at[{INPUT: "stdin", OUTPUT: "stdout", ERROR: "stderr"}[kind]] += len(data)
        elif kind == SKIPPED:
            stretch = Skipped.decode(data)
            assert stretch.offset == at[stretch.stream.label]
            at[stretch.stream.label] += stretch.length
        elif kind == SAMPLE:
            sample = Sample.decode(data)
            assert sample.offset <= at[sample.stream.label]
            at[sample.stream.label] = max(at[sample.stream.label], sample.offset + len(sample.data))
    return at


@pytest.mark.parametrize(
    "command",
    [
        "sh -c 'exec sh'", "/usr/bin/env bash", "bash -s -- -c harmless", "env -i /bin/sh -i", "python3 -i", "exec cat",
        "nice sh", "setsid sh", "bash --rcfile /dev/null", "$SHELL",
    ],
)  # fmt: skip
async def test_shell_under_any_name_is_recorded_with_its_input(world: World, command: str) -> None:
    typed = b"print('x1')\n" if command.startswith("python3") else b"echo x$((2-1))\n"
    result = await run(world.proxy.ssh(world.login, command), stdin=typed)

    recorder = await recorder_of(world)
    assert b"".join(recorder.of(COMMAND)) == command.encode()
    assert b"".join(recorder.of(INPUT)) == typed
    assert b"".join(recorder.of(OUTPUT)) == result.out
    assert b"".join(recorder.of(ERROR)) == result.err
    assert world.plane.of(SessionStarted)[0].recording is True
    assert (await world.plane.event(CommandSeen)).input == command


async def test_standard_error_is_recorded_apart_from_output(world: World) -> None:
    await run(world.proxy.ssh(world.login, "echo out; echo err >&2"))

    recorder = await recorder_of(world)
    assert (recorder.of(OUTPUT), recorder.of(ERROR)) == ([b"out\n"], [b"err\n"])


async def test_overlong_command_line_is_complete_in_the_recording(world: World) -> None:
    command = "true " + "x" * 90_000
    await run(world.proxy.ssh(world.login, command))

    assert b"".join((await recorder_of(world)).of(COMMAND)) == command.encode()


def recorded_ranges(recorder: FakeRecorder) -> list[tuple[int, bytes]]:
    """Return what is recorded of standard output, with its offsets, in the order of the stream."""
    ranges, at = [], 0
    for kind, data in recorder.events:
        if kind == OUTPUT:
            ranges.append((at, data))
            at += len(data)
        elif kind == SAMPLE:
            sample = Sample.decode(data)
            ranges.append((sample.offset, sample.data))
            at = max(at, sample.offset + len(sample.data))
        elif kind == SKIPPED:
            at += Skipped.decode(data).length
    return sorted(ranges)


@pytest.mark.parametrize(
    "command",
    [
        "head -c 8000000 /dev/urandom",
        # Whether random bytes end with a short piece that looks like text is chance; here it is not.
        "head -c 8000000 /dev/zero; sleep 0.3; echo end of the dump",
    ],
)
async def test_large_binary_stream_is_counted_and_hashed_with_its_head_and_tail(world: World, command: str) -> None:
    result = await run(world.proxy.ssh(world.login, command))

    recorder = await recorder_of(world)
    account = accounts(recorder)["stdout"]
    assert (account.size, account.sha256, account.is_binary) == (
        len(result.out), hashlib.sha256(result.out).hexdigest(), True,
    )  # fmt: skip
    ranges = recorded_ranges(recorder)
    recorded_bytes = sum(len(data) for _, data in ranges)
    assert account.not_kept == account.size - recorded_bytes
    assert recorded_bytes < 300_000
    for offset, data in ranges:
        assert result.out[offset:].startswith(data)
    assert ranges[0][0] == 0
    tail = [(offset, data) for offset, data in ranges if offset + len(data) > account.size - TAIL_BYTES]
    assert sum(len(data) for _, data in tail) >= TAIL_BYTES
    assert tail[-1][0] + len(tail[-1][1]) == account.size


async def test_dialogue_after_a_flood_of_binary_data_is_recorded(world: World) -> None:
    """A binary beginning must not stop the recording of what follows."""
    command = "head -c 3000000 /dev/urandom; sleep 1; printf 'pass\\0word: '; echo hidden-work"
    await run(world.proxy.ssh(world.login, command))

    kept = (await recorder_of(world)).events
    assert any(b"hidden-work" in data for _, data in kept)


async def test_build_log_is_recorded_completely(world: World) -> None:
    result = await run(world.proxy.ssh(world.login, "seq 1 1000000"))

    recorder = await recorder_of(world)
    assert bytes(recorder.written) == result.out
    assert accounts(recorder)["stdout"].is_whole_text


async def test_all_bytes_of_a_command_are_accounted_for(world: World) -> None:
    data = os.urandom(5 * MIB) + b"text\n" * 100_000
    result = await run(world.proxy.ssh(world.login, "tee /dev/stderr | cat"), stdin=data)

    assert result.out == data
    recorder = await recorder_of(world)
    ended = await world.plane.event(SessionEnded)
    sizes = {label: end.size for label, end in accounts(recorder).items()}
    assert sizes == covered(recorder) == {"stdin": len(data), "stdout": len(data), "stderr": len(data)}
    assert {end.sha256 for end in accounts(recorder).values()} == {hashlib.sha256(data).hexdigest()}
    assert (ended.bytes_in, ended.bytes_out) == (len(data), 2 * len(data))


async def test_command_that_cannot_be_recorded_does_not_run(world: World, tmp_path: Path) -> None:
    world.proxy.recordings.refuse = True
    result = await run(world.proxy.ssh(world.login, f"touch {tmp_path}/ran"))

    assert result.status == 255
    assert not (tmp_path / "ran").exists()
    ended = await world.plane.event(SessionEnded)
    assert (ended.reason, ended.ever_active) == (EndReason.CANNOT_RECORD, False)


async def test_command_whose_recording_fails_ends_before_more_is_shown(world: World) -> None:
    process = await asyncio.create_subprocess_exec(
        *world.proxy.ssh(world.login, "echo first; read x; echo second"), stdin=-1, stdout=-1, stderr=-1
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert await process.stdout.readline() == b"first\n"
    next(iter(world.proxy.recordings.recorders.values())).break_writes = True
    process.stdin.write(b"go\n")
    out, _ = await process.communicate()

    assert out == b""
    assert (await world.plane.event(SessionEnded)).reason is EndReason.CANNOT_RECORD


@pytest.mark.parametrize(
    ("command", "stdin", "protocol"),
    [
        ("tar cf - /etc/hostname", b"", "tar"),
        (
            GIT_SERVER,
            b"0000",
            "git",
        ),
        ("$(echo s)cp -f /etc/hostname", b"\0\0\0", "scp"),
        ("(cat; sleep 1) | $(echo /usr/lib/openssh/sftp-server)", b"\0\0\0\x05\x01\0\0\0\x03", "sftp"),
        ("echo nothing of this", b"", ""),
    ],
)
async def test_protocols_are_recognised_on_the_wire_not_by_the_name(
    world: World, command: str, stdin: bytes, protocol: str
) -> None:
    await run(world.proxy.ssh(world.login, command), stdin=stdin)

    assert (await world.plane.event(SessionEnded)).protocol == protocol
    assert world.proxy.recordings.recorders


async def test_variables_set_by_a_client_are_in_the_recording(world: World) -> None:
    """A command line may be only `eval "$LC_TEST"`."""
    await run(world.proxy.ssh(world.login, 'eval "$LC_TEST"', options=("-o", "SetEnv=LC_TEST='touch /nowhere/x'")))

    (mark,) = (await recorder_of(world)).of(MARK)
    assert b"LC_TEST=touch /nowhere/x" in mark


@pytest.mark.parametrize("what", ["subsystem", "sftp-server", "scp"])
async def test_file_transfers_with_a_terminal_are_refused(world: World, tmp_path: Path, what: str) -> None:
    """On a terminal no inspector could read the transfer, and the file log would be empty."""
    world.asset.actions = Actions.CONNECT | Actions.DOWNLOAD_FILE
    command = {
        "subsystem": ("sftp",),
        "sftp-server": ("/usr/lib/openssh/sftp-server",),
        "scp": ("scp -f /etc/hostname",),
    }
    options = ("-tt", "-s") if what == "subsystem" else ("-tt",)
    async with Terminal(world.proxy.ssh(world.login, *command[what], options=options)) as terminal:
        await terminal.expect("file transfer cannot use a terminal")
        assert await terminal.wait() == 255

    await world.plane.event(RequestRefused, detail="a file transfer with a terminal")


def rsync(world: World, *words: str) -> list[str]:
    shell = " ".join(world.proxy.ssh(world.login)[:-1])
    return ["rsync", "-a", "-e", shell, *words]


async def the_transfer(world: World) -> FileTransferred:
    """Return the entry of the transfer as a whole: the last entry, after those of its files."""
    await world.plane.event(SessionEnded)
    return world.plane.of(FileTransferred)[-1]


async def test_file_that_a_download_removes_on_the_host_is_in_the_file_log(world: World, tmp_path: Path) -> None:
    (tmp_path / "from").mkdir()
    (tmp_path / "from" / "evidence").write_bytes(b"x" * 100)
    result = await run(rsync(world, "--remove-source-files", f"127.0.0.1:{tmp_path}/from/", f"{tmp_path}/to/"))
    whole = await the_transfer(world)

    assert (result.status, (tmp_path / "from" / "evidence").exists()) == (0, False), result
    assert [(event.operation, event.path) for event in world.plane.of(FileTransferred)[:-1]] == [
        ("download", f"{tmp_path}/from/evidence"),
        ("remove", f"{tmp_path}/from/evidence"),
    ]
    assert whole.detail.startswith("rsync: entries in this log: 2;")


async def test_download_that_removes_files_needs_the_right_to_remove(world: World, tmp_path: Path) -> None:
    world.asset.actions = Actions.CONNECT | Actions.DOWNLOAD_FILE
    (tmp_path / "from").mkdir()
    (tmp_path / "from" / "evidence").write_bytes(b"x" * 100)
    result = await run(rsync(world, "--remove-source-files", f"127.0.0.1:{tmp_path}/from/", f"{tmp_path}/to/"))

    assert result.status != 0
    assert (tmp_path / "from" / "evidence").exists()
    assert not (tmp_path / "to").exists()
    assert (await world.plane.event(RequestRefused)).detail == "the permission lacks UPLOAD_FILE"


async def test_rsync_of_uncertain_direction_is_refused(world: World, tmp_path: Path) -> None:
    """After `--` rsync takes `--sender` as a path, and before it as its direction."""
    (tmp_path / "from").mkdir()
    (tmp_path / "from" / "evil").write_bytes(b"evil")
    shell = tmp_path / "shell"
    ssh = " ".join(world.proxy.ssh(world.login)[:-1])
    shell.write_text(f'#!/bin/bash\nhost=$1; shift; c="$*"; exec {ssh} $host "${{c/ . / -- . }} --sender"\n')
    shell.chmod(0o755)
    result = await run(["rsync", "-r", "-e", str(shell), f"{tmp_path}/from/", f"127.0.0.1:{tmp_path}/to/"])

    assert result.status != 0
    assert b"in which direction" in result.err
    assert not (tmp_path / "to").exists()
    assert (await world.plane.event(RequestRefused)).detail == "a file transfer of no certain direction"


@pytest.mark.parametrize("upload", [True, False], ids=["up", "down"])
async def test_rsync_is_in_the_file_log_with_direction_size_and_hash(
    world: World, tmp_path: Path, upload: bool
) -> None:
    (tmp_path / "from").mkdir()
    (tmp_path / "from" / "content").write_bytes(os.urandom(2 * MIB))
    remote = f"127.0.0.1:{tmp_path}/{'to' if upload else 'from'}/"
    words = (f"{tmp_path}/from/", remote) if upload else (remote, f"{tmp_path}/to/")
    result = await run(rsync(world, *words))

    assert result.status == 0, result
    assert (tmp_path / "to" / "content").read_bytes() == (tmp_path / "from" / "content").read_bytes()
    entry = await the_transfer(world)
    recorder = await recorder_of(world)
    account = accounts(recorder)["stdin" if upload else "stdout"]
    assert (entry.direction.value, entry.operation) == (("upload", "upload") if upload else ("download", "download"))
    assert (entry.size, entry.success) == (account.size, True)
    assert account.size > 2 * MIB
    assert account.sha256 in entry.detail
    assert str(tmp_path) in entry.path
    assert (await world.plane.event(SessionEnded)).protocol == account.protocol == "rsync"
    assert world.plane.of(SessionStarted)[0].kind == "rsync"
    assert covered(recorder)["stdin" if upload else "stdout"] == account.size
    (file,) = (one for one in world.plane.of(FileTransferred)[:-1] if one.operation != "mkdir")
    assert (file.direction, file.operation, file.size, file.success) == (
        entry.direction,
        entry.operation,
        2 * MIB,
        True,
    )
    assert file.path == f"{tmp_path}/{'to' if upload else 'from'}/content"


async def test_rsync_names_each_file_folder_link_and_removal_and_skips_unchanged_files(
    world: World, tmp_path: Path
) -> None:
    (tmp_path / "from" / "new folder").mkdir(parents=True)
    (tmp_path / "from" / "new folder" / "数据").write_bytes(b"x" * 5000)
    (tmp_path / "from" / "link").symlink_to("/etc/hostname")
    (tmp_path / "from" / "kept").write_bytes(b"as before")
    (tmp_path / "to" / "old").mkdir(parents=True)
    (tmp_path / "to" / "old" / "file").write_bytes(b"")
    shutil.copy2(tmp_path / "from" / "kept", tmp_path / "to" / "kept")
    result = await run(rsync(world, "-z", "--delete", f"{tmp_path}/from/", f"127.0.0.1:{tmp_path}/to/"))

    assert result.status == 0, result
    whole = await the_transfer(world)
    assert whole.detail.startswith("rsync: entries in this log: 5; all bytes of the stream, SHA-256 ")
    entries = {(event.operation, event.path): event for event in world.plane.of(FileTransferred)[:-1]}
    to = f"{tmp_path}/to"
    assert set(entries) == {
        ("upload", f"{to}/new folder/数据"), ("mkdir", f"{to}/new folder"), ("symlink", f"{to}/link -> /etc/hostname"),
        ("remove", f"{to}/old/file"), ("rmdir", f"{to}/old"),
    }  # fmt: skip
    assert entries["upload", f"{to}/new folder/数据"].size == 5000
    assert all(event.success for event in entries.values())


async def test_rsync_that_cannot_be_parsed_says_why_and_runs_unchanged(world: World, tmp_path: Path) -> None:
    (tmp_path / "from").mkdir()
    (tmp_path / "from" / "file").write_bytes(b"x")
    result = await run(rsync(world, "--iconv=utf8,utf8", f"{tmp_path}/from/", f"127.0.0.1:{tmp_path}/to/"))

    assert result.status == 0, result
    entry = await the_transfer(world)
    assert world.plane.of(FileTransferred) == [entry]
    assert entry.success
    assert "rsync: the files are not named: the option --iconv is not followed; all bytes" in entry.detail


@pytest.mark.parametrize("upload", [True, False])
async def test_rsync_with_long_lists_waits_and_every_file_is_named(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, upload: bool
) -> None:
    monkeypatch.setattr(inspector, "_FULL_BYTES", 2_000)
    (tmp_path / "from").mkdir()
    for number in range(500):
        (tmp_path / "from" / f"file-{number}").write_bytes(b"x" * 2_000)
    remote = "127.0.0.1:" + str(tmp_path)
    words = (f"{tmp_path}/from/", f"{remote}/to/") if upload else (f"{remote}/from/", f"{tmp_path}/to/")
    assert (await run(rsync(world, *words))).status == 0
    await world.plane.event(SessionEnded)
    named = {Path(event.path).name for event in world.plane.of(FileTransferred) if event.detail == "rsync"}
    assert named >= {f"file-{number}" for number in range(500)}


async def test_interrupted_rsync_names_the_unfinished_file(world: World, tmp_path: Path) -> None:
    (tmp_path / "from").mkdir()
    (tmp_path / "from" / "a").write_bytes(os.urandom(1000))
    (tmp_path / "from" / "big").write_bytes(os.urandom(8 * MIB))
    client = asyncio.create_task(run(rsync(world, "--bwlimit=500", f"{tmp_path}/from/", f"127.0.0.1:{tmp_path}/to/")))
    started = await world.plane.event(SessionStarted)
    live = world.proxy.registry.get(started.session_id)
    assert live is not None
    await world.plane.until(lambda: live.bytes_in > MIB)
    live.end(EndReason.TERMINATED)
    assert (await client).status != 0

    whole = await the_transfer(world)
    assert (whole.success, "then the files are not named: the transfer ended early" in whole.detail) == (False, True)
    entries = {one.path: one for one in world.plane.of(FileTransferred)}
    assert entries[f"{tmp_path}/to/a"].success is True
    assert entries[f"{tmp_path}/to/big"].success is False
    assert 0 < entries[f"{tmp_path}/to/big"].size < 8 * MIB


@pytest.mark.parametrize("upload", [True, False], ids=["up", "down"])
async def test_rsync_without_the_right_is_refused(world: World, tmp_path: Path, upload: bool) -> None:
    world.asset.actions = Actions.CONNECT | (Actions.DOWNLOAD_FILE if upload else Actions.UPLOAD_FILE)
    (tmp_path / "from").mkdir()
    remote = f"127.0.0.1:{tmp_path}/{'to' if upload else 'from'}/"
    result = await run(rsync(world, *((f"{tmp_path}/from/", remote) if upload else (remote, f"{tmp_path}/to/"))))

    assert result.status != 0
    assert b"does not include" in result.err
    assert not world.proxy.recordings.recorders


async def test_tar_pipe_and_git_clone_are_in_the_file_log(world: World, tmp_path: Path) -> None:
    (tmp_path / "to").mkdir()
    archive = await run(world.proxy.ssh(world.login, "tar cf - /etc/hostname"))
    await run(world.proxy.ssh(world.login, f"tar xf - -C {tmp_path}/to"), stdin=archive.out)

    assert (tmp_path / "to" / "etc" / "hostname").exists()
    await world.plane.until(lambda: len(world.plane.of(SessionEnded)) == 2)
    entries = [
        (event.direction.value, event.size, event.detail.partition(":")[0]) for event in world.plane.of(FileTransferred)
    ]
    assert entries == [("download", len(archive.out), "tar"), ("upload", len(archive.out), "tar")]


async def test_legacy_scp_is_recorded_in_addition_to_its_file_log(world: World, tmp_path: Path) -> None:
    (tmp_path / "source").write_bytes(os.urandom(300_000))
    result = await run(world.proxy.scp(world.login, str(tmp_path / "source"), f":{tmp_path}/there", options=("-O",)))

    assert result.status == 0
    recorder = await recorder_of(world)
    assert accounts(recorder)["stdin"].size == covered(recorder)["stdin"] > 300_000
    assert accounts(recorder)["stdin"].protocol == "scp"
    assert [(event.path, event.size) for event in world.plane.of(FileTransferred)] == [
        (f"source -> {tmp_path}/there", 300_000)
    ]


async def test_command_is_in_the_log_before_it_runs(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A session that ends while its command starts must not lose the command."""
    run_program = TargetConnection.run

    async def ended_meanwhile(connection: TargetConnection, *arguments: Any, **more: Any) -> Any:
        program = await run_program(connection, *arguments, **more)
        world.proxy.registry.end_all(EndReason.TERMINATED)
        return program

    monkeypatch.setattr(TargetConnection, "run", ended_meanwhile)
    result = await run(world.proxy.ssh(world.login, "echo nothing of note"))
    assert result.status == 255
    assert (await world.plane.event(CommandSeen)).input == "echo nothing of note"
