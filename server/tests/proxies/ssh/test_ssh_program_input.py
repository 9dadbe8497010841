"""Standard input of programs through the front is recorded completely, and real transfers stay cheap (issue 6, 1.1)."""

import io
import os
import tarfile
from pathlib import Path

import pytest

from fakes.control_plane import FakeControlPlane
from fakes.recording import FakeRecorder
from peers.ssh_proxy import World, make_world, run, ssh_proxy
from peers.sshd import Sshd
from postern.contracts.enums import EndReason
from postern.contracts.events import SessionEnded
from postern.contracts.recording.format import INPUT
from postern.contracts.recording.streams import SAMPLE, SKIPPED, STREAM_END, Sample, Skipped, Stream, StreamEnd

MIB = 1024 * 1024
FLOOD = b"# nothing to see here\n" * (17 * MIB // 22)


async def recorder_of(world: World) -> FakeRecorder:
    ended = await world.plane.event(SessionEnded)
    return world.proxy.recordings.recorders[ended.session_id]


def kept_input(recorder: FakeRecorder) -> bytes:
    parts = []
    for kind, data in recorder.events:
        if kind == INPUT:
            parts.append(data)
        elif kind == SAMPLE and (sample := Sample.decode(data)).stream is Stream.INPUT:
            parts.append(sample.data)
    return b"".join(parts)


def skipped_input(recorder: FakeRecorder) -> int:
    stretches = map(Skipped.decode, recorder.of(SKIPPED))
    return sum(stretch.length for stretch in stretches if stretch.stream is Stream.INPUT)


def input_account(recorder: FakeRecorder) -> StreamEnd:
    (account,) = (
        stream_end for stream_end in map(StreamEnd.decode, recorder.of(STREAM_END)) if stream_end.stream is Stream.INPUT
    )
    return account


@pytest.mark.parametrize("flood", [FLOOD, bytes(4 * MIB) + b"\n"], ids=["lines", "NUL"])
async def test_commands_that_a_shell_runs_behind_a_flood_are_recorded(
    world: World, tmp_path: Path, flood: bytes
) -> None:
    stdin = flood + b"echo ran > %s/mark\n" % str(tmp_path).encode() + flood[: 1024 * 1024] + b"\n"
    result = await run(world.proxy.ssh(world.login, "bash -s"), stdin=stdin)

    assert result.status == 0
    assert (tmp_path / "mark").read_text() == "ran\n"
    assert kept_input(await recorder_of(world)) == stdin


async def test_commands_mixed_with_nul_bytes_are_recorded_as_the_text_that_the_shell_runs(
    world: World, tmp_path: Path
) -> None:
    laced = b"\0".join(bytes((code,)) for code in f"echo ran > {tmp_path}/mark\n".encode())
    await run(world.proxy.ssh(world.login, "bash -s"), stdin=bytes(MIB) + laced)

    assert (tmp_path / "mark").read_text() == "ran\n"
    text = b"".join((await recorder_of(world)).of(INPUT))
    assert f"echo ran > {tmp_path}/mark\n".encode() in text.replace(b"\0", b"")


async def test_tar_stream_that_is_also_a_script_is_recorded_completely(world: World, tmp_path: Path) -> None:
    script = b"\n# " + b"x" * 17 * MIB + b"\necho ran > %s/mark\nexit\n" % str(tmp_path).encode()
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        info = tarfile.TarInfo("script")
        info.size = len(script)
        tar.addfile(info, io.BytesIO(script))
    await run(world.proxy.ssh(world.login, "bash -s"), stdin=archive.getvalue())

    assert (tmp_path / "mark").read_text() == "ran\n"
    recorder = await recorder_of(world)
    assert script in kept_input(recorder)
    assert not skipped_input(recorder)


async def test_real_tar_stream_is_accounted_for_and_not_stored(world: World, tmp_path: Path) -> None:
    (tmp_path / "from").mkdir()
    (tmp_path / "to").mkdir()
    for number in range(30):
        (tmp_path / "from" / f"file {number} 数据").write_bytes(os.urandom(number * 20_000))
    (tmp_path / "from" / "link").symlink_to("file 1")
    (tmp_path / "from" / ("long" * 60)).write_bytes(b"x")
    os.link(tmp_path / "from" / "file 2 数据", tmp_path / "from" / "hard")
    archive = await run(["tar", "cf", "-", "-C", str(tmp_path / "from"), "."])
    result = await run(world.proxy.ssh(world.login, f"tar xf - -C {tmp_path}/to"), stdin=archive.out)

    assert result.status == 0
    assert {path.name for path in (tmp_path / "to").iterdir()} == {path.name for path in (tmp_path / "from").iterdir()}
    recorder = await recorder_of(world)
    assert input_account(recorder).protocol == "tar"
    assert skipped_input(recorder) > 0.9 * len(archive.out)


@pytest.mark.parametrize(
    "options",
    [("-a",), ("-az",), ("-rlt", "--partial", "--delete"), ("-aHAX", "--checksum"), ("-av", "--no-inc-recursive"), ("-a", "--zc=zlib", "-z")],
    ids=" ".join,
)  # fmt: skip
async def test_real_rsync_is_accounted_for_and_not_stored(
    world: World, tmp_path: Path, options: tuple[str, ...]
) -> None:
    (tmp_path / "from" / "sub").mkdir(parents=True)
    for number in range(20):
        (tmp_path / "from" / "sub" / f"{number} 数据").write_bytes(os.urandom(number * 20_000))
    shell = " ".join(world.proxy.ssh(world.login)[:-1])
    result = await run(["rsync", *options, "-e", shell, f"{tmp_path}/from/", f"127.0.0.1:{tmp_path}/to/"])

    assert result.status == 0, result
    recorder = await recorder_of(world)
    account = input_account(recorder)
    assert account.protocol == "rsync"
    assert "19 数据".encode() in kept_input(recorder)  # the file list is at the beginning
    assert account.size > 3_700_000
    assert skipped_input(recorder) > 0.9 * account.size


async def test_real_scp_is_accounted_for_and_not_stored(world: World, tmp_path: Path) -> None:
    (tmp_path / "from").mkdir()
    for number in range(20):
        (tmp_path / "from" / str(number)).write_bytes(os.urandom(number * 20_000))
    result = await run(
        world.proxy.scp(world.login, str(tmp_path / "from"), f":{tmp_path}/to", options=("-O", "-r", "-p"))
    )

    assert result.status == 0, result
    recorder = await recorder_of(world)
    assert input_account(recorder).protocol == "scp"
    assert skipped_input(recorder) > 0.9 * input_account(recorder).size


async def test_git_push_and_a_binary_file_by_cat_are_recorded_completely(world: World, tmp_path: Path) -> None:
    data = os.urandom(10 * MIB)
    result = await run(world.proxy.ssh(world.login, f"cat > {tmp_path}/there"), stdin=data)
    assert result.status == 0
    assert (tmp_path / "there").read_bytes() == data
    assert kept_input(await recorder_of(world)) == data

    work = tmp_path / "work"
    made = await run(["git", "init", "-q", "-b", "main", str(work)])
    assert made.status == 0
    (work / "file").write_bytes(os.urandom(2 * MIB))
    git = ["git", "-C", str(work), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["add", "."], ["commit", "-q", "-m", "x"], ["init", "-q", "--bare", f"{tmp_path}/bare"]):
        assert (await run([*git, *words])).status == 0
    shell = " ".join(world.proxy.ssh(world.login)[:-1])
    pushed = await run([*git, "-c", f"core.sshCommand={shell}", "push", "-q", f"127.0.0.1:{tmp_path}/bare", "main"])
    assert pushed.status == 0, pushed
    await world.plane.until(lambda: len(world.plane.of(SessionEnded)) == 2)
    recorder = world.proxy.recordings.recorders[world.plane.of(SessionEnded)[-1].session_id]
    assert input_account(recorder).protocol == "git"
    assert len(kept_input(recorder)) == input_account(recorder).size > 2 * MIB


async def test_session_with_more_input_than_can_be_recorded_ends_and_says_why(
    control_plane: FakeControlPlane, sshd: Sshd, tmp_path: Path
) -> None:
    async with ssh_proxy(control_plane, tmp_path / "proxy", max_input_bytes=MIB) as proxy:
        world = make_world(proxy, control_plane, sshd)
        result = await run(proxy.ssh(world.login, f"cat > {tmp_path}/there"), stdin=os.urandom(4 * MIB))

        assert result.status == 255
        assert b"more than 1 MiB" in result.err
        ended = await control_plane.event(SessionEnded)
        assert ended.reason is EndReason.LIMIT
        recorded = kept_input(await recorder_of(world))
        assert MIB - 64 * 1024 < len(recorded) <= MIB
        there = tmp_path / "there"
        assert not there.exists() or recorded.startswith(there.read_bytes())
