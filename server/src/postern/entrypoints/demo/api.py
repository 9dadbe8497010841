"""A client of this installation's HTTP API that acts for one person, with cookies like a browser."""

import copy
import http.cookiejar
import json
import secrets
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

from postern.kernel.errors import PosternError
from postern.kernel.secret import Secret

_TIMEOUT_S: Final = 30.0


class DemoFailed(PosternError):
    """The demo data could not be created; the message says at which step."""


class Api:
    """API calls of one signed-in person. Calls block, so use it in a thread. Unexpected answers raise DemoFailed."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._organization = ""
        self._cookies = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._cookies))

    def within(self, organization: str) -> "Api":
        """A client for the same person in another organization."""
        copied = copy.copy(self)
        copied._organization = organization  # noqa: SLF001 - a copy of the same class
        return copied

    def sign_in(self, username: str, password: Secret) -> "Api":
        """Sign in like the console."""
        self.call("GET", "/core/auth/login/")
        self.call("POST", "/api/v1/authentication/sign-in/", {"username": username, "password": password.reveal()})
        return self

    def read(self, path: str, query: Mapping[str, str] | None = None) -> Any:
        """The decoded answer of a GET; `path` is relative to /api/v1/."""
        return self.call("GET", f"/api/v1/{path}?{urlencode(query or {})}")

    def rows(self, path: str, query: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
        """The first hundred rows of a list."""
        results: list[dict[str, Any]] = self.read(path, {"limit": "100", "offset": "0", **(query or {})})["results"]
        return results

    def post(self, path: str, body: object) -> Any:
        """The decoded answer of a POST; `path` is relative to /api/v1/."""
        return self.call("POST", f"/api/v1/{path}", body)

    def ensure(self, path: str, name_field: str, body: Mapping[str, object]) -> str:
        """The id of the object with this name, which is created if necessary, so that an interrupted demo can be
        continued.
        """
        rows = self.rows(path, {name_field: str(body[name_field])})
        matching_rows = [row for row in rows if row[name_field] == body[name_field]]
        object_id: str = (matching_rows[0] if matching_rows else self.post(path, dict(body)))["id"]
        return object_id

    def call(self, method: str, path: str, body: object = None) -> Any:
        """A single call; `path` starts at the root."""
        return self._send(method, path, None if body is None else json.dumps(body).encode(), "application/json")

    def upload(self, path: str, field: str, name: str, content: bytes) -> Any:
        """POST a file as multipart form data; `path` is relative to /api/v1/."""
        boundary = secrets.token_hex(16)
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\n'
        data = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
        return self._send("POST", f"/api/v1/{path}", data, f"multipart/form-data; boundary={boundary}")

    def _send(self, method: str, path: str, data: bytes | None, content_type: str) -> Any:
        headers = {"Accept": "application/json", "Accept-Language": "en", "Referer": f"{self._url}/"}
        if self._organization:
            headers["X-JMS-ORG"] = self._organization
        token = next((cookie.value for cookie in self._cookies if cookie.name.endswith("csrftoken")), None)
        if token:
            headers["X-CSRFToken"] = token
        if data is not None:
            headers["Content-Type"] = content_type
        request = urllib.request.Request(self._url + path, data=data, method=method, headers=headers)  # noqa: S310 - own address
        try:
            with self._opener.open(request, timeout=_TIMEOUT_S) as answer:
                raw = answer.read()
        except urllib.error.HTTPError as error:
            with error:
                raise DemoFailed(
                    f"{method} {path}: {error.code} {error.read()[:500].decode(errors='replace')}"
                ) from error
        except OSError as error:
            raise DemoFailed(f"{method} {path}: {error}") from error
        try:
            return json.loads(raw) if raw else None
        except ValueError:
            return None  # an HTML page
