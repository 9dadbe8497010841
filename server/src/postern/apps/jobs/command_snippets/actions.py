"""Writes of saved commands."""

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.jobs.command_snippets.models import MAX_OF_ONE, CommandSnippet
from postern.apps.users import facade as users
from postern.foundation.caller.actor import Actor
from postern.kernel.errors import PosternError


class NameTaken(PosternError):
    """The person has another saved command of this name; the response is a field error."""

    code = "name_taken"

    @property
    def fields(self) -> dict[str, list[str]]:
        return {"name": [self.message]}


class TooManySnippets(PosternError):
    """The person has the maximum number of saved commands."""

    code = "too_many_snippets"


@transaction.atomic
def create_snippet(*, actor: Actor, name: str, command: str) -> CommandSnippet:
    """Save a command. Raises NameTaken, TooManySnippets."""
    if actor.user_id is None:
        raise ValueError("a saved command belongs to a person")
    users.hold_epoch(actor.user_id)  # requests of one person at the same time are counted one after the other
    if CommandSnippet.objects.filter(user_id=actor.user_id).count() >= MAX_OF_ONE:
        raise TooManySnippets(
            _("You have saved %(number)d commands already. Delete some first.") % {"number": MAX_OF_ONE}
        )
    snippet = CommandSnippet(user_id=actor.user_id, name=name, command=command, created_by=actor.label[:128])
    _save(snippet)
    audits.record_change(actor=actor, action="create", target=snippet, new={"name": name, "command": command})
    return snippet


@transaction.atomic
def update_snippet(*, actor: Actor, snippet: CommandSnippet, changes: Mapping[str, Any]) -> CommandSnippet:
    """Change a saved command. Raises NameTaken."""
    old = {name: getattr(snippet, name) for name in changes if getattr(snippet, name) != changes[name]}
    if old:
        for name in old:
            setattr(snippet, name, changes[name])
        _save(snippet)
        new = {name: changes[name] for name in old}
        audits.record_change(actor=actor, action="update", target=snippet, old=old, new=new)
    return snippet


@transaction.atomic
def delete_snippet(*, actor: Actor, snippet: CommandSnippet) -> None:
    """Delete a saved command."""
    audits.record_change(
        actor=actor, action="delete", target=snippet, old={"name": snippet.name, "command": snippet.command}
    )
    snippet.delete()


def _save(snippet: CommandSnippet) -> None:
    try:
        with transaction.atomic():
            snippet.save()
    except IntegrityError as error:
        raise NameTaken(_("You have another saved command of this name.")) from error
