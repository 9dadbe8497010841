import pytest
from hypothesis import given
from hypothesis import strategies as st

from postern.apps.assets.assets import protocols
from postern.apps.assets.assets.protocols import ProtocolPort
from postern.contracts.enums import Protocol


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ssh/22", ProtocolPort(Protocol.SSH, 22)),
        ("rdp/3389", ProtocolPort(Protocol.RDP, 3389)),
        ("telnet/1", ProtocolPort(Protocol.TELNET, 1)),
        ("vnc/65535", ProtocolPort(Protocol.VNC, 65535)),
    ],
)
def test_parse_of_a_valid_text_gives_name_and_port(text: str, expected: ProtocolPort) -> None:
    assert protocols.parse(text) == expected
    assert str(expected) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ssh",
        "ssh/",
        "ssh/0",
        "ssh/65536",
        "ssh/-1",
        "ssh/22 ",
        " ssh/22",
        "ssh/22\n",
        "SSH/22",
        "mysql/3306",
        "ssh/２２",
        "ssh/22/22",
    ],
)
def test_parse_of_an_invalid_text_gives_none(text: str) -> None:
    assert protocols.parse(text) is None


@given(st.text(max_size=20))
def test_parse_never_raises_and_round_trips(text: str) -> None:
    parsed = protocols.parse(text)
    if parsed is not None:
        assert protocols.parse(str(parsed)) == parsed


def test_repeated_returns_the_protocol_that_is_given_twice() -> None:
    assert protocols.repeated([ProtocolPort(Protocol.SSH, 22), ProtocolPort(Protocol.RDP, 22)]) is None
    assert protocols.repeated([ProtocolPort(Protocol.SSH, 22), ProtocolPort(Protocol.SSH, 2222)]) is Protocol.SSH
