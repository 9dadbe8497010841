"""A SAML provider with pages for a browser: it asks for a name, and lets the browser post the signed answer.

Whoever types a name into its page has signed in, if they are one of its people; a cookie remembers them until they sign
out there, which also leads the browser to Postern with a signed request.
"""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

from lxml import etree

from peers.saml_stand_in import SAML, SAMLP, SamlStandIn, deflated, encoded, inflated, signed_query


@dataclass
class SamlProviderPeer:
    """`people`: attributes by name. `console`: the address of Postern; `slug`: of the provider there."""

    console: str
    slug: str
    people: Mapping[str, Mapping[str, list[str]]]
    url: str = ""
    stand_in: SamlStandIn = field(default_factory=SamlStandIn)
    signed_out: list[str] = field(default_factory=list)

    def answer_form(self, query: Mapping[str, str], name: str) -> str:
        """The page that posts the answer, as providers make it; without scripts somebody presses the button."""
        request = etree.fromstring(inflated(query["SAMLRequest"]))
        attributes = {"uid": [name], **self.people[name]}
        answer = self.stand_in.answer_to(request, name=f"s-{name}", attributes=attributes, session=f"session-{name}")
        document = encoded(answer.signed(self.stand_in.pair, "assertion", encrypted_for=self.stand_in.encrypted_for))
        return f"""<form method="post" action="{escape(answer.acs)}">
<input type="hidden" name="SAMLResponse" value="{document}">
<input type="hidden" name="RelayState" value="{escape(query["RelayState"])}"><button>Continue</button></form>
<script>document.forms[0].submit()</script>"""

    def logout_address(self, name: str) -> str:
        """Where the provider sends a browser that signed out there."""
        own = f"{self.console}/core/auth/saml/{self.slug}/logout/"
        document = f"""<samlp:LogoutRequest xmlns:samlp="{SAMLP}" xmlns:saml="{SAML}" ID="_q{len(self.signed_out)}" Version="2.0"
 IssueInstant="{datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}" Destination="{own}">
<saml:Issuer>{self.stand_in.entity_id}</saml:Issuer><saml:NameID>s-{name}</saml:NameID></samlp:LogoutRequest>"""
        return f"{own}?{signed_query(self.stand_in.pair, SAMLRequest=deflated(document.encode()), RelayState='r')}"


class _Handler(BaseHTTPRequestHandler):
    peer: SamlProviderPeer

    def log_message(self, *_arguments: Any) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        query = dict(parse_qsl(address.query))
        name = self._remembered()
        if address.path == "/sso" and name and not self._asks_again(query):
            self._page(self.peer.answer_form(query, name))
        elif address.path == "/sso":
            action = f"/sso?{escape(address.query)}"
            self._page(f'<form method="post" action="{action}"><input name="login"><button>Sign in</button></form>')
        elif address.path == "/leave":
            self._leave(self.peer.logout_address(name), name)
        elif address.path == "/slo" and "SAMLRequest" in query:
            back = f"{self.peer.console}/core/auth/saml/{self.peer.slug}/logout/?SAMLResponse=x"
            self._leave(back, name)
        else:
            self._page("<p>You are signed out everywhere.</p>")

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        name = form["login"][0]
        query = dict(parse_qsl(urlsplit(self.path).query))
        self._page(self.peer.answer_form(query, name), f"person={name}; Path=/; HttpOnly")

    def _asks_again(self, query: Mapping[str, str]) -> bool:
        """Whether Postern wants the person to be asked although they are remembered."""
        return etree.fromstring(inflated(query["SAMLRequest"])).get("ForceAuthn") == "true"

    def _remembered(self) -> str:
        found = SimpleCookie(self.headers.get("Cookie", "")).get("person")
        return found.value if found is not None else ""

    def _leave(self, address: str, name: str) -> None:
        self.peer.signed_out.append(name)
        self.send_response(302)
        self.send_header("Location", address)
        self.send_header("Set-Cookie", "person=; Path=/; Max-Age=0")
        self.end_headers()

    def _page(self, content: str, cookie: str = "") -> None:
        body = f"<!doctype html><title>Provider</title>{content}".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        if cookie:
            self.send_header("Set-Cookie", cookie)
        self.end_headers()
        self.wfile.write(body)


@contextmanager
def running_saml_provider(
    *, console: str, slug: str, people: Mapping[str, Mapping[str, list[str]]], host: str = "localhost"
) -> Iterator[SamlProviderPeer]:
    """Run the provider until the block ends. `host`: as the browser names it."""
    peer = SamlProviderPeer(console, slug, people)
    handler = type("Handler", (_Handler,), {"peer": peer})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        peer.url = f"http://{host}:{server.server_address[1]}"
        peer.stand_in = SamlStandIn(
            entity_id=f"{peer.url}/entity", sso_url=f"{peer.url}/sso?tenant=1", slo_url=f"{peer.url}/slo"
        )
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield peer
        finally:
            server.shutdown()
            thread.join(10)
