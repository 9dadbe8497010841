"""The order in which sign-in methods of a target are tried, and the message if none sufficed.

RFC 4252 lets a server require several methods in sequence ("partial success"). The target counts failed tries: it may
lock the account, or disconnect after a few. So each method is tried once per step, a refused password is not sent again
by another method, and two failed tries end the sign-in.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from postern.kernel.sentences import Sentence, joined
from postern.proxies.core.texts import Text

#: Maximum failed tries per connection. OpenSSH disconnects after six; lock-out modules often count three.
MAX_FAILED_TRIES: Final = 2
#: Maximum rounds of questions in one keyboard-interactive try, including messages without a question.
MAX_ROUNDS: Final = 8

PUBLIC_KEY: Final = "publickey"
PASSWORD: Final = "password"  # noqa: S105 - the name of a method
KEYBOARD: Final = "keyboard-interactive"
#: `password` comes before keyboard-interactive: its question is unambiguous, and many hosts offer keyboard-interactive
#: without supporting it.
_ORDER: Final = (PUBLIC_KEY, PASSWORD, KEYBOARD)
_MAX_NAMED_METHODS: Final = 8

#: How PAM and common appliances ask for the password, in their translations.
_ASKS_PASSWORD: Final = re.compile(
    r"password|passwd|passwort|passord|adgangskode|kennwort|lösenord|wachtwoord|salasana|mot de passe|contrase[nñ]a|"
    r"contrasenya|senha|palavra-passe|parola|parolă|hasło|heslo|geslo|lozinka|jelszó|slaptažodis|parool|пароль|парола|"
    r"лозинка|συνθηματικό|şifre|סיסמה|كلمة|गुप्तशब्द|パスワード|암호|密码|密碼|口令|mật khẩu|kata sandi",
    re.IGNORECASE,
)
#: Questions that contain such a word but ask for something else.
_ASKS_ANOTHER: Final = re.compile(
    r"\bnew\b|re-?enter|re-?type|again|confirm|change|one[- ]?time|\botp\b|oath|opie|s/key|token|\bcode\b|verification",
    re.IGNORECASE,
)
_EXPIRED: Final = re.compile(
    r"\bnew\b.*password|password.*(expired|change)|change.*password", re.IGNORECASE | re.DOTALL
)


class Question(Enum):
    """What a round of keyboard-interactive asks for."""

    NOTHING = "nothing"
    PASSWORD = "password"  # noqa: S105 - no password
    NEW_PASSWORD = "new password"  # noqa: S105 - no password
    ANOTHER = "another"


def question_of(prompts: Sequence[tuple[str, bool]], explained: str, *, answered: bool) -> Question:
    """Classify a round of prompts. `answered`: the password was given in an earlier round of the same try."""
    if not prompts:
        return Question.NOTHING
    asked = " ".join(text for text, _ in prompts)
    if _EXPIRED.search(f"{explained} {asked}"):
        return Question.NEW_PASSWORD
    hidden_password = len(prompts) == 1 and not prompts[0][1] and _ASKS_PASSWORD.search(asked)
    if hidden_password and not _ASKS_ANOTHER.search(asked) and not answered:
        return Question.PASSWORD
    return Question.ANOTHER


class Outcome(Enum):
    """Why a method did not complete the sign-in."""

    REFUSED = Text.METHOD_REFUSED
    NO_ANSWER = Text.METHOD_UNANSWERED
    EXPIRED = Text.METHOD_EXPIRED
    NOT_ENOUGH = Text.METHOD_NOT_ENOUGH


@dataclass
class MethodWalk:
    """The state of one sign-in. `next` names the method to try; the other methods record how the current one went."""

    failed_tries: int = 0
    outcomes: list[tuple[str, Outcome]] = field(default_factory=list)
    offered: tuple[str, ...] = ()
    question: str = ""
    #: The first request, "none", only asks for the available methods.
    _current: str = "none"
    _used: set[str] = field(default_factory=set)
    _password_shown: bool = False
    _password_refused: bool = False
    _over: bool = False

    @property
    def is_password_refused(self) -> bool:
        """Whether the server refused the password."""
        return self._password_refused

    def password_shown(self) -> None:
        """Note that the current method has sent the password."""
        self._password_shown = True

    def answered(self, offered: Sequence[str], *, partial: bool) -> None:
        """Record the target's answer: a refusal or, if `partial`, success with a further method required."""
        self.offered = tuple(offered)
        if self._current != "none":
            if partial:
                self.outcomes.append((self._current, Outcome.NOT_ENOUGH))
            else:
                self.outcomes.append((self._current, Outcome.REFUSED))
                self.failed_tries += 1
                self._password_refused |= self._password_shown
        self._password_shown = False

    def hung_up(self) -> bool:
        """Handle a disconnect by the target. Returns whether it was the answer to the current method."""
        if self._current == "none" or self._over:
            return False
        self.answered(self.offered, partial=False)
        return True

    def unable(self, outcome: Outcome, question: str = "") -> None:
        """Give up the current method, because its question cannot be answered here."""
        self.outcomes.append((self._current, outcome))
        self.question = question
        # The password was right or is in doubt, so no other method sends it again.
        self._over = self._password_shown or outcome is Outcome.EXPIRED
        self._password_shown = False

    def next(self) -> str | None:
        """Return the method to try now, or None if none is left that could succeed."""
        if self._over or self.failed_tries >= MAX_FAILED_TRIES:
            return None
        for method in _ORDER:
            if method in self.offered and method not in self._used:
                if method != PUBLIC_KEY and self._password_refused:
                    continue
                self._used.add(method)
                self._current = method
                return method
        return None

    def story(self, language: str, none_fits: Text = Text.METHOD_NONE_FITS) -> Sentence:
        """Describe the tried methods and what the server would accept, for the user and for the audit log."""
        parts = [
            outcome.value.sentence(language, method=method, question=self.question) for method, outcome in self.outcomes
        ]
        if not self.outcomes or self.outcomes[-1][1] is Outcome.NOT_ENOUGH:
            methods = ", ".join(_shown(method) for method in self.offered[:_MAX_NAMED_METHODS]) or "-"
            parts.append(none_fits.sentence(language, methods=methods))
        return joined(" ", parts)


def _shown(text: str, most: int = 80) -> str:
    """Return text of an untrusted target: printable, on one line, and short."""
    return "".join(letter for letter in text if letter.isprintable())[:most]


def shown_question(prompts: Sequence[tuple[str, bool]]) -> str:
    """Return a question as it is repeated to the user."""
    return _shown(" / ".join(text.strip() for text, _ in prompts))
