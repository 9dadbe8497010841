"""Errors of memberships."""

from django.utils.translation import gettext as _

from postern.kernel.errors import PosternError


class LastOrganizationAdministrator(PosternError):
    """The last administrator of an organization cannot be removed."""

    code = "last_org_administrator"
    status = 400

    def __init__(self) -> None:
        super().__init__(
            _(
                "This is the last administrator of the organization. Appoint another one first, or ask a system "
                "administrator."
            )
        )
