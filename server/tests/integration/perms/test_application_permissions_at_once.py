"""Two administrators who write application permissions and applications at once (PostgreSQL)."""

from collections.abc import Callable
from typing import Any

import pytest

from factories.browser import Browser
from factories.grants import grant_application, make_application, make_system_user
from factories.meetings import Meeting, statuses
from factories.two_administrators import ids, items
from postern.apps.applications.managed import actions as applications
from postern.apps.applications.models import Application, ApplicationAccount
from postern.apps.perms.granting import actions as permissions
from postern.apps.perms.models import ApplicationPermission
from postern.apps.users.models import User

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("row_locks")]
API = "/api/v1/"
PERMISSIONS = f"{API}perms/application-permissions/"
APPLICATIONS = f"{API}applications/applications/"


def permission(**names: Any) -> ApplicationPermission:
    return grant_application(system_users=[make_system_user(protocol="mysql")], **names)


def pairs_of_permissions() -> set[tuple[object, object]]:
    return {
        (application, account)
        for row in ApplicationPermission.objects.all()
        for application in row.applications.values_list("pk", flat=True)
        for account in row.system_users.values_list("pk", flat=True)
    }


def test_changes_in_opposite_order_do_not_deadlock(
    first_admin: Browser, second_admin: Browser, meeting: Meeting
) -> None:
    rows = [permission() for _ in range(3)]
    meeting(permissions, "update_permissions")
    assert statuses(
        lambda: first_admin.patch(PERMISSIONS, items(rows, comment="one"), format="json"),
        lambda: second_admin.patch(PERMISSIONS, items(rows[::-1], comment="other"), format="json"),
    ) == [200, 200]


def test_application_is_not_deleted_beside_the_permission_that_takes_it(
    first_admin: Browser, second_admin: Browser, meeting: Meeting, make_person: Callable[..., User]
) -> None:
    application = make_application("orders")
    row = permission(users=[make_person("anna")])
    meeting(permissions, "update_permissions")
    meeting(applications, "delete_application")
    change = {"applications": [str(application.pk)]}
    answered = statuses(
        lambda: first_admin.patch(f"{PERMISSIONS}{row.pk}/", change, format="json"),
        lambda: second_admin.delete(f"{APPLICATIONS}{application.pk}/"),
    )
    assert answered in ([200, 400], [204, 400])
    is_kept = Application.objects.filter(pk=application.pk).exists()
    assert is_kept == (answered == [200, 400])
    accounts = set(ApplicationAccount.objects.values_list("application_id", "systemuser_id"))
    assert accounts == pairs_of_permissions()
    assert len(accounts) == int(is_kept)


def test_application_deleted_beside_its_change_is_gone_or_changed(
    first_admin: Browser, second_admin: Browser, meeting: Meeting
) -> None:
    rows = [make_application() for _ in range(2)]
    meeting(applications, "update_application")
    answered = statuses(
        lambda: first_admin.patch(APPLICATIONS, items(rows, comment="one"), format="json"),
        lambda: second_admin.delete(f"{APPLICATIONS}?ids={ids(rows[::-1])}"),
    )
    assert answered in ([200, 204], [204, 400], [204, 404])
    assert not Application.objects.exists()
