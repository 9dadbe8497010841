"""Windows hosts: OpenSSH whose shell behaves as cmd.exe does, and a server of WinRM.

The server of WinRM follows MS-WSMV and signs people in with a real acceptor of NTLM; what it runs is `fake_windows.py`.
"""

import asyncio
import base64
import contextlib
import os
import re
import ssl
import sys
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Self
from uuid import uuid4
from xml.etree import ElementTree as ET

import spnego
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from spnego.channel_bindings import GssChannelBindings

from peers.sshd import Sshd
from postern.kernel import clock

FAKE = Path(__file__).with_name("fake_windows.py")
_SHELL = "http://schemas.microsoft.com/wbem/wsman/1/windows/shell"
_TRANSFER = "http://schemas.xmlsoap.org/ws/2004/09/transfer"
_MS_CODE_TIMED_OUT = "2150858793"
_MAX_PARTS = 6
_NOT_FOUND = "2150858843"


class WindowsSshd(Sshd):
    """OpenSSH whose shell is cmd.exe. It shows its version as OpenSSH for Windows does unless `is_named` is off."""

    def __init__(self, directory: Path, *, is_named: bool = True) -> None:
        addendum = "VersionAddendum for_Windows_9.5\n" if is_named else ""
        super().__init__(directory, extra=f"{addendum}ForceCommand {sys.executable} {FAKE} {directory}")


@dataclass
class _Program:
    process: asyncio.subprocess.Process
    #: As much as fits into one envelope. A program that shows more waits.
    output: "asyncio.Queue[tuple[str, bytes | None]]" = field(default_factory=lambda: asyncio.Queue(4))
    open_streams: int = 2


@dataclass
class _Peer:
    """One connection."""

    context: Any = None
    is_in: bool = False
    is_ntlm: bool = False


class WinrmServer:
    """Accepts `login` with `password`. What it is asked is noted in `actions`, and all of its input in `seen`."""

    def __init__(
        self, directory: Path, *, tls: bool = True, offers: tuple[str, ...] = ("Negotiate", "Kerberos"), port: int = 0,
        vendor: str = "Microsoft Corporation",
    ) -> None:  # fmt: skip
        self.directory = directory
        self.port = port
        self.login, self.password = "Administrator", "Pa55 wörd"
        #: Passwords of more accounts. Set before the start.
        self.accounts: dict[str, str] = {}
        self.tls = tls
        self.offers = offers
        self.vendor = vendor
        #: The fault of Create, as a code, instead of a shell.
        self.refuses_shells = ""
        self.actions: list[str] = []
        self.seen = bytearray()
        self.shells: dict[str, dict[str, _Program]] = {}
        self._programs: list[_Program] = []
        self._server: asyncio.Server | None = None
        self._serving: set[asyncio.Task[None]] = set()
        self._binding: bytes | None = None
        directory.mkdir(parents=True, exist_ok=True)

    async def start(self) -> None:
        context = self._make_certificate() if self.tls else None
        users = self.directory / "users"
        known = {self.login: self.password, **self.accounts}
        users.write_text("".join(f":{name}:{password}\n" for name, password in known.items()))
        os.environ["NTLM_USER_FILE"] = str(users)
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, ssl=context)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._serving):
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)
        for program in self._programs:
            _kill(program)
            # The wait would not end while nobody reads a pipe, and asyncio has no public way to close it.
            program.process._transport.close()  # type: ignore[attr-defined]
            await program.process.wait()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def _make_certificate(self) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "WIN-1")])
        now = clock.now()
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .sign(key, hashes.SHA256())
        )
        self.public_key = (
            key.public_key()
            .public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
            .decode("ascii")
        )
        self._binding = b"tls-server-end-point:" + certificate.fingerprint(hashes.SHA256())
        pem = self.directory / "server.pem"
        pem.write_bytes(
            certificate.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        return context

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        peer = _Peer()
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode("latin-1").split("\r\n")
                headers = {k.strip().lower(): v.strip() for k, _c, v in (line.partition(":") for line in lines[1:])}
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                self.seen += head + body
                status, more, answer = await self._answer(peer, headers, body)
                shown = [
                    f"HTTP/1.1 {status} x",
                    "Server: Microsoft-HTTPAPI/2.0",
                    f"Content-Length: {len(answer)}",
                    *more,
                ]
                writer.write("\r\n".join(shown).encode() + b"\r\n\r\n" + answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._serving.discard(task)
            writer.close()

    async def _answer(self, peer: _Peer, headers: dict[str, str], body: bytes) -> tuple[int, list[str], bytes]:
        if "wsmanidentify" in headers:
            return 200, [_XML], self._identified()
        given = headers.get("authorization", "")
        if given.startswith("Negotiate ") and "Negotiate" in self.offers:
            return self._negotiate(peer, base64.b64decode(given[10:]))
        if given.startswith("Basic ") and "Basic" in self.offers:
            peer.is_in = base64.b64decode(given[6:]).decode() == f"{self.login}:{self.password}"
        if not peer.is_in:
            return 401, [f"WWW-Authenticate: {offer}" for offer in self.offers], b""
        sealed = peer.is_ntlm and not self.tls
        if sealed:
            assert "multipart/encrypted" in headers["content-type"]
            body = _opened(peer.context, body)
        status, answer = await self._message(body)
        if sealed:
            return status, [_SEALED], _sealed(peer.context, answer)
        return status, [_XML], answer

    def _negotiate(self, peer: _Peer, token: bytes) -> tuple[int, list[str], bytes]:
        if peer.context is None:
            binding = GssChannelBindings(application_data=self._binding) if self._binding else None
            peer.context = spnego.server(
                protocol="ntlm", options=spnego.NegotiateOptions.use_ntlm, channel_bindings=binding
            )
        try:
            back = peer.context.step(token)
        except spnego.exceptions.SpnegoError:
            return 401, [f"WWW-Authenticate: {offer}" for offer in self.offers], b""
        if not peer.context.complete:
            return 401, [f"WWW-Authenticate: Negotiate {base64.b64encode(back or b'').decode()}"], b""
        peer.is_in = peer.is_ntlm = True
        return 200, [], b""

    def _identified(self) -> bytes:
        return _envelope(
            '<wsmid:IdentifyResponse xmlns:wsmid="http://schemas.dmtf.org/wbem/wsman/identity/1/wsmanidentity.xsd">'
            "<wsmid:ProtocolVersion>http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd</wsmid:ProtocolVersion>"
            f"<wsmid:ProductVendor>{self.vendor}</wsmid:ProductVendor>"
            "<wsmid:ProductVersion>OS: 0.0.0 SP: 0.0 Stack: 3.0</wsmid:ProductVersion></wsmid:IdentifyResponse>"
        )

    async def _message(self, body: bytes) -> tuple[int, bytes]:
        tree = ET.fromstring(body)  # noqa: S314 - the runner of a test wrote it
        if _find(tree, "Identify") is not None:
            self.actions.append("Identify")
            return 200, self._identified()
        action = _text(tree, "Action").rpartition("/")[2]
        self.actions.append(action)
        assert _text(tree, "ResourceURI") == f"{_SHELL}/cmd"
        assert re.fullmatch(r"uuid:[0-9A-F-]{36}", _text(tree, "MessageID"))
        assert _text(tree, "To").endswith(f":{self.port}/wsman")
        if action == "Create":
            return await self._create()
        shell = self.shells.get(next((s.text or "" for s in tree.iter() if s.tag.endswith("}Selector")), ""))
        if shell is None:
            return 500, _fault(_NOT_FOUND, "w:InvalidSelectors", "The shell was not found.")
        return await getattr(self, f"_{action.lower()}")(tree, shell)  # type: ignore[no-any-return]  # all return status and body

    async def _create(self) -> tuple[int, bytes]:
        if self.refuses_shells:
            return 500, _fault(self.refuses_shells, "w:AccessDenied", "Access is denied.")
        shell_id = str(uuid4()).upper()
        self.shells[shell_id] = {}
        return 200, _envelope(
            f'<x:ResourceCreated xmlns:x="{_TRANSFER}"><a:ReferenceParameters><w:SelectorSet>'
            f'<w:Selector Name="ShellId">{shell_id}</w:Selector></w:SelectorSet></a:ReferenceParameters>'
            f"</x:ResourceCreated><rsp:Shell><rsp:ShellId>{shell_id}</rsp:ShellId></rsp:Shell>"
        )

    async def _command(self, tree: ET.Element, shell: dict[str, _Program]) -> tuple[int, bytes]:
        line = _text(tree, "Command")
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-S", "-E", str(FAKE), str(self.directory), line, start_new_session=True,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        program = _Program(process)
        self._programs.append(program)
        for name, stream in (("stdout", process.stdout), ("stderr", process.stderr)):
            assert stream is not None
            task = asyncio.create_task(_pump(program, name, stream))
            self._serving.add(task)
            task.add_done_callback(self._serving.discard)
        command_id = str(uuid4()).upper()
        shell[command_id] = program
        return 200, _envelope(f"<rsp:CommandResponse><rsp:CommandId>{command_id}</rsp:CommandId></rsp:CommandResponse>")

    async def _send(self, tree: ET.Element, shell: dict[str, _Program]) -> tuple[int, bytes]:
        stream = _find(tree, "Stream")
        assert stream is not None
        assert stream.get("Name") == "stdin"
        program = shell[stream.get("CommandId", "")]
        assert program.process.stdin is not None
        data = base64.b64decode(stream.text or "")
        self.seen += data
        with contextlib.suppress(ConnectionError):
            program.process.stdin.write(data)
            await program.process.stdin.drain()
            if stream.get("End", "").lower() == "true":
                program.process.stdin.close()
        return 200, _envelope("<rsp:SendResponse/>")

    async def _receive(self, tree: ET.Element, shell: dict[str, _Program]) -> tuple[int, bytes]:
        wanted = _find(tree, "DesiredStream")
        assert wanted is not None
        command_id = wanted.get("CommandId", "")
        program = shell[command_id]
        limit_s = float(_text(tree, "OperationTimeout").removeprefix("PT").removesuffix("S"))
        parts: list[str] = []
        try:
            async with asyncio.timeout(limit_s):
                items = [await program.output.get()]
        except TimeoutError:
            return 500, _fault(
                _MS_CODE_TIMED_OUT, "w:TimedOut", "The WS-Management service cannot complete the operation in time."
            )
        while not program.output.empty() and len(items) < _MAX_PARTS:
            items.append(program.output.get_nowait())
        for name, data in items:
            if data is None:
                program.open_streams -= 1
                parts.append(f'<rsp:Stream Name="{name}" CommandId="{command_id}" End="true"></rsp:Stream>')
            else:
                text = base64.b64encode(data).decode()
                parts.append(f'<rsp:Stream Name="{name}" CommandId="{command_id}">{text}</rsp:Stream>')
        if program.open_streams:
            state = f'<rsp:CommandState CommandId="{command_id}" State="{_SHELL}/CommandState/Running"/>'
        else:
            code = await program.process.wait() & 0xFFFFFFFF
            state = (
                f'<rsp:CommandState CommandId="{command_id}" State="{_SHELL}/CommandState/Done">'
                f"<rsp:ExitCode>{code}</rsp:ExitCode></rsp:CommandState>"
            )
        return 200, _envelope(f"<rsp:ReceiveResponse>{''.join(parts)}{state}</rsp:ReceiveResponse>")

    async def _signal(self, tree: ET.Element, shell: dict[str, _Program]) -> tuple[int, bytes]:
        signal = _find(tree, "Signal")
        assert signal is not None
        assert _text(tree, "Code") == f"{_SHELL}/signal/terminate"
        _kill(shell[signal.get("CommandId", "")])
        return 200, _envelope("<rsp:SignalResponse/>")

    async def _delete(self, tree: ET.Element, shell: dict[str, _Program]) -> tuple[int, bytes]:
        for key in [key for key, value in self.shells.items() if value is shell]:
            for program in self.shells.pop(key).values():
                _kill(program)
        return 200, _envelope("")


_XML = "Content-Type: application/soap+xml;charset=UTF-8"
_SEALED = (
    'Content-Type: multipart/encrypted;protocol="application/HTTP-SPNEGO-session-encrypted";'
    'boundary="Encrypted Boundary"'
)


async def _pump(program: _Program, name: str, stream: asyncio.StreamReader) -> None:
    while data := await stream.read(16 * 1024):
        await program.output.put((name, data))
    await program.output.put((name, None))


def _kill(program: _Program) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(program.process.pid, 9)


def _find(tree: ET.Element, name: str) -> ET.Element | None:
    return next((element for element in tree.iter() if element.tag.endswith(f"}}{name}")), None)


def _text(tree: ET.Element, name: str) -> str:
    found = _find(tree, name)
    return (found.text or "") if found is not None else ""


def _envelope(body: str) -> bytes:
    return (
        '<s:Envelope xml:lang="en-US" xmlns:s="http://www.w3.org/2003/05/soap-envelope"'
        ' xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing"'
        ' xmlns:w="http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd"'
        f' xmlns:rsp="{_SHELL}" xmlns:p="http://schemas.microsoft.com/wbem/wsman/1/wsman.xsd">'
        f"<s:Header><a:MessageID>uuid:{str(uuid4()).upper()}</a:MessageID></s:Header><s:Body>{body}</s:Body></s:Envelope>"
    ).encode()


def _fault(code: str, subcode: str, reason: str) -> bytes:
    return _envelope(
        f"<s:Fault><s:Code><s:Value>s:Receiver</s:Value><s:Subcode><s:Value>{subcode}</s:Value></s:Subcode></s:Code>"
        f'<s:Reason><s:Text xml:lang="en-US">{reason}</s:Text></s:Reason><s:Detail>'
        f'<f:WSManFault xmlns:f="http://schemas.microsoft.com/wbem/wsman/1/wsmanfault" Code="{code}" Machine="WIN-1">'
        f"<f:Message>{reason}</f:Message></f:WSManFault></s:Detail></s:Fault>"
    )


def _sealed(context: Any, message: bytes) -> bytes:
    result = context.wrap_winrm(message)
    return (
        b"--Encrypted Boundary\r\nContent-Type: application/HTTP-SPNEGO-session-encrypted\r\n"
        b"OriginalContent: type=application/soap+xml;charset=UTF-8;Length=%d\r\n--Encrypted Boundary\r\n"
        b"Content-Type: application/octet-stream\r\n"
        % len(message)
        + len(result.header).to_bytes(4, "little")
        + result.header
        + result.data
        + b"--Encrypted Boundary--\r\n"
    )


def _opened(context: Any, body: bytes) -> bytes:
    head = b"--Encrypted Boundary\r\n\tContent-Type: application/octet-stream\r\n"
    start = body.index(head) + len(head)
    end = body.rindex(b"--Encrypted Boundary--\r\n")
    size = int.from_bytes(body[start : start + 4], "little")
    opened: bytes = context.unwrap_winrm(body[start + 4 : start + 4 + size], body[start + 4 + size : end])
    assert int(re.search(rb"Length=(\d+)", body)[1]) == len(opened)  # type: ignore[index]  # no match is an error here, too
    return opened
