"""Errors of organizations."""

from typing import ClassVar

from django.utils.translation import gettext as _

from postern.kernel.errors import NotAllowed, NotFound, PosternError


class UnknownOrganization(NotFound):
    """The request names an organization that does not exist (K68: an unknown organization is never the root).

    The code tells the console to choose another organization.
    """

    code = "organization_unknown"


class NameRefused(PosternError):
    """The name is ambiguous or used by another organization. `fields` is shown in the form."""

    code = "invalid"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.fields: dict[str, list[str]] = {"name": [message]}


class OrganizationStays(NotAllowed):
    """The organization cannot be deleted; the message names the reason."""

    code: ClassVar[str] = "organization_in_use"


def default_stays() -> OrganizationStays:
    return OrganizationStays(_("The default organization cannot be deleted."))


def current_stays() -> OrganizationStays:
    return OrganizationStays(_("You are in this organization now. Switch to another one before you delete it."))


def still_owns(things: str) -> OrganizationStays:
    return OrganizationStays(
        _("The organization still has: %(things)s. Remove them first, then delete it.") % {"things": things}
    )
