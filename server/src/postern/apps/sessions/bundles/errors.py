"""Expected failures of an export, each with a stable code."""

from postern.kernel.errors import PosternError


class NotExported(PosternError):
    """No bundle was written. The message says why."""

    code = "not_exported"
