"""Requests that the file manager's forwarder takes."""

from typing import Any
from uuid import UUID

import pytest

from postern.apps.sessions.files.asked import MAX_BODY_BYTES, asked_of
from postern.apps.sessions.files.refusals import Refused
from postern.contracts.files import SLICE_BYTES

TERMINAL = "0198f0aa-0000-7000-8000-000000000001"
SESSION = "0198f0aa-0000-7000-8000-000000000002"


def scope(method: str = "GET", path: str = "list", query: bytes = b"", **headers: str) -> dict[str, Any]:
    encoded = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    return {
        "method": method,
        "path": path if path.startswith("/") else f"/files/{TERMINAL}/{SESSION}/{path}",
        "query_string": query,
        "headers": encoded,
    }


def refusal(given: dict[str, Any]) -> int:
    with pytest.raises(Refused) as refused:
        asked_of(given)
    return refused.value.status


def test_request_is_taken_apart() -> None:
    asked = asked_of(scope("PUT", "upload/u_1-x", b"offset=8&path=YQ/Yg%3D", content_length="12", if_match='"a"'))
    assert asked.terminal_id == UUID(TERMINAL)
    assert (asked.method, asked.path, asked.query) == ("PUT", f"/{SESSION}/upload/u_1-x", "offset=8&path=YQ/Yg%3D")
    assert (asked.headers, asked.length) == ({"If-Match": '"a"'}, 12)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "list/",
        "../list",
        "list/../place",
        "./list",
        "a b",
        "list\n",
        "lïst",
        "%2e%2e/list",
        "/files/",
        f"/files/{TERMINAL}/{SESSION}",
        f"/files/{TERMINAL}/{SESSION}/",
        f"/files/{TERMINAL}//list",
        f"/files/{TERMINAL}/{'-' * 36}/list",
        f"/files/{'f' * 36}/{SESSION}/list",
        f"/files/{TERMINAL}/{SESSION}//list",
        "x" * 600,
    ],
)
def test_path_of_another_form_is_unknown(path: str) -> None:
    assert refusal(scope(path=path if path.startswith("/") else f"/files/{TERMINAL}/{SESSION}/{path}")) == 404


@pytest.mark.parametrize("method", ["PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get"])
def test_other_methods_are_refused(method: str) -> None:
    assert refusal(scope(method)) == 405


@pytest.mark.parametrize("query", [b"a b", b"a\x00", b"\xff", b"a\r\nHost: x"])
def test_query_that_is_no_plain_text_is_refused(query: bytes) -> None:
    assert refusal(scope(query=query)) == 400


def test_body_states_its_size() -> None:
    assert asked_of(scope("PUT", content_length=str(MAX_BODY_BYTES))).length == MAX_BODY_BYTES >= SLICE_BYTES
    assert refusal(scope("PUT", content_length=str(MAX_BODY_BYTES + 1))) == 413
    assert refusal(scope("PUT", content_length="9" * 19)) == 413
    assert refusal(scope("PUT")) == 411
    assert refusal(scope("POST", transfer_encoding="chunked")) == 411
    assert refusal(scope("DELETE", content_length="1", transfer_encoding="chunked")) == 411
    for odd in ("", "-1", "+1", "1 ", "0x1", "9" * 40):
        assert refusal(scope("PUT", content_length=odd)) == 400, odd
    twice = scope("PUT", content_length="1")
    twice["headers"].append((b"content-length", b"2"))
    assert refusal(twice) == 400


def test_reading_request_has_no_body() -> None:
    assert asked_of(scope(content_length="0")).length is None
    assert asked_of(scope("DELETE")).length is None
    assert refusal(scope(content_length="1")) == 400
    assert refusal(scope("HEAD", content_length="1")) == 400


def test_only_headers_that_concern_the_file_are_forwarded() -> None:
    given = scope(
        content_type="text/plain", range="bytes=0-", if_none_match='"a"', if_range='"a"', accept="*/*",
        cookie="sessionid=x", authorization="Bearer x", x_postern_user="x", x_forwarded_for="x", host="x",
        connection="keep-alive", upgrade="websocket", expect="100-continue", te="trailers",
    )  # fmt: skip
    assert set(asked_of(given).headers) == {"Content-Type", "Range", "If-None-Match", "If-Range", "Accept"}


def test_header_that_is_twice_there_or_no_plain_text_is_not_forwarded() -> None:
    twice = scope(range="bytes=0-")
    twice["headers"].append((b"range", b"bytes=1-"))
    assert asked_of(twice).headers == {}
    assert asked_of(scope(content_type="text/\xfc")).headers == {}
