"""Whose reachable assets a URL means: the caller's, a user's, or a group's. A form determines the subject, the required
right and the scope.
"""

from typing import ClassVar
from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from postern.apps.assets.models import FavoriteAsset
from postern.apps.perms.granted.reach import Reach, Who, load_reach
from postern.apps.users.models import Membership, UserGroup
from postern.foundation.rest.rights import Right, Rights
from postern.foundation.rest.views import PosternView
from postern.foundation.rest.viewsets import RowNotFound
from postern.kernel.clock import now
from postern.kernel.ids import parse_id


class Form(PosternView):
    """The subject of a URL."""

    def who(self) -> Who:
        raise NotImplementedError

    def reach(self) -> Reach:
        """What may be reached; with `?system_user=` only with this one."""
        return Reach(self.who(), now(), system_user=self._system_user())

    def listed_reach(self) -> Reach:
        """The same with the index, for lists and trees."""
        return load_reach(self.who(), now(), system_user=self._system_user())

    def _system_user(self) -> UUID | None:
        text = self.request.query_params.get("system_user")
        system_user = parse_id(text) if text else None
        if text and system_user is None:
            raise ValidationError({"system_user": [_("Enter a valid value.")]})
        return system_user

    def is_me(self) -> bool:
        return False

    def stars(self) -> QuerySet[FavoriteAsset]:
        """The user's favourites; a group has none."""
        user_id = self.who().user_id
        return FavoriteAsset.objects.filter(user_id=user_id) if user_id else FavoriteAsset.objects.none()


class Mine(Form):
    always_root = True
    rights: ClassVar[Rights] = Right.VALID_USER

    def who(self) -> Who:
        return Who(user_id=self.actor.user_id)

    def is_me(self) -> bool:
        return True


class OfUser(Form):
    rights: ClassVar[Rights] = Right.ORG_ADMIN

    def who(self) -> Who:
        user_id = parse_id(str(self.kwargs["user_id"]))
        members = Membership.objects.filter(user_id=user_id) if user_id else Membership.objects.none()
        if not self.scope.is_root:
            members = members.filter(org_id=self.scope.org_id)
        if user_id is None or not members.exists():
            raise RowNotFound(_("Not found."))
        return Who(user_id=user_id, org_id=None if self.scope.is_root else self.scope.org_id)


class OfGroup(Form):
    rights: ClassVar[Rights] = Right.ORG_ADMIN

    def who(self) -> Who:
        group_id = parse_id(str(self.kwargs["group_id"]))
        visible = UserGroup.objects.visible_to(self.actor, self.scope)
        if group_id is None or not visible.filter(pk=group_id).exists():
            raise RowNotFound(_("Not found."))
        return Who(group_id=group_id)
