"""The log lists: roles, filters and dates."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from rest_framework.test import APIClient

from postern.apps.audits import facade
from postern.apps.orgs.models import Organization
from postern.apps.users.models import User
from postern.foundation.caller.actor import SYSTEM, anonymous
from postern.kernel import clock
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db

OPERATE = "/api/v1/audits/operate-logs/"
LOGIN = "/api/v1/audits/login-logs/"
PASSWORD = "/api/v1/audits/password-change-logs/"


def _change(name: str, org_id: object = DEFAULT_ORG_ID, action: str = "update") -> None:
    facade.record(
        actor=SYSTEM,
        org_id=org_id,  # type: ignore[arg-type]  # tests hand over what they have
        event=facade.Event("usergroup.updated"),
        action=action,  # type: ignore[arg-type]  # as above
        object_type="UserGroup",
        object_name=name,
        old={"name": "a"},
        new={"name": name},
    )


@pytest.mark.parametrize("url", [OPERATE, LOGIN, PASSWORD])
def test_logs_are_for_auditors_and_administrators(
    as_anonymous: APIClient, people: dict[str, User], client_of: Callable[[User | None], APIClient], url: str
) -> None:
    statuses = {role: client_of(user).get(url).status_code for role, user in people.items()}
    assert as_anonymous.get(url).status_code == 401
    assert statuses == {"user": 403, "auditor": 200, "org_admin": 200, "system_auditor": 200, "admin": 200}


@pytest.mark.parametrize("url", [OPERATE, LOGIN, PASSWORD])
def test_logs_cannot_be_written_through_the_api(as_admin: APIClient, url: str) -> None:
    for method in ("post", "put", "patch", "delete"):
        assert getattr(as_admin, method)(url).status_code == 405


def test_operate_log_has_user_action_and_object(as_auditor: APIClient) -> None:
    _change("web")
    row = as_auditor.get(OPERATE).json()[0]
    assert (row["user"], row["action"], row["resource_type"], row["resource"]) == (
        "System",
        "update",
        "UserGroup",
        "web",
    )
    assert (row["old"], row["new"], row["org_id"]) == ({"name": "a"}, {"name": "web"}, str(DEFAULT_ORG_ID))
    assert not {"digest", "previous", "login_session", "actor_id"} & set(row)


def test_operate_log_has_old_and_new_values_in_words(as_auditor: APIClient) -> None:
    _change("web")
    row = as_auditor.get(OPERATE, headers={"Accept-Language": "en"}).json()[0]
    assert row["changes"] == [{"field": "name", "label": "Name", "before": "a", "after": "web"}]
    assert (row["event_display"], row["category_display"]) == ("User group changed", "People")
    assert row["sequence"] > 0
    zh = as_auditor.get(OPERATE, headers={"Accept-Language": "zh-hans"}).json()[0]
    assert zh["changes"][0]["label"] == "名称"


def test_operate_log_names_postern_and_message_types_in_words(as_auditor: APIClient) -> None:
    facade.record(
        actor=SYSTEM,
        org_id=DEFAULT_ORG_ID,
        event=facade.Event.SUBSCRIPTION_UPDATED,
        action="update",
        object_type="SystemMessageSubscription",
        object_name="ServerPerformanceMessage",
    )
    shown = {}
    for language in ("en", "zh-hans"):
        row = as_auditor.get(OPERATE, headers={"Accept-Language": language}).json()[0]
        assert (row["user"], row["resource"]) == ("System", "ServerPerformanceMessage")
        shown[language] = (row["user_display"], row["resource_display"])
    assert shown["en"] == ("System", "A service of Postern is overloaded or offline")
    assert shown["zh-hans"] == ("系统", "Postern 的部件过载或离线")


def test_operate_log_has_names_for_lists_of_objects(as_auditor: APIClient) -> None:
    facade.record(
        actor=SYSTEM,
        org_id=DEFAULT_ORG_ID,
        event=facade.Event("assetpermission.updated"),
        action="update",
        object_type="AssetPermission",
        object_name="on call",
        old={"user_groups": []},
        new={"user_groups": ["ops"]},
    )
    [change] = as_auditor.get(OPERATE, headers={"Accept-Language": "en"}).json()[0]["changes"]
    assert change == {"field": "user_groups", "label": "User groups", "before": [], "after": ["ops"]}


@pytest.mark.parametrize(
    ("event", "column", "codes", "words"),
    [
        (
            facade.Event("assetpermission.updated"),
            "actions",
            (["connect"], ["connect", "upload_file", "download_file", "updownload"]),
            {
                "en": (["Connect"], ["Connect", "Upload file", "Download file"]),
                "zh-hans": (["连接"], ["连接", "上传文件", "下载文件"]),
            },
        ),
        (
            facade.Event.USER_UPDATED,
            "mfa_level",
            (0, 2),
            {"en": ("Disabled", "Required"), "zh-hans": ("禁用", "强制启用")},
        ),
    ],
)
def test_operate_log_puts_codes_into_words_and_keeps_the_codes_for_programs(
    as_auditor: APIClient, event: facade.Event, column: str, codes: tuple[Any, Any], words: dict[str, tuple[Any, Any]]
) -> None:
    types = {"actions": "AssetPermission", "mfa_level": "User"}
    old, new = ({column: code} for code in codes)
    facade.record(
        actor=SYSTEM, org_id=DEFAULT_ORG_ID, event=event, action="update", object_type=types[column], object_name="x",
        old=old, new=new,
    )  # fmt: skip
    for language, (before, after) in words.items():
        [row] = as_auditor.get(OPERATE, headers={"Accept-Language": language}).json()
        assert (row["changes"][0]["before"], row["changes"][0]["after"]) == (before, after)
        assert (row["old"], row["new"]) == (old, new)


def test_operate_log_omits_events_that_are_no_operation(as_auditor: APIClient) -> None:
    _change("ended", action="other")
    assert as_auditor.get(OPERATE, {"resource": "ended"}).json() == []


def test_operate_log_of_another_organization_is_not_visible(as_auditor: APIClient, as_admin: APIClient) -> None:
    _change("theirs", Organization.objects.create(name="Elsewhere").pk)
    assert as_auditor.get(OPERATE, {"resource": "theirs"}).json() == []
    assert len(as_admin.get(OPERATE, {"resource": "theirs"}, headers={"X-JMS-ORG": "root"}).json()) == 1


@pytest.mark.spec("S7-056")
def test_operate_log_is_filtered_searched_and_limited_by_date(as_auditor: APIClient) -> None:
    _change("web-1")
    _change("db-1", action="delete")

    def resources_listed(**query: str) -> set[str]:
        return {row["resource"] for row in as_auditor.get(OPERATE, query).json()}

    assert resources_listed(action="delete") == {"db-1"}
    assert resources_listed(search="web") == {"web-1"}
    now = clock.now()
    assert resources_listed(date_from=(now - timedelta(hours=1)).isoformat()) >= {"web-1", "db-1"}
    assert resources_listed(date_to=(now - timedelta(hours=1)).strftime("%Y/%m/%d %H:%M:%S +0000")) == set()
    assert as_auditor.get(OPERATE, {"limit": "1"}).json()["results"][0]["resource"] == "db-1"


def test_login_log_lists_attempts_newest_first(as_auditor: APIClient) -> None:
    visitor = anonymous("192.0.2.9")
    facade.record_sign_in(
        actor=visitor, username="ann", succeeded=False, reason="bad_credentials", user_agent="x" * 999
    )
    facade.record_sign_in(actor=visitor, username="ann", succeeded=True, backend="Password", login_type="T", mfa=0)
    newest, oldest = as_auditor.get(LOGIN).json()
    assert (oldest["status"], oldest["reason"], oldest["ip"], oldest["type"]) == (
        False,
        "bad_credentials",
        "192.0.2.9",
        "W",
    )
    assert (newest["status"], newest["backend"], newest["mfa"], newest["type"]) == (True, "Password", 0, "T")
    assert newest["status_display"]
    assert newest["type_display"]


@pytest.mark.parametrize(
    ("query", "count"), [({"status": "true"}, 1), ({"status": "0"}, 1), ({"type": "T"}, 1), ({"username": "bob"}, 0)]
)
def test_login_log_is_filtered(as_auditor: APIClient, query: dict[str, str], count: int) -> None:
    facade.record_sign_in(actor=anonymous("192.0.2.9"), username="ann", succeeded=False)
    facade.record_sign_in(actor=anonymous("192.0.2.9"), username="ann", succeeded=True, login_type="T")
    assert len(as_auditor.get(LOGIN, query).json()) == count


@pytest.fixture
def elsewhere(make_user: Callable[..., User]) -> dict[str, str]:
    """The header of another organization, which has Ann as a member but not Bob."""
    org = Organization.objects.create(name="Elsewhere")
    make_user("ann", org_id=org.pk)
    make_user("bob")
    return {"X-JMS-ORG": str(org.pk)}


def test_logs_of_an_organization_list_the_actions_of_its_members(
    as_admin: APIClient, elsewhere: dict[str, str]
) -> None:
    for name in ("ann", "bob", "nobody"):
        facade.record_sign_in(actor=anonymous("192.0.2.9"), username=name, succeeded=False)
        facade.record_password_change(actor=SYSTEM, user_label=f"{name.title()}({name})")
    assert [row["username"] for row in as_admin.get(LOGIN, headers=elsewhere).json()] == ["ann"]
    assert [row["user"] for row in as_admin.get(PASSWORD, headers=elsewhere).json()] == ["Ann(ann)"]
    assert {row["username"] for row in as_admin.get(LOGIN).json()} >= {"ann", "bob", "nobody"}


def test_login_log_options_mark_filters(as_auditor: APIClient) -> None:
    fields = as_auditor.options(LOGIN).json()["actions"]["GET"]
    assert fields["username"]["filter"] is True
    assert fields["status"]["type"] == "choice"
    assert [choice["value"] for choice in fields["type"]["choices"]] == ["W", "T", "U"]


def test_password_log_names_the_changer_and_the_user(as_auditor: APIClient) -> None:
    facade.record_password_change(actor=SYSTEM, user_label="Ann(ann)")
    row = as_auditor.get(PASSWORD).json()[0]
    assert (row["user"], row["change_by"]) == ("Ann(ann)", "System")
