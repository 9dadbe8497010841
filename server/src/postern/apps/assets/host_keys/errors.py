"""Errors of host keys."""

from postern.kernel.errors import PosternError


class BadHostKey(PosternError):
    """The text that the target sent is not a host key."""

    code = "bad_host_key"
