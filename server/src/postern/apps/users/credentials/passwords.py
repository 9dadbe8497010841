"""Password rules. Pure functions, apart from Django's list of common passwords.

Defaults follow the ruling on the specification: at least 12 characters, common passwords refused; composition rules and
expiry exist but are off.
"""

import functools
import itertools
import string
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.password_validation import CommonPasswordValidator

#: argon2 accepts any length; a limit keeps one request from using too much CPU (K41: every text has a limit).
MAX_PASSWORD_CHARS: Final = 128
#: A smaller limit would refuse many good passphrases that contain a short name by chance.
_MIN_RELATED_CHARS: Final = 4
#: From this number of days on, the setting means "never": the contract's default is 9999.
NEVER_EXPIRES_DAYS: Final = 9999
_WARN_DAYS: Final = 5


@dataclass(frozen=True, slots=True)
class PasswordRules:
    """The rules in force. `history_count`: number of latest passwords that may not be reused."""

    min_chars: int = 12
    admin_min_chars: int = 12
    upper_case: bool = False
    lower_case: bool = False
    number: bool = False
    special_char: bool = False
    history_count: int = 5
    refuse_common: bool = True
    expiration_days: int = NEVER_EXPIRES_DAYS


@dataclass(frozen=True, slots=True)
class PasswordProblem:
    """Why a password is refused: a stable `code` and the number for its message."""

    code: str
    number: int = 0


@functools.cache
def _common_passwords() -> frozenset[str]:
    return frozenset(CommonPasswordValidator().passwords)


def password_problems(
    password: str, rules: PasswordRules, *, for_admin: bool = False, related: tuple[str, ...] = ()
) -> tuple[PasswordProblem, ...]:
    """All rules that `password` violates; empty when it is accepted.

    `related` are texts of the user (login name, name, mail address). A password that equals one of them, or one of them
    with a few more characters, is refused.
    """
    problems: list[PasswordProblem] = []
    min_chars = max(rules.admin_min_chars, rules.min_chars) if for_admin else rules.min_chars
    if len(password) < min_chars:
        problems.append(PasswordProblem("password_too_short", min_chars))
    if len(password) > MAX_PASSWORD_CHARS:
        problems.append(PasswordProblem("password_too_long", MAX_PASSWORD_CHARS))
    if rules.upper_case and not any(char.isupper() for char in password):
        problems.append(PasswordProblem("password_needs_upper_case"))
    if rules.lower_case and not any(char.islower() for char in password):
        problems.append(PasswordProblem("password_needs_lower_case"))
    if rules.number and not any(char.isdigit() for char in password):
        problems.append(PasswordProblem("password_needs_number"))
    if rules.special_char and not any(_is_special(char) for char in password):
        problems.append(PasswordProblem("password_needs_special_char"))
    if rules.refuse_common and _is_common(password):
        problems.append(PasswordProblem("password_too_common"))
    if _is_related(password, related):
        problems.append(PasswordProblem("password_like_name"))
    return tuple(problems)


def _is_special(char: str) -> bool:
    return char in string.punctuation or unicodedata.category(char)[0] in "PSZ"


def _is_common(password: str) -> bool:
    folded = password.casefold().strip()
    common = _common_passwords()
    # "password1234" is as easy to guess as "password": digits and marks around a common word add nothing.
    bare = folded.strip(string.digits + string.punctuation)
    one_char = len(set(folded)) <= 2  # "aaaaaaaaaaaa", "121212121212"
    return folded in common or (bool(bare) and bare in common) or one_char or _is_sequence(folded)


def _is_sequence(text: str) -> bool:
    """Whether each character follows its neighbour, like `abcdefghijkl` or `123456789012`; digits wrap around."""
    steps = {(ord(after) - ord(before)) for before, after in itertools.pairwise(text)}
    return len(text) > 1 and (steps <= {1, -9} or steps <= {-1, 9})


def _is_related(password: str, related: tuple[str, ...]) -> bool:
    folded = password.casefold()
    for text in related:
        for part in (text.casefold(), text.casefold().partition("@")[0]):
            if len(part) >= _MIN_RELATED_CHARS and part in folded and len(folded) - len(part) < _MIN_RELATED_CHARS:
                return True
            if folded and folded == part:
                return True
    return False


def days_until_expiry(last_updated_at: datetime | None, rules: PasswordRules, *, now: datetime) -> int | None:
    """Whole days until the password expires (0 or less: expired); None when passwords do not expire."""
    if rules.expiration_days <= 0 or rules.expiration_days >= NEVER_EXPIRES_DAYS or last_updated_at is None:
        return None
    elapsed = now - last_updated_at
    return rules.expiration_days - max(elapsed, timedelta(0)).days


def expiry_warning_due(days_left: int | None) -> bool:
    """Whether to warn the user: five or fewer days remain."""
    return days_left is not None and days_left <= _WARN_DAYS
