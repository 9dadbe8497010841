"""`settings/ldap/…`: tests, the list of people, import and synchronisation, for super administrators."""

from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.directory import importing, reading, testing
from postern.apps.directory.api.serializers import (
    EntrySerializer,
    ImportSerializer,
    SignInTestSerializer,
    StateSerializer,
    SynchronisationSerializer,
)
from postern.apps.directory.errors import DirectoryUnavailable, NotUsable, PasswordRequired, Reading
from postern.apps.directory.importing import Imported
from postern.apps.directory.models import DirectoryEntry, DirectoryIdentity
from postern.apps.directory.source import is_configured
from postern.apps.orgs import facade as orgs
from postern.apps.preferences import facade as preferences
from postern.apps.users.models import User
from postern.foundation.phrases import why
from postern.foundation.rest.bodies import body_of
from postern.foundation.rest.openapi.answers import Answer, texts
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView
from postern.foundation.rest.viewsets import ReadOnlyViewSet
from postern.integrations.directory.failures import DirectoryFailed
from postern.kernel.secret import Secret

_FAILURES = (DirectoryFailed, NotUsable, PasswordRequired, DirectoryUnavailable)
_MAX_NAMED = 20


class SettingsTestView(PosternView):
    """Read the directory with the values of the form, saved or not. An empty password means the stored password.

    Returns a sentence, or 400 `{"error"}` with what to change.
    """

    rights = Right.SUPER_USER
    always_root = True
    answers = {"post": Answer(schema={"type": "string"})}

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.Serializer[Any]:
        """The serializer, for OPTIONS."""
        form = preferences.form_of("ldap_test", testing.FIELDS)
        return form(*args, **{"context": {"request": self.request}, "partial": True, **kwargs})

    def post(self, request: Request) -> Response:
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        try:
            report = testing.try_settings(actor=self.actor, entered=serializer.validated_data)
        except _FAILURES as error:
            return Response({"error": error.message}, status=400)
        return Response(report)


class SignInTestView(PosternView):
    """Try a sign-in with the stored settings. Returns a sentence, or 400 `{"error"}` with the reason."""

    rights = Right.SUPER_USER
    always_root = True
    answers = {"post": Answer(schema={"type": "string"})}

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.Serializer[Any]:
        """The serializer, for OPTIONS."""
        return SignInTestSerializer(*args, **kwargs)

    def post(self, request: Request) -> Response:
        body = body_of(request, SignInTestSerializer)
        try:
            text = testing.try_sign_in(actor=self.actor, username=body["username"], password=Secret(body["password"]))
        except _FAILURES as error:
            return Response({"error": error.message}, status=400)
        return Response(text)


class EntryViewSet(ReadOnlyViewSet):
    """People of the directory at the last reading.

    While a reading runs, the response is 409 (contract). `cache_police` is accepted and has no effect: the list never
    reads the directory itself.
    """

    queryset = DirectoryEntry.objects.all()
    serializer_class = EntrySerializer
    answers = {"list:409": Answer(409, schema=texts("msg"))}
    rights = Right.SUPER_USER
    always_root = True
    changed_in_organization = False
    importable = exportable = False
    search_fields = ("username", "name", "email")
    ordering_fields = ("username", "name", "email")
    default_order = ("username",)

    def visible_rows(self) -> "QuerySet[Any]":
        users = User.objects.filter(username_key=OuterRef("username_key"))
        return DirectoryEntry.objects.annotate(
            existing=Exists(DirectoryIdentity.objects.filter(uid=OuterRef("uid"))), is_taken=Exists(users)
        )

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """The list; 409 while the directory is being read."""
        if reading.is_reading(reading.state()):
            raise Reading
        answer: Response = super().list(request, *args, **kwargs)
        return answer


class CacheViewSet(ReadOnlyViewSet):
    """Read the list of people again. No user is changed. GET exists for compatibility."""

    queryset = DirectoryEntry.objects.all()
    serializer_class = EntrySerializer
    rights = Right.SUPER_USER
    always_root = True
    changed_in_organization = False
    importable = exportable = False
    acts_on_get = frozenset({"refresh"})
    answers = {"refresh": Answer(schema=texts("msg"))}

    def refresh(self, request: Request) -> Response:
        """Request a reading from the worker."""
        reading.request_reading(actor=self.actor)
        return Response({"msg": "success"})


class ImportView(PosternView):
    """Import people of the list as users of an organization, with the role User.

    Returns `{"msg"}`, with `errors` by username for people who were not imported; 400 when nobody was imported.
    """

    rights = Right.SUPER_USER
    always_root = True
    answers = {"post": Answer(schema=texts("msg"))}

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.Serializer[Any]:
        """The serializer, for OPTIONS."""
        return ImportSerializer(*args, **kwargs)

    def post(self, request: Request) -> Response:
        body = body_of(request, ImportSerializer)
        scope = orgs.find_scope(body.get("org_id") or "default")
        if scope.is_root:
            scope = orgs.find_scope("default")
        result = importing.import_people(actor=self.actor, scope=scope, usernames=body["username_list"])
        answer: dict[str, Any] = {"msg": _summary(result)}
        if result.refused:
            answer["errors"] = dict(list(result.refused.items())[:_MAX_NAMED])
        is_refused = not (result.created or result.added or result.unchanged)
        return Response(answer, status=400 if is_refused else 200)


class SynchronisationView(PosternView):
    """GET: the state of the last reading. POST: read now, and update the users of the directory."""

    rights = Right.SUPER_USER
    always_root = True
    answers = {"get": Answer(serializer=StateSerializer), "post": Answer(serializer=StateSerializer)}

    def get_serializer(self, *args: Any, **kwargs: Any) -> serializers.Serializer[Any]:
        """The serializer, for OPTIONS."""
        return SynchronisationSerializer(*args, **kwargs)

    def get(self, request: Request) -> Response:
        row = reading.state()
        state = {
            "is_configured": is_configured(),
            "is_reading": reading.is_reading(row),
            "date_began": row.date_began,
            "date_ended": row.date_ended,
            "date_succeeded": row.date_succeeded,
            "outcome": row.outcome,
            "outcome_display": row.get_outcome_display(),
            "reason": why(row.reason, ""),
            "counts": row.counts,
        }
        return Response(StateSerializer(state).data)

    def post(self, request: Request) -> Response:
        body = body_of(request, SynchronisationSerializer)
        reading.request_reading(actor=self.actor, with_users=True, accepts_fall=body["accept_fall"])
        return self.get(request)


def _summary(result: Imported) -> str:
    summary = ngettext("%(number)d user was created.", "%(number)d users were created.", result.created) % {
        "number": result.created
    }
    if result.added:
        summary += " " + _("Existing users added to the organization: %(number)d.") % {"number": result.added}
    if result.unchanged:
        summary += " " + _("Already imported: %(number)d.") % {"number": result.unchanged}
    if result.refused:
        named = [f"{name}: {reason}" for name, reason in list(result.refused.items())[:3]]
        summary += " " + _("Left out: %(number)d. %(names)s") % {
            "number": len(result.refused),
            "names": " ".join(named),
        }
    return summary
