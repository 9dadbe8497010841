"""Errors of accounts."""

from postern.kernel.errors import PosternError


class AccountOfNode(PosternError):
    """The account follows from a node that its system user is bound to."""

    code = "account_of_node"


class NoOwnSecret(PosternError):
    """The account has no secret of its own."""

    code = "no_own_secret"


class NothingToRestore(PosternError):
    """The version has no secret, or is the current version."""

    code = "nothing_to_restore"
