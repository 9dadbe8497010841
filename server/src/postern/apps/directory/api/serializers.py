"""Serializers of the directory's API."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from postern.apps.directory.models import DirectoryEntry, Outcome
from postern.foundation.rest.bodies import BodySerializer
from postern.foundation.rest.instants import InstantField
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.text import PlainField

MAX_NAMES = 1000


class EntrySerializer(ResourceSerializer):
    """A person of the directory. `id` is the username (contract). `existing`: already a user; `is_taken`: another
    account has the username.
    """

    id = serializers.CharField(source="username", read_only=True, label=_("Username"))
    groups = serializers.ListField(child=serializers.CharField(), read_only=True, label=_("User group"))
    existing = serializers.BooleanField(read_only=True, label=_("Imported"))
    is_taken = serializers.BooleanField(read_only=True, label=_("Username taken"))

    class Meta:
        model = DirectoryEntry
        fields_mini = ("id", "username", "name")
        fields_small = (*fields_mini, "email", "groups", "is_enabled", "existing", "is_taken")
        fields = fields_small
        read_only_fields = fields_small


class ImportSerializer(BodySerializer):
    """Usernames to import, and the organization that the users join. Default: the default organization."""

    username_list = serializers.ListField(
        child=PlainField(max_length=128), min_length=1, max_length=MAX_NAMES, label=_("Usernames")
    )
    org_id = PlainField(required=False, allow_blank=True, max_length=128, label=_("Organization"))


class SignInTestSerializer(BodySerializer):
    """A login name and a password of the directory."""

    username = PlainField(max_length=128, label=_("Username"))
    password = serializers.CharField(
        max_length=1024, write_only=True, trim_whitespace=False, style={"input_type": "password"}, label=_("Password")
    )


class SynchronisationSerializer(BodySerializer):
    """`accept_fall`: the administrator confirms that many people have left; synchronisation may disable them."""

    accept_fall = serializers.BooleanField(required=False, default=False, label=_("Many people have left"))


class StateSerializer(serializers.Serializer[Any]):
    """The state of the reading, and the counts of the last run."""

    is_configured = serializers.BooleanField(read_only=True, label=_("Configured"))
    is_reading = serializers.BooleanField(read_only=True, label=_("Being read"))
    date_began = InstantField(read_only=True, allow_null=True, label=_("Begin"))
    date_ended = InstantField(read_only=True, allow_null=True, label=_("End"))
    date_succeeded = InstantField(read_only=True, allow_null=True, label=_("Last success"))
    outcome = serializers.ChoiceField(choices=Outcome.choices, read_only=True, allow_blank=True, label=_("Outcome"))
    outcome_display = serializers.CharField(read_only=True, label=_("Outcome name"))
    reason = serializers.CharField(read_only=True, label=_("Reason"))
    counts = serializers.DictField(child=serializers.IntegerField(), read_only=True, label=_("Numbers"))
