"""Refused requests of one connection: a flood is audited up to a limit, and what comes later is audited again."""

import pytest

from postern.proxies.ssh import refused_requests
from postern.proxies.ssh.refused_requests import RefusedRequests


class _Owner:
    remote_addr = "192.0.2.7"
    may_open = False

    def __init__(self) -> None:
        self.audited: list[str] = []

    def report_refused(self, request: str, detail: str) -> bool:
        self.audited.append(f"{request} {detail}")
        return True

    def open_for_report(self) -> None:
        raise AssertionError("a session is there")


def test_requests_after_a_flood_are_audited_again(monkeypatch: pytest.MonkeyPatch) -> None:
    clock_s = 100.0
    monkeypatch.setattr(refused_requests, "monotonic_s", lambda: clock_s)
    owner = _Owner()
    requests = RefusedRequests(owner)
    for number in range(1000):
        requests.add("direct-tcpip", f"10.0.0.1:{number}")
    assert owner.audited == [f"direct-tcpip 10.0.0.1:{number}" for number in range(50)]

    clock_s += 3600
    for number in range(1000):
        requests.add("direct-tcpip", f"10.0.0.2:{number}")
    assert owner.audited[50:] == [f"direct-tcpip 10.0.0.2:{number}" for number in range(50)]
