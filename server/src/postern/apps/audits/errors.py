"""Errors of the audit log."""

from postern.kernel.errors import PosternError


class NotInTransaction(PosternError):
    """An audit record must be written in the transaction of the change that it records."""

    code = "audit_outside_transaction"
    status = 500
