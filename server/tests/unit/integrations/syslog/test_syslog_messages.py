"""Messages of RFC 5424: caps, escaping, framing."""

from datetime import UTC, datetime

import pytest

from postern.integrations.syslog.message import MOST_UDP_BYTES, Header, framed, message

AT = datetime(2026, 2, 3, 4, 5, 6, 7, tzinfo=UTC)
HEADER = Header(13, "gate.example.com", "postern")


def made(text: str = "x", *, kind: str = "a.b", header: Header = HEADER, most: int = 8000, **params: str) -> bytes:
    return message(header, severity=5, at=AT, kind=kind, params=params, text=text, most_bytes=most)


def test_whole_message() -> None:
    assert made("héllo", id="1") == (
        b'<109>1 2026-02-03T04:05:06.000007Z gate.example.com postern - a.b [postern@32473 id="1"] '
        b"\xef\xbb\xbfh\xc3\xa9llo"
    )


def test_values_are_escaped_and_cannot_forge_lines() -> None:
    content = made(user='a"]\\\n<13>1 forged').decode()
    assert r'user="a\"\]\\ <13>1 forged"' in content
    assert "\n" not in content


@pytest.mark.parametrize("text", ["界" * 9000, "a" * 9000, "é" * 4001])
@pytest.mark.parametrize("most", [8000, MOST_UDP_BYTES])
def test_length_is_capped_between_characters(text: str, most: int) -> None:
    content = made(text, most=most)
    assert most - 3 < len(content) <= most
    content.decode()


def test_fields_of_the_header_hold_no_blanks_and_are_never_empty() -> None:
    content = made(kind="名", header=Header(13, "a b", "")).decode()
    assert content.split(" ")[2:6] == ["ab", "-", "-", "-"]


def test_frame_counts_bytes() -> None:
    assert framed("é\n".encode()) == b"3 \xc3\xa9\n"
