"""The three forms of every list of what may be reached: of the caller, of a user, and of a group."""

from typing import ClassVar

from django.utils.translation import gettext as _

from postern.apps.perms.granted.reach import Who
from postern.apps.users.models import Membership, UserGroup
from postern.foundation.rest.rights import Right, Rights
from postern.foundation.rest.views import PosternView
from postern.foundation.rest.viewsets import RowNotFound
from postern.kernel.ids import parse_id


class Form(PosternView):
    """The subject of a URL."""

    def who(self) -> Who:
        raise NotImplementedError

    def is_me(self) -> bool:
        return False


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
