"""What a rule needs before it may be saved."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from postern.apps.acls.command_filters.errors import RuleRefused
from postern.apps.acls.command_filters.models import RuleAction
from postern.apps.users.models import User


def require_reviewers(action: RuleAction, reviewers: Iterable[User]) -> None:
    """A rule that asks for confirmation names people who can answer. Raises RuleRefused."""
    if action is not RuleAction.CONFIRM:
        return
    named = list(reviewers)
    if not named:
        raise RuleRefused("reviewers", _("Choose at least one reviewer, or another action."))
    closed = [str(user) for user in named if not user.is_valid]
    if closed:
        message = _("These accounts are not active: %(names)s. Choose other reviewers.")
        raise RuleRefused("reviewers", message % {"names": ", ".join(closed[:10])})
