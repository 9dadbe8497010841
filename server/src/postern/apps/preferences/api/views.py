"""`settings/public/` and `settings/setting/`."""

from collections.abc import Sequence
from typing import Any, Final

from django.conf import settings
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.licence import facade as licence
from postern.apps.preferences import actions, mail_testing, provider_testing, queries
from postern.apps.preferences.api.serializers import FormStateSerializer, UndoSerializer
from postern.apps.preferences.declarations.preference import EFFECT_LABELS, Category, Kind
from postern.apps.preferences.errors import SecretRequired
from postern.apps.preferences.forms import serializer_for, shown
from postern.apps.preferences.mail_account import is_mail_configured
from postern.apps.preferences.registry import PASSWORD_RULES, REGISTRY, of_category
from postern.apps.preferences.sign_in_buttons import OPENID, SAML, SignInButton
from postern.apps.preferences.undoing import values_before
from postern.foundation.rest.bodies import body_of
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.integrations.mail_server.failures import MailFailed
from postern.integrations.web_apis.failures import WebApiFailed
from postern.kernel.errors import NotFound

_LOGOS = {
    "logo_index": "/ui/logo.svg",
    "logo_logout": "/ui/mark.svg",
    "login_image": "/ui/mark.svg",
    "favicon": "/ui/mark.svg",
}
_EVERYTHING: Final = "all"


class UnknownCategory(NotFound):
    """The category is misspelled, or belongs to a feature that this version lacks."""


class PublicSettingsView(PosternView):
    """Settings that the console needs before sign-in. Anybody can read them, so they must not help an attacker."""

    rights = Right.ANYONE
    always_root = True
    gates_apply = False

    def get(self, request: Request) -> Response:
        names = [setting.name for setting in REGISTRY.values() if setting.is_public]
        current = queries.values([*names, *PASSWORD_RULES])
        openid, saml = _buttons(OPENID.value()), _buttons(SAML.value())
        data: dict[str, Any] = {
            "LOGO_URLS": _LOGOS,
            "LOGIN_TITLE": "Postern",
            "IMPORT_MAX_MB": settings.POSTERN.import_max_mb,
            "MAIL_CONFIGURED": is_mail_configured(),
            "XPACK_ENABLED": True,
            "XPACK_LICENSE_IS_VALID": licence.is_valid(),
            **{name: shown(name, current[name]) for name in names},
            "AUTH_OPENID": bool(openid),
            "OPENID_PROVIDERS": openid,
            "SAML_PROVIDERS": saml,
            "PASSWORD_RULE": {name: current[name] for name in PASSWORD_RULES},
        }
        return Response({"data": data})


def _buttons(buttons: Sequence[SignInButton]) -> list[dict[str, str]]:
    return [{"id": button.id, "name": button.name} for button in buttons]


class _OfCategory(PosternView):
    """A view of one category of settings.

    Without a category, the view uses the basic settings. An unknown category is 404 for every method. This includes
    categories of the contract that are not built yet: a PUT to such a category must not change the basic settings, such
    as the address of the site.
    """

    rights = Right.SUPER_USER
    always_root = True

    def _category(self) -> Category | None:
        text = self.request.query_params.get("category") or Category.BASIC.value
        if text == _EVERYTHING:
            return None
        if text not in set(Category):
            raise UnknownCategory(_("This category of settings does not exist."))
        return Category(text)


class SettingsView(_OfCategory):
    """GET, PUT and PATCH of one category of settings.

    `?version=` of a write: the version at which the form was loaded (`settings/setting/state/`). If another person has
    changed one of these settings since, the response is 409 and nothing is changed.
    """

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.Serializer[Any]:
        """The serializer of the category in the query."""
        category = self._category()
        return serializer_for(category or _EVERYTHING, of_category(category))(*args, **kwargs)

    def get(self, request: Request) -> Response:
        current = queries.values(setting.name for setting in of_category(self._category()) if not setting.is_secret)
        return Response({name: shown(name, value) for name, value in current.items()})

    def put(self, request: Request) -> Response:
        return self._change(request, partial=False)

    def patch(self, request: Request) -> Response:
        return self._change(request, partial=True)

    def _change(self, request: Request, *, partial: bool) -> Response:
        serializer = self.get_serializer(data=request.data, partial=partial)
        serializer.is_valid(raise_exception=True)
        actions.change_settings(actor=self.actor, changes=serializer.validated_data, loaded=self._loaded())
        return self.get(request)

    def _loaded(self) -> int | None:
        text = self.request.query_params.get("version", "")
        if not text:
            return None
        if not text.isascii() or not text.isdigit() or len(text) > 18:
            raise serializers.ValidationError({"version": [_("Enter a whole number.")]})
        return int(text)


class SettingsStateView(_OfCategory):
    """Metadata of a form: version, sections, and the origin of each value."""

    answers = {"get": Answer(serializer=FormStateSerializer)}

    def get(self, request: Request) -> Response:
        category = self._category()
        origins = queries.origins(category)
        broken = queries.broken(origins)
        fields = [
            {
                "name": setting.name,
                "category": setting.category,
                "section": str(setting.section),
                "is_long": setting.kind in {Kind.TEXT, Kind.MAPPING},
                "effect": str(EFFECT_LABELS[setting.effect]),
                "is_secret": setting.is_secret,
                "is_set": origins[setting.name].is_set,
                "variable": origins[setting.name].variable,
                "set_by": origins[setting.name].set_by,
                "date_set": origins[setting.name].date_set,
                "is_broken": setting.name in broken,
            }
            for setting in of_category(category)
            if not setting.is_dormant
        ]
        return Response(FormStateSerializer({"version": queries.version(), "settings": fields}).data)


class UndoView(PosternView):
    """POST of `{"record": id}` restores the old values of an audit record of changed settings."""

    rights = Right.SUPER_USER
    always_root = True
    answers = {"post": Answer(schema={"type": "object", "additionalProperties": {}})}

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.Serializer[Any]:
        """The serializer, for OPTIONS."""
        return UndoSerializer(*args, **kwargs)

    def post(self, request: Request) -> Response:
        record = body_of(request, UndoSerializer)["record"]
        # Read before the values, so that a concurrent change is detected and not overwritten.
        loaded = queries.version()
        queries.forget()
        before = values_before(record)
        # Limits may have changed since the values were stored.
        serializer = serializer_for(_EVERYTHING, of_category(None))(data=before, partial=True)
        serializer.is_valid(raise_exception=True)
        actions.change_settings(actor=self.actor, changes=serializer.validated_data, loaded=loaded)
        return Response({name: shown(name, value) for name, value in queries.values(before).items()})


class MailTestView(PosternView):
    """Send a test message with the values of the form, saved or not.

    An empty password means the stored password, an empty recipient means the sender. Returns `{"msg"}`, or 400
    `{"error"}` with what to change.
    """

    rights = Right.SUPER_USER
    always_root = True
    answers = {"post": Answer(schema=texts("msg"))}

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.Serializer[Any]:
        """The serializer, for OPTIONS."""
        fields = tuple(REGISTRY[name] for name in mail_testing.FIELDS)
        return serializer_for("mail_test", fields)(*args, **{"context": {"request": self.request}, **kwargs})

    def post(self, request: Request) -> Response:
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        try:
            address = mail_testing.send_test_message(actor=self.actor, entered=serializer.validated_data)
        except (MailFailed, SecretRequired) as error:
            return Response({"error": error.message}, status=400)
        return Response(
            {"msg": _("The mail server has accepted a test message for %(address)s.") % {"address": address}}
        )


class ProviderTestView(PosternView):
    """Try the settings of a sign-in provider with the values of the form, saved or not.

    An empty secret means the stored secret. Returns `{"msg"}`, or 400 `{"error"}` with what to change.
    """

    rights = Right.SUPER_USER
    always_root = True
    answers = {"post": Answer(schema=texts("msg"))}
    category: Category

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.Serializer[Any]:
        """The serializer, for OPTIONS."""
        fields = of_category(self.category)
        return serializer_for(f"{self.category}_test", fields)(
            *args, **{"context": {"request": self.request}, **kwargs}
        )

    def post(self, request: Request) -> Response:
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        try:
            provider_testing.try_provider(actor=self.actor, category=self.category, entered=serializer.validated_data)
        except (WebApiFailed, SecretRequired) as error:
            return Response({"error": error.message}, status=400)
        return Response({"msg": _("The service has accepted the application. Save the settings to use them.")})


class WecomTestView(ProviderTestView):
    category = Category.WECOM


class DingtalkTestView(ProviderTestView):
    category = Category.DINGTALK


class FeishuTestView(ProviderTestView):
    category = Category.FEISHU
