"""Messages to members of the company over FeiShu's bot (`im/v1/messages`), one call for each receiver.

The `uuid` of a message makes FeiShu drop a second message for an hour, so a try whose answer was lost may be repeated.
"""

import json
from typing import Final

from postern.integrations.feishu import failures
from postern.integrations.feishu.client import FeishuApp
from postern.integrations.web_apis.app_tokens import AppTokens, Fetched
from postern.integrations.web_apis.calls import Reply, WebCalls
from postern.integrations.web_apis.failures import WebApiFailed
from postern.integrations.web_apis.messages import Sent
from postern.kernel.secret import Secret

#: What FeiShu takes as `uuid`.
MOST_ID_CHARS: Final = 50
_OUT_OF_RANGE: Final = "230013"


def send(app: FeishuApp, calls: WebCalls, open_id: str, text: str, message_id: str) -> Sent:
    """Send a text to this member. `message_id`: the same in all tries. Raises WebApiFailed."""
    body = {
        "receive_id": open_id,
        "msg_type": "text",
        "content": json.dumps({"text": text}, ensure_ascii=False),  # JSON in a string
        "uuid": message_id[:MOST_ID_CHARS],
    }

    def ask(token: str) -> Reply:
        reply = calls.post(
            f"{app.api_url}/im/v1/messages",
            body,
            query={"receive_id_type": "open_id"},
            headers={"Authorization": f"Bearer {token}"},
        )
        failures.require_success(reply)
        return reply

    try:
        AppTokens(app.api_url, app.app_id, app.app_secret, lambda: _fetch(app, calls)).use(ask)
    except WebApiFailed as error:
        if error.provider_code == _OUT_OF_RANGE:
            return Sent({open_id: failures.OUT_OF_RANGE.say()})
        raise
    return Sent()


def _fetch(app: FeishuApp, calls: WebCalls) -> Fetched:
    reply = calls.post(
        f"{app.api_url}/auth/v3/tenant_access_token/internal",
        {"app_id": app.app_id, "app_secret": app.app_secret.reveal()},
    )
    failures.require_success(reply)
    return Fetched(Secret(reply.text("tenant_access_token")), reply.number("expire"))
