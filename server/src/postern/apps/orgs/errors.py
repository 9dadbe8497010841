"""What can go wrong with organizations."""

from postern.kernel.errors import NotFound


class UnknownOrganization(NotFound):
    """The request names an organization that does not exist (K68: never a fallback to another one)."""
