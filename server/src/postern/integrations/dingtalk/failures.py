"""Error codes of DingTalk, with what to change.

Its newer API answers errors with HTTP 4xx and `{code, message}`, its older one with HTTP 200 and `errcode`; gateways in
front of it mix the two.
"""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.foundation.phrases import Phrase
from postern.integrations.web_apis import failures
from postern.integrations.web_apis.calls import Reply
from postern.integrations.web_apis.failures import Fault, WebApiFailed

NAME: Final = Phrase("dingtalk.name", _("DingTalk"))
_BUSY: Final = Phrase("dingtalk.busy", _("DingTalk is busy. Try again in a minute."))
_SECRET: Final = Phrase(
    "dingtalk.wrong_secret",
    _(
        "DingTalk refuses AppKey or AppSecret. Copy both from the page of the application on open-dev.dingtalk.com again."
    ),
)
_CODE: Final = Phrase(
    "dingtalk.wrong_code",
    _("DingTalk does not accept the code of this sign-in: it was used or has expired. Start again."),
)
_TOKEN: Final = Phrase(
    "dingtalk.wrong_token", _("DingTalk does not accept the token of the application. Try again in a minute.")
)
_RATE: Final = Phrase(
    "dingtalk.rate", _("DingTalk limits the number of calls, and the limit is reached. Try again later.")
)
_ADDRESS: Final = Phrase(
    "dingtalk.address_not_listed",
    _(
        "DingTalk does not accept calls from the address of this server. Add the address to the server egress IP "
        "addresses of the application on open-dev.dingtalk.com."
    ),
)
_RIGHTS: Final = Phrase(
    "dingtalk.no_right",
    _(
        "The application may not do this. Give it the permission to read personal information of the address book "
        "(Contact.User.Read) on open-dev.dingtalk.com."
    ),
)
_NO_TENANT: Final = Phrase(
    "dingtalk.no_tenant",
    _(
        "The settings do not name the company in DingTalk, so nobody can be accepted. This sign-in came from the company "
        "%(tenant)s. An administrator can enter it as CorpId."
    ),
)
_STRANGER: Final = Phrase(
    "dingtalk.stranger",
    _("This DingTalk account was used for another company. Choose the account of your company in DingTalk."),
)

NO_RECEIVER: Final = Phrase(
    "dingtalk.no_receiver",
    _(
        "DingTalk does not know this member, or the application is not visible to them. Check the visible range of the "
        "application on open-dev.dingtalk.com."
    ),
)
NOT_DELIVERED: Final = Phrase(
    "dingtalk.not_delivered",
    _(
        "DingTalk did not deliver the message: the member has reached the number of notices of a day, got the same text "
        "today, or refuses them."
    ),
)

_CODES: Final[Mapping[str, tuple[Phrase, Fault]]] = {
    # newer API
    "invalidclientidorsecret": (_SECRET, Fault.SERVICE),
    "invalidclient": (_SECRET, Fault.SERVICE),
    "invalidparameter.authcode.notfound": (_CODE, Fault.CODE),
    "invalidauthcode": (_CODE, Fault.CODE),
    "invalidauthentication": (_TOKEN, Fault.TOKEN),
    "forbidden.accessdenied.ipnotinwhitelist": (_ADDRESS, Fault.SERVICE),
    "forbidden.accessdenied.accesstokenpermissiondenied": (_RIGHTS, Fault.SERVICE),
    "forbidden.accessdenied.qpslimitforapi": (_RATE, Fault.SERVICE),
    "serviceunavailable": (_BUSY, Fault.SERVICE),
    # older API
    "-1": (_BUSY, Fault.SERVICE),
    "40014": (_TOKEN, Fault.TOKEN),
    "42001": (_TOKEN, Fault.TOKEN),
    "40078": (_CODE, Fault.CODE),
    "40089": (_SECRET, Fault.SERVICE),
    "60011": (_RIGHTS, Fault.SERVICE),
    "60020": (_ADDRESS, Fault.SERVICE),
    "60121": (NO_RECEIVER, Fault.SERVICE),
    "88": (_RIGHTS, Fault.SERVICE),
    "90018": (_RATE, Fault.SERVICE),
}


def require_success(reply: Reply) -> None:
    """Raise WebApiFailed for an error of either kind."""
    document = reply.document
    code = str(document.get("errcode") or "")
    if not code and reply.status != 200:
        code = str(document.get("code") or "")
    if not code and reply.status == 200:
        return
    if not code:
        raise failures.bad_answer(reply.host, reply.status)
    known = _CODES.get(code.lower())
    if known is None:
        raise failures.refused(NAME.say(), code)
    raise WebApiFailed(known[0].say(), fault=known[1], provider_code=code)


def no_tenant(tenant: str) -> WebApiFailed:
    """The settings do not say which company is ours."""
    return WebApiFailed(_NO_TENANT.say(tenant=tenant))


def stranger() -> WebApiFailed:
    """The code belongs to another company."""
    return WebApiFailed(_STRANGER.say())


def wrong_code() -> WebApiFailed:
    """The code cannot be one of DingTalk."""
    return WebApiFailed(_CODE.say(), fault=Fault.CODE)
