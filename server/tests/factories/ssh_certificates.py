"""Certificates of SSH keys, made by `ssh-keygen -s`."""

import base64
import subprocess
from pathlib import Path

import asyncssh
from asyncssh.packet import Boolean, Byte, String

from factories.ssh_proof import signed_request


class SshAuthority:
    """An authority with its key in a folder."""

    def __init__(self, folder: Path, name: str = "authority", kind: str = "ed25519") -> None:
        self._folder = folder
        self.key = folder / name
        _keygen("-q", "-t", kind, "-N", "", "-f", str(self.key))

    @property
    def line(self) -> str:
        """Its public key."""
        return self.key.with_suffix(".pub").read_text().strip()

    def sign(self, public_key: Path, *options: str, principals: str = "ann", validity: str = "-1m:+1h") -> Path:
        """Sign a public key file; returns the file of the certificate. `options`: more options of ssh-keygen."""
        names = ["-n", principals] if principals else []
        _keygen("-q", "-s", str(self.key), "-I", "ann@laptop", *names, "-V", validity, *options, str(public_key))
        return public_key.with_name(f"{public_key.stem}-cert.pub")

    def certify(self, key: asyncssh.SSHKey, *options: str, **more: str) -> bytes:
        """The blob of a certificate of this key."""
        path = self._folder / "subject.pub"
        path.write_bytes(key.export_public_key("openssh"))
        return base64.b64decode(self.sign(path, *options, **more).read_text().split()[1])


def signed_with_certificate(key: asyncssh.SSHKey, blob: bytes, username: str) -> tuple[bytes, bytes]:
    """The signed bytes and signature of a client that names its key by a certificate."""
    plain, _signature = signed_request(key, username)
    connection = plain[: 4 + 32]
    name = key.sig_algorithms[0]
    signed = b"".join((
        connection, Byte(50), String(username), String("ssh-connection"), String("publickey"), Boolean(True),
        String(name), String(blob),
    ))  # fmt: skip
    return signed, key.sign(signed, name)


def _keygen(*options: str) -> None:
    subprocess.run(["ssh-keygen", *options], check=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
