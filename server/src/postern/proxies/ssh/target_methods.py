"""In which order the sign-in methods of a target are tried, and what is said when none of them was enough.

RFC 4252 lets a server ask for several methods, one after the other ("partial success"). A failed try is counted by the
target: it may lock the account, or end the connection after a few. So each method is tried once for each step, a
password that was refused is not shown again by another method, and two failed tries end the sign-in.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from postern.proxies.core.texts import Text

#: Failed tries on one connection. OpenSSH hangs up after six; lock-out modules often count three.
MAX_FAILED_TRIES: Final = 2
#: Rounds of questions within one keyboard-interactive try; messages without a question count as well.
MAX_ROUNDS: Final = 8

PUBLIC_KEY: Final = "publickey"
PASSWORD: Final = "password"  # noqa: S105 - the name of a method
KEYBOARD: Final = "keyboard-interactive"
#: `password` first: its question cannot be mistaken, and many hosts offer keyboard-interactive without being able to
#: do it.
_ORDER: Final = (PUBLIC_KEY, PASSWORD, KEYBOARD)
_MAX_NAMED_METHODS: Final = 8

#: How PAM and the usual appliances ask for the password, in the languages that they are translated into.
_ASKS_PASSWORD: Final = re.compile(
    r"password|passwd|passwort|passord|adgangskode|kennwort|lösenord|wachtwoord|salasana|mot de passe|contrase[nñ]a|"
    r"contrasenya|senha|palavra-passe|parola|parolă|hasło|heslo|geslo|lozinka|jelszó|slaptažodis|parool|пароль|парола|"
    r"лозинка|συνθηματικό|şifre|סיסמה|كلمة|गुप्तशब्द|パスワード|암호|密码|密碼|口令|mật khẩu|kata sandi",
    re.IGNORECASE,
)
#: Questions that hold such a word and mean something else.
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
    """`answered`: the password was given in an earlier round of the same try."""
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
    """Why a method did not sign us in."""

    REFUSED = Text.METHOD_REFUSED
    NO_ANSWER = Text.METHOD_UNANSWERED
    EXPIRED = Text.METHOD_EXPIRED
    NOT_ENOUGH = Text.METHOD_NOT_ENOUGH


@dataclass
class MethodWalk:
    """One sign-in. `next` names the method to try; the others tell how the one under way went."""

    failed_tries: int = 0
    outcomes: list[tuple[str, Outcome]] = field(default_factory=list)
    offered: tuple[str, ...] = ()
    question: str = ""
    #: The first request, "none", only asks which methods there are.
    _current: str = "none"
    _used: set[str] = field(default_factory=set)
    _password_shown: bool = False
    _password_refused: bool = False
    _over: bool = False

    def password_shown(self) -> None:
        """The method under way has sent the password."""
        self._password_shown = True

    def answered(self, offered: Sequence[str], *, partial: bool) -> None:
        """The target said no, or (`partial`) "right, and now another one of these"."""
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
        """The target ended the connection. Whether that was its answer to the method under way."""
        if self._current == "none" or self._over:
            return False
        self.answered(self.offered, partial=False)
        return True

    def unable(self, outcome: Outcome, question: str = "") -> None:
        """The method under way cannot go on: its question has no answer here."""
        self.outcomes.append((self._current, outcome))
        self.question = question
        # The password was right or is in doubt: no other method shows it again.
        self._over = self._password_shown or outcome is Outcome.EXPIRED
        self._password_shown = False

    def next(self) -> str | None:
        """The method to try now; None when none is left that could help."""
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

    def story(self, language: str) -> str:
        """What was tried and what the target would take, for the person and for the record."""
        parts = [
            outcome.value.say(language, method=method, question=self.question) for method, outcome in self.outcomes
        ]
        if not self.outcomes or self.outcomes[-1][1] is Outcome.NOT_ENOUGH:
            methods = ", ".join(_shown(method) for method in self.offered[:_MAX_NAMED_METHODS]) or "-"
            parts.append(Text.METHOD_NONE_FITS.say(language, methods=methods))
        return " ".join(parts)


def _shown(text: str, most: int = 80) -> str:
    """Words of a target that is not trusted: printable, on one line, and short."""
    return "".join(letter for letter in text if letter.isprintable())[:most]


def shown_question(prompts: Sequence[tuple[str, bool]]) -> str:
    """A question as it is repeated to the person."""
    return _shown(" / ".join(text.strip() for text, _ in prompts))
