"""Errors of platforms."""

from postern.kernel.errors import NotAllowed


class InternalPlatform(NotAllowed):
    """Built-in platforms cannot be changed."""

    code = "internal_platform"
