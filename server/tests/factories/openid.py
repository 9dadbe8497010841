"""Providers of OpenID Connect in Postern, and browsers that walk to them and back."""

from typing import Any, Final

from rest_framework.test import APIClient

from factories.browser import Browser
from factories.external import SITE, visit_of
from peers.openid_stand_in import CLIENT_ID, SECRET, OpenidStandIn

PROVIDERS: Final = "/api/v1/authentication/openid-providers/"
SIGN_IN: Final = "/api/v1/authentication/openid/sign-in/"


def form_of(stand_in: OpenidStandIn, **more: Any) -> dict[str, Any]:
    """The form of a provider that creates users."""
    return {
        "name": "Corp",
        "slug": "corp",
        "issuer": stand_in.issuer,
        "client_id": CLIENT_ID,
        "client_secret": SECRET,
        "creates_users": True,
        **more,
    }


def save(admin: APIClient, form: dict[str, Any]) -> dict[str, Any]:
    answer = admin.post(PROVIDERS, form)
    assert answer.status_code == 201, answer.content
    made: dict[str, Any] = answer.json()
    return made


class Guest(Browser):
    """A browser on a visit to a provider."""

    def generic(self, method: str, path: str, *args: Any, **extra: Any) -> Any:
        return super().generic(method, path, *args, **{"HTTP_ACCEPT_LANGUAGE": "en", **extra})

    def start(self, slug: str = "corp", **query: str) -> str:
        """The address to which Postern leads the browser."""
        between = f"{slug}/" if slug else ""
        answer = self.get(f"/core/auth/openid/{between}login/", query, HTTP_HOST=SITE)
        assert answer.status_code == 302, answer.content
        return str(answer.headers["Location"])

    def come_back(self, back: str) -> str:
        """The visit of our own page, after the callback."""
        answer = self.get(back, HTTP_HOST=SITE)
        assert answer.status_code == 302, answer.content
        location = str(answer.headers["Location"])
        assert location.startswith("/core/auth/login/?external=")
        assert location.endswith("&by=openid")
        return visit_of(location)

    def use(self, visit: str) -> Any:
        if "csrftoken" not in self.cookies:
            self.get("/api/v1/authentication/sign-in/")
        return self.post(SIGN_IN, {"id": visit})

    def walk(self, stand_in: OpenidStandIn, slug: str = "corp", **more: str) -> Any:
        """The whole way: to the provider, back, and the request of our own page."""
        return self.use(self.come_back(stand_in.come_back(self.start(slug), **more)))
