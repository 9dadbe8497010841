"""An emulator of Azure Blob Storage on a loopback port. Unlike the peer of S3 it checks signatures."""

import contextlib
import socket
import subprocess
import time
from pathlib import Path
from typing import Final

from azure.storage.blob import ContainerClient

from peers.ports import free_port

_PROGRAM: Final = Path(__file__).parents[3] / "tools" / "azurite" / "node_modules" / ".bin" / "azurite-blob"
ACCOUNT: Final = "devstoreaccount1"
#: The key of the account that every installation of the emulator has.
KEY: Final = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="


class Azurite:
    """Runs until `stop`. Its files are in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.endpoint = f"http://127.0.0.1:{self.port}/{ACCOUNT}"
        self._log = folder / "log"
        options = ("--blobHost", "127.0.0.1", "--blobPort", str(self.port), "--location", str(folder), "--silent")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [str(_PROGRAM), *options, "--skipApiVersionCheck", "--disableTelemetry"],
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        for _ in range(1_500):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            if self._process.poll() is not None:
                break
            time.sleep(0.02)
        raise RuntimeError(f"azurite did not start: {self._log.read_text()}")

    def client(self, name: str) -> ContainerClient:
        """An own client of a container."""
        credential = {"account_name": ACCOUNT, "account_key": KEY}
        return ContainerClient(self.endpoint, name, credential=credential)

    def make_container(self, name: str) -> ContainerClient:
        client = self.client(name)
        client.create_container()
        return client

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()
