"""Errors of platforms."""

from postern.kernel.errors import NotAllowed, PosternError


class InternalPlatform(NotAllowed):
    """Built-in platforms cannot be changed."""

    code = "internal_platform"


class PlatformInUse(PosternError):
    """Assets use the platform, possibly in several organizations."""

    code = "referenced_by_others"
