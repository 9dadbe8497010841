"""`settings/public/` and `settings/setting/`."""

from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.licence import facade as licence
from postern.apps.preferences import actions, queries
from postern.apps.preferences.api.serializers import serializer_for
from postern.apps.preferences.registry import PASSWORD_RULES, REGISTRY, Category, of_category
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.kernel.errors import NotFound

_LOGOS = {
    "logo_index": "/ui/logo.svg",
    "logo_logout": "/ui/mark.svg",
    "login_image": "/ui/mark.svg",
    "favicon": "/ui/mark.svg",
}


class UnknownCategory(NotFound):
    """The category is misspelled, or belongs to a feature that this version does not have."""


class PublicSettingsView(PosternView):
    """Settings that the console needs before sign-in. Nothing here may help an attacker."""

    rights = Right.ANYONE
    always_root = True
    gates_apply = False

    def get(self, request: Request) -> Response:
        names = [one.name for one in REGISTRY.values() if one.is_public]
        current = queries.values([*names, *PASSWORD_RULES])
        shown: dict[str, Any] = {
            "LOGO_URLS": _LOGOS,
            "LOGIN_TITLE": "Postern",
            "IMPORT_MAX_MB": settings.POSTERN.import_max_mb,
            "XPACK_ENABLED": True,
            "XPACK_LICENSE_IS_VALID": licence.is_valid(),
            **{name: current[name] for name in names},
            "PASSWORD_RULE": {name: current[name] for name in PASSWORD_RULES},
        }
        return Response({"data": shown})


class SettingsView(PosternView):
    """GET, PUT and PATCH of one category of settings.

    Without a category, the basic settings are used. An unknown category is 404 for every method. This includes
    categories of the contract that are not built yet: a PUT to one of them must not reach the basic settings and change
    the site's address.
    """

    rights = Right.SUPER_USER
    always_root = True

    def _category(self) -> Category | None:
        text = self.request.query_params.get("category") or Category.BASIC.value
        if text == "all":
            return None
        if text not in set(Category):
            raise UnknownCategory(_("This category of settings does not exist."))
        return Category(text)

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.Serializer[Any]:
        """The serializer of the category in the query."""
        category = self._category()
        return serializer_for(category or "all", of_category(category))(*args, **kwargs)

    def get(self, request: Request) -> Response:
        return Response(queries.values(one.name for one in of_category(self._category())))

    def put(self, request: Request) -> Response:
        return self._change(request, partial=False)

    def patch(self, request: Request) -> Response:
        return self._change(request, partial=True)

    def _change(self, request: Request, *, partial: bool) -> Response:
        serializer = self.get_serializer(data=request.data, partial=partial)
        serializer.is_valid(raise_exception=True)
        actions.change_settings(actor=self.actor, changes=serializer.validated_data)
        return self.get(request)
