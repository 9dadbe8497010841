"""Providers of SAML in Postern, and browsers that walk to them and back."""

from typing import Any, Final

from rest_framework.test import APIClient

from factories.external import SITE
from factories.vouching import VouchedGuest, saved
from peers.saml_stand_in import SamlStandIn

PROVIDERS: Final = "/api/v1/authentication/saml-providers/"
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
    return saved(admin, PROVIDERS, form)


class Guest(VouchedGuest):
    """A browser on a visit to a provider."""

    kind = "saml"

    def arrive(self, path: str, form: dict[str, Any]) -> Any:
        """The answer to the browser that posts what the provider gave it. No CSRF token crosses sites."""
        answer = self.post(path, form, format="multipart", HTTP_HOST=SITE, HTTP_X_CSRFTOKEN="", HTTP_ORIGIN="null")
        assert answer.status_code == 303, answer.content
        return answer

    def come_back(self, path: str, form: dict[str, Any]) -> str:
        """The visit of our own page, after the provider let the browser post its answer."""
        return self.visit_at(self.arrive(path, form))

    def walk(self, stand_in: SamlStandIn, slug: str = "corp", **changes: Any) -> Any:
        """The whole way: to the provider, back, and the request of our own page. `changes`: of the provider's answer."""
        return self.use(self.come_back(*stand_in.come_back(self.start(slug), **changes)))
