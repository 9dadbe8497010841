"""Messages about refused passwords and keys."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from postern.apps.users.credentials.passwords import PasswordProblem
from postern.kernel.ssh_keys.public_keys import MAX_KEYS, RSA_MAX_BITS, RSA_MIN_BITS, PublicKeyProblem


def password_messages(problems: Iterable[PasswordProblem]) -> tuple[str, ...]:
    """One sentence per problem, in the active language."""
    return tuple(_password_message(problem) for problem in problems)


def _password_message(problem: PasswordProblem) -> str:
    match problem.code:
        case "password_too_short":
            return _("Password minimum length %(number)d") % {"number": problem.number}
        case "password_too_long":
            return _("The password can have at most %(number)d characters.") % {"number": problem.number}
        case "password_needs_upper_case":
            return _("The password must contain an upper-case letter.")
        case "password_needs_lower_case":
            return _("The password must contain a lower-case letter.")
        case "password_needs_number":
            return _("The password must contain a digit.")
        case "password_needs_special_char":
            return _("The password must contain a special character.")
        case "password_too_common":
            return _("This password is too easy to guess. Use several unrelated words.")
        case "password_like_name":
            return _("The password is too similar to the user's name or e-mail address. Choose a different one.")
        case "password_used_before":
            return _("You cannot reuse any of the last %(number)d passwords.") % {"number": problem.number}
        case code:
            raise ValueError(code)


def public_key_message(problem: PublicKeyProblem) -> str:
    """The problem with a public key, in the active language."""
    match problem.reason:
        case "too_short":
            return _("RSA keys need at least %(number)d bits.") % {"number": RSA_MIN_BITS}
        case "too_long":
            return _("RSA keys can have at most %(number)d bits.") % {"number": RSA_MAX_BITS}
        case "too_many":
            return _("You can store at most %(number)d keys.") % {"number": MAX_KEYS}
        case "unsupported":
            return _("This kind of key is not supported. Use an Ed25519, ECDSA or RSA key.")
        case _:
            return _("This is not an SSH public key. Paste the line of your .pub file, one key per line.")
