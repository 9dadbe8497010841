"""Plans with real commits: two at once, beside other writes, and killed in the middle."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest
from django.conf import settings
from django.db import connection

from factories.access_plans import HEAD, applied, exported, planned, planned_world
from factories.browser import Browser
from factories.meetings import Meeting, statuses
from peers import plan_applier
from postern.apps.audits.facade import verify_log
from postern.apps.audits.models import AuditEvent
from postern.apps.perms import facade as perms
from postern.apps.perms.granting import actions as permissions
from postern.apps.perms.models import AssetPermission
from postern.apps.users.models import User, UserGroup
from postern.foundation import installation

APPLY = "/api/v1/perms/apply/"
GROUPS = "/api/v1/users/groups/"
ONE = HEAD + (
    "user_groups: [{name: Both, users: [anna, bert]}, {name: Operations, users: [bert]}]\n"
    "asset_permissions:\n"
    "  - {name: both, user_groups: [Both], nodes: [/Default], system_users: [root]}\n"
    "  - {name: db for bert, user_groups: [Operations]}\n"
)


@pytest.mark.django_db(transaction=True)
def test_a_plan_killed_in_the_middle_leaves_nothing(make_user: Callable[..., User]) -> None:
    installation.run()
    planned_world(make_user)
    before = exported()
    counted = AuditEvent.objects.count()
    environ = {
        **os.environ,
        "POSTERN_HOME": str(settings.POSTERN.home),
        "POSTERN_KEK_FILE": str(settings.POSTERN.kek_file),
    }
    command = [sys.executable, plan_applier.__file__, str(connection.settings_dict["NAME"])]
    killed = subprocess.run(command, env=environ, input=ONE.encode(), check=False, timeout=120, capture_output=True)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert AuditEvent.objects.count() == counted
    assert exported() == before
    assert applied(ONE).changes
    assert planned(ONE).changes == []
    assert not verify_log().faults


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("row_locks")
def test_two_plans_at_once_are_one_after_the_other(
    first_admin: Browser, second_admin: Browser, make_user: Callable[..., User], meeting: Meeting
) -> None:
    planned_world(make_user)
    meeting(perms, "create_permissions")
    other = ONE.replace("[anna, bert]", "[anna]").replace("users: [bert]", "users: [anna]")
    assert statuses(
        lambda: first_admin.post(APPLY, {"file": ONE}, format="json"),
        lambda: second_admin.post(APPLY, {"file": other}, format="json"),
    ) == [200, 200]
    last = [text for text in (ONE, other) if not planned(text).changes]
    assert len(last) == 1
    assert AuditEvent.objects.filter(event="plan.applied").count() == 2


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("row_locks")
def test_a_plan_and_other_writes_of_its_objects_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, make_user: Callable[..., User], meeting: Meeting
) -> None:
    planned_world(make_user)
    row = AssetPermission.objects.get(name="db for bert")
    meeting(permissions, "update_permissions")
    url = f"/api/v1/perms/asset-permissions/{row.pk}/"
    assert statuses(
        lambda: first_admin.post(APPLY, {"file": ONE}, format="json"),
        lambda: second_admin.patch(url, {"comment": "other"}, format="json"),
    ) == [200, 200]
    assert planned(ONE).changes == []
    group = UserGroup.objects.get(name="Both")
    again = ONE.replace("{name: both,", "{name: both, comment: again,")
    # The group is deleted before the plan, which then misses or creates it; or the plan comes first.
    found = statuses(
        lambda: first_admin.post(APPLY, {"file": again}, format="json"),
        lambda: second_admin.delete(f"{GROUPS}{group.pk}/"),
    )
    assert found == [200, 204]
