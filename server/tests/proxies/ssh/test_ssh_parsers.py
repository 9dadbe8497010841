"""The front's functions on bytes and text: names, commands, SFTP and scp streams, the line editor, admission."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postern.proxies.ssh.admission import Admission
from postern.proxies.ssh.classification import ExecKind, classify
from postern.proxies.ssh.limits import SshLimits
from postern.proxies.ssh.line_editor import LineEditor, LineEnd, cells, fit, plain
from postern.proxies.ssh.wish import sane_size


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        (b"ls -la", ExecKind.COMMAND),
        (b"bash", ExecKind.COMMAND),
        (b"/bin/sh -l", ExecKind.COMMAND),
        (b"sudo bash -s arg", ExecKind.COMMAND),
        (b"bash -c 'ls -l'", ExecKind.COMMAND),
        (b"/bin/sh -ec true", ExecKind.COMMAND),
        (b"bash --norc", ExecKind.COMMAND),
        (b"scp -t /tmp", ExecKind.SCP_UPLOAD),
        (b"scp -v -r -d -t -- '/a b'", ExecKind.SCP_UPLOAD),
        (b"/usr/bin/scp -qpf x", ExecKind.SCP_DOWNLOAD),
        (b"exec scp -f x", ExecKind.SCP_DOWNLOAD),
        (b"scp a b", ExecKind.COMMAND),
        (b"/usr/lib/openssh/sftp-server -l INFO", ExecKind.SFTP),
        (b"internal-sftp", ExecKind.SFTP),
        (b"rsync --server -logDtpre.iLsfxC . /dst", ExecKind.RSYNC_UPLOAD),
        (b"rsync --server --sender -l . /src", ExecKind.RSYNC_DOWNLOAD),
        (b"rsync --version", ExecKind.COMMAND),
        (b"rsync --server -l . /dst --sender", ExecKind.UNCLEAR_TRANSFER),
        (b"rsync --server -l -- . /dst --sender", ExecKind.UNCLEAR_TRANSFER),
        (b"rsync --server --partial-dir --sender -l . /dst", ExecKind.UNCLEAR_TRANSFER),
        (b"rsync --server --sender --partial-dir --sender . /dst", ExecKind.UNCLEAR_TRANSFER),
        (b"rsync --sender --server -l . /dst", ExecKind.UNCLEAR_TRANSFER),
        (b"rsync . /dst --server", ExecKind.UNCLEAR_TRANSFER),
        (b"rsync -a --sender x y", ExecKind.COMMAND),
        (b"scp -t -f /x", ExecKind.UNCLEAR_TRANSFER),
        (b"scp -oX=t -f /x", ExecKind.UNCLEAR_TRANSFER),
        (b"scp -f -- -t", ExecKind.SCP_DOWNLOAD),
        (b"scp -- -t", ExecKind.COMMAND),
        (b"sudo -u root rsync --server -l . /dst", ExecKind.RSYNC_UPLOAD),
        (b"sudo -n -H -u deploy /usr/bin/rsync --server --sender . /src", ExecKind.RSYNC_DOWNLOAD),
        (b"nice -n 10 env LANG=C scp -t /x", ExecKind.SCP_UPLOAD),
        (b"/usr/bin/sudo /usr/lib/openssh/sftp-server", ExecKind.SFTP),
        (b"sudo -u root", ExecKind.COMMAND),
        (b"env -", ExecKind.COMMAND),
        (b"unbalanced 'quote", ExecKind.COMMAND),
        (b"", ExecKind.COMMAND),
        (b"\xff\xfe", ExecKind.COMMAND),
    ],
)
def test_classify_recognises_transfers(command: bytes, kind: ExecKind) -> None:
    assert classify(command).kind is kind


@given(st.binary(max_size=300))
def test_classify_accepts_any_bytes(command: bytes) -> None:
    classify(command)


@pytest.mark.parametrize(("given_size", "sane"), [((0, 0), (80, 24)), ((2**32 - 1, 5), (1000, 5)), ((80, 0), (80, 24))])
def test_sane_size(given_size: tuple[int, int], sane: tuple[int, int]) -> None:
    assert sane_size(*given_size) == sane


# Lines


def typed(keys: str, **options: Any) -> LineEditor:
    editor = LineEditor("> ", **options)
    editor.feed(keys.encode())
    return editor


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ("abc\r", "abc"),
        ("ab\x7fc\n", "ac"),
        ("数据\x7f库\r", "数库"),
        ("abc\x1b[D\x1b[DX\r", "aXbc"),
        ("abc\x01X\x05Y\r", "XabcY"),
        ("abc\x1b[HX\x1b[FY\r", "XabcY"),
        ("abc\x1bOHX\r", "Xabc"),
        ("abc\x01\x1b[3~\r", "bc"),
        ("one two\x17X\r", "one X"),
        ("one two\x15X\r", "X"),
        ("abc\x01\x0bX\r", "X"),
        ("a\x1b[200~b\x1b[201~c\r", "abc"),
        ("a\x00\x07\x1b]b\r", "ab"),
    ],
)
def test_line_editor_edits(keys: str, text: str) -> None:
    editor = typed(keys)
    assert (editor.end, editor.text) == (LineEnd.ENTER, text)


def test_line_editor_returns_input_typed_ahead() -> None:
    assert typed("one\rtwo\r").rest == b"two\r"


def test_line_editor_shows_no_secret() -> None:
    editor = LineEditor("Password: ", echo=False)
    output = editor.start() + editor.feed(b"geheim\x7f\x15wort\r")
    assert output == b"Password: \r\n"
    assert editor.text == "wort"


def test_line_editor_recalls_history() -> None:
    history: list[str] = []
    typed("first\r", history=history)
    typed("second\r", history=history)
    assert typed("dra\x1b[A\x1b[A\r", history=history).text == "first"
    assert typed("dra\x1b[A\x1b[Bft\r", history=history).text == "draft"


@given(st.binary(max_size=200), st.integers(2, 120))
def test_line_editor_accepts_any_bytes_and_outputs_only_harmless_text(data: bytes, columns: int) -> None:
    editor = LineEditor("> ", columns=columns)
    output = (editor.start() + editor.feed(data)).decode()
    assert len(editor.text) <= 1024
    assert plain(editor.text) == editor.text
    for sequence in output.split("\x1b")[1:]:
        assert sequence.startswith(("[K", "[H", "[2J")) or sequence.partition("D")[0][1:].isdigit()


@given(st.text(max_size=50), st.integers(2, 40))
def test_fit_gives_exactly_the_width(text: str, width: int) -> None:
    assert cells(fit(text, width)) == width


# Admission


def test_admission_limits_connections_in_total_and_per_source() -> None:
    admission = Admission(SshLimits(connections_per_source=2, new_connections_per_source_per_s=100))
    assert [admission.enter("192.0.2.1") for _ in range(3)] == [True, True, False]
    assert admission.enter("192.0.2.2")
    admission.leave("192.0.2.1", was_known=False)
    assert admission.enter("192.0.2.1")
    assert (admission.connections, admission.unauthenticated) == (3, 3)


def test_admission_limits_the_rate_of_a_source() -> None:
    admission = Admission(SshLimits(new_connections_per_source_per_s=5))
    taken = []
    for _ in range(8):
        taken.append(admission.enter("192.0.2.1"))
        if taken[-1]:
            admission.leave("192.0.2.1", was_known=False)
    assert taken == [True] * 5 + [False] * 3


def test_admission_counts_connections_as_strangers_until_sign_in() -> None:
    admission = Admission(SshLimits(unauthenticated_per_source=1, new_connections_per_source_per_s=100))
    assert admission.enter("192.0.2.1")
    assert not admission.enter("192.0.2.1")
    admission.known("192.0.2.1")
    assert admission.enter("192.0.2.1")
    admission.leave("192.0.2.1", was_known=True)
    admission.leave("192.0.2.1", was_known=False)
    assert (admission.connections, admission.unauthenticated) == (0, 0)


def test_admission_names_the_setting_that_refuses_and_does_not_flood_the_log(caplog: pytest.LogCaptureFixture) -> None:
    admission = Admission(SshLimits(connections_per_source=1, new_connections_per_source_per_s=1000))
    assert admission.enter("192.0.2.1")
    for _ in range(500):
        assert not admission.enter("192.0.2.1")
    assert caplog.messages == [
        "1 SSH connections refused; the last one from 192.0.2.1 exceeds POSTERN_SSH_CONNECTIONS_PER_ADDRESS"
    ]


def test_admission_removes_sources_that_are_gone() -> None:
    admission = Admission(SshLimits(connections_total=10**6, connections_unauthenticated=10**6))
    for number in range(20_000):
        address = f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}"
        assert admission.enter(address)
        admission.leave(address, was_known=False)
    assert len(admission._sources) < 10_000
