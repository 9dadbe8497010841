"""What a hostile server of WinRM answers: it is refused, bounded, or only data."""

import base64
from pathlib import Path

import pytest

from postern.kernel.secret import Secret
from postern.proxies.runner import powershell
from postern.proxies.runner.winrm import envelopes, sealing
from postern.proxies.runner.winrm.http import HttpError, Reply

SERVER = Path(powershell.__file__).parents[2]
SCRIPTS = sorted(SERVER.rglob("*.ps1"))
ID = "8D1A1E2C-0C0E-4C5B-9D11-3B1F5B7A3C11"


def envelope(body: str) -> bytes:
    return (
        f'<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body>{body}</s:Body></s:Envelope>'.encode()
    )


def test_a_megabyte_of_line_ends_is_read_in_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = 0
    real = envelopes._Reading.characters

    def characters(self: envelopes._Reading, text: str) -> None:
        nonlocal steps
        steps += 1
        real(self, text)

    monkeypatch.setattr(envelopes._Reading, "characters", characters)
    answer = envelopes.read(b"<a>" + b"\n" * 1_000_000 + b"</a>")
    assert len(answer.elements[0].text) == 1_000_000
    assert steps < 1000


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<a>",
        b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        b"<a>" * 1000,
        b"<a>" + b"<b/>" * 6000 + b"</a>",
        b"\xff\xfe\x00",
    ],
)
def test_what_is_no_answer_is_refused(body: bytes) -> None:
    with pytest.raises(envelopes.BadAnswer):
        envelopes.read(body)


@pytest.mark.parametrize("text", ["", "1", f"{ID}'", f"{ID}\n<x/>", '"/><x y="', "x" * 36])
def test_k13_id_that_is_none_does_not_go_back(text: str) -> None:
    shown = text.replace("<", "&lt;")
    answer = envelopes.read(envelope(f"<r><ShellId>{shown}</ShellId><CommandId>{shown}</CommandId></r>"))
    for read in ("shell_id", "command_id"):
        if text.strip() == ID:
            continue
        with pytest.raises(envelopes.BadAnswer):
            getattr(answer, read)


def test_ids_are_found_in_both_forms_of_the_answer() -> None:
    selector = f'<w:Selector xmlns:w="w" Name="ShellId">{ID}</w:Selector>'
    assert envelopes.read(envelope(selector)).shell_id == ID
    assert envelopes.read(envelope(f"<ShellId> {ID} </ShellId>")).shell_id == ID


@pytest.mark.parametrize(
    ("code", "status"),
    [("0", 0), ("3", 3), ("4294967295", -1), ("3221225786", -1073741510), ("-1", -1), ("9" * 12, None), ("x", None)],
)
def test_exit_status_is_of_32_bits(code: str, status: int | None) -> None:
    state = f'<CommandState State="http://x/CommandState/Done"><ExitCode>{code}</ExitCode></CommandState>'
    assert envelopes.read(envelope(state)).exit_status() == (True, status)


def test_output_that_is_not_encoded_is_refused() -> None:
    answer = envelopes.read(envelope('<Stream Name="stdout">not base64!</Stream>'))
    with pytest.raises(envelopes.BadAnswer):
        answer.output()


def test_fault_without_a_code_is_one_and_a_time_out_is_known_by_its_subcode() -> None:
    assert envelopes.read(envelope("<s:Fault><Reason><Text>no</Text></Reason></s:Fault>")).fault == "fault"
    timed_out = "<s:Fault><Code><Value>s:Receiver</Value><Subcode><Value>w:TimedOut</Value></Subcode></Code></s:Fault>"
    assert envelopes.read(envelope(timed_out)).fault == envelopes.TIMED_OUT
    assert envelopes.read(envelope("<ok/>")).fault == ""


@pytest.mark.parametrize("challenge", [b"", b"x", b"NTLMSSP\0\x02\0\0\0"])
def test_challenge_that_is_none_is_refused(challenge: bytes) -> None:
    ntlm = sealing.NtlmSignIn("a", Secret("secret"), "h", None)
    assert base64.b64decode(ntlm.token().removeprefix("Negotiate ")).startswith(b"NTLMSSP\0\x01")
    with pytest.raises(sealing.SignInRefused):
        ntlm.token(challenge)


@pytest.mark.parametrize("body", [b"", b"<ok/>", b"--Encrypted Boundary--\r\n"])
def test_answer_that_is_not_sealed_is_refused(body: bytes) -> None:
    ntlm = sealing.NtlmSignIn("a", Secret("secret"), "h", None)
    with pytest.raises(HttpError):
        ntlm.opened(Reply(200, (), body))


def test_command_lines_are_constant_and_fit_into_cmd() -> None:
    for line in (powershell.COMMAND, powershell.END_COMMAND):
        assert len(line) < 8191 - len("cmd /c ")
        assert not set(line) & set('"%^&|<>()$`\n')  # what cmd.exe or PowerShell would read as more than words
    assert powershell.READY not in powershell.COMMAND


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts_leave_standard_input_to_us(script: Path) -> None:
    text = script.read_text("ascii")
    assert "$input" not in text.lower()
    assert "Invoke-Expression" not in text


def test_script_has_as_many_lines_as_it_says() -> None:
    for script in ("one", "one\n", "one\r\ntwo", "one\rtwo", "one\n\ntwo\n\n"):
        count, *rest = powershell.script_bytes(script).decode().split("\n")
        assert rest[int(count) :] == ["POSTERN-END", ""]
        assert "\r" not in "".join(rest)
