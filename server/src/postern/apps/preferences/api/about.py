"""`settings/about/`: the data of the page "about" and of its diagnostics file."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from postern.apps.preferences.diagnostics import facts
from postern.foundation.rest.openapi.answers import Answer
from postern.foundation.rest.rights import Right
from postern.foundation.rest.views import PosternView


class PartSerializer(serializers.Serializer[Any]):
    """One service of the product. `since`: start of its process, if this installation supervises it."""

    name = serializers.CharField(read_only=True, label=_("Name"))
    ok = serializers.BooleanField(read_only=True, label=_("Healthy"))
    ms = serializers.FloatField(read_only=True, label=_("Duration of the check (ms)"))
    running = serializers.IntegerField(read_only=True, allow_null=True, label=_("Running processes"))
    wanted = serializers.IntegerField(read_only=True, allow_null=True, label=_("Wanted processes"))
    since = serializers.DateTimeField(read_only=True, allow_null=True, label=_("Running since"))


class BrokenSettingSerializer(serializers.Serializer[Any]):
    """A setting whose stored value is invalid, because it was edited in the database.

    `category`: the form of the setting; empty if no form has it. `applies`: the value in use.
    """

    name = serializers.CharField(read_only=True, label=_("Name"))
    title = serializers.CharField(read_only=True, label=_("Title"))
    category = serializers.CharField(read_only=True, label=_("Category"))
    applies = serializers.JSONField(read_only=True, allow_null=True, label=_("Value"))


class AboutSerializer(serializers.Serializer[Any]):
    """The installation: versions, services, and the settings that differ from their defaults. No secrets."""

    version = serializers.CharField(read_only=True, label=_("Version"))
    api_level = serializers.CharField(read_only=True, label=_("API level"))
    time = serializers.DateTimeField(read_only=True, label=_("Time"))
    python = serializers.CharField(read_only=True, label="Python")
    django = serializers.CharField(read_only=True, label="Django")
    system = serializers.CharField(read_only=True, label=_("Operating system"))
    database = serializers.CharField(read_only=True, label=_("Database"))
    redis = serializers.CharField(read_only=True, label="Redis")
    time_zone = serializers.CharField(read_only=True, label=_("Time zone"))
    language = serializers.CharField(read_only=True, label=_("Language"))
    web_processes = serializers.IntegerField(read_only=True, label=_("Web processes"))
    secret_store = serializers.CharField(read_only=True, label=_("Secret store"))
    free_mb = serializers.IntegerField(read_only=True, label=_("Free space of the data folder (MB)"))
    parts = PartSerializer(many=True, read_only=True, label=_("Parts"))
    settings = serializers.DictField(read_only=True, label=_("Changed settings"))
    broken_settings = BrokenSettingSerializer(many=True, read_only=True, label=_("Settings that cannot be used"))
    variables = serializers.ListField(
        child=serializers.CharField(), read_only=True, label=_("Settings fixed by the environment")
    )
    syslog = serializers.DictField(read_only=True, label=_("Syslog"))


class AboutView(PosternView):
    """GET: facts about the installation."""

    rights = Right.SUPER_USER
    always_root = True
    answers = {"get": Answer(serializer=AboutSerializer)}

    def get(self, request: Request) -> Response:
        return Response(AboutSerializer(facts()).data)
