"""TOTP codes compared with the vectors of RFC 6238, and recovery codes as users type them."""

import base64
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pyotp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from postern.apps.authn.second_factors import recovery, totp
from postern.kernel.secret import Secret

SECRET = Secret(base64.b32encode(b"12345678901234567890").decode())
NOON = datetime(2026, 11, 21, 12, 0, 15, tzinfo=UTC)


@pytest.mark.parametrize(
    ("instant", "code"),
    [(59, "287082"), (1111111109, "081804"), (1111111111, "050471"), (1234567890, "005924"), (2000000000, "279037")],
)
def test_codes_are_those_of_rfc_6238(instant: int, code: str):
    now = datetime.fromtimestamp(instant, tz=UTC)
    assert totp.matching_step(SECRET, code, now=now) == instant // 30


@pytest.mark.spec("S5-011", "S9-044")
@given(st.text(max_size=12))
def test_only_six_digits_have_the_form_of_a_code(text: str):
    assert totp.is_code(text) == (len(text) == 6 and all(character in "0123456789" for character in text))


@pytest.mark.parametrize("offset", [-2, -1, 0, 1, 2])
def test_window_is_one_step_each_way(offset: int):
    """Uses a code that the app shows `offset` time steps from now."""
    shown_at = NOON + timedelta(seconds=30 * offset)
    code = pyotp.TOTP(SECRET.reveal()).at(shown_at)
    step = totp.matching_step(SECRET, code, now=NOON)
    assert step == (totp.step_at(shown_at) if abs(offset) <= 1 else None)


def test_secrets_have_160_bits_and_are_never_equal():
    made = [totp.new_secret().reveal() for _ in range(20)]
    assert {len(base64.b32decode(secret)) for secret in made} == {20}
    assert len(set(made)) == 20


def test_qr_picture_is_a_square_with_its_three_finder_patterns():
    rows = totp.qr_rows("otpauth://totp/Postern:ann?secret=A&issuer=Postern")
    assert {len(row) for row in rows} == {len(rows)}
    for top, left in ((0, 0), (0, len(rows) - 7), (len(rows) - 7, 0)):
        assert [row[left : left + 7] for row in rows[top : top + 7]] == [
            "1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111",
        ]  # fmt: skip


def test_ten_random_recovery_codes_are_accepted_in_any_spelling():
    user = uuid4()
    codes = recovery.new_codes()
    assert len(set(codes)) == recovery.COUNT == 10
    for code in codes:
        typed = code.upper().replace("-", "  ")
        assert recovery.code_hash(user, typed) == recovery.code_hash(user, code)
        assert recovery.code_hash(uuid4(), code) != recovery.code_hash(user, code)
