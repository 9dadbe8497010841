"""The client of webhooks: certificates are verified (K20: no unverified TLS), and what is signed."""

import asyncio
import base64
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from standardwebhooks import Webhook as Verifier

from peers.certificates import Certificate, make_certificate
from postern.foundation.network import outbound
from postern.integrations.web_apis import calls
from postern.integrations.web_apis.failures import WebApiFailed
from postern.integrations.webhooks.client import Post, send, signature
from postern.kernel import clock


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Nothing."""


@contextmanager
def serving(certificate: Certificate) -> Iterator[int]:
    server = HTTPServer(("127.0.0.1", 0), _Handler)
    server.socket = certificate.context().wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    yield int(server.server_address[1])
    server.shutdown()
    server.server_close()


def code_of(port: int) -> str:
    post = Post(f"https://127.0.0.1:{port}/", "msg_1", b"{}", [b"k"])
    with pytest.raises(WebApiFailed) as failure:
        asyncio.run(send(post, check=outbound.check_dial, limit_s=5))
    return failure.value.sentence.code


def test_unknown_authority_is_refused(tmp_path: Path) -> None:
    with serving(make_certificate(tmp_path)) as port:
        assert code_of(port) == "web_api.tls_unknown_issuer"


def test_trusted_authority_is_accepted_and_wrong_name_and_expiry_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    for folder, values, wanted in (
        ("good", {}, ""),
        ("name", {"name": "other.example.com"}, "web_api.tls_wrong_name"),
        ("old", {"has_expired": True}, "web_api.tls_expired"),
    ):
        certificate = make_certificate(tmp_path / folder, **values)  # type: ignore[arg-type]  # of the three above
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate.authority))
        calls.tls_context.cache_clear()
        with serving(certificate) as port:
            if wanted:
                assert code_of(port) == wanted
            else:
                post = Post(f"https://127.0.0.1:{port}/", "msg_1", b"{}", [b"k"])
                assert asyncio.run(send(post, check=outbound.check_dial, limit_s=5)) == 204
    calls.tls_context.cache_clear()


def test_signature_is_that_of_the_reference_library() -> None:
    now = clock.now()
    key = b"0123456789abcdef01234567"
    reference = Verifier("whsec_" + base64.b64encode(key).decode())
    stamp = int(now.timestamp())
    assert signature(key, "msg_1", stamp, '{"a":"é"}'.encode()) == reference.sign("msg_1", now, '{"a":"é"}')
