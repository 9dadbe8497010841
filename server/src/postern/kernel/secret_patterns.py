"""Finds what looks like a secret in text that users typed and hosts printed: keys, tokens, passwords.

A heuristic for what people see by the way. It errs on the side of hiding, and never replaces a permission: whatever has to
be kept from somebody must not be sent to them at all.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

#: Takes the place of a secret. It does not tell the length.
HIDDEN: Final = "••••••"

#: A value after `=` or a space: quoted, or up to a separator of the shell. References to variables and placeholders are no
#: secrets, and some words are none if they are the whole value.
_VALUE: Final = (
    r"(?![$<{%(*•])(?!(?:null|none|nil|true|false|yes|no|ask|prompt)(?:[\s\"'&;|<>,)}]|$))(?P<secret>"
    r"\"(?!\$)[^\"\n]+\"|'[^'\n]+'|[^\s\"'&;|<>,)}]+)"
)
_NAMES: Final = (
    r"(?:pass(?:word|wd|phrase|_?code)?|secret(?:[_-]?(?:access[_-]?)?key)?|(?:auth|access|api|refresh|session|bearer)?"
    r"[_-]?token|(?:api|access|private|encryption|signing|account|client)[ _-]?(?:key|secret)|credentials?)"
)

_IDENTIFIED: Final = (
    r"\bidentified\s{1,3}(?:with\s{1,3}[\w\"'`]{1,64}\s{1,3})?(?:by|as)\s{1,3}(?:(?:password|values)\s{1,3})?"
)

#: Texts of which one must occur (a search for them is quick), and the pattern that names the secret. For text in lower
#: case: patterns that ignore the case are many times slower.
_PATTERNS: Final = tuple(
    (tuple(needed.split("|")), re.compile(pattern))
    for needed, pattern in (
        (
            "private key",
            r"-----begin [a-z0-9 ]{0,40}private key[a-z ]{0,10}-----(?P<secret>[^-]*(?:-(?!----end )[^-]*)*)",
        ),
        ("private-lines", r"private-lines: \d+\r?\n(?P<secret>[^-]*(?:-(?!mac)[^-]*)*)"),
        # A line of a key that is typed or printed line by line. Digests are hexadecimal.
        ("", r"(?m)^(?![0-9a-f]+\s*$)(?P<secret>[a-z0-9+/]{64,76}={0,2})\s*$"),
        # RFC 3986, 3.2.1: user information. The last @ before the path ends it.
        ("://", r"(?<=://)[^\s/@:'\"]{0,200}:(?!//)(?![$<{%])(?P<secret>[^\s/'\"]{1,200})@"),
        (
            "gh|glpat|xox|sk-|sk_|rk_|aiza|ya29|npm_|hvs.|hvb.|dop_v1|sg.|eyj|pypi-|age-secret|shpat|akia|asia",
            (
                r"(?<![a-z0-9_-])(?P<secret>gh[pousr]_[a-z0-9]{20,}|github_pat_\w{22,}|glpat-[\w-]{20,}|xox[abeprs]-[\w-]{10,}"
                r"|sk-[\w-]{20,}|[sr]k_(?:live|test)_\w{16,}|aiza[\w-]{35}|ya29\.[\w.-]{20,}|npm_[a-z0-9]{36}|hv[sb]\.[\w-]{20,}"
                r"|dop_v1_[0-9a-f]{64}|sg\.[\w-]{16,}\.[\w-]{16,}|eyj[\w-]{8,}\.eyj[\w-]{8,}\.[\w-]*|pypi-[\w-]{50,}"
                r"|age-secret-key-1[0-9a-z]{58}|shpat_[0-9a-f]{32}|a[ks]ia[0-9a-z]{16}(?![0-9a-z]))"
            ),
        ),
        (
            "authorization|bearer",
            (
                r"(?:authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:(?:bearer|basic|token|negotiate)\s{1,3})?|\bbearer\s{1,3})"
                r"(?P<secret>(?!bearer\b|basic\b)[\w.~+/=-]{8,})"
            ),
        ),
        (
            "pass|secret|token|key|credential",
            # Quotes inside of a quoted text have backslashes. A tab separates two columns.
            rf"(?:{_NAMES}(?:\\{{0,3}}[\"']?\s{{0,20}}(?:=>|[=:])\s{{0,20}}(?:\\{{1,3}}(?=[\"']))?|\t{{1,3}})){_VALUE}",
        ),
        # Two columns on a screen, which has blanks in place of tabs.
        ("  ", rf"(?<![^\n])[ \t]{{0,20}}{_NAMES} {{2,40}}{_VALUE}[ \t]*(?![^\n])"),
        # SQL.
        ("password", r"\bpassword\s{0,3}[\s(]\s{0,3}(?P<secret>'[^'\n]+'|\"[^\"\n]+\")"),
        (
            "identified",
            rf"{_IDENTIFIED}(?P<secret>'[^'\n]+'|\"[^\"\n]+\")",
        ),
        (
            "identified",
            rf"(?:(?<![^\n])[ \t]{{0,20}}|\b(?:create|alter|grant)\b[^\n;]{{0,200}}?\s){_IDENTIFIED}{_VALUE}",
        ),
        ("pwd", rf"(?:(?<=[a-z_])pwd\s{{0,3}}[=:]\s{{0,3}})(?!/){_VALUE}"),
        ("--", rf"(?:(?<![\w-])--(?:[a-z]{{1,20}}-){{0,3}}{_NAMES}\s{{1,3}})(?!-){_VALUE}"),
        ("mysql|mariadb", rf"\b(?:mysql|mariadb)\w*\b[^\n|;&]{{0,300}}?\s-p{_VALUE}"),
        ("sshpass", rf"\bsshpass\s{{1,3}}(?:-v\s{{1,3}})?-p\s{{0,3}}{_VALUE}"),
        ("redis-cli", rf"\bredis-cli\b[^\n|;&]{{0,300}}?\s-a\s{{1,3}}{_VALUE}"),
        (
            "docker|podman|helm",
            rf"\b(?:docker|podman|helm)\b[^\n|;&]{{0,60}}?\blogin\b[^\n|;&]{{0,300}}?\s-p\s{{0,3}}{_VALUE}",
        ),
        (
            "curl|wget|http",
            (
                r"\b(?:curl|wget|https?)\b[^\n|;&]{0,500}?\s(?:-u|--user|-a|--auth)[ =]?[\"']?[^\s:\"']{1,100}:"
                r"(?![$<{])(?P<secret>[^\s\"']+)"
            ),
        ),
        ("chpasswd", r"[\w.-]{1,64}:(?![$<{])(?P<secret>[^\s:'\"|]{1,200})[\"']?(?:\s{0,3}\|[^\n|]{0,40}\bchpasswd)"),
        ("smbclient|rpcclient|mount", r"(?:-u|user(?:name)?=)\s{0,3}[\"']?[\w.\\-]{1,64}%(?P<secret>[^\s\"',]+)"),
        ("pass:", r"(?<=\spass:)(?P<secret>[^\s\"']+)"),
    )
)


def secret_ranges(text: str) -> list[tuple[int, int]]:
    """First and last (exclusive) position of everything that looks like a secret: in order, without overlap."""
    lower = text.lower()
    if len(lower) != len(text):  # some letters have a lower case of two characters
        lower = "".join(small if len(small := letter.lower()) == 1 else letter for letter in text)
    return joined(span for needed, pattern in _PATTERNS if _occurs(needed, lower) for span in _spans(pattern, lower))


def joined(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """The ranges in order and without overlap."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def masked(text: str, known: Iterable[tuple[int, int]] = ()) -> str:
    """The text with `HIDDEN` in place of everything that looks like a secret, and of the ranges `known`."""
    return hide(text, joined((*secret_ranges(text), *known)))


def hide(text: str, ranges: list[tuple[int, int]]) -> str:
    """The text with `HIDDEN` in place of these ranges, which are in order and do not overlap."""
    if not ranges:
        return text
    parts: list[str] = []
    position = 0
    for start, end in ranges:
        parts += (text[position:start], HIDDEN)
        position = end
    return "".join((*parts, text[position:]))


def masked_with(
    text: str, spans: Sequence[tuple[int, int]], known: Iterable[tuple[int, int]] = ()
) -> tuple[str, list[tuple[int, int]]]:
    """What `masked` returns, and where these spans of `text` are in it. A span inside of a secret becomes the whole mask."""
    ranges = joined((*secret_ranges(text), *known))

    def moved(position: int, *, is_end: bool) -> int:
        shift = 0
        for start, end in ranges:
            if position >= end:
                shift += len(HIDDEN) - (end - start)
            elif position > start or (position == start and not is_end):
                return start + shift + (len(HIDDEN) if is_end else 0)
        return position + shift

    return hide(text, ranges), [(moved(first, is_end=False), moved(last, is_end=True)) for first, last in spans]


def _occurs(needed: tuple[str, ...], lower: str) -> bool:
    return any(part in lower for part in needed)


def _spans(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """The secrets without quotes and blanks around them."""
    for match in pattern.finditer(text):
        start, end = match.span("secret")
        while start < end and text[start] in " \t\r\n\"'":
            start += 1
        while end > start and text[end - 1] in " \t\r\n\"'":
            end -= 1
        if start < end:
            yield start, end
