"""What can go wrong with platforms."""

from postern.kernel.errors import NotAllowed


class InternalPlatform(NotAllowed):
    """The built-in platforms stay as they are."""

    code = "internal_platform"
