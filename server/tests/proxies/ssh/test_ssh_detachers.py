"""Programs that would carry a shell outside the recording are not started (guard-rail)."""

import pytest

from peers.ssh_proxy import World, run
from postern.contracts.events import RequestRefused, SessionStarted
from postern.proxies.ssh.detachers import carrier_in

MOSH = "mosh-server new -s -c 256 -l LANG=en_US.UTF-8"


@pytest.mark.parametrize(
    ("command", "program"),
    [
        (MOSH, "mosh-server"),
        # What mosh sends when it asks for the host's address.
        (
            "sh -c '[ -n \"$SSH_CONNECTION\" ] && printf \"\\nMOSH SSH_CONNECTION %s\\n\" \"$SSH_CONNECTION\" ; exec " + MOSH + "'",
            "mosh-server",
        ),
        ("echo 'XXX/passkey_xterm' | etterminal --verbose=0", "etterminal"),
        ("sudo -u root /usr/sbin/sshd -D -p 2022", "sshd"),
        ("env A=b nohup /usr/bin/ttyd bash &", "ttyd"),
        ("TERM=x tmate -F", "tmate"),
        ("timeout 5s dropbear -F", "dropbear"),
        ("bash -lc 'exec tmosh-server new'", "tmosh-server"),
        ("ls\nmosh-server", "mosh-server"),
        ("bash -c 'ls\nmosh-server'", "mosh-server"),
        ("if true; then mosh-server; fi", "mosh-server"),
        ("echo $(mosh-server new)", "mosh-server"),
        ("echo `sshd`", "sshd"),
        ("eval 'mosh-server new'", "mosh-server"),
        ("mosh-server 'open quote", "mosh-server"),
    ],
)  # fmt: skip
def test_command_that_carries_a_shell_outside_the_recording_is_recognised(command: str, program: str) -> None:
    assert carrier_in(command.encode()) == program


@pytest.mark.parametrize(
    "command",
    [
        "cat mosh-server", "echo sshd", "systemctl restart sshd", "service sshd restart", "sudo sshd -t", "sshd -T",
        "grep 'mosh-server new' log", "pgrep -a et", "tmux new -d make", "screen -dm make", "nohup make &", "",
        "apt install mosh", "which mosh-server", "printf '%s\\n' sshd", "ssh other 'uptime'", "'", "((((", "\xff\x00",
    ],
)  # fmt: skip
def test_command_that_only_mentions_such_a_program_is_not_recognised(command: str) -> None:
    assert carrier_in(command.encode("latin-1")) == ""


@pytest.mark.parametrize("part", ["$(", "`", "sh -c '", "sudo ", "a;", "'", '"', "\\", "eval `"])
def test_long_command_is_classified_to_its_end(part: str) -> None:
    assert carrier_in((part * 60_000 + " tmate").encode()) == ""
    assert carrier_in(("tmate;" + part * 60_000).encode()) == "tmate"


@pytest.mark.parametrize("options", [(), ("-tt",)])
async def test_mosh_server_is_refused_in_one_clear_line_and_never_started(
    world: World, options: tuple[str, ...]
) -> None:
    result = await run(world.proxy.ssh(world.login, MOSH, options=options))

    output = (result.out + result.err).decode()
    assert result.status == 255
    (line,) = [line for line in output.replace("\r", "").splitlines() if line.strip()]
    assert line.startswith("mosh-server is not started: it would carry the shell outside the recording. Use ssh")
    refused = await world.plane.event(RequestRefused)
    assert refused.request == "mosh-server"
    assert not world.plane.of(SessionStarted)
