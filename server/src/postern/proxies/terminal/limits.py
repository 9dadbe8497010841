"""Limits of browser terminals."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Self


@dataclass(frozen=True, kw_only=True)
class TerminalLimits:
    """Limits of one page. Sizes in bytes."""

    input_window_bytes: int = 256 * 1024  # input that a page may send before the target has accepted it
    input_excess_bytes: int = 1024 * 1024  # further input that is buffered before the session ends

    @property
    def files(self) -> int:
        """No files of its own. A page's link is counted with its session."""
        return 0

    def with_share_of_files(self, share: Fraction) -> Self:  # noqa: ARG002 - there is nothing to share
        return self
