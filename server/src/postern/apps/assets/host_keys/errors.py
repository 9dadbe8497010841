"""What can go wrong with a host key."""

from postern.kernel.errors import PosternError


class BadHostKey(PosternError):
    """What the target showed is no host key."""

    code = "bad_host_key"
