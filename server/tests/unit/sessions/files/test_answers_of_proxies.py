"""What of a proxy's answer reaches the browser."""

import pytest

from postern.apps.sessions.files.answers import browser_headers, is_possible

SAFE = [
    "application/json",
    "application/x-ndjson",
    "text/plain",
    "image/png",
    "image/jpeg",
    "image/gif",
    "image/webp",
    "image/avif",
    "application/zip",
    "application/x-tar",
    "application/octet-stream",
]
RUN_BY_BROWSERS = [
    "text/html",
    "TEXT/HTML; charset=utf-8",
    "application/xhtml+xml",
    "image/svg+xml",
    "text/xml",
    "application/xml",
    "text/javascript",
    "application/javascript",
    "application/wasm",
    "text/css",
    "application/pdf",
    "multipart/x-mixed-replace; boundary=x",
    "text/plain, text/html",
    "text/html;text/plain",
    "",
    "nonsense",
]


@pytest.mark.parametrize("media_type", SAFE)
def test_type_of_the_short_list_passes(media_type: str) -> None:
    headers = browser_headers(200, [("Content-Type", media_type.upper())])
    assert headers["Content-Type"] == media_type
    assert "Content-Disposition" not in headers


@pytest.mark.parametrize("media_type", RUN_BY_BROWSERS)
def test_any_other_type_becomes_a_download(media_type: str) -> None:
    for disposition in ("", "inline", "form-data; name=x"):
        headers = browser_headers(200, [("Content-Type", media_type), ("Content-Disposition", disposition)])
        assert headers["Content-Type"] == "application/octet-stream"
        assert headers["Content-Disposition"] == "attachment"


@pytest.mark.parametrize("media_type", ["", *SAFE, *RUN_BY_BROWSERS])
@pytest.mark.parametrize("status", [200, 204, 206, 304, 404])
def test_every_answer_is_sandboxed_and_belongs_to_our_origin(media_type: str, status: int) -> None:
    loose = [("Content-Security-Policy", "default-src *"), ("Cross-Origin-Resource-Policy", "cross-origin")]
    headers = browser_headers(status, [("Content-Type", media_type), *loose, ("X-Content-Type-Options", "")])
    assert headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"


def test_headers_that_act_on_the_origin_do_not_pass() -> None:
    acting = [
        "Set-Cookie",
        "Location",
        "Refresh",
        "Clear-Site-Data",
        "Service-Worker-Allowed",
        "Link",
        "WWW-Authenticate",
    ]
    acting += ["Access-Control-Allow-Origin", "Strict-Transport-Security", "Content-Encoding", "Alt-Svc", "Connection"]
    assert set(browser_headers(200, [(name, "x") for name in acting])) == {
        "Cache-Control",
        "Content-Disposition",
        "Content-Security-Policy",
        "Content-Type",
        "Cross-Origin-Resource-Policy",
        "X-Content-Type-Options",
    }


def test_what_describes_the_file_passes() -> None:
    told = {
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Length": "10",
        "Content-Range": "bytes 0-9/20",
        "Accept-Ranges": "bytes",
        "ETag": '"1-2"',
        "Last-Modified": "Sat, 28 Nov 2026 12:00:00 GMT",
        "Content-Disposition": "attachment; filename=\"a.txt\"; filename*=UTF-8''%E4%B8%AD.txt",
    }
    headers = browser_headers(206, told.items())
    assert {name: headers[name] for name in told} == told


@pytest.mark.parametrize("value", ["a\r\nSet-Cookie: x=1", "a\x00", "中", "\udc80"])
def test_value_that_is_no_plain_text_does_not_pass(value: str) -> None:
    headers = browser_headers(200, [("ETag", value), ("Content-Disposition", value), ("Content-Type", value)])
    assert "ETag" not in headers
    assert headers["Content-Disposition"] == "attachment"


@pytest.mark.parametrize(
    ("stated", "kept"),
    [
        (None, "private, no-store"),
        ("private, max-age=60", "private, max-age=60"),
        ("no-store", "no-store"),
        ("public, max-age=60", "private, no-store"),
        ("max-age=60", "private, no-store"),
        ("private, public", "private, no-store"),
    ],
)
def test_no_answer_is_kept_for_others(stated: str | None, kept: str) -> None:
    headers = [] if stated is None else [("Cache-Control", stated)]
    assert browser_headers(200, headers)["Cache-Control"] == kept


def test_proxy_neither_redirects_nor_changes_the_protocol() -> None:
    possible = {status for status in range(100, 700) if is_possible(status)}
    assert possible == {*range(200, 300), 304, *range(400, 600)}
