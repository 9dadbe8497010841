"""Settings of sign-in with WeCom, DingTalk and FeiShu. The addresses can be changed for private editions of the
services.
"""

from typing import Any, Final
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from postern.apps.preferences.declarations.preference import Category, Preference, boolean, string
from postern.kernel.dialing import plain

_APPLICATION: Final = _("Application")
_ADDRESSES: Final = _("Addresses")
_ADDRESS_HELP: Final = _("Change it only for a private edition of the service")
_SCHEMES: Final = ("https", "http")


def require_service_address(text: str) -> None:
    """Require an https address without query; http only on this machine."""
    host = _host_of(text)
    if host is None or "?" in text or "#" in text or text.endswith("/"):
        raise ValidationError(now("Enter an address such as https://example.com/path, without a slash at its end."))
    ip_address = plain(host)
    if text.startswith("http:") and not (host == "localhost" or (ip_address is not None and ip_address.is_loopback)):
        raise ValidationError(now("Enter an address that begins with https://."))


def _host_of(text: str) -> str | None:
    """The host of an http or https address without a user name; None for any other text."""
    try:
        address = urlsplit(text)
        port = address.port
    except ValueError:
        return None
    if address.scheme not in _SCHEMES or address.username is not None or port == 0:
        return None
    return address.hostname or None


def _enable(name: str, label: Any, category: Category) -> Preference:
    return boolean(
        name,
        label,
        default=False,
        is_public=True,
        category=category,
        section=_APPLICATION,
        help_text=_("Users bind their account on their profile page first"),
    )


def _field(name: str, label: Any, category: Category, **more: Any) -> Preference:
    return string(name, label, "", 256, category=category, section=_APPLICATION, **more)


def _address(name: str, label: Any, default: str, category: Category) -> Preference:
    return string(
        name,
        label,
        default,
        256,
        category=category,
        section=_ADDRESSES,
        help_text=_ADDRESS_HELP,
        validators=(require_service_address,),
    )


DECLARED: Final = (
    _enable("AUTH_WECOM", _("Enable WeCom Auth"), Category.WECOM),
    _field("WECOM_CORPID", _("corpid"), Category.WECOM, required=True),
    _field("WECOM_AGENTID", _("agentid"), Category.WECOM, required=True),
    _field("WECOM_SECRET", _("secret"), Category.WECOM, is_secret=True),
    _address("WECOM_API_URL", _("Server API"), "https://qyapi.weixin.qq.com/cgi-bin", Category.WECOM),
    _address(
        "WECOM_QR_URL", _("Page with the QR code"), "https://login.work.weixin.qq.com/wwlogin/sso/login", Category.WECOM
    ),
    _address(
        "WECOM_OAUTH_URL",
        _("Page inside WeCom"),
        "https://open.weixin.qq.com/connect/oauth2/authorize",
        Category.WECOM,
    ),
    _enable("AUTH_DINGTALK", _("Enable DingTalk Auth"), Category.DINGTALK),
    _field("DINGTALK_AGENTID", _("AgentId"), Category.DINGTALK, required=True),
    _field("DINGTALK_APPKEY", _("AppKey"), Category.DINGTALK, required=True),
    _field("DINGTALK_APPSECRET", _("AppSecret"), Category.DINGTALK, is_secret=True),
    _field(
        "DINGTALK_CORPID",
        _("CorpId"),
        Category.DINGTALK,
        help_text=_("Your company in DingTalk. Nobody can sign in before it is entered"),
    ),
    _address("DINGTALK_API_URL", _("Server API"), "https://api.dingtalk.com/v1.0", Category.DINGTALK),
    _address("DINGTALK_MESSAGE_URL", _("Server API for messages"), "https://oapi.dingtalk.com", Category.DINGTALK),
    _address(
        "DINGTALK_AUTHORIZE_URL",
        _("Page with the QR code"),
        "https://login.dingtalk.com/oauth2/auth",
        Category.DINGTALK,
    ),
    _enable("AUTH_FEISHU", _("Enable FeiShu Auth"), Category.FEISHU),
    _field("FEISHU_APP_ID", _("App ID"), Category.FEISHU, required=True),
    _field("FEISHU_APP_SECRET", _("App Secret"), Category.FEISHU, is_secret=True),
    _field(
        "FEISHU_TENANT_KEY",
        _("Tenant key"),
        Category.FEISHU,
        help_text=_("Your company in FeiShu. Nobody can sign in before it is entered"),
    ),
    _field(
        "FEISHU_VERIFICATION_TOKEN",
        _("Verification token"),
        Category.FEISHU,
        is_secret=True,
        help_text=_("Of the event subscription. With it Postern answers when FeiShu checks the request URL"),
    ),
    _address("FEISHU_API_URL", _("Server API"), "https://open.feishu.cn/open-apis", Category.FEISHU),
    _address(
        "FEISHU_AUTHORIZE_URL",
        _("Page with the QR code"),
        "https://accounts.feishu.cn/open-apis/authen/v1/authorize",
        Category.FEISHU,
    ),
)
