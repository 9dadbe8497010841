"""What can go wrong with memberships."""

from django.utils.translation import gettext as _

from postern.kernel.errors import PosternError


class LastOrganizationAdministrator(PosternError):
    """An organization's administrators may not leave it without one."""

    code = "last_org_administrator"
    status = 400

    def __init__(self) -> None:
        super().__init__(
            _(
                "This is the last administrator of the organization. Name another one first, or ask a system administrator."
            )
        )
