"""Foreign keys point down the stack of apps, and rows of organizations are read through one manager."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.db import models

from postern.apps.orgs import tenancy
from postern.foundation.models import OrgOwnedModel, SavedRow, ScopedQuerySet

#: Top of the stack first (ARCHITECTURE.md). Apps in one tuple must not refer to each other.
STACK = (
    ("entrypoints",),
    ("reports",),
    ("forwarding",),
    ("notifications",),
    ("jobs",),
    ("sessions",),
    ("plans",),
    ("perms", "acls"),
    ("applications",),
    ("vault",),
    ("assets",),
    ("authn",),
    ("directory",),
    ("rbac",),
    ("users",),
    ("orgs", "preferences"),
    ("licence",),
    ("audits",),
    ("foundation",),
)
HEIGHT = {app: len(STACK) - row for row, line in enumerate(STACK) for app in line}


def own_models() -> Iterator[type[models.Model]]:
    for model in apps.get_models(include_auto_created=True):
        if model.__module__.startswith("postern."):
            yield model


def relations() -> Iterator[tuple[type[models.Model], Any]]:
    for model in own_models():
        for field in model._meta.get_fields():
            if field.is_relation and not field.auto_created and isinstance(field.related_model, type):
                yield model, field


def test_every_app_has_a_place_in_the_stack() -> None:
    ours = {config.label for config in apps.get_app_configs() if config.name.startswith("postern.")}
    assert ours <= set(HEIGHT) | {"web_sessions"}


def test_relations_point_down_the_stack() -> None:
    wrong = []
    for model, field in relations():
        source, target = model._meta.app_label, field.related_model._meta.app_label
        if source != target and target in HEIGHT and HEIGHT[target] >= HEIGHT[source]:
            wrong.append(f"{model.__name__}.{field.name} → {field.related_model.__name__}")
    assert wrong == []


@pytest.mark.parametrize("model", [m for m in own_models() if issubclass(m, OrgOwnedModel)], ids=lambda m: m.__name__)
def test_rows_of_organizations_are_read_through_the_one_manager(model: type[models.Model]) -> None:
    assert isinstance(model._default_manager.all(), ScopedQuerySet)
    assert callable(model._default_manager.all().visible_to)


#: Tables of organizations whose rows do not prevent the deletion of their organization, and why.
NOT_KEEPING = {
    "Session": "a record: live ones are counted, finished ones stay and are seen in the root",
    "HostKey": "goes with its asset",
    "CommandFilterRule": "goes with its filter",
    "SystemUserAsset": "an account goes with its asset",
    "Account": "as above",
    "AccountSecret": "as above",
    "HostTask": "a record of work, like its jobs",
}


def test_every_table_of_organizations_is_considered_when_an_organization_is_deleted() -> None:
    counted = {holding.rows().model.__name__ for holding in tenancy.HOLDINGS.value if holding.keeps}
    owned = {model.__name__ for model in own_models() if issubclass(model, OrgOwnedModel)}
    assert owned - counted - set(NOT_KEEPING) == set(), "register a Holding in `holdings.py` of the app"


def test_text_columns_have_a_maximum() -> None:
    """K41 (every text has a limit): a CharField limits itself, a TextField must be limited by its serializer."""
    unlimited = [
        f"{model.__name__}.{field.name}"
        for model in own_models()
        for field in model._meta.concrete_fields
        if isinstance(field, models.CharField) and not field.max_length
    ]
    assert unlimited == []


def test_deleted_row_is_not_inserted_again_by_save() -> None:
    """Django's own `save` inserts a row that it cannot update."""
    made_by_django = {model for model in own_models() if model._meta.auto_created}
    assert [model.__name__ for model in set(own_models()) - made_by_django if not issubclass(model, SavedRow)] == []
