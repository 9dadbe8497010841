"""The redirect helper never redirects off this server (K12: a redirect stays on this server)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postern.foundation.pages.redirects import HOME, safe_next

OFF_SITE = [
    "",
    "http://evil.test/",
    "https:evil.test",
    "//evil.test/",
    "///evil.test/",
    "/\\evil.test",
    "\\\\evil.test",
    "/%2f/evil.test",
    "%2f%2fevil.test",
    "/%2fevil.test",
    "/%252fevil.test",
    "/%25252fevil.test",
    "/%5cevil.test",
    "/%5Cevil.test/",
    "/\t/evil.test",
    "/%09/evil.test",
    "/%0d%0aLocation:%20//evil.test",
    "/\r\nSet-Cookie: a=b",
    "/ui/\x00",
    "/ /evil.test",
    "/%20/evil.test",
    "/ui/?search=a b",
    "/ui/?search=a%09b",
    "/@evil.test",
    "/%40evil.test",
    "javascript:alert(1)",
    "/ui/../../evil",
    "/%2e%2e/evil",
    "／／evil.test",
    "/／evil.test",
    "/%EF%BC%8Fevil.test",
    "/%e2%80%a8/evil",
    "ui/assets",
    "?next=//evil.test",
    "#//evil.test",
    "/ui/%2525252525252525252f",
    "/" + "a" * 3_000,
]


@pytest.mark.spec("S7-084")
@pytest.mark.parametrize("target", OFF_SITE)
def test_k12_redirect_target_off_site_becomes_home(target: str) -> None:
    assert safe_next(target) == HOME


@pytest.mark.spec("S7-084")
@pytest.mark.parametrize(
    "target",
    [
        "/ui/",
        "/ui/users/?search=a%20b&order=-name",
        "/ui/connect/?login_to=9f6c",
        "/ui/#/assets",
        "/ui/users?back=/ui/a/b",
    ],
)
def test_k12_redirect_target_on_site_is_kept(target: str) -> None:
    assert safe_next(target) == target


def test_missing_redirect_target_becomes_home() -> None:
    assert safe_next(None) == HOME


@given(st.text(alphabet="/\\%.@?#:ab25fcFC0dDaA \t\r\n／", max_size=24))
def test_k12_redirect_target_of_any_spelling_stays_on_this_server(target: str) -> None:
    target_used = safe_next(target)
    assert target_used.startswith("/")
    assert not target_used.startswith(("//", "/\\"))
    assert not set(target_used) & set("\\\r\n\t ")
