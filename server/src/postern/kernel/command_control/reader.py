"""Splits shell text into words, operators and redirections, one token at a time.

One at a time, because an alias replaces text before the shell reads on. Never fails: what has no end sets `is_open`.
"""

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple

from postern.kernel.command_control.escapes import unescaped
from postern.kernel.command_control.limits import Meter
from postern.kernel.command_control.nesting import backtick_end, closing, single_quote_end


class Kind(Enum):
    """What a segment of a word holds."""

    TEXT = 1  # unquoted: braces, patterns and the tilde are still active
    QUOTED = 2  # literal
    PARAMETER = 3  # the inside of `${…}`
    COMMAND = 4  # the code of `$(…)`
    ARITHMETIC = 5
    PROCESS = 6  # the code of `<(…)` or `>(…)`


class Segment(NamedTuple):
    kind: Kind
    text: str
    is_quoted: bool = False


class TokenKind(Enum):
    WORD = 1
    OPERATOR = 2
    REDIRECTION = 3
    END = 4


@dataclass(slots=True)
class HereDocument:
    """Filled at the next line break; `body` is None until then."""

    delimiter: str
    strips_tabs: bool
    is_quoted: bool
    body: str | None = None


@dataclass(slots=True)
class Token:
    kind: TokenKind
    text: str
    start: int
    end: int
    segments: tuple[Segment, ...] = ()
    #: The whole word, when nothing in it is quoted or active.
    plain: str | None = None
    here: HereDocument | None = None


_PLAIN: Final = re.compile(r"[^\s;&|()<>'\"\\$`*?\[\]{}~!#]+")
_BLANKS: Final = re.compile(r"(?:[ \t\r]|\\\n)+")
_OPERATOR: Final = re.compile(r";;&|;&|;;|&&|\|\||\|&|&\||&!|[;|()\n]|&(?!>)")
_REDIRECTION: Final = re.compile(r"(?:\d+|\{\w+\})?(?:<<<|<<-|<<|<>|<&|>>|>&|>\||&>>|&>|<(?!\()|>(?!\())")
_ENDS_WORD: Final = frozenset(" \t\r\n;&|()<>")
#: `(`, `<(` or `>(` may go on a word.
_OPENS: Final = re.compile(r"[<>]?\(")
_NAME: Final = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!_-]")
_TEXT_RUN: Final = re.compile(r"[^\s;&|()<>'\"\\$`]+")
_ARRAY: Final = re.compile(r"[A-Za-z_]\w*(?:\[[^]]*\])?\+?=\Z")
_EXTENDED: Final = frozenset("?*+@!")


@dataclass(slots=True)
class Reader:
    """Reads `text` from `place` on. `has_remarks` is false in interactive zsh."""

    text: str
    meter: Meter
    has_remarks: bool = True
    place: int = 0
    is_open: bool = False
    waiting: list[HereDocument] = field(default_factory=list)

    def next(self) -> Token:
        blanks = _BLANKS.match(self.text, self.place)
        if blanks:
            self.meter.spend(blanks.end() - self.place)
            self.place = blanks.end()
        self.meter.spend(1)
        start = self.place
        if start >= len(self.text):
            return self._ended(start)
        if self.text[start] == "#" and self.has_remarks:
            end = self.text.find("\n", start)
            self.place = len(self.text) if end < 0 else end
            self.meter.spend(self.place - start)
            return self.next_after_remark()
        redirection = _REDIRECTION.match(self.text, start)
        if redirection:
            return self._redirection(redirection)
        operator = _OPERATOR.match(self.text, start)
        if operator:
            self.place = operator.end()
            if operator[0] == "\n":
                self.read_here_documents()
            return Token(TokenKind.OPERATOR, operator[0], start, self.place)
        return self._word(start)

    def next_after_remark(self) -> Token:
        if self.place >= len(self.text):
            return self._ended(self.place)
        self.place += 1
        self.read_here_documents()
        return Token(TokenKind.OPERATOR, "\n", self.place - 1, self.place)

    def peek(self) -> Token:
        """The next token, without passing it. Here-documents are read when the line break is passed."""
        place, is_open, waiting = self.place, self.is_open, list(self.waiting)
        token = self.next()
        self.place, self.is_open, self.waiting = place, is_open, waiting
        return token

    def replace(self, start: int, end: int, text: str) -> None:
        """Puts `text` in the place of what was read, to be read next."""
        self.meter.spend(len(self.text))
        self.text = self.text[:start] + text + self.text[end:]
        self.place = start

    def _ended(self, place: int) -> Token:
        self.place = len(self.text)
        for here in self.waiting:
            here.body = ""
            self.is_open = True
        self.waiting = []
        return Token(TokenKind.END, "", place, place)

    def _redirection(self, match: re.Match[str]) -> Token:
        start, self.place = match.start(), match.end()
        sign = match[0].lstrip("0123456789")
        if sign.startswith("{"):
            sign = sign[sign.index("}") + 1 :]
        blanks = _BLANKS.match(self.text, self.place)
        if blanks:
            self.place = blanks.end()
        if self.place >= len(self.text) or (self.text[self.place] in _ENDS_WORD and self.text[self.place] not in "<>"):
            return Token(TokenKind.REDIRECTION, match[0], start, self.place)
        if self.text[self.place] in "<>" and self.text[self.place + 1 : self.place + 2] != "(":
            return Token(TokenKind.REDIRECTION, match[0], start, self.place)
        target = self._word(self.place)
        token = Token(TokenKind.REDIRECTION, match[0], start, self.place, target.segments, target.plain)
        if sign in ("<<", "<<-"):
            raw = self.text[target.start : target.end]
            is_quoted = any(mark in raw for mark in "'\"\\")
            delimiter = "".join(segment.text for segment in target.segments)
            token.here = HereDocument(delimiter, sign == "<<-", is_quoted)
            self.waiting.append(token.here)
        return token

    def read_here_documents(self) -> None:
        for here in self.waiting:
            lines = []
            while True:
                if self.place >= len(self.text):
                    self.is_open = True
                    break
                end = self.text.find("\n", self.place)
                end = len(self.text) if end < 0 else end
                line = self.text[self.place : end]
                self.meter.spend(len(line) + 1)
                self.place = min(end + 1, len(self.text))
                if (line.lstrip("\t") if here.strips_tabs else line) == here.delimiter:
                    # The line break behind the last delimiter still ends the command after it.
                    break
                lines.append(line.lstrip("\t") if here.strips_tabs else line)
            here.body = "".join(line + "\n" for line in lines)
        self.waiting = []

    def _word(self, start: int) -> Token:
        run = _PLAIN.match(self.text, start)
        if run:
            end = run.end()
            if end == len(self.text) or (self.text[end] in _ENDS_WORD and not _OPENS.match(self.text, end)):
                self.meter.spend(end - start)
                self.place = end
                text = run[0]
                return Token(TokenKind.WORD, text, start, end, (Segment(Kind.TEXT, text),), text)
        segments: list[Segment] = []
        at = start
        while at < len(self.text) and (self.text[at] not in _ENDS_WORD or self._goes_on(at, segments)):
            at = self._segment(at, segments)
        self.place = max(at, start + 1)
        # Reserved words such as `{` and `[[` hold characters that are active elsewhere.
        plain = segments[0].text if len(segments) == 1 and segments[0].kind is Kind.TEXT else None
        return Token(TokenKind.WORD, self.text[start : self.place], start, self.place, tuple(segments), plain)

    def _goes_on(self, at: int, segments: list[Segment]) -> bool:
        """Whether `(`, `<` or `>` here is part of the word: a list of values, an extended pattern, `<(…)`."""
        mark = self.text[at]
        if mark in "<>":
            return self.text[at + 1 : at + 2] == "("
        if mark != "(" or not segments or segments[-1].kind is not Kind.TEXT:
            return False
        before = segments[-1].text
        return bool(_ARRAY.match(before)) or before[-1:] in _EXTENDED

    def _segment(self, at: int, segments: list[Segment]) -> int:
        mark = self.text[at]
        if mark == "\\":
            escaped = self.text[at + 1 : at + 2]
            self.is_open = self.is_open or at + 1 >= len(self.text)
            if escaped != "\n":
                segments.append(Segment(Kind.QUOTED, escaped, is_quoted=True))
            self.meter.spend(2)
            return at + 2
        if mark == "'":
            return self._single_quoted(at + 1, segments, escapes=False)
        if mark == '"':
            return self._double_quoted(at + 1, segments)
        if mark == "$":
            return self._dollar(at, segments, is_quoted=False)
        if mark == "`":
            return self._backticks(at, segments, is_quoted=False)
        if mark in "<>":
            return self._nested(at + 2, ")", Kind.PROCESS, segments, is_quoted=False)
        if mark == "(":
            end = self._end_of(at + 1, ")")
            segments[-1] = Segment(Kind.TEXT, segments[-1].text + self.text[at : end + 1])
            return min(end + 1, len(self.text))
        run = _TEXT_RUN.match(self.text, at)
        end = run.end() if run else at + 1
        self.meter.spend(end - at)
        segments.append(Segment(Kind.TEXT, self.text[at:end]))
        return end

    def _end_of(self, start: int, closer: str) -> int:
        end = closing(self.text, start, closer, self.meter)
        if end < 0:
            self.is_open = True
            return len(self.text)
        return end

    def _nested(self, start: int, closer: str, kind: Kind, segments: list[Segment], *, is_quoted: bool) -> int:
        end = self._end_of(start, closer)
        self.meter.spend(end - start)
        segments.append(Segment(kind, self.text[start:end], is_quoted))
        return min(end + 1, len(self.text))

    def _single_quoted(self, start: int, segments: list[Segment], *, escapes: bool) -> int:
        end = single_quote_end(self.text, start, escapes=escapes, meter=self.meter)
        if end < 0:
            self.is_open = True
            end = len(self.text) + 1
        inside = self.text[start : end - 1]
        segments.append(Segment(Kind.QUOTED, unescaped(inside) if escapes else inside, is_quoted=True))
        return min(end, len(self.text))

    def _double_quoted(self, at: int, segments: list[Segment]) -> int:
        literal: list[str] = []
        segments.append(Segment(Kind.QUOTED, "", is_quoted=True))  # `""` is a word
        while at < len(self.text):
            match = _IN_DOUBLE.match(self.text, at)
            if match:
                self.meter.spend(match.end() - at)
                literal.append(match[0])
                at = match.end()
                continue
            mark = self.text[at]
            if mark == "\\":
                escaped = self.text[at + 1 : at + 2]
                literal.append("" if escaped == "\n" else escaped if escaped in '$`"\\' else mark + escaped)
                at += 2
                continue
            segments.append(Segment(Kind.QUOTED, "".join(literal), is_quoted=True))
            literal = []
            if mark == '"':
                return at + 1
            take = self._dollar if mark == "$" else self._backticks
            at = take(at, segments, is_quoted=True)
        segments.append(Segment(Kind.QUOTED, "".join(literal), is_quoted=True))
        self.is_open = True
        return len(self.text)

    def _backticks(self, at: int, segments: list[Segment], *, is_quoted: bool) -> int:
        end = backtick_end(self.text, at + 1, self.meter)
        if end < 0:
            self.is_open = True
            end = len(self.text)
        code = _IN_BACKTICKS.sub(r"\1", self.text[at + 1 : end])
        segments.append(Segment(Kind.COMMAND, code, is_quoted))
        return min(end + 1, len(self.text))

    def _dollar(self, at: int, segments: list[Segment], *, is_quoted: bool) -> int:
        following = self.text[at + 1 : at + 2]
        if following == "(":
            return self._dollar_bracket(at, segments, is_quoted=is_quoted)
        if following == "{":
            if self.text[at + 2 : at + 3] in ("|", " ", "\t", "\n"):  # `${ code; }` runs code
                skip = 3 if self.text[at + 2] == "|" else 2
                return self._nested(at + skip, "}", Kind.COMMAND, segments, is_quoted=is_quoted)
            return self._nested(at + 2, "}", Kind.PARAMETER, segments, is_quoted=is_quoted)
        if following == "[":
            end = self.text.find("]", at)
            self.meter.spend((end if end >= 0 else len(self.text)) - at)
            if end >= 0:
                segments.append(Segment(Kind.ARITHMETIC, self.text[at + 2 : end], is_quoted))
                return end + 1
        if not is_quoted and following == "'":
            return self._single_quoted(at + 2, segments, escapes=True)
        if not is_quoted and following == '"':
            return self._double_quoted(at + 2, segments)
        return self._named_parameter(at, segments, is_quoted=is_quoted)

    def _dollar_bracket(self, at: int, segments: list[Segment], *, is_quoted: bool) -> int:
        """`$((…))` when its brackets close together, `$(…)` otherwise."""
        if self.text.startswith("((", at + 1):
            end = closing(self.text, at + 3, ")", self.meter)
            if end >= 0 and self.text[end + 1 : end + 2] == ")":
                segments.append(Segment(Kind.ARITHMETIC, self.text[at + 3 : end], is_quoted))
                return end + 2
        return self._nested(at + 2, ")", Kind.COMMAND, segments, is_quoted=is_quoted)

    def _named_parameter(self, at: int, segments: list[Segment], *, is_quoted: bool) -> int:
        name = _NAME.match(self.text, at + 1)
        self.meter.spend(1)
        if name is None:
            segments.append(Segment(Kind.QUOTED, "$", is_quoted=True))
            return at + 1
        self.meter.spend(name.end() - at)
        segments.append(Segment(Kind.PARAMETER, name[0], is_quoted))
        return name.end()


_IN_DOUBLE: Final = re.compile(r'[^"\\$`]+')
_IN_BACKTICKS: Final = re.compile(r"\\([\\$`])")
