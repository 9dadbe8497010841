"""A browser that signs in through the real form, with cookies and CSRF checks."""

from typing import Any

from rest_framework.test import APIClient

from factories.puzzles import post_solving

PASSWORD = "violet anchor seventeen"


class Browser(APIClient):
    """An API client with cookies and enforced CSRF checks. It sends the CSRF token as the console does."""

    def __init__(self, address: str = "192.0.2.10") -> None:
        super().__init__(enforce_csrf_checks=True, REMOTE_ADDR=address)

    def generic(self, method: str, path: str, *args: Any, **extra: Any) -> Any:
        token = self.cookies.get("csrftoken")
        if token is not None and token.value:
            extra.setdefault("HTTP_X_CSRFTOKEN", token.value)
        return super().generic(method, path, *args, **extra)

    def sign_in(self, username: str, password: str = PASSWORD, **more: Any) -> Any:
        if "csrftoken" not in self.cookies:
            self.get("/api/v1/authentication/sign-in/")
        body = {"username": username, "password": password, **more}
        return post_solving(self, "/api/v1/authentication/sign-in/", body)
