"""Calls of FeiShu's server API (open.feishu.cn): who signed in, and whether the settings work.

The sign-in needs no token of the application: the code is exchanged for a token of the person, which is used once and
not stored. The exchange carries the verifier of PKCE, so a stolen code is worth nothing.
"""

import base64
import hashlib
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from postern.integrations.feishu import failures
from postern.integrations.web_apis.calls import WebCalls
from postern.integrations.web_apis.person import Person
from postern.kernel.secret import Secret

_MOST_CODE_CHARS: Final = 512


@dataclass(frozen=True, slots=True)
class FeishuApp:
    """An application of a company. `tenant_key`: the company; without it nobody is accepted."""

    tenant_key: str
    app_id: str
    app_secret: Secret
    api_url: str
    authorize_url: str


def authorize_url(app: FeishuApp, *, redirect_uri: str, state: str, verifier: str) -> str:
    """The page with the QR code. Inside FeiShu it answers without a question."""
    digest = hashlib.sha256(verifier.encode("ascii")).digest()
    query = {
        "client_id": app.app_id,
        "response_type": "code",
        "redirect_uri": redirect_uri,
        "state": state,
        "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
        "code_challenge_method": "S256",
    }
    return f"{app.authorize_url}?{urlencode(query)}"


def person_of(app: FeishuApp, calls: WebCalls, code: str, *, redirect_uri: str, verifier: str) -> Person:
    """The member of the company who agreed. Raises WebApiFailed, also for people of other companies."""
    if not 0 < len(code.encode()) <= _MOST_CODE_CHARS:
        raise failures.wrong_code()
    granted = calls.post(
        f"{app.api_url}/authen/v2/oauth/token",
        {
            "grant_type": "authorization_code",
            "client_id": app.app_id,
            "client_secret": app.app_secret.reveal(),
            "code": code,
            "redirect_uri": redirect_uri,
            "code_verifier": verifier,
        },
    )
    failures.require_success(granted)
    bearer = {"Authorization": f"Bearer {granted.text('access_token')}"}
    person = calls.get(f"{app.api_url}/authen/v1/user_info", {}, headers=bearer)
    failures.require_success(person)
    tenant = person.text("data", "tenant_key")
    if not app.tenant_key:
        raise failures.no_tenant(tenant)
    if tenant != app.tenant_key:
        raise failures.stranger()
    shown = person.document["data"].get("name")
    return Person(tenant=tenant, subject=person.text("data", "open_id"), name=shown if isinstance(shown, str) else "")


def check(app: FeishuApp, calls: WebCalls) -> None:
    """Raises WebApiFailed when App ID or App Secret is wrong."""
    reply = calls.post(
        f"{app.api_url}/auth/v3/tenant_access_token/internal",
        {"app_id": app.app_id, "app_secret": app.app_secret.reveal()},
    )
    failures.require_success(reply)
    reply.text("tenant_access_token")
