"""Writes of plain rows (`audits.recorded`): each change is recorded once, with old and new values."""

import pytest
from django.db import transaction

from factories.grants import make_asset
from postern.apps.assets.labels.actions import LABELS
from postern.apps.assets.models import Label
from postern.apps.assets.tree.actions import ensure_root
from postern.apps.audits import recorded
from postern.apps.audits.models import AuditEvent
from postern.apps.orgs.models import Organization
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db


@pytest.fixture
def label() -> Label:
    return LABELS.create(actor=SYSTEM, org_id=DEFAULT_ORG_ID, values={"name": "env", "value": "prod"})


def _recorded() -> list[str]:
    return list(
        AuditEvent.objects.filter(event__startswith="label.").order_by("sequence").values_list("event", flat=True)
    )


def test_update_without_a_change_is_not_recorded(label: Label) -> None:
    LABELS.update(actor=SYSTEM, row=label, values={"name": "env", "assets": []})
    assert _recorded() == ["label.created"]


def test_update_records_only_the_changed_columns(label: Label) -> None:
    LABELS.update(actor=SYSTEM, row=label, values={"name": "env", "value": "test"})
    event = AuditEvent.objects.get(event="label.updated")
    assert (event.old, event.new) == ({"value": "prod"}, {"value": "test"})


def test_objects_of_another_organization_are_ignored_in_lists(label: Label) -> None:
    branch = Organization.objects.create(name="Branch")
    ensure_root(actor=SYSTEM, org_id=branch.pk, name="Branch")
    stranger = make_asset("stranger", org_id=branch.pk)
    LABELS.update(actor=SYSTEM, row=label, values={"assets": [stranger]})
    assert not label.assets.exists()
    assert _recorded() == ["label.created"]


def test_deleted_row_keeps_its_key_and_is_recorded_with_the_names_in_its_lists(label: Label) -> None:
    LABELS.update(actor=SYSTEM, row=label, values={"assets": [make_asset("web")]})
    key = label.pk
    LABELS.delete(actor=SYSTEM, row=label)
    event = AuditEvent.objects.get(event="label.deleted")
    assert (label.pk, event.resource_id) == (key, str(key))
    assert event.old == {"name": "env", "value": "prod", "assets": ["web"]}


def test_hold_refuses_a_concurrently_deleted_object(label: Label) -> None:
    asset = make_asset("web")
    values = [{"assets": [type(asset)(pk=asset.pk)]}]
    asset.delete()
    with transaction.atomic(), pytest.raises(type(asset).DoesNotExist):
        LABELS.hold([label], values)


def test_long_list_of_names_is_shortened_to_the_changed_names() -> None:
    before = [f"web-{number:03}" for number in range(60)]
    assert recorded.shortened(before[:50]) == before[:50]
    assert recorded.shortened(before, besides=before[1:]) == ["web-000", "… (60)"]
