"""The stand-ins of all three services, and the settings that lead to them."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from peers.company_apps import SECRET, Dingtalk, Feishu, Service, Somebody, Wecom, serving


def settings_of(name: str, service: Service) -> dict[str, Any]:
    """The form of the settings for this stand-in, switched on."""
    base = service.base
    forms: dict[str, dict[str, Any]] = {
        "wecom": {
            "WECOM_CORPID": "corp-1",
            "WECOM_AGENTID": "1000002",
            "WECOM_SECRET": SECRET,
            "WECOM_API_URL": f"{base}/cgi-bin",
            "WECOM_QR_URL": f"{base}/wwlogin/sso/login",
            "WECOM_OAUTH_URL": f"{base}/connect/oauth2/authorize",
        },
        "dingtalk": {
            "DINGTALK_AGENTID": "41",
            "DINGTALK_APPKEY": "dingkey1",
            "DINGTALK_APPSECRET": SECRET,
            "DINGTALK_CORPID": "corp-1",
            "DINGTALK_API_URL": f"{base}/v1.0",
            "DINGTALK_MESSAGE_URL": base,
            "DINGTALK_AUTHORIZE_URL": f"{base}/oauth2/auth",
        },
        "feishu": {
            "FEISHU_APP_ID": "cli_a1",
            "FEISHU_APP_SECRET": SECRET,
            "FEISHU_TENANT_KEY": "corp-1",
            "FEISHU_VERIFICATION_TOKEN": "v-token",
            "FEISHU_API_URL": f"{base}/open-apis",
            "FEISHU_AUTHORIZE_URL": f"{base}/open-apis/authen/v1/authorize",
        },
    }
    return {**forms[name], f"AUTH_{name.upper()}": True}


@contextmanager
def running_services() -> Iterator[dict[str, Service]]:
    """Stand-ins of all three. Fails when one of them was called wrongly."""
    services: dict[str, Service] = {"wecom": Wecom(), "dingtalk": Dingtalk(), "feishu": Feishu()}
    for name, service in services.items():
        service.person = Somebody("corp-1", f"{name}-ann")
    with ExitStack() as stack:
        for service in services.values():
            stack.enter_context(serving(service))
        yield services
    for service in services.values():
        assert service.problems == []
