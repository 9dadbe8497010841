"""Whether the licensed features are open. A licence is a signed file; without one they are closed (K75)."""


def is_valid() -> bool:
    """Whether a valid licence is installed. This release has no licensed feature and reads no licence file."""
    return False
