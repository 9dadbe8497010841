"""Providers that are set up, and the walk of a browser to them and back."""

from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from django.conf import settings
from rest_framework.test import APIClient

from factories.browser import PASSWORD, Browser
from peers.company_apps import Service
from peers.running_company_apps import running_services, settings_of

__all__ = ["BIND", "NAMES", "SIGN_IN", "Visitor", "running_services", "set_up", "through_provider", "visit_of"]

NAMES: Final = ("dingtalk", "feishu", "wecom")
SIGN_IN: Final = "/api/v1/authentication/external/sign-in/"
SITE: Final = urlsplit(settings.POSTERN.console_url).netloc
BIND: Final = "/api/v1/authentication/external/bind/"


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
        # As the address of the settings, so that the browser is not sent there first.
        answer = self.get(f"/core/auth/{name}/qr/{step}/", **{"HTTP_HOST": SITE, **extra})
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
