"""Reviews of permissions: which nobody used, which have expired or end soon, and who of their people did not use them."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.grants import grant, grant_application, make_application, make_asset, make_group, make_system_user
from postern.apps.perms import facade
from postern.apps.perms.models import AssetPermission, HistoryStart, PermissionUse
from postern.apps.users.models import User
from postern.foundation import licensing
from postern.kernel.clock import now

pytestmark = pytest.mark.django_db

_LIST = "/api/v1/perms/reviews/asset-permissions/"
_DAY = timedelta(days=1)


@pytest.fixture
def world(make_user: Callable[..., User]) -> dict[str, Any]:
    """Permissions of 200 days, in a history of a year."""
    HistoryStart.objects.update(began=int((now() - 365 * _DAY).timestamp() * 1e6))
    anna, ben = make_user("anna"), make_user("ben")
    group, account, host = make_group("team", users=[ben]), make_system_user(), make_asset()
    dates = {"date_start": now() - 200 * _DAY}
    made = {
        name: grant(
            name, users=[anna], user_groups=[group], assets=[host], system_users=[account], **{**dates, **values}
        )
        for name, values in {
            "used": {},
            "unused": {},
            "expired": {"date_expired": now() - _DAY},
            "ending": {"date_expired": now() + 5 * _DAY},
            "off": {"is_active": False},
            "young": {"date_start": now() - _DAY},
        }.items()
    }
    AssetPermission.objects.update(date_created=now() - 200 * _DAY)
    facade.note_use(permission_ids={made["used"].pk, made["ending"].pk}, user_id=anna.pk, at=now() - 10 * _DAY)
    return {**made, "anna": anna, "ben": ben}


def found(client: APIClient, **query: Any) -> dict[str, list[str]]:
    answer = client.get(_LIST, query)
    assert answer.status_code == 200, answer.content
    return {row["name"]: row["findings"] for row in answer.json()}


def test_permissions_are_found_by_use_and_end(as_auditor: APIClient, world: dict[str, Any]) -> None:
    assert found(as_auditor) == {
        "unused": ["unused"],
        "expired": ["expired"],
        "ending": ["ending"],
        "used": [],
        "off": [],
        "young": [],
    }
    assert found(as_auditor, finding="unused") == {"unused": ["unused"]}
    assert found(as_auditor, finding="expired") == {"expired": ["expired"]}
    assert found(as_auditor, finding="ending", within=4) == {}
    # Ten days ago is no use in the last nine days. "young" was not valid for so long, and "off" grants nothing.
    assert found(as_auditor, days=9, within=1) == {
        **{key: ["unused"] for key in ("unused", "used", "ending")},
        "expired": ["expired"],
        "off": [],
        "young": [],
    }
    # Every line of a list says what its filter found.
    for finding in ("unused", "expired", "ending"):
        assert all(finding in names for names in found(as_auditor, finding=finding, days=9).values())
    row = as_auditor.get(f"{_LIST}{world['used'].pk}/").json()
    assert (row["findings"], row["users_display"], row["user_groups_display"]) == ([], ["Anna(anna)"], ["team"])
    assert row["date_last_used"] is not None


def test_nothing_is_called_unused_before_uses_are_known_long_enough(
    as_auditor: APIClient, world: dict[str, Any]
) -> None:
    HistoryStart.objects.update(began=int((now() - 30 * _DAY).timestamp() * 1e6))
    assert found(as_auditor, finding="unused") == {}
    assert "unused" in found(as_auditor, finding="unused", days=29)


def test_people_of_a_permission_are_listed_with_their_last_use(as_auditor: APIClient, world: dict[str, Any]) -> None:
    path = f"{_LIST}{world['used'].pk}/people/"
    people = as_auditor.get(path).json()
    assert [(row["user_display"], row["direct"], row["date_last_used"] is None) for row in people] == [
        ("Anna(anna)", True, False),
        ("Ben(ben)", False, True),
    ]
    unused = as_auditor.get(path, {"unused": "1", "limit": 5}).json()
    assert [row["user_display"] for row in unused["results"]] == ["Ben(ben)"]
    assert [row["user_display"] for row in as_auditor.get(path, {"unused": "1", "days": 9}).json()] == [
        "Anna(anna)",
        "Ben(ben)",
    ]


def test_nobody_counts_as_unused_where_uses_are_not_known(as_auditor: APIClient, world: dict[str, Any]) -> None:
    young, used = (f"{_LIST}{world[name].pk}/people/" for name in ("young", "used"))
    assert len(as_auditor.get(young).json()) == 2
    assert as_auditor.get(young, {"unused": "1"}).json() == []
    assert len(as_auditor.get(used, {"unused": "1", "days": 9}).json()) == 2
    HistoryStart.objects.update(began=int((now() - 5 * _DAY).timestamp() * 1e6))
    assert as_auditor.get(used, {"unused": "1", "days": 9}).json() == []


def test_later_use_replaces_the_earlier_one(world: dict[str, Any]) -> None:
    at = now()
    facade.note_use(permission_ids={world["used"].pk, world["young"].pk}, user_id=world["anna"].pk, at=at)
    uses = PermissionUse.objects.filter(user=world["anna"]).values_list("assetpermission_id", "date_last_used")
    assert {key: used for key, used in uses if key != world["ending"].pk} == {
        world["used"].pk: at,
        world["young"].pk: at,
    }


def test_application_permissions_are_found_by_end_but_their_use_is_not_known(
    as_auditor: APIClient, world: dict[str, Any], licensed: None
) -> None:
    account = make_system_user(protocol="mysql")
    given = {"users": [world["anna"]], "applications": [make_application("orders")], "system_users": [account]}
    dates = {"date_start": now() - 200 * _DAY}
    for name, values in {
        "valid": {},
        "expired": {"date_expired": now() - _DAY},
        "ending": {"date_expired": now() + 5 * _DAY},
        "off": {"date_expired": now() + 5 * _DAY, "is_active": False},
    }.items():
        grant_application(name, **given, **{**dates, **values})
    desk = make_system_user(protocol="rdp")
    grant_application("browser", kind="chrome", users=[world["anna"]], system_users=[desk])
    path = "/api/v1/perms/reviews/application-permissions/"
    rows = {row["name"]: row for row in as_auditor.get(path).json()}
    assert {name: row["findings"] for name, row in rows.items()} == {
        "browser": [], "ending": ["ending"], "expired": ["expired"], "off": [], "valid": [],
    }  # fmt: skip
    shown = ("users_display", "applications_display", "system_users_display", "type")
    assert [rows["ending"][name] for name in shown] == [["Anna(anna)"], ["orders"], [account.name], "mysql"]
    for finding in ("expired", "ending"):
        assert [row["name"] for row in as_auditor.get(path, {"finding": finding}).json()] == [finding]
    refused = as_auditor.get(path, {"finding": "unused"})
    assert (refused.status_code, list(refused.json())) == (400, ["finding"])
    with licensing.LICENCE.replaced(lambda: False):
        assert "browser" not in [row["name"] for row in as_auditor.get(path).json()]


@pytest.mark.parametrize("query", [{"finding": "old"}, {"days": "0"}, {"days": "1.5"}, {"within": "9999"}])
def test_bad_questions_are_refused(as_auditor: APIClient, query: dict[str, str]) -> None:
    answer = as_auditor.get(_LIST, query)
    assert answer.status_code == 400
    assert list(answer.json()) == list(query)


def test_review_is_exported(as_org_admin: APIClient, world: dict[str, Any]) -> None:
    answer: Any = as_org_admin.get(_LIST, {"format": "csv", "finding": "unused"}, headers={"Accept-Language": "en"})
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    assert answer.status_code == 200
    assert "Last used" in text.splitlines()[0]
    assert [line for line in text.splitlines()[1:] if "unused" in line] == text.splitlines()[1:]
