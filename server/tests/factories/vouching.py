"""What the tests of providers that vouch for their people have in common, whatever the protocol."""

from typing import Any, ClassVar, Final

from rest_framework.test import APIClient

from factories.browser import Browser
from factories.external import SITE, visit_of

CONFIRMATION: Final = "/api/v1/authentication/confirmation/"


def confirming_visit(answer: Any) -> str:
    """The visit of the profile page, to which the answer leads."""
    location = str(answer.headers["Location"])
    assert location.startswith("/ui/users/profile?activeTab=info&external="), location
    assert location.endswith("&by=confirm")
    return visit_of(location)


def saved(admin: APIClient, path: str, form: dict[str, Any]) -> dict[str, Any]:
    """A provider that an administrator has added."""
    answer = admin.post(path, form)
    assert answer.status_code == 201, answer.content
    made: dict[str, Any] = answer.json()
    return made


class VouchedGuest(Browser):
    """A browser on a visit to a provider. `kind`: the protocol."""

    kind: ClassVar[str]

    def generic(self, method: str, path: str, *args: Any, **extra: Any) -> Any:
        return super().generic(method, path, *args, **{"HTTP_ACCEPT_LANGUAGE": "en", **extra})

    def start(self, slug: str = "corp", **query: str) -> str:
        """The address to which Postern leads the browser."""
        between = f"{slug}/" if slug else ""
        answer = self.get(f"/core/auth/{self.kind}/{between}login/", query, HTTP_HOST=SITE)
        assert answer.status_code == 302, answer.content
        return str(answer.headers["Location"])

    def visit_at(self, answer: Any) -> str:
        """The visit of our own page, to which the answer leads."""
        location = str(answer.headers["Location"])
        assert location.startswith("/core/auth/login/?external=")
        assert location.endswith(f"&by={self.kind}")
        return visit_of(location)

    def start_to_confirm(self, target: str = "/ui/users/profile?dialog=mfa-enable", **extra: Any) -> str:
        """The address to which Postern leads a signed-in person who confirms who they are."""
        answer = self.get("/core/auth/confirm/", {"next": target}, HTTP_HOST=SITE, **extra)
        assert answer.status_code == 302, answer.content
        return str(answer.headers["Location"])

    def confirm(self, visit: str) -> Any:
        return self.post(CONFIRMATION, {"id": visit})

    def use(self, visit: str) -> Any:
        if "csrftoken" not in self.cookies:
            self.get("/api/v1/authentication/sign-in/")
        return self.post(f"/api/v1/authentication/{self.kind}/sign-in/", {"id": visit})
