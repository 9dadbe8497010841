"""Providers that are set up, and the walk of a browser to them and back."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from peers.company_apps import SECRET, Dingtalk, Feishu, Service, Somebody, Wecom, serving

NAMES: Final = ("dingtalk", "feishu", "wecom")
SIGN_IN: Final = "/api/v1/authentication/external/sign-in/"
BIND: Final = "/api/v1/authentication/external/bind/"


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
            "DINGTALK_AGENTID": "1",
            "DINGTALK_APPKEY": "dingkey1",
            "DINGTALK_APPSECRET": SECRET,
            "DINGTALK_CORPID": "corp-1",
            "DINGTALK_API_URL": f"{base}/v1.0",
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


def set_up(admin: APIClient, services: dict[str, Service]) -> None:
    """Save the settings of all three and switch them on."""
    for name, service in services.items():
        answer = admin.put(f"/api/v1/settings/setting/?category={name}", settings_of(name, service))
        assert answer.status_code == 200, answer.content


def through_provider(service: Service, page: str) -> str:
    """The address to which the provider sends the browser back, without its host."""
    address = urlsplit(page)
    back = urlsplit(service.pages()[address.path](dict(parse_qsl(address.query))))
    return f"{back.path}?{back.query}"


def visit_of(location: str) -> str:
    """The visit that an address of our own page names."""
    return dict(parse_qsl(urlsplit(location).query))["external"]


class Visitor(Browser):
    """A browser that walks to a provider and back."""

    def start(self, name: str, step: str = "login", **extra: Any) -> str:
        answer = self.get(f"/core/auth/{name}/qr/{step}/", **extra)
        assert answer.status_code == 302, answer.content
        return str(answer.headers["Location"])

    def come_back(self, back: str) -> str:
        answer = self.get(back)
        assert answer.status_code == 302, answer.content
        return str(answer.headers["Location"])

    def walk(self, name: str, service: Service, step: str = "login") -> str:
        """To the provider and back; returns the visit."""
        return visit_of(self.come_back(through_provider(service, self.start(name, step))))

    def use(self, visit: str, url: str = SIGN_IN) -> Any:
        if "csrftoken" not in self.cookies:
            self.get("/api/v1/authentication/sign-in/")
        return self.post(url, {"id": visit})

    def sign_in_by(self, name: str, service: Service) -> Any:
        return self.use(self.walk(name, service))

    def verify(self) -> None:
        answer = self.post("/api/v1/authentication/password/verify/", {"password": PASSWORD})
        assert answer.status_code == 200, answer.content

    def bind(self, name: str, service: Service) -> Any:
        self.verify()
        return self.use(self.walk(name, service, "bind"), BIND)
