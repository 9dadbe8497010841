"""Debian's rsyslog as a receiver on a free port: UDP, TCP, or TLS with a certificate of the test."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from peers.certificates import Certificate
from peers.ports import free_port
from postern.kernel import clock

_START_S = 20.0


@dataclass
class Rsyslog:
    """A receiver that can be stopped and started again on the same port. What it got is in a file."""

    folder: Path
    transport: str
    port: int
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def _file(self) -> Path:
        return self.folder / "messages"

    def messages(self) -> list[dict[str, Any]]:
        """What rsyslog understood of each message, in the order of arrival."""
        if not self._file.exists():
            return []
        lines = self._file.read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    def content(self) -> bytes:
        """The file as it is: what was no syslog is no text."""
        return self._file.read_bytes() if self._file.exists() else b""

    def wait_for(self, count: int) -> list[dict[str, Any]]:
        """Wait until so many messages have been written."""
        until_s = clock.monotonic_s() + _START_S
        while len(self.messages()) < count and clock.monotonic_s() < until_s:
            time.sleep(0.05)
        return self.messages()

    def start(self) -> None:
        command = ["/usr/sbin/rsyslogd", "-n", "-f", str(self.folder / "conf"), "-i", str(self.folder / "pid")]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until_s = clock.monotonic_s() + _START_S
        while not self._listens():
            assert self.process.poll() is None, "rsyslog did not start"
            assert clock.monotonic_s() < until_s, "rsyslog does not listen"
            time.sleep(0.05)

    def _listens(self) -> bool:
        name = "udp" if self.transport == "udp" else "tcp"
        wanted = f":{self.port:04X} "
        return any(wanted in line.split(" 00")[0] + " " for line in Path(f"/proc/net/{name}").read_text().splitlines())

    def stop(self) -> None:
        """End it as an operator does: it writes what it has read."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(20)

    def kill(self) -> None:
        if self.process is not None:
            with suppress(ProcessLookupError):
                self.process.kill()
            self.process.wait()


@contextmanager
def receiving(transport: str, certificate: Certificate | None = None, *, is_up: bool = True) -> Iterator[Rsyslog]:
    """A receiver until the block ends. `is_up`: whether it is started at once."""
    folder = Path(mkdtemp(prefix="rsyslog-"))
    made = Rsyslog(folder, transport, free_port())
    (folder / "conf").write_text(_configuration(made, certificate))
    try:
        if is_up:
            made.start()
        yield made
    finally:
        made.kill()
        shutil.rmtree(folder)


def _configuration(made: Rsyslog, certificate: Certificate | None) -> str:
    files = ""
    driver = ""
    if certificate is not None:
        files = (
            f'defaultNetstreamDriverCAFile="{certificate.authority}" '
            f'defaultNetstreamDriverCertFile="{certificate.chain}" defaultNetstreamDriverKeyFile="{certificate.chain}"'
        )
        driver = 'streamDriver.name="gtls" streamDriver.mode="1" streamDriver.authMode="anon"'
    module = "imudp" if made.transport == "udp" else "imtcp"
    return f"""
global(workDirectory="{made.folder}" maxMessageSize="64k" {files})
module(load="{module}" {driver})
template(name="whole" type="list") {{ property(name="jsonmesg") constant(value="\\n") }}
ruleset(name="all") {{ action(type="omfile" file="{made.folder}/messages" template="whole") }}
input(type="{module}" port="{made.port}" address="127.0.0.1" ruleset="all")
"""
