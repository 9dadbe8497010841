"""What all clients of other services share, against a server that misbehaves in every way."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.cache import cache
from django.utils import translation

from peers.company_apps import Wecom, serving
from postern.foundation.network import outbound
from postern.foundation.phrases import said, sentence_from, stored
from postern.integrations.web_apis.app_tokens import AppTokens, Fetched
from postern.integrations.web_apis.calls import WebCalls
from postern.integrations.web_apis.failures import Fault, WebApiFailed
from postern.kernel.clock import monotonic_s
from postern.kernel.secret import Secret
from postern.kernel.sentences import Sentence


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    cache.clear()
    with translation.override("en"):
        yield


@pytest.fixture
def service() -> Iterator[Wecom]:
    with serving(Wecom()) as running:
        assert isinstance(running, Wecom)
        yield running


def failure(url: str, limit_s: float = 5) -> WebApiFailed:
    with pytest.raises(WebApiFailed) as caught:
        WebCalls(check=outbound.check_dial, limit_s=limit_s).get(url, {"a": "b"})
    return caught.value


@pytest.mark.parametrize(
    ("manner", "words"),
    [
        ("html", "not the expected service (HTTP status 200)"),
        ("error_html", "not the expected service (HTTP status 502)"),
        ("redirect", "not the expected service (HTTP status 302)"),
        ("list", "not the expected service"),
        ("deep", "not the expected service"),
        ("huge", "longer than expected"),
        ("lost", "cannot be reached"),
    ],
)
def test_what_is_no_answer_is_refused_with_a_reason(service: Wecom, manner: str, words: str) -> None:
    service.manner = manner
    assert words in failure(f"{service.base}/cgi-bin/gettoken").message


def test_a_redirect_is_not_followed(service: Wecom) -> None:
    service.manner = "redirect"
    failure(f"{service.base}/cgi-bin/gettoken")
    service.manner = ""
    assert service.asked == []


@pytest.mark.parametrize("manner", ["silent", "drip"])
def test_one_deadline_ends_a_call(service: Wecom, manner: str) -> None:
    service.manner = manner
    started = monotonic_s()
    assert "did not answer within 1 seconds" in failure(f"{service.base}/x", limit_s=1).message
    assert monotonic_s() - started < 2


def test_the_deadline_covers_all_calls_of_an_operation(service: Wecom) -> None:
    calls = WebCalls(check=outbound.check_dial, limit_s=0.05)
    threading.Event().wait(0.1)
    with pytest.raises(WebApiFailed, match="did not answer within"):
        calls.get(f"{service.base}/cgi-bin/gettoken", {"corpid": "a", "corpsecret": "b"})


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://metadata.google.internal/x", "metadata|cannot be resolved"),
        ("https://169.254.169.254/x", "metadata service"),
        ("ftp://127.0.0.1/", "begins with https"),
        ("https://", "begins with https"),
        ("https://user:word@127.0.0.1/", "begins with https"),
        ("https://127.0.0.1:99999/", "begins with https"),
        ("https://no-such-name.invalid/", "cannot be resolved"),
        ("http://127.0.0.1:1/", "cannot be reached"),
    ],
)
def test_addresses_that_are_not_dialled(url: str, words: str) -> None:
    assert any(part in failure(url).message for part in words.split("|")), failure(url).message


def test_k20_a_server_without_a_valid_certificate_is_refused(service: Wecom) -> None:
    assert "TLS with 127.0.0.1 failed" in failure(f"https://127.0.0.1:{service.port}/x").message


def test_k20_secrets_leave_the_machine_over_tls_only() -> None:
    with pytest.raises(WebApiFailed, match="without encryption"):
        WebCalls(check=lambda _host, port: outbound.DialTarget("192.0.2.1", port), limit_s=1).get(
            "http://a.example/", {}
        )


def test_a_failure_can_be_said_in_another_language_later(service: Wecom) -> None:
    service.manner = "html"
    kept = stored(failure(f"{service.base}/x").sentence)
    assert "127.0.0.1" in said(sentence_from(kept), "zh-hans")
    assert "expected" not in said(sentence_from(kept), "zh-hans")


class _Source:
    """Fetches tokens, slowly, and counts."""

    def __init__(self, lifetime_s: int = 7200) -> None:
        self.fetched = 0
        self.lifetime_s = lifetime_s

    def __call__(self) -> Fetched:
        self.fetched += 1
        threading.Event().wait(0.1)
        return Fetched(Secret(f"token-{self.fetched}"), self.lifetime_s)

    def tokens(self, secret: str = "s") -> AppTokens:
        return AppTokens("https://a.example", "app", Secret(secret), self)


def test_one_token_serves_everybody_who_asks_at_once() -> None:
    source = _Source()
    with ThreadPoolExecutor(8) as pool:
        used = list(pool.map(lambda _n: source.tokens().use(lambda token: token), range(20)))
    assert set(used) == {"token-1"}
    assert source.fetched == 1


def test_a_refused_token_is_replaced_once() -> None:
    source = _Source()
    source.tokens().use(lambda token: token)

    def call(token: str) -> str:
        if token == "token-1":
            raise WebApiFailed(Sentence("spent"), fault=Fault.TOKEN)
        return token

    assert source.tokens().use(call) == "token-2"
    assert source.tokens().use(call) == "token-2"
    assert source.fetched == 2


def test_a_token_that_is_always_refused_ends_after_the_second_try() -> None:
    source = _Source()

    def call(_token: str) -> str:
        raise WebApiFailed(Sentence("spent"), fault=Fault.TOKEN)

    with pytest.raises(WebApiFailed):
        source.tokens().use(call)
    assert source.fetched == 2


def test_a_token_that_ends_within_five_minutes_is_not_kept() -> None:
    source = _Source(lifetime_s=300)
    source.tokens().use(lambda token: token)
    source.tokens().use(lambda token: token)
    assert source.fetched == 2


def test_another_secret_does_not_get_the_token() -> None:
    source = _Source()
    source.tokens().use(lambda token: token)
    assert source.tokens("other").use(lambda token: token) == "token-2"


def test_the_stored_token_is_encrypted() -> None:
    source = _Source()
    source.tokens().use(lambda token: token)
    kept = cache.get(source.tokens()._key)
    assert kept
    assert b"token-1" not in kept
