"""What can go wrong in the audit log."""

from postern.kernel.errors import PosternError


class NotInTransaction(PosternError):
    """An audit row must be written in the transaction of what it tells."""

    code = "audit_outside_transaction"
    status = 500
