"""What people are told about refused passwords and keys."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from postern.apps.users.credentials.passwords import PasswordProblem
from postern.apps.users.credentials.public_keys import MAX_KEYS, MAX_RSA_BITS, MIN_RSA_BITS, PublicKeyProblem


def password_messages(problems: Iterable[PasswordProblem]) -> tuple[str, ...]:
    """One sentence for each problem, in the active language."""
    return tuple(_password_message(problem) for problem in problems)


def _password_message(problem: PasswordProblem) -> str:
    match problem.code:
        case "password_too_short":
            return _("Password minimum length %(number)d") % {"number": problem.number}
        case "password_too_long":
            return _("The password may have %(number)d characters at most.") % {"number": problem.number}
        case "password_needs_upper_case":
            return _("The password must contain an upper-case letter.")
        case "password_needs_lower_case":
            return _("The password must contain a lower-case letter.")
        case "password_needs_number":
            return _("The password must contain a digit.")
        case "password_needs_special_char":
            return _("The password must contain a special character.")
        case "password_too_common":
            return _("This password is too easy to guess. Take several words that do not belong together.")
        case "password_like_name":
            return _("The password is too much like the name of its owner.")
        case "password_used_before":
            return _("The last %(number)d passwords may not be used again.") % {"number": problem.number}
        case code:
            raise ValueError(code)


def public_key_message(problem: PublicKeyProblem) -> str:
    """What is wrong with a public key, in the active language."""
    match problem.reason:
        case "too_short":
            return _("RSA keys need %(number)d bits or more.") % {"number": MIN_RSA_BITS}
        case "too_long":
            return _("RSA keys may have %(number)d bits at most.") % {"number": MAX_RSA_BITS}
        case "too_many":
            return _("%(number)d keys are the limit.") % {"number": MAX_KEYS}
        case "unsupported":
            return _("This kind of key is not supported. Use an Ed25519, ECDSA or RSA key.")
        case _:
            return _("This is not an SSH public key. Paste the line of your .pub file, one key per line.")
