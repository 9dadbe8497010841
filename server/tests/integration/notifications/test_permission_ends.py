"""Makers of permissions are told once that these end soon."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from factories.grants import grant, grant_application, make_asset, make_system_user
from postern.apps.notifications import permission_ends
from postern.apps.notifications.models import SiteMessage
from postern.apps.perms.models import ApplicationPermission, AssetPermission
from postern.apps.users.models import User
from postern.kernel.clock import now

pytestmark = pytest.mark.django_db

_DAY = timedelta(days=1)


def ending(name: str, maker: User | None, **values: object) -> AssetPermission:
    made = grant(
        name,
        assets=[make_asset()],
        system_users=[make_system_user()],
        **{"date_start": now() - _DAY, "date_expired": now() + 3 * _DAY, **values},
    )
    AssetPermission.objects.filter(pk=made.pk).update(created_by=str(maker) if maker else "")
    return made


def told() -> dict[str, set[str]]:
    """Usernames by the name of the permission that the message is about."""
    return {
        name: set(SiteMessage.objects.filter(message__contains=name).values_list("receipts__user__username", flat=True))
        for name in AssetPermission.objects.values_list("name", flat=True)
        if SiteMessage.objects.filter(message__contains=name).exists()
    }


def test_maker_is_told_once_for_each_end(people: dict[str, User]) -> None:
    made = ending("web release", people["admin"])
    ending("far away", people["admin"], date_expired=now() + 6 * _DAY)
    ending("switched off", people["admin"], is_active=False)
    ending("over", people["admin"], date_expired=now() - _DAY / 2)
    assert permission_ends.warn_due() == 1
    assert told() == {"web release": {people["admin"].username}}
    assert permission_ends.warn_due() == 0
    AssetPermission.objects.filter(pk=made.pk).update(date_expired=now() + 4 * _DAY)
    assert permission_ends.warn_due() == 1


def test_administrators_are_told_when_the_maker_is_none_of_them_any_more(
    people: dict[str, User], make_user: Callable[..., User]
) -> None:
    ending("by one who left", make_user("gone"))
    ending("by nobody", None)
    assert permission_ends.warn_due() == 2
    admins = {people["org_admin"].username}
    assert told() == {"by one who left": admins, "by nobody": admins}


def test_maker_of_an_application_permission_is_told_too(people: dict[str, User]) -> None:
    made = grant_application(
        "orders",
        system_users=[make_system_user(protocol="mysql")],
        date_start=now() - _DAY,
        date_expired=now() + 3 * _DAY,
    )
    ApplicationPermission.objects.filter(pk=made.pk).update(created_by=str(people["admin"]))
    assert (permission_ends.warn_due(), permission_ends.warn_due()) == (1, 0)
    message = SiteMessage.objects.get(message__contains="orders")
    assert [receipt.user for receipt in message.receipts.all()] == [people["admin"]]
    assert f"/perms/app-permissions/{made.pk}/update" in message.message
