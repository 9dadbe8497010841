"""The objects that a list of the new resource refers to, as the running product knows them."""

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import django
from django.apps import apps

from new_resource.request import BadRequest, Field, Request


@dataclass(frozen=True, slots=True)
class Target:
    """A list's model: where it is imported from, the column that names its objects, and its choice in the console's forms."""

    field: Field
    model: str
    module: str
    named_by: str
    remote: str


#: Choices in the console whose name is not that of the model.
_REMOTES = {"UserGroup": "groupOptions"}


def _settings(home: str) -> dict[str, str]:
    return {"POSTERN_HOME": home, "DJANGO_SETTINGS_MODULE": "postern.foundation.django_settings"}


def targets_of(request: Request, root: Path) -> list[Target]:
    """The targets of all lists. Raises BadRequest for a model that does not fit, and for a resource that exists."""
    if not apps.ready:
        # In an environment of its own: a test run that inherited it would load the settings before `tests/conftest.py` changes them.
        with tempfile.TemporaryDirectory() as home, mock.patch.dict(os.environ, _settings(home)):
            django.setup()
    for model in apps.get_models():
        if model.__name__.lower() == request.model.lower() and model.__module__.startswith("postern."):
            raise BadRequest(
                f"{model.__module__} has a model {model.__name__}: its audit kinds would have the same codes"
            )
    return [_target(request, field, root) for field in request.lists]


def _target(request: Request, field: Field, root: Path) -> Target:
    try:
        model: Any = apps.get_model(field.model)
    except (LookupError, ValueError) as error:
        raise BadRequest(f"there is no model {field.model}") from error
    if not hasattr(model, "org_id"):
        raise BadRequest(f"{field.model} does not belong to an organization: its list needs actions of its own")
    if hasattr(model, request.plural):
        raise BadRequest(f"{field.model} has an attribute {request.plural}: its rows could not name theirs")
    unique = [
        next(iter(set(constraint.fields) - {"org_id"}))
        for constraint in model._meta.total_unique_constraints  # noqa: SLF001 - the documented model API
        if len(set(constraint.fields) - {"org_id"}) == 1 and "org_id" in constraint.fields
    ]
    texts = [name for name in unique if model._meta.get_field(name).get_internal_type() == "CharField"]  # noqa: SLF001 - the same
    if not texts:
        raise BadRequest(
            f"{field.model} has no text that is unique in its organization: records could not name its objects"
        )
    own = field.model.split(".")[0] == request.app
    module = model.__module__ if own else f"postern.apps.{field.model.split('.')[0]}.models"
    usual = f"{model.__name__[0].lower()}{model.__name__[1:]}Options"
    remote = _REMOTES.get(model.__name__, usual)
    remotes = (root / "console/src/domain/remotes.ts").read_text(encoding="utf-8")
    if not re.search(rf"export const {remote}\b", remotes):
        raise BadRequest(f"console/src/domain/remotes.ts has no {remote}: forms could not offer a choice")
    return Target(field, model.__name__, module, texts[0], remote)
