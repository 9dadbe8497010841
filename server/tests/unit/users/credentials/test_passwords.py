from datetime import UTC, datetime, timedelta

import pytest

from postern.apps.users.credentials.passwords import (
    PasswordRules,
    days_until_expiry,
    expiry_warning_due,
    password_problems,
)

GOOD = "violet anchor seventeen"


def codes(password: str, rules: PasswordRules | None = None, **kwargs: object) -> list[str]:
    return [problem.code for problem in password_problems(password, rules or PasswordRules(), **kwargs)]  # type: ignore[arg-type]  # keywords are passed through


@pytest.mark.spec("S5-021")
def test_password_default_minimum_is_twelve():
    assert PasswordRules().min_chars == 12
    assert codes("qzjvkxwmplb") == ["password_too_short"]
    assert codes("qzjvkxwmplbr") == []


def test_password_problem_carries_the_configured_minimum():
    (problem,) = password_problems("kxwm", PasswordRules(min_chars=6))
    assert (problem.code, problem.number) == ("password_too_short", 6)


def test_password_of_an_administrator_has_its_own_minimum():
    rules = PasswordRules(min_chars=8, admin_min_chars=16)
    assert codes("kxwmplbrvvq2", rules) == []
    assert codes("kxwmplbrvvq2", rules, for_admin=True) == ["password_too_short"]


@pytest.mark.spec("S5-020")
def test_password_composition_rules_are_off_by_default():
    rules = PasswordRules()
    assert [rules.upper_case, rules.lower_case, rules.number, rules.special_char] == [False] * 4
    assert codes(GOOD) == []


@pytest.mark.parametrize(
    ("rule", "bad", "good", "code"),
    [
        pytest.param(
            "upper_case",
            "violet anchor 17",
            "Violet anchor 17",
            "password_needs_upper_case",
            marks=pytest.mark.spec("S5-015"),
        ),
        pytest.param(
            "lower_case",
            "VIOLET ANCHOR 17",
            "vIOLET ANCHOR 17",
            "password_needs_lower_case",
            marks=pytest.mark.spec("S5-016"),
        ),
        pytest.param(
            "number",
            "violet anchor bay",
            "violet anchor b4y",
            "password_needs_number",
            marks=pytest.mark.spec("S5-017"),
        ),
        pytest.param(
            "special_char",
            "violetanchorbay",
            "violet-anchorbay",
            "password_needs_special_char",
            marks=pytest.mark.spec("S5-018"),
        ),
    ],
)
def test_enabled_password_composition_rule_refuses(rule: str, bad: str, good: str, code: str):
    rules = PasswordRules(**{rule: True})
    assert codes(bad, rules) == [code]
    assert codes(good, rules) == []


@pytest.mark.spec("S5-022")
@pytest.mark.parametrize(
    "password",
    ["password1234", "Superman!!!!!!", "aaaaaaaaaaaaaa", "123456789012345", "abcdefghijklmnop", "1q2w3e4r5t6y"],
)
def test_common_password_is_refused_by_default(password: str):
    assert "password_too_common" in codes(password)


def test_password_similar_to_the_user_name_is_refused():
    assert codes("alexander.hamilton1", related=("alexander.hamilton", "")) == ["password_like_name"]
    assert codes("hamilton.built.a.bank", related=("hamilton",)) == []


def test_password_longer_than_the_limit_is_refused():
    assert codes("kxwm " * 26) == ["password_too_long"]


@pytest.mark.spec("S5-023")
def test_password_expiry_is_off_by_default():
    assert (
        days_until_expiry(datetime(2000, 1, 1, tzinfo=UTC), PasswordRules(), now=datetime(2026, 1, 1, tzinfo=UTC))
        is None
    )


@pytest.mark.spec("S4-046", "S9-050")
def test_password_expires_when_the_days_reach_the_setting():
    rules, at = PasswordRules(expiration_days=90), datetime(2026, 1, 1, tzinfo=UTC)
    assert days_until_expiry(at, rules, now=at + timedelta(days=89)) == 1
    assert days_until_expiry(at, rules, now=at + timedelta(days=90)) == 0


@pytest.mark.spec("S4-047", "S9-042")
def test_password_expiry_warns_in_the_last_five_days():
    assert [expiry_warning_due(days) for days in (6, 5, 1, 0, None)] == [False, True, True, True, False]
