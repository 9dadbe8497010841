"""Two administrators change a setting concurrently: each audit record has the value that its change replaced."""

import pytest

from factories.at_once import at_once
from postern.apps.audits.models import AuditEvent
from postern.apps.preferences.actions import change_settings
from postern.foundation.caller.actor import SYSTEM

pytestmark = pytest.mark.django_db(transaction=True)

NAME = "SECURITY_PROXY_CREDENTIALS_PER_MINUTE"


@pytest.mark.parametrize("is_set", [True, False])
def test_audit_records_of_concurrent_changes_follow_each_other(is_set: bool) -> None:
    if is_set:
        change_settings(actor=SYSTEM, changes={NAME: 50})
    at_once(*(lambda value=value: change_settings(actor=SYSTEM, changes={NAME: value}) for value in range(60, 68)))
    records = AuditEvent.objects.filter(event="settings.updated").order_by("sequence")[int(is_set) :]
    values = [(row.old[NAME], row.new[NAME]) for row in records]
    assert sorted(new for _old, new in values) == list(range(60, 68))
    assert [old for old, _new in values] == [50 if is_set else 600, *(new for _old, new in values[:-1])]
