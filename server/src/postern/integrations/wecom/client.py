"""Calls of WeCom's server API (developer.work.weixin.qq.com): who signed in, and whether the settings work."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from postern.integrations.web_apis.app_tokens import AppTokens, Fetched
from postern.integrations.web_apis.calls import Reply, WebCalls
from postern.integrations.web_apis.person import Person
from postern.integrations.wecom import failures
from postern.kernel.secret import Secret

#: The browser inside WeCom names itself so.
OWN_BROWSER: Final = "wxwork/"
_MOST_CODE_CHARS: Final = 512


@dataclass(frozen=True, slots=True)
class WecomApp:
    """An application of a company. `api_url`: base of the server API. `qr_url` and `oauth_url`: pages for the browser."""

    corp_id: str
    agent_id: str
    secret: Secret
    api_url: str
    qr_url: str
    oauth_url: str


def authorize_url(app: WecomApp, *, redirect_uri: str, state: str, user_agent: str) -> str:
    """The page on which the person agrees: a QR code, or inside WeCom a page that answers at once."""
    if OWN_BROWSER in user_agent.lower():
        query = {
            "appid": app.corp_id,
            "redirect_uri": redirect_uri,
            "response_type": "code",
            "scope": "snsapi_base",
            "state": state,
            "agentid": app.agent_id,
        }
        return f"{app.oauth_url}?{urlencode(query)}#wechat_redirect"
    query = {
        "login_type": "CorpApp",
        "appid": app.corp_id,
        "agentid": app.agent_id,
        "redirect_uri": redirect_uri,
        "state": state,
    }
    return f"{app.qr_url}?{urlencode(query)}"


def person_of(app: WecomApp, calls: WebCalls, code: str) -> Person:
    """The member of the company who agreed. Raises WebApiFailed, also for people of other companies."""
    if not 0 < len(code.encode()) <= _MOST_CODE_CHARS:
        raise failures.wrong_code()

    def ask(token: str) -> Reply:
        reply = calls.get(f"{app.api_url}/auth/getuserinfo", {"access_token": token, "code": code})
        failures.require_success(reply)
        return reply

    reply = tokens_of(app, calls).use(ask)
    if not reply.document.get("userid") and (reply.document.get("openid") or reply.document.get("external_userid")):
        raise failures.stranger()
    user_id = reply.text("userid")
    # The same userid is written in different cases.
    return Person(tenant=app.corp_id, subject=user_id.lower(), name=user_id)


def check(app: WecomApp, calls: WebCalls) -> str:
    """The name of the application. Raises WebApiFailed when secret, agentid or the list of addresses is wrong."""
    token = _fetch(app, calls).token.reveal()
    reply = calls.get(f"{app.api_url}/agent/get", {"access_token": token, "agentid": app.agent_id})
    failures.require_success(reply)
    return reply.text("name")


def tokens_of(app: WecomApp, calls: WebCalls) -> AppTokens:
    """The token of the application, for all calls of an operation."""
    return AppTokens(app.api_url, app.corp_id, app.secret, lambda: _fetch(app, calls))


def _fetch(app: WecomApp, calls: WebCalls) -> Fetched:
    reply = calls.get(f"{app.api_url}/gettoken", {"corpid": app.corp_id, "corpsecret": app.secret.reveal()})
    failures.require_success(reply)
    return Fetched(Secret(reply.text("access_token")), reply.number("expires_in"))
