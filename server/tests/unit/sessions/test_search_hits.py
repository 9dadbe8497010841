"""What a search shows of the lines of a piece."""

import pytest

from postern.apps.sessions.search import hits
from postern.contracts.search.lines import Line, LineKind
from postern.kernel.secret_patterns import HIDDEN, masked


def test_only_the_lines_that_are_shown_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def noted(text: str, known: object = ()) -> str:
        del known
        seen.append(text)
        return masked(text)

    monkeypatch.setattr(hits, "masked", noted)
    lines = [Line(n, LineKind.COMMAND if n % 3 else LineKind.SCREEN, f"line {n} token=x{n}") for n in range(60)]
    (hit,) = hits.hits_in(lines, "line 30 ", None, 0)
    assert hit.before == [f"line {n} token={HIDDEN}" for n in (24, 27)]
    assert hit.after == [f"line {n} token={HIDDEN}" for n in (33, 36)]
    assert len(seen) == 4


def test_what_is_known_to_be_hidden_is_not_shown() -> None:
    (hit,) = hits.hits_in([Line(0, LineKind.SCREEN, "a secret b", 0, ((2, 8),))], "a secret", None, 0)
    assert (hit.line, hit.matches) == (f"a {HIDDEN} b", [(0, 2 + len(HIDDEN))])
