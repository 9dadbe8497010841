"""The readings of an SSH user name. The control plane picks the first reading whose user exists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postern.contracts.access import LoginNameAnswer
from postern.contracts.login_name import readings

PEOPLE = {"ann", "ann@corp", "bob+ops", "a.b-c_d"}


def reading_of(text: str) -> tuple[str, str, str]:
    possible = readings(text)
    answer = next((reading for reading in possible if reading.username in PEOPLE), possible[-1])
    return answer.username, answer.system_user, answer.asset


@pytest.mark.parametrize(
    ("text", "username", "system_user", "asset"),
    [
        ("ann", "ann", "", ""),
        ("ann@web-1", "ann", "", "web-1"),
        ("ann@root@web-1", "ann", "root", "web-1"),
        ("ann@corp", "ann@corp", "", ""),
        ("ann@corp@root@web-1", "ann@corp", "root", "web-1"),
        ("ann=web-1", "ann", "", "web-1"),
        ("ann=root=web-1", "ann", "root", "web-1"),
        ("ann@corp=root=web-1", "ann@corp", "root", "web-1"),
        ("bob+ops=root=web-1", "bob+ops", "root", "web-1"),
        # Names that contain a separator.
        ("ann=root=web=1", "ann", "root", "web=1"),
        ("ann=root=web@dc2", "ann", "root", "web@dc2"),
        ("ann=ops=root@corp=web", "ann", "ops", "root@corp=web"),
        ("ann@web=1", "ann", "", "web=1"),
        ("ann@root@web=1", "ann", "root", "web=1"),
        ("ann@ops=db@web-1", "ann", "ops=db", "web-1"),
        ("ann=root=::1", "ann", "root", "::1"),
        # Unknown users: attempts count for the name that was typed.
        ("eve=root=web-1", "eve", "root", "web-1"),
        ("eve@root@web-1", "eve", "root", "web-1"),
        ("eve@x=root=web-1", "eve", "", "x=root=web-1"),
        ("=root=web", "=root=web", "", ""),
        ("", "", "", ""),
        ("ann=", "ann", "", ""),
        ("ann=root=", "ann", "root", ""),
    ],
)  # fmt: skip
def test_login_name_has_one_meaning(text: str, username: str, system_user: str, asset: str) -> None:
    assert reading_of(text) == (username, system_user, asset)


_NAMES = st.text(alphabet="abz09._+-", min_size=1, max_size=12)
_PRINTABLE = st.text(alphabet="abz09._+-%#/:,~=", min_size=1, max_size=12)


@given(_NAMES, _PRINTABLE.filter(lambda text: "=" not in text), _PRINTABLE)
def test_equals_form_round_trips(person: str, system_user: str, asset: str) -> None:
    expected = LoginNameAnswer(username=person, system_user=system_user, asset=asset)
    assert readings(f"{person}={system_user}={asset}")[0] == expected


@given(_NAMES, _PRINTABLE, _PRINTABLE)
def test_at_form_has_a_reading_with_the_given_names_whatever_their_characters(
    person: str, system_user: str, asset: str
) -> None:
    possible = readings(f"{person}@{system_user}@{asset}")
    meaning = next(reading for reading in possible if reading.username == person)
    assert (meaning.system_user, meaning.asset) == (system_user, asset)


@given(st.text(max_size=600))
def test_any_text_has_only_a_few_readings(text: str) -> None:
    assert 1 <= len(readings(text)) <= 4
    if "@" not in text and "=" not in text:
        assert [reading.username for reading in readings(text)] == [text[:512]]
