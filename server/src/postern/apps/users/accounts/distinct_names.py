"""The check of a new username against those that exist (docs/decisions/0081)."""

from django.utils.translation import gettext as _

from postern.apps.users.accounts.errors import FieldProblem
from postern.apps.users.accounts.lookalikes import scripts_mixed_in, skeleton_of
from postern.apps.users.accounts.models import User, username_key


def require_distinct(user: User) -> None:
    """Raise FieldProblem for a username that mixes scripts, or looks like that of another account.

    Equal names, and two of these at the same time, are left to the unique constraints.
    """
    mixed = scripts_mixed_in(user.username)
    if mixed:
        text = _("This name mixes letters of different scripts (%(scripts)s), so it can pass for another name.")
        raise FieldProblem("username", text % {"scripts": ", ".join(mixed)})
    key = username_key(user.username)
    others = User.objects.filter(username_skeleton=skeleton_of(key)).exclude(pk=user.pk).exclude(username_key=key)
    if others.exists():
        raise FieldProblem("username", _("This name looks like the name of another account. Choose a different name."))
