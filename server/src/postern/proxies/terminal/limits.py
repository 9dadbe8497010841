"""Limits of browser terminals and of the file manager."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self


@dataclass(frozen=True, kw_only=True)
class TerminalLimits:
    """Limits of one page, and of all of them together. Sizes in bytes."""

    input_window_bytes: int = 256 * 1024  # input that a page may send before the target has accepted it
    input_excess_bytes: int = 1024 * 1024  # further input that is buffered before the session ends
    file_requests: int = 500  # requests for files at once, of all sessions

    @property
    def files(self) -> int:
        """One file per request for files. A page's link is counted with its session."""
        return self.file_requests

    def with_share_of_files(self, share: Fraction) -> Self:
        return replace(self, file_requests=max(1, int(self.file_requests * share)))
