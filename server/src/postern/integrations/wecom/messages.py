"""Messages to members of the company over WeCom's application (`message/send`).

WeCom drops a second message with the same content and receivers for half an hour, so a try whose answer was lost may be
repeated.
"""

from collections.abc import Collection
from typing import Final

from postern.integrations.web_apis.calls import Reply, WebCalls
from postern.integrations.web_apis.failures import WebApiFailed
from postern.integrations.web_apis.messages import Sent, named
from postern.integrations.wecom import failures
from postern.integrations.wecom.client import WecomApp, tokens_of

#: Receivers of one call.
MOST_RECEIVERS: Final = 1000
_SEPARATOR: Final = "|"
_NOT_TWICE_S: Final = 1800
_ALL_INVALID: Final = "81013"


def send(app: WecomApp, calls: WebCalls, user_ids: Collection[str], text: str) -> Sent:
    """Send a text of at most 2,048 bytes to these members. Raises WebApiFailed when nobody got it for a reason of ours."""
    body = {
        "touser": _SEPARATOR.join(user_ids),
        "msgtype": "text",
        "agentid": int(app.agent_id) if app.agent_id.isascii() and app.agent_id.isdigit() else app.agent_id,
        "text": {"content": text},
        "enable_duplicate_check": 1,
        "duplicate_check_interval": _NOT_TWICE_S,
    }

    def ask(token: str) -> Reply:
        reply = calls.post(f"{app.api_url}/message/send", body, query={"access_token": token})
        failures.require_success(reply)
        return reply

    try:
        document = tokens_of(app, calls).use(ask).document
    except WebApiFailed as error:
        if error.provider_code == _ALL_INVALID:
            return Sent(dict.fromkeys(user_ids, failures.NO_RECEIVER.say()))
        raise
    unlicensed = named(document.get("unlicenseduser"), user_ids, _SEPARATOR)
    invalid = named(document.get("invaliduser"), user_ids, _SEPARATOR)
    return Sent(
        {
            **dict.fromkeys(unlicensed, failures.UNLICENSED.say()),
            **dict.fromkeys(invalid, failures.NO_RECEIVER.say()),
        }
    )
