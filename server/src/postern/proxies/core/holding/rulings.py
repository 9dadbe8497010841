"""Decides about one line of a terminal or of a program's input, and remembers what released lines taught."""

import re
from dataclasses import dataclass, replace
from typing import Final

from postern.contracts.command_control import CommandAction, CommandDecision
from postern.kernel.command_control.judge import Judgement, Session, judge
from postern.kernel.command_control.verdict import Action, Reason
from postern.proxies.core.commands.plain_text import squeezed
from postern.proxies.core.commands.standing import StandingLine
from postern.proxies.core.holding.filters import Filters
from postern.proxies.core.holding.readers import Reader, runs_more

#: The end of a prompt that was not recognised: the line may begin behind it.
_PROMPT_ENDS: Final = re.compile(r"[$#%>❯»]\s")
_MAX_GUESSES: Final = 4
#: Programs that ask for a password, and how they ask. A rule such as `.*` would otherwise refuse the password.
_ASKERS: Final = frozenset(
    [
        "sudo",
        "su",
        "doas",
        "ssh",
        "scp",
        "sftp",
        "ssh-add",
        "ssh-keygen",
        "ssh-copy-id",
        "passwd",
        "mysql",
        "mariadb",
        "psql",
        "gpg",
        "openssl",
        "kinit",
        "cryptsetup",
    ]
)
_ASKS: Final = re.compile(r"(?i)(?:password|passphrase|passcode|\bPIN|\bcode|密码|口令|验证码)[^\n]*[:：]\s*\Z")
_MAX_PASSWORDS: Final = 3
_ALLOWED: Final = CommandDecision(action=CommandAction.ALLOW)
_FAULTY: Final = CommandDecision(action=CommandAction.DENY, reason="invalid_rules")
_UNREADABLE: Final = CommandDecision(action=CommandAction.DENY, reason="unreadable")
_NOT_RECORDED: Final = CommandDecision(action=CommandAction.DENY, reason="not_recorded")


@dataclass(frozen=True, slots=True)
class HeldLine:
    """A line before its Enter: the text that the keys make (None if they do not tell), and the screen."""

    typed: str | None
    screen: StandingLine | None
    #: Whether any key was pressed for this line.
    has_keys: bool = True
    #: Whether anything was shown since its first key.
    is_echoed: bool = True
    #: Whether the keys wait in the terminal driver, and a line editor will interpret them later.
    is_raw_echo: bool = False
    #: Whether the text is edited once more before it runs, out of sight.
    is_edited_later: bool = False
    #: Whether the text did not come from a terminal, so that it cannot have been hidden.
    is_public: bool = False

    @property
    def is_hidden(self) -> bool:
        """Whether the keys were not shown: they may be a password."""
        if self.is_public:
            return False
        shown = squeezed(self.screen.text) if self.screen is not None else ""
        is_shown = self.typed is None or squeezed(self.typed) in shown or self.began_elsewhere
        return self.has_keys and (not self.is_echoed or not is_shown)

    @property
    def is_unreadable(self) -> bool:
        """Whether keys of history or completion were not shown by a line editor yet, or much output hides the line:
        what will run cannot be known.
        """
        is_shown = self.is_echoed and not self.is_raw_echo and self.screen is not None
        return self.typed is None and self.has_keys and not is_shown

    @property
    def is_unseen(self) -> bool:
        """Whether an echo that comes late may still show the line."""
        return self.is_hidden or self.is_unreadable

    @property
    def is_empty(self) -> bool:
        """Whether Enter was pressed without a key before it."""
        return self.screen is not None and self.typed == "" and not self.has_keys

    @property
    def began_elsewhere(self) -> bool:
        """Whether the first keys went to a program that has ended since, such as `q` in a pager."""
        screen = self.screen
        if screen is None or not screen.has_prompt or not screen.text.strip() or self.typed is None:
            return False
        return _ends_with(self.typed, screen.text) and squeezed(self.typed) != squeezed(screen.text)

    @property
    def agrees(self) -> bool:
        """Whether keys and screen tell the same, so that nothing needs to be waited for."""
        if not self.typed or not self.typed.strip() or self.screen is None or not self.screen.has_prompt:
            return False
        return squeezed(self.typed) == squeezed(self.screen.text)

    @property
    def text(self) -> str:
        """The line for reports, "" if it was hidden."""
        if self.is_hidden:
            return ""
        if self.typed is not None and not self.began_elsewhere:
            return self.typed
        return self.screen.text if self.screen is not None else ""


@dataclass(frozen=True, slots=True)
class Ruling:
    """The decision about a held line, and what the session has learnt when it is released."""

    line: HeldLine
    decision: CommandDecision
    #: The resolved command that decided, for a reviewer.
    command: str = ""
    session: Session | None = None
    starts_shell: bool = False
    judgement: Judgement | None = None

    @property
    def action(self) -> CommandAction:
        return self.decision.action


def approval(decision: CommandDecision) -> CommandDecision:
    """Return the decision with which a line runs that a reviewer has confirmed."""
    return CommandDecision(
        action=CommandAction.ALLOW, rule_id=decision.rule_id, filter_name=decision.filter_name, reason=decision.reason
    )


class LineJudge:
    """Judges the lines of one terminal in turn. `release` and `drop` report what became of them."""

    def __init__(self, filters: Filters, *, shell: str = "") -> None:
        self.filters = filters
        self.reader = Reader()
        self._session = Session.of_shell(shell)
        self._is_zsh = shell == "zsh"
        #: How many lines may still be answers to a question for a password.
        self._asks_password = 0
        #: The prompt at which the last complete line began.
        self._first_prompt: str | None = None

    def command(self, text: str) -> Ruling:
        """Decide about a command line that is about to be run as a whole."""
        line = HeldLine(text, None, is_public=True)
        if self.filters.fault:
            return Ruling(line, _FAULTY)
        return self._judged(line, text, self._session)

    def size(self, line: HeldLine) -> int:
        """Return the number of characters that `line` would judge."""
        screen = len(line.screen.text) if line.screen is not None else 0
        return screen + len(line.typed or "") + max(len(shell.open_text) for shell in self._session.shells)

    def line(self, line: HeldLine, *, is_recorded: bool = True) -> Ruling:
        """Decide about a line."""
        screen = line.screen
        if not line.has_keys and not line.is_edited_later and (screen is None or _is_prompt_alone(screen)):
            return Ruling(line, _ALLOWED)
        if not is_recorded:
            return Ruling(line, _NOT_RECORDED)
        if self.filters.fault:
            return Ruling(line, _FAULTY)
        if line.is_unreadable:
            return Ruling(line, _UNREADABLE)
        if line.is_hidden and self._asks_password and screen is not None and _ASKS.search(screen.prompt):
            return Ruling(line, _ALLOWED)
        rulings = [self._one(line, text) for text in self._candidates(line)]
        if line.is_edited_later:
            rulings.append(self._unknown(line))
        worst = max(rulings, key=_severity, default=Ruling(line, _ALLOWED))
        if not rulings or worst is rulings[0]:
            return worst
        # The session learns from the first candidate: the keys where they are known.
        return replace(worst, session=rulings[0].session, judgement=rulings[0].judgement)

    def _candidates(self, line: HeldLine) -> list[str]:
        """The texts that may run, the most certain one first. An empty line runs nothing."""
        screen = line.screen
        texts = [] if line.typed is None else [line.typed]
        if screen is not None and not (line.typed and not screen.has_prompt and _ends_with(screen.text, line.typed)):
            texts.append(screen.text)
            if line.typed is None and not screen.has_prompt:
                starts = [match.end() for match in _PROMPT_ENDS.finditer(screen.text)]
                texts += [screen.text[start:] for start in starts[-_MAX_GUESSES:]]
        if line.began_elsewhere:
            texts.reverse()
        unique = {squeezed(text): text.strip("\r\n") for text in reversed(texts) if text.strip()}
        return list(reversed(unique.values()))

    def _one(self, line: HeldLine, text: str) -> Ruling:
        reading = self.reader.read(text, line.screen)
        rulings = []
        for shell_line in reading.lines:
            ruling = self._judged(line, shell_line, self._session)
            if any(shell.open_text for shell in self._session.shells):
                # The open text may be gone without our notice, so the line is also judged alone.
                alone = self._judged(line, shell_line, self._session.interrupted())
                is_new = line.screen is not None and line.screen.prompt == self._first_prompt
                chosen = alone if is_new else ruling
                ruling = replace(max(ruling, alone, key=_severity), session=chosen.session, judgement=chosen.judgement)
            rulings.append(ruling)
        worst = max(rulings, key=_severity, default=Ruling(line, _ALLOWED))
        started = any(
            ruling.judgement and len(ruling.judgement.session.shells) > len(self._session.shells) for ruling in rulings
        )
        if not reading.is_shell:
            session = worst.session if started else None
            return replace(worst, session=session, judgement=None, starts_shell=reading.starts_shell or started)
        return worst

    def _unknown(self, line: HeldLine) -> Ruling:
        """The ruling for code that cannot be known."""
        action = CommandAction(self.filters.rules.unresolved.name.lower())
        return Ruling(line, CommandDecision(action=action, reason=Reason.UNKNOWN_CODE.value))

    def _judged(self, line: HeldLine, text: str, session: Session) -> Ruling:
        judgement = judge(text, session, self.filters.rules)
        verdict = judgement.verdict
        decision = self.filters.decision(verdict)
        return Ruling(line, decision, verdict.command or "", judgement.session, judgement=judgement)

    def block(self, text: str, screen: StandingLine | None, *, is_recorded: bool) -> Ruling | None:
        """Decide about the lines of a pasted block. Returns the first one that may not run."""
        for line in text.split("\n"):
            ruling = self.line(HeldLine(line, screen), is_recorded=is_recorded)
            if line.strip() and ruling.action is not CommandAction.ALLOW:
                return ruling
        return None

    def release(self, ruling: Ruling) -> None:
        """Learn from a line that runs now."""
        line, screen = ruling.line, ruling.line.screen
        prompt = screen.prompt if screen is not None and screen.has_prompt else ""
        if line.is_hidden:
            self._asks_password = max(0, self._asks_password - 1)
        elif ruling.judgement is not None:
            is_asker = any(command.names[0] in _ASKERS for command in ruling.judgement.commands)
            self._asks_password = _MAX_PASSWORDS if is_asker and not runs_more(line.text) else 0
        if ruling.starts_shell:
            self.reader.shell_inside()
        elif ruling.judgement is not None and not line.is_hidden:
            self.reader.ran(line.text, ruling.judgement.commands, prompt)
        # At the shell's own prompt a hidden line is one of the shell, after `stty -echo`. Elsewhere it may be a password.
        if ruling.session is not None and (not line.is_hidden or (prompt and prompt == self._first_prompt)):
            was_open = any(shell.open_text for shell in self._session.shells)
            self._session = self._as_zsh(ruling.session)
            if not was_open:
                self._first_prompt = prompt or None

    def drop(self) -> None:
        """Forget the open text after Ctrl-C, a refusal, or the end of a program."""
        self._session = self._session.interrupted()
        self.reader.ended()

    def is_zsh(self) -> None:
        """Note that the prompt is one of zsh, where `#` begins no remark."""
        if not self._is_zsh:
            self._is_zsh = True
            self._session = self._as_zsh(self._session)

    def _as_zsh(self, session: Session) -> Session:
        if not self._is_zsh or not any(shell.has_remarks for shell in session.shells):
            return session
        copies = tuple(shell.copy() for shell in session.shells)
        for copy in copies:
            copy.has_remarks = False
        return Session(copies)

    @property
    def shells(self) -> int:
        """How many shells may be nested in one another now."""
        return len(self._session.shells)


_SEVERITY: Final = {
    CommandAction.ALLOW: Action.ALLOW,
    CommandAction.CONFIRM: Action.CONFIRM,
    CommandAction.DENY: Action.DENY,
}


def _severity(ruling: Ruling) -> tuple[int, bool]:
    return int(_SEVERITY[ruling.action]), ruling.decision.rule_id is not None


def _is_prompt_alone(screen: StandingLine) -> bool:
    """Whether nothing follows the prompt. If the prompt is unknown, the whole row is taken for it."""
    return not screen.text.strip() or not (screen.has_prompt or screen.is_alternate)


def _ends_with(text: str, typed: str) -> bool:
    return squeezed(text).endswith(squeezed(typed))
