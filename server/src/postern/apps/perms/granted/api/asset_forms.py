"""The three forms of lists of assets, with what their subject may reach."""

from uuid import UUID

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from postern.apps.assets.models import FavoriteAsset
from postern.apps.perms.granted.api import forms
from postern.apps.perms.granted.reach import Reach, load_reach
from postern.kernel.clock import now
from postern.kernel.ids import parse_id


class Form(forms.Form):
    """The subject of a URL, and the assets that it may reach."""

    def reach(self) -> Reach:
        """What may be reached; with `?system_user=` only as this system user."""
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

    def stars(self) -> QuerySet[FavoriteAsset]:
        """The user's favourites; a group has none."""
        user_id = self.who().user_id
        return FavoriteAsset.objects.filter(user_id=user_id) if user_id else FavoriteAsset.objects.none()


class Mine(forms.Mine, Form):
    pass


class OfUser(forms.OfUser, Form):
    pass


class OfGroup(forms.OfGroup, Form):
    pass
