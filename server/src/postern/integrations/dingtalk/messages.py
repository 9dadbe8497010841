"""Messages to members of the company as DingTalk's work notices, over its older API (oapi.dingtalk.com).

The notice is a task: DingTalk takes it at once and says a moment later who did not get it. It drops the same text to the
same person on the same day, so a try whose answer was lost may be repeated, and texts carry the time of their message.
"""

import time
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from postern.integrations.dingtalk import failures
from postern.integrations.dingtalk.client import DingtalkApp
from postern.integrations.web_apis.app_tokens import AppTokens, Fetched
from postern.integrations.web_apis.calls import Reply, WebCalls
from postern.integrations.web_apis.failures import WebApiFailed
from postern.integrations.web_apis.messages import Sent
from postern.kernel.secret import Secret
from postern.kernel.sentences import Sentence

#: DingTalk takes 100. Each needs a call of its own before, and all share one deadline.
MOST_RECEIVERS: Final = 20
_UNKNOWN_PERSON: Final = "60121"
_RESULT_TRIES: Final = 3
_RESULT_PAUSE_S: Final = 0.5
_NOTICE: Final = "/topapi/message/corpconversation"


def send(app: DingtalkApp, calls: WebCalls, union_ids: Collection[str], text: str) -> Sent:
    """Send a text of at most 2,048 bytes to these members.

    Raises WebApiFailed when nobody got it for a reason of ours.
    """
    use = _Old(app, calls).use
    refused: dict[str, Sentence] = {}
    user_ids: dict[str, str] = {}
    for union_id in union_ids:
        try:
            answer = use("/topapi/user/getbyunionid", {"unionid": union_id})
        except WebApiFailed as error:
            if error.provider_code != _UNKNOWN_PERSON:
                raise
            refused[union_id] = failures.NO_RECEIVER.say()
        else:
            user_ids[answer.text("result", "userid")] = union_id
    if not user_ids:
        return Sent(refused)
    agent_id = int(app.agent_id) if app.agent_id.isascii() and app.agent_id.isdigit() else app.agent_id
    accepted = use(
        f"{_NOTICE}/asyncsend_v2",
        {
            "agent_id": agent_id,
            "userid_list": ",".join(user_ids),
            "msg": {"msgtype": "text", "text": {"content": text}},
        },
    )
    task = {"agent_id": agent_id, "task_id": accepted.number("task_id")}
    for user_id, reason in _refused_by_task(use, task, set(user_ids)).items():
        refused[user_ids[user_id]] = reason
    return Sent(refused)


def _refused_by_task(
    use: Callable[[str, Mapping[str, Any]], Reply], task: Mapping[str, Any], user_ids: set[str]
) -> dict[str, Sentence]:
    """Who did not get the notice. Without a result in time everybody counts as having it: DingTalk has taken it."""
    refused: dict[str, Sentence] = {}
    for number in range(_RESULT_TRIES):
        if number:
            time.sleep(_RESULT_PAUSE_S)
        try:
            result = use(f"{_NOTICE}/getsendresult", task).document.get("send_result")
        except WebApiFailed:
            return refused
        if not isinstance(result, Mapping):
            continue
        for name, phrase in (
            ("invalid_user_id_list", failures.NO_RECEIVER),
            ("forbidden_user_id_list", failures.NOT_DELIVERED),
            ("failed_user_id_list", failures.NOT_DELIVERED),
        ):
            refused |= dict.fromkeys(_listed(result, name) & user_ids, phrase.say())
        for entry in result.get("forbidden_list") or ():
            user_id = entry.get("userid") if isinstance(entry, Mapping) else None
            if user_id in user_ids:
                refused[str(user_id)] = failures.NOT_DELIVERED.say()
        seen = _listed(result, "read_user_id_list") | _listed(result, "unread_user_id_list")
        if user_ids <= seen | set(refused):
            break
    return refused


def _listed(result: Mapping[str, Any], name: str) -> set[str]:
    user_ids = result.get(name)
    return {str(user_id) for user_id in user_ids} if isinstance(user_ids, list) else set()


class _Old:
    """Calls of the older API with its own token."""

    def __init__(self, app: DingtalkApp, calls: WebCalls) -> None:
        self._app = app
        self._calls = calls
        self._tokens = AppTokens(app.message_url, app.app_key, app.app_secret, self._fetch)

    def use(self, path: str, body: Mapping[str, Any]) -> Reply:
        def ask(token: str) -> Reply:
            reply = self._calls.post(f"{self._app.message_url}{path}", body, query={"access_token": token})
            failures.require_success(reply)
            return reply

        return self._tokens.use(ask)

    def _fetch(self) -> Fetched:
        query = {"appkey": self._app.app_key, "appsecret": self._app.app_secret.reveal()}
        reply = self._calls.get(f"{self._app.message_url}/gettoken", query)
        failures.require_success(reply)
        return Fetched(Secret(reply.text("access_token")), reply.number("expires_in"))
