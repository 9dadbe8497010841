"""Terminal emulation: reconstructs what a user saw from the target's output."""

from postern.contracts.vt.screen import Screen, usable_size

__all__ = ["Screen", "usable_size"]
