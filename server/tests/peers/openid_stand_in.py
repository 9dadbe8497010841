"""A provider of OpenID Connect that can be as wrong as a test wants.

By itself it is right: it checks client, redirect address, PKCE and code, and signs with a key of its own. Tests change
claims, the signature, the metadata, or how a path is answered. Real providers are covered by `openid_provider.py`.
"""

import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl, quote_plus, urlencode, urlsplit

from aiohttp import web
from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT_ID: Final = "postern"
SECRET: Final = "k4 +Secret/of the client%"  # characters that must be encoded in the header
_KEYS: Final[dict[str, RSAKey]] = {}


def rsa_key(name: str) -> RSAKey:
    """The same key for the same name: making one takes a while."""
    if name not in _KEYS:
        _KEYS[name] = RSAKey.generate_key(2048)
    return _KEYS[name]


def signed(claims: Mapping[str, Any], key: RSAKey, *, kid: str = "k1", alg: str = "RS256") -> str:
    return jwt.encode({"alg": alg, "kid": kid}, dict(claims), key, algorithms=[alg])


def unsigned(claims: Mapping[str, Any]) -> str:
    return f"{_part({'alg': 'none'})}.{_part(claims)}."


def signed_with_public_key(claims: Mapping[str, Any], key: RSAKey) -> str:
    """HS256 with the text of the public key as its secret, which everybody knows. By hand: joserfc does not help."""
    text = f"{_part({'alg': 'HS256', 'kid': 'k1'})}.{_part(claims)}"
    mac = hmac.new(key.as_pem(private=False), text.encode(), "sha256").digest()
    return f"{text}.{base64.urlsafe_b64encode(mac).decode().rstrip('=')}"


def _part(document: Mapping[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(dict(document)).encode()).decode().rstrip("=")


@dataclass
class _Grant:
    redirect_uri: str
    challenge: str
    nonce: str
    asks_again: bool


@dataclass
class OpenidStandIn:
    """`claims`: of the person who signs in. `alter`: changes the claims of the ID token. `sign`: makes the token."""

    claims: dict[str, Any] = field(
        default_factory=lambda: {"sub": "s-ann", "preferred_username": "ann", "name": "Ann Li"}
    )
    only_userinfo: dict[str, Any] = field(default_factory=dict)
    port: int = 0
    path: str = field(default_factory=lambda: f"/{secrets.token_hex(8)}")
    keys: list[dict[str, Any]] | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    alter: Callable[[dict[str, Any]], dict[str, Any]] = field(default=lambda claims: claims)
    sign: Callable[[dict[str, Any]], str] | None = None
    userinfo_sub: str = ""
    names_itself: bool = True
    #: By last part of the path: "redirect", "huge", "silent", "drip", "html", "error".
    manners: dict[str, str] = field(default_factory=dict)
    answer: dict[str, str] = field(default_factory=dict)
    codes: dict[str, _Grant] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    clock_ahead_s: float = 0.0
    client_secret: str = SECRET
    #: Seconds since the person was asked, when Postern wants to know; None: the token does not say.
    asked_ago_s: float | None = 0.0

    @property
    def issuer(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.path}"

    def document(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            **{
                name: f"{self.issuer}/{path}"
                for name, path in (
                    ("authorization_endpoint", "authorize"),
                    ("token_endpoint", "token"),
                    ("jwks_uri", "jwks"),
                    ("userinfo_endpoint", "userinfo"),
                    ("end_session_endpoint", "logout"),
                )
            },
            "code_challenge_methods_supported": ["S256"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "authorization_response_iss_parameter_supported": self.names_itself,
            **self.metadata,
        }

    def jwks(self) -> dict[str, Any]:
        own = {**rsa_key("own").as_dict(private=False), "kid": "k1", "use": "sig"}
        return {"keys": self.keys if self.keys is not None else [own]}

    def come_back(self, page: str, **more: str) -> str:
        """The person agrees on the page to which Postern led them: where the browser goes, without its host."""
        query = dict(parse_qsl(urlsplit(page).query))
        assert page.startswith(f"{self.issuer}/authorize?")
        assert query["response_type"] == "code"
        assert query["client_id"] == CLIENT_ID
        assert query["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(16)
        asks_again = (query.get("prompt"), query.get("max_age")) == ("login", "0")
        assert asks_again or not {"prompt", "max_age"} & query.keys()
        self.codes[code] = _Grant(query["redirect_uri"], query["code_challenge"], query["nonce"], asks_again)
        back = {"code": code, "state": query["state"], **({"iss": self.issuer} if self.names_itself else {}), **more}
        address = urlsplit(query["redirect_uri"])
        return f"{address.path}?{urlencode({name: value for name, value in back.items() if value})}"

    def id_token(self, nonce: str, *, asks_again: bool = False) -> str:
        now = int(time.time())
        asked = {"auth_time": now - self.asked_ago_s} if asks_again and self.asked_ago_s is not None else {}
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            **asked,
            **self.claims,
        }
        claims = self.alter(claims)
        return self.sign(claims) if self.sign is not None else signed(claims, rsa_key("own"))

    def logout_token(self, **changes: Any) -> str:
        """A logout token about the person; a claim of None is left out."""
        claims = {
            "iss": self.issuer,
            "aud": CLIENT_ID,
            "iat": int(time.time()),
            "jti": secrets.token_hex(8),
            "sub": self.claims["sub"],
            "events": {"http://schemas.openid.net/event/backchannel-logout": {}},
            **changes,
        }
        return signed({name: value for name, value in claims.items() if value is not None}, rsa_key("own"))

    async def serve(self, request: web.Request) -> web.StreamResponse:
        name = request.path.rsplit("/", 1)[-1]
        self.asked.append(name)
        if name in self.manners:
            return await self._misbehave(request, self.manners[name])
        if name == "openid-configuration":
            return self._json(self.document())
        if name == "jwks":
            return self._json(self.jwks())
        if name == "token":
            return self._json(*self._token(request, dict(await request.post())))
        if name == "userinfo":
            return self._json({"sub": self.userinfo_sub or self.claims["sub"], **self.only_userinfo})
        return web.Response(status=404)

    def _json(self, document: Mapping[str, Any], status: int = 200) -> web.Response:
        response = web.json_response(document, status=status)
        if self.clock_ahead_s:
            stamp = time.gmtime(time.time() + self.clock_ahead_s)
            response.headers["Date"] = time.strftime("%a, %d %b %Y %H:%M:%S GMT", stamp)
        return response

    def _token(self, request: web.Request, form: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
        pair = f"{quote_plus(CLIENT_ID)}:{quote_plus(self.client_secret)}"
        if request.headers.get("Authorization") != f"Basic {base64.b64encode(pair.encode()).decode()}":
            return {"error": "invalid_client"}, 401
        grant = self.codes.pop(str(form.get("code")), None)
        digest = hashlib.sha256(str(form.get("code_verifier")).encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if grant is None or grant.redirect_uri != form.get("redirect_uri") or grant.challenge != challenge:
            return {"error": "invalid_grant"}, 400
        token = self.id_token(grant.nonce, asks_again=grant.asks_again)
        return {"access_token": "opaque", "token_type": "Bearer", "expires_in": 60, "id_token": token}, 200

    async def _misbehave(self, request: web.Request, manner: str) -> web.StreamResponse:
        if manner == "redirect":
            return web.Response(status=302, headers={"Location": f"{self.issuer}/elsewhere"})
        if manner == "huge":
            return web.json_response({**self.document(), "more": "x" * 400_000})
        if manner == "html":
            return web.Response(text="<html>Sign in to the network</html>", content_type="text/html")
        if manner == "error":
            return web.json_response({"error": "server_error"}, status=500)
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        if manner == "silent":
            await asyncio.sleep(30)
        await response.prepare(request)
        for _ in range(300):
            await response.write(b" ")
            await asyncio.sleep(0.1)
        return response


@contextmanager
def serving(stand_in: OpenidStandIn) -> Iterator[OpenidStandIn]:
    """Serve on a free loopback port until the block ends."""
    loop, started = asyncio.new_event_loop(), threading.Event()

    async def start() -> web.AppRunner:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", stand_in.serve)
        runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        stand_in.port = runner.addresses[0][1]
        return runner

    def run() -> None:
        asyncio.set_event_loop(loop)
        runner = loop.run_until_complete(start())
        started.set()
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())
        loop.close()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert started.wait(10)
    try:
        yield stand_in
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
