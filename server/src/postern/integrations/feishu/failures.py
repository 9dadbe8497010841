"""Error codes of FeiShu, with what to change."""

from collections.abc import Mapping
from typing import Final

from django.utils.translation import gettext_lazy as _

from postern.foundation.phrases import Phrase
from postern.integrations.web_apis import failures
from postern.integrations.web_apis.calls import Reply
from postern.integrations.web_apis.failures import Fault, WebApiFailed

NAME: Final = Phrase("feishu.name", _("FeiShu"))
_APP: Final = Phrase(
    "feishu.wrong_app",
    _("FeiShu does not know this App ID. Copy it from the page of the application on open.feishu.cn."),
)
_SECRET: Final = Phrase(
    "feishu.wrong_secret",
    _("FeiShu refuses the App Secret. Copy it from the page of the application on open.feishu.cn again."),
)
_CODE: Final = Phrase(
    "feishu.wrong_code", _("FeiShu does not accept the code of this sign-in: it was used or has expired. Start again.")
)
_TOKEN: Final = Phrase("feishu.wrong_token", _("FeiShu does not accept the token of this sign-in. Start again."))
_NOT_PERMITTED: Final = Phrase(
    "feishu.app_not_permitted",
    _("You may not use the application in FeiShu. An administrator must add you to its available range."),
)
_REDIRECT: Final = Phrase(
    "feishu.redirect",
    _(
        "FeiShu does not know the address of this console. Enter the address that ends in /callback/ as a redirect URL "
        "in the security settings of the application."
    ),
)
_RATE: Final = Phrase("feishu.rate", _("FeiShu limits the number of calls, and the limit is reached. Try again later."))
_BUSY: Final = Phrase("feishu.busy", _("FeiShu is busy. Try again in a minute."))
_NO_TENANT: Final = Phrase(
    "feishu.no_tenant",
    _(
        "The settings do not name the company in FeiShu, so nobody can be accepted. This sign-in came from the company "
        "%(tenant)s. An administrator can enter it as tenant key."
    ),
)
_STRANGER: Final = Phrase(
    "feishu.stranger",
    _("This FeiShu account belongs to another company, so it cannot be used here. Use the account of your company."),
)

_NO_BOT: Final = Phrase(
    "feishu.no_bot",
    _("The application has no bot. Add the bot capability to it on open.feishu.cn, and publish a new version."),
)
_RIGHTS: Final = Phrase(
    "feishu.no_right",
    _("The application may not send messages. Give it the permission im:message:send_as_bot on open.feishu.cn."),
)
OUT_OF_RANGE: Final = Phrase(
    "feishu.out_of_range",
    _(
        "The member is not in the available range of the bot. Change the range of the application on open.feishu.cn, and "
        "publish a new version."
    ),
)

_CODES: Final[Mapping[int, tuple[Phrase, Fault]]] = {
    10003: (_APP, Fault.SERVICE),
    10014: (_SECRET, Fault.SERVICE),
    20002: (_SECRET, Fault.SERVICE),
    20003: (_CODE, Fault.CODE),
    20004: (_CODE, Fault.CODE),
    20005: (_TOKEN, Fault.TOKEN),
    20010: (_NOT_PERMITTED, Fault.SERVICE),
    20024: (_CODE, Fault.CODE),
    20048: (_APP, Fault.SERVICE),
    20049: (_CODE, Fault.CODE),
    20050: (_BUSY, Fault.SERVICE),
    20065: (_CODE, Fault.CODE),
    20071: (_REDIRECT, Fault.SERVICE),
    20072: (_BUSY, Fault.SERVICE),
    230006: (_NO_BOT, Fault.SERVICE),
    230013: (OUT_OF_RANGE, Fault.SERVICE),
    230020: (_RATE, Fault.SERVICE),
    99991672: (_RIGHTS, Fault.SERVICE),
    99991400: (_RATE, Fault.SERVICE),
    99991661: (_TOKEN, Fault.TOKEN),
    99991663: (_TOKEN, Fault.TOKEN),
    99991668: (_TOKEN, Fault.TOKEN),
}


def require_success(reply: Reply) -> None:
    """Raise WebApiFailed unless the code is 0: the status alone says nothing."""
    code = reply.number("code")
    if code == 0 and reply.status == 200:
        return
    if code not in _CODES:
        raise failures.refused(NAME.say(), str(code)) if code else failures.bad_answer(reply.host, reply.status)
    phrase, fault = _CODES[code]
    raise WebApiFailed(phrase.say(), fault=fault, provider_code=str(code))


def no_tenant(tenant: str) -> WebApiFailed:
    """The settings do not say which company is ours."""
    return WebApiFailed(_NO_TENANT.say(tenant=tenant))


def stranger() -> WebApiFailed:
    """The code belongs to another company."""
    return WebApiFailed(_STRANGER.say())


def wrong_code() -> WebApiFailed:
    """The code cannot be one of FeiShu."""
    return WebApiFailed(_CODE.say(), fault=Fault.CODE)
