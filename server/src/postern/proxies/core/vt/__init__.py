"""Terminal emulation: what a person saw, from the bytes that the target sent."""

from postern.proxies.core.vt.screen import Screen, usable_size

__all__ = ["Screen", "usable_size"]
