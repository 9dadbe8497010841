"""The authorization code flow with PKCE: the page to which the browser goes, and who came back.

The tokens of the person are used once and not stored. The client secret is sent to the token endpoint only, which the
metadata of the stored issuer name.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import quote_plus, urlencode

from postern.integrations.openid import failures, keys, tokens
from postern.integrations.openid.metadata import ALGORITHMS, Endpoint, Metadata, fetch, metadata_of
from postern.integrations.openid.tokens import LEEWAY_S
from postern.integrations.web_apis.calls import Reply, WebCalls
from postern.kernel import clock
from postern.kernel.secret import Secret

_MOST_CODE_CHARS: Final = 4096


@dataclass(frozen=True, slots=True)
class OpenidClient:
    """Postern as a client of a provider. `secret` None: a public client, which only PKCE protects."""

    issuer: str
    client_id: str
    secret: Secret | None
    scopes: str


@dataclass(frozen=True, slots=True)
class Flow:
    """One visit. `came_from`: the issuer that the redirect names; empty when it names none. `asked_since`: the provider
    must ask the person again, at this instant or later; None: any session there will do.
    """

    redirect_uri: str
    state: str
    verifier: str
    nonce: str
    came_from: str = ""
    asked_since: datetime | None = None


def authorize_url(client: OpenidClient, calls: WebCalls, flow: Flow) -> str:
    """The page of the provider. Raises WebApiFailed when its metadata cannot be read."""
    digest = hashlib.sha256(flow.verifier.encode("ascii")).digest()
    query = {
        "response_type": "code",
        "client_id": client.client_id,
        "redirect_uri": flow.redirect_uri,
        "scope": client.scopes,
        "state": flow.state,
        "nonce": flow.nonce,
        "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
        "code_challenge_method": "S256",
    }
    if flow.asked_since is not None:
        # With max_age the ID token says when the person was asked (Core section 3.1.2.1).
        query |= {"prompt": "login", "max_age": "0"}
    return address(metadata_of(client.issuer, calls).authorization, query)


def address(endpoint: Endpoint, query: Mapping[str, str]) -> str:
    """The endpoint with these parameters besides its own."""
    return f"{endpoint.url}?{urlencode({**endpoint.query, **query})}"


def claims_of(client: OpenidClient, calls: WebCalls, flow: Flow, code: str) -> tokens.Claims:
    """What the provider says about the person who came back: the claims of the ID token, and those of the userinfo
    endpoint that the token does not have. Raises WebApiFailed.
    """
    metadata = metadata_of(client.issuer, calls)
    if flow.came_from != client.issuer and (flow.came_from or metadata.names_itself):
        raise failures.other_sender()
    if not 0 < len(code) <= _MOST_CODE_CHARS:
        raise failures.token_refused("invalid_grant", flow.redirect_uri)
    form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": flow.redirect_uri,
        "code_verifier": flow.verifier,
    }
    granted = _token(client, metadata, calls, form)
    claims = tokens.id_claims(
        granted.text("id_token"), metadata, client_id=client.client_id, nonce=flow.nonce, calls=calls
    )
    if flow.asked_since is not None:
        tokens.require_asked(claims, flow.asked_since)
    return {**_userinfo(metadata, calls, granted, str(claims["sub"])), **claims}


def check(client: OpenidClient, calls: WebCalls, *, redirect_uri: str) -> Metadata:
    """Raises WebApiFailed when the provider cannot be used: metadata, issuer, keys, algorithms, clock, client.

    The client is tried with a code that no provider has given: a provider that knows the client refuses the code.
    """
    metadata = fetch(client.issuer, calls)
    seconds = _clock_difference_s(metadata.date)
    if abs(seconds) > LEEWAY_S:
        raise failures.clock_differs(seconds)
    if metadata.challenge_methods is not None and "S256" not in metadata.challenge_methods:
        raise failures.no_pkce()
    if metadata.algorithms and not set(metadata.algorithms) & set(ALGORITHMS):
        raise failures.no_algorithm(", ".join(metadata.algorithms))
    keys.fetch(metadata.keys, calls)
    form = {
        "grant_type": "authorization_code",
        "code": "postern-tries-the-client",
        "redirect_uri": redirect_uri,
        "code_verifier": "postern-tries-the-client-with-a-code-that-nobody-gave",
    }
    reply = _ask_token(client, metadata, calls, form)
    error = reply.document.get("error")
    if error in {"invalid_client", "unauthorized_client", "redirect_uri_mismatch"}:
        raise failures.token_refused(str(error), redirect_uri)
    return metadata


def _clock_difference_s(date: str) -> float:
    """Seconds by which the provider's clock differs from ours; 0 when it does not tell."""
    try:
        provider_time = parsedate_to_datetime(date)
    except (ValueError, TypeError):
        return 0.0
    return (provider_time.replace(tzinfo=provider_time.tzinfo or UTC) - clock.now()).total_seconds() if date else 0.0


def _token(client: OpenidClient, metadata: Metadata, calls: WebCalls, form: Mapping[str, str]) -> Reply:
    reply = _ask_token(client, metadata, calls, form)
    error = reply.document.get("error")
    if isinstance(error, str):
        raise failures.token_refused(error, form["redirect_uri"])
    return reply


def _ask_token(client: OpenidClient, metadata: Metadata, calls: WebCalls, form: Mapping[str, str]) -> Reply:
    if client.secret is None:
        return calls.post_form(metadata.token.url, {**form, "client_id": client.client_id}, query=metadata.token.query)
    if not metadata.takes_basic:
        own = {"client_id": client.client_id, "client_secret": client.secret.reveal()}
        return calls.post_form(metadata.token.url, {**form, **own}, query=metadata.token.query)
    # Name and secret are encoded as in a form before they are joined (RFC 6749 section 2.3.1).
    pair = f"{quote_plus(client.client_id)}:{quote_plus(client.secret.reveal())}"
    basic = {"Authorization": f"Basic {base64.b64encode(pair.encode()).decode()}"}
    return calls.post_form(metadata.token.url, form, query=metadata.token.query, headers=basic)


def _userinfo(metadata: Metadata, calls: WebCalls, granted: Reply, subject: str) -> dict[str, Any]:
    token = granted.document.get("access_token")
    if metadata.userinfo is None or not isinstance(token, str) or not _is_header_text(token):
        return {}
    reply = calls.get(metadata.userinfo.url, metadata.userinfo.query, headers={"Authorization": f"Bearer {token}"})
    if reply.status != 200:  # without its claims, rules would take roles and groups away
        raise failures.no_userinfo(reply.status)
    if reply.document.get("sub") != subject:  # Core section 5.3.2: it may be exchanged
        raise failures.other_person()
    return dict(reply.document)


def _is_header_text(text: str) -> bool:
    return 0 < len(text) <= 16_384 and text.isascii() and text.isprintable()
