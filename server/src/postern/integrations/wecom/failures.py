"""Error codes of WeCom, with what to change. Only codes are judged: texts change without notice."""

import re
from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.foundation.phrases import Phrase
from postern.integrations.web_apis import failures
from postern.integrations.web_apis.calls import Reply
from postern.integrations.web_apis.failures import Fault, WebApiFailed

NAME: Final = Phrase("wecom.name", _("WeCom"))
_BUSY: Final = Phrase("wecom.busy", _("WeCom is busy. Try again in a minute."))
_SECRET: Final = Phrase(
    "wecom.wrong_secret",
    _("WeCom refuses the secret. Copy the secret of the application from the administration page of WeCom again."),
)
_CORP: Final = Phrase(
    "wecom.wrong_corp", _("WeCom does not know this corpid. It is on the administration page under “My enterprise”.")
)
_AGENT: Final = Phrase(
    "wecom.wrong_agent",
    _("The agentid does not belong to this secret. Both are on the page of the same application."),
)
_CODE: Final = Phrase(
    "wecom.wrong_code", _("WeCom does not accept the code of this sign-in: it was used or has expired. Start again.")
)
_TOKEN: Final = Phrase(
    "wecom.wrong_token", _("WeCom does not accept the token of the application. Try again in a minute.")
)
_RATE: Final = Phrase("wecom.rate", _("WeCom limits the number of calls, and the limit is reached. Try again later."))
_ADDRESS: Final = Phrase(
    "wecom.address_not_listed",
    _(
        "WeCom does not accept calls from the address of this server. Add the address to the trusted IP addresses of the "
        "application on the administration page of WeCom."
    ),
)
_THIS_ADDRESS: Final = Phrase(
    "wecom.this_address_not_listed",
    _(
        "WeCom does not accept calls from this server (%(address)s). Add this address to the trusted IP addresses of the "
        "application on the administration page of WeCom."
    ),
)
_REDIRECT: Final = Phrase(
    "wecom.redirect",
    _(
        "WeCom does not know the address of this console. Enter its host as the authorised callback domain of the "
        "application on the administration page of WeCom."
    ),
)
_RIGHTS: Final = Phrase(
    "wecom.no_right",
    _(
        "The application may not do this. Check its permissions and its visible range on the administration page of WeCom."
    ),
)
_STRANGER: Final = Phrase(
    "wecom.stranger",
    _("This WeCom account is not a member of the company, so it cannot be used here. Use the account of your company."),
)

NO_RECEIVER: Final = Phrase(
    "wecom.no_receiver",
    _(
        "WeCom does not know this member, or the application is not visible to them. Check the visible range of the "
        "application on the administration page of WeCom."
    ),
)
UNLICENSED: Final = Phrase(
    "wecom.unlicensed", _("The member has no licence for this kind of messages in WeCom. Assign one there.")
)

ADDRESS_NOT_LISTED: Final = 60020
_CODES: Final[Mapping[int, tuple[Phrase, Fault]]] = {
    -1: (_BUSY, Fault.SERVICE),
    40001: (_SECRET, Fault.SERVICE),
    40013: (_CORP, Fault.SERVICE),
    40014: (_TOKEN, Fault.TOKEN),
    42001: (_TOKEN, Fault.TOKEN),
    40029: (_CODE, Fault.CODE),
    40056: (_AGENT, Fault.SERVICE),
    301002: (_AGENT, Fault.SERVICE),
    45009: (_RATE, Fault.SERVICE),
    48002: (_RIGHTS, Fault.SERVICE),
    50001: (_REDIRECT, Fault.SERVICE),
    60011: (_RIGHTS, Fault.SERVICE),
    ADDRESS_NOT_LISTED: (_ADDRESS, Fault.SERVICE),
    81013: (NO_RECEIVER, Fault.SERVICE),
}
#: Our address as WeCom sees it. It is shown, never judged.
_SEEN_ADDRESS: Final = re.compile(r"from ip: ?([0-9a-fA-F.:]{3,45})\b")


def require_success(reply: Reply) -> None:
    """Raise WebApiFailed unless the answer says that all is well: the status alone says nothing."""
    code = reply.number("errcode")
    if code == 0 and reply.status == 200:
        return
    seen = _SEEN_ADDRESS.search(str(reply.document.get("errmsg", "")))
    if code == ADDRESS_NOT_LISTED and seen:
        raise WebApiFailed(_THIS_ADDRESS.say(address=seen[1]), provider_code=str(code))
    if code not in _CODES:
        raise failures.refused(NAME.say(), str(code)) if code else failures.bad_answer(reply.host, reply.status)
    phrase, fault = _CODES[code]
    raise WebApiFailed(phrase.say(), fault=fault, provider_code=str(code))


def stranger() -> WebApiFailed:
    """The code belongs to a person outside the company."""
    return WebApiFailed(_STRANGER.say())


def wrong_code() -> WebApiFailed:
    """The code cannot be one of WeCom."""
    return WebApiFailed(_CODE.say(), fault=Fault.CODE)
