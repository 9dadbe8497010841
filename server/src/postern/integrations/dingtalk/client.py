"""Calls of DingTalk's server API (open.dingtalk.com): who signed in, and whether the settings work.

The sign-in needs no token of the application: the code is exchanged for a token of the person, which is used once and
not stored.
"""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from postern.integrations.dingtalk import failures
from postern.integrations.web_apis.calls import WebCalls
from postern.integrations.web_apis.person import Person
from postern.kernel.secret import Secret

_MOST_CODE_CHARS: Final = 512


@dataclass(frozen=True, slots=True)
class DingtalkApp:
    """An application of a company. `corp_id`: the company; without it nobody is accepted.

    `agent_id` and `message_url` (base of the older API): for messages.
    """

    corp_id: str
    app_key: str
    app_secret: Secret
    api_url: str
    authorize_url: str
    agent_id: str
    message_url: str


def authorize_url(app: DingtalkApp, *, redirect_uri: str, state: str) -> str:
    """The page with the QR code. Inside DingTalk it asks for consent at once."""
    query = {
        "client_id": app.app_key,
        "redirect_uri": redirect_uri,
        "response_type": "code",
        "scope": "openid corpid",  # without corpid the answer does not name the company
        "state": state,
        "prompt": "consent",
    }
    return f"{app.authorize_url}?{urlencode(query)}"


def person_of(app: DingtalkApp, calls: WebCalls, code: str) -> Person:
    """The member of the company who agreed. Raises WebApiFailed, also for people of other companies."""
    if not 0 < len(code.encode()) <= _MOST_CODE_CHARS:
        raise failures.wrong_code()
    granted = calls.post(
        f"{app.api_url}/oauth2/userAccessToken",
        {
            "clientId": app.app_key,
            "clientSecret": app.app_secret.reveal(),
            "code": code,
            "grantType": "authorization_code",
        },
    )
    failures.require_success(granted)
    token, tenant = granted.text("accessToken"), granted.text("corpId")
    if not app.corp_id:
        raise failures.no_tenant(tenant)
    if tenant != app.corp_id:
        raise failures.stranger()
    person = calls.get(f"{app.api_url}/contact/users/me", {}, headers={"x-acs-dingtalk-access-token": token})
    failures.require_success(person)
    name = person.document.get("nick")
    return Person(tenant=tenant, subject=person.text("unionId"), name=name if isinstance(name, str) else "")


def check(app: DingtalkApp, calls: WebCalls) -> None:
    """Raises WebApiFailed when AppKey or AppSecret is wrong."""
    reply = calls.post(
        f"{app.api_url}/oauth2/accessToken", {"appKey": app.app_key, "appSecret": app.app_secret.reveal()}
    )
    failures.require_success(reply)
    reply.text("accessToken")
