"""Errors of access keys of service accounts."""

from django.utils.translation import gettext as _

from postern.apps.users.accounts.errors import FieldProblem


class NotOfServiceAccount(FieldProblem):
    """The account is not a service account. People make their own keys."""


class OtherAccount(FieldProblem):
    """A key cannot be moved to another account."""

    def __init__(self) -> None:
        super().__init__("user", _("An access key stays with its service account. Make a new one for another account."))
