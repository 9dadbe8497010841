"""`ops/command-snippets/`: saved commands of the caller."""

from typing import Any

from django.utils.translation import gettext_lazy

from postern.apps.jobs.command_snippets import actions
from postern.apps.jobs.command_snippets.command_field import CommandField
from postern.apps.jobs.command_snippets.models import CommandSnippet
from postern.foundation.rest.rights import Right
from postern.foundation.rest.serializers import ResourceSerializer
from postern.foundation.rest.viewsets import ResourceViewSet


class CommandSnippetSerializer(ResourceSerializer):
    """A saved command."""

    command = CommandField(label=gettext_lazy("Command"))

    class Meta:
        model = CommandSnippet
        fields_mini = ("id", "name")
        fields_small = (*fields_mini, "command", "date_created", "date_updated")
        fields = fields_small
        read_only_fields = ("date_created", "date_updated")


class CommandSnippetViewSet(ResourceViewSet):
    """The caller's own saved commands, by name."""

    queryset = CommandSnippet.objects.all()
    serializer_class = CommandSnippetSerializer
    rights = Right.VALID_USER
    always_root = True
    made_in_organization = changed_in_organization = False
    importable = exportable = False
    filter_fields = ("name",)
    search_fields = ("name", "command")
    default_order = ("name", "id")

    def create_object(self, data: dict[str, Any]) -> CommandSnippet:
        return actions.create_snippet(actor=self.actor, name=data["name"], command=data["command"])

    def update_object(self, instance: CommandSnippet, data: dict[str, Any]) -> CommandSnippet:
        return actions.update_snippet(actor=self.actor, snippet=instance, changes=data)

    def delete_object(self, instance: CommandSnippet) -> None:
        actions.delete_snippet(actor=self.actor, snippet=instance)
