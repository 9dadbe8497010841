"""Providers of OpenID Connect in Postern, and browsers that walk to them and back."""

from typing import Any, Final

from rest_framework.test import APIClient

from factories.external import SITE
from factories.vouching import VouchedGuest, saved
from peers.openid_stand_in import CLIENT_ID, SECRET, OpenidStandIn

PROVIDERS: Final = "/api/v1/authentication/openid-providers/"


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
    return saved(admin, PROVIDERS, form)


class Guest(VouchedGuest):
    """A browser on a visit to a provider."""

    kind = "openid"

    def arrive(self, back: str) -> Any:
        """The answer to the browser that comes back."""
        answer = self.get(back, HTTP_HOST=SITE)
        assert answer.status_code == 302, answer.content
        return answer

    def come_back(self, back: str) -> str:
        """The visit of our own page, after the callback."""
        return self.visit_at(self.arrive(back))

    def walk(self, stand_in: OpenidStandIn, slug: str = "corp", **more: str) -> Any:
        """The whole way: to the provider, back, and the request of our own page."""
        return self.use(self.come_back(stand_in.come_back(self.start(slug), **more)))
