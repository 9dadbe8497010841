"""The configured applications at WeCom, DingTalk and FeiShu."""

from collections.abc import Mapping
from typing import Final

from postern.apps.preferences import queries
from postern.apps.preferences.declarations.preference import Category, Value
from postern.apps.preferences.registry import REGISTRY
from postern.integrations.dingtalk.client import DingtalkApp
from postern.integrations.feishu.client import FeishuApp
from postern.integrations.wecom.client import WecomApp
from postern.kernel.secret import Secret

Values = Mapping[str, Value]
ProviderApp = WecomApp | DingtalkApp | FeishuApp

_NEEDED: Final = {
    Category.WECOM: ("WECOM_CORPID", "WECOM_AGENTID"),
    Category.DINGTALK: ("DINGTALK_APPKEY",),
    Category.FEISHU: ("FEISHU_APP_ID",),
}
_NAMES: Final = {
    category: tuple(
        setting.name for setting in REGISTRY.values() if setting.category is category and not setting.is_secret
    )
    for category in _NEEDED
}
_SECRETS: Final = {
    Category.WECOM: "WECOM_SECRET",
    Category.DINGTALK: "DINGTALK_APPSECRET",
    Category.FEISHU: "FEISHU_APP_SECRET",
}


def provider_app(category: Category) -> ProviderApp | None:
    """The application of the stored settings, also when it is switched off; None until the settings are complete."""
    values = queries.values(_NAMES[category])
    secret = queries.secret(_SECRETS[category])
    if secret is None or not all(values[name] for name in _NEEDED[category]):
        return None
    return app_of(category, values, secret)


def app_of(category: Category, values: Values, secret: Secret) -> ProviderApp:
    """The application with these validated values. An empty address means the public service."""
    text = {name: str(values[name] or REGISTRY[name].unset() or "").strip() for name in _NAMES[category]}
    if category is Category.WECOM:
        return WecomApp(
            corp_id=text["WECOM_CORPID"],
            agent_id=text["WECOM_AGENTID"],
            secret=secret,
            api_url=text["WECOM_API_URL"],
            qr_url=text["WECOM_QR_URL"],
            oauth_url=text["WECOM_OAUTH_URL"],
        )
    if category is Category.DINGTALK:
        return DingtalkApp(
            corp_id=text["DINGTALK_CORPID"],
            app_key=text["DINGTALK_APPKEY"],
            app_secret=secret,
            api_url=text["DINGTALK_API_URL"],
            authorize_url=text["DINGTALK_AUTHORIZE_URL"],
            agent_id=text["DINGTALK_AGENTID"],
            message_url=text["DINGTALK_MESSAGE_URL"],
        )
    return FeishuApp(
        tenant_key=text["FEISHU_TENANT_KEY"],
        app_id=text["FEISHU_APP_ID"],
        app_secret=secret,
        api_url=text["FEISHU_API_URL"],
        authorize_url=text["FEISHU_AUTHORIZE_URL"],
    )
