"""Providers of SAML in Postern, and browsers that walk to them and back."""

from typing import Any, Final

from rest_framework.test import APIClient

from factories.browser import Browser
from factories.external import SITE, visit_of
from peers.saml_stand_in import SamlStandIn

PROVIDERS: Final = "/api/v1/authentication/saml-providers/"
SIGN_IN: Final = "/api/v1/authentication/saml/sign-in/"
ACROSS: Final = "postern_visit_across"


def form_of(stand_in: SamlStandIn, **more: Any) -> dict[str, Any]:
    """The form of a provider that creates users."""
    return {
        "name": "Corp",
        "slug": "corp",
        "metadata": stand_in.metadata(),
        "username_claim": "uid",
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
        answer = self.get(f"/core/auth/saml/{slug}/login/", query, HTTP_HOST=SITE)
        assert answer.status_code == 302, answer.content
        return str(answer.headers["Location"])

    def come_back(self, path: str, form: dict[str, Any]) -> str:
        """The visit of our own page, after the provider let the browser post its answer. No CSRF token crosses sites."""
        answer = self.post(path, form, format="multipart", HTTP_HOST=SITE, HTTP_X_CSRFTOKEN="", HTTP_ORIGIN="null")
        assert answer.status_code == 303, answer.content
        location = str(answer.headers["Location"])
        assert location.startswith("/core/auth/login/?external=")
        assert location.endswith("&by=saml")
        return visit_of(location)

    def use(self, visit: str) -> Any:
        if "csrftoken" not in self.cookies:
            self.get("/api/v1/authentication/sign-in/")
        return self.post(SIGN_IN, {"id": visit})

    def walk(self, stand_in: SamlStandIn, slug: str = "corp", **changes: Any) -> Any:
        """The whole way: to the provider, back, and the request of our own page. `changes`: of the provider's answer."""
        return self.use(self.come_back(*stand_in.come_back(self.start(slug), **changes)))
