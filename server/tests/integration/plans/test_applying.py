"""Planning and applying files, by the functions that the API and the command line call."""

from collections.abc import Callable

import pytest
from django.utils.translation import override

from factories.access_plans import HEAD, PlannedWorld, applied, exported, planned, planned_world
from factories.grants import grant_application, make_application, make_system_user
from postern.apps.acls.models import CommandFilterRule
from postern.apps.assets.models import Node
from postern.apps.audits.models import AuditEvent
from postern.apps.perms.models import ApplicationPermission, AssetPermission
from postern.apps.plans.applying.errors import StateMoved
from postern.apps.plans.files.errors import FileRefused
from postern.apps.users.models import User, UserGroup
from postern.foundation import licensing

pytestmark = pytest.mark.django_db

NEW = (
    HEAD
    + """\
nodes:
  - /Default/Web/DMZ/Inner
  - /Default/Web/DMZ
user_groups:
  - name: Operations
    users: [ANNA, bert]
  - name: Night
    users: [bert]
    comment: Only at night
asset_permissions:
  - name: web for operations
    system_users: [root, deploy]
    is_active: true
  - name: night shift
    user_groups: [Night]
    nodes: [/Default/Web/DMZ, /Default]
    system_users: [root]
    actions: [connect, upload_file]
    date_expired: 2099-01-01T00:00:00+01:00
application_permissions:
  - name: shop for operations
    type: mysql
    user_groups: [Operations]
    applications: [shop]
    system_users: [mysql root]
command_filters:
  - name: careful
    rules:
      - content: |
          rm
          reboot
      - content: shutdown
        action: confirm
        reviewers: [anna]
        priority: 90
"""
)


@pytest.fixture
def world(make_user: Callable[..., User]) -> PlannedWorld:
    return planned_world(make_user)


def problems(text: str, act: Callable[[str], object] = planned) -> list[tuple[int, int, str]]:
    with pytest.raises(FileRefused) as refused:
        act(text)
    return [(place.line, place.column, message) for place, message in refused.value.problems]


def test_a_file_is_planned_applied_once_and_then_there_is_nothing_to_do(world: PlannedWorld) -> None:
    before = (exported(), AuditEvent.objects.exclude(event="accessplan.exported").count())
    plan = planned(NEW)
    assert (exported(), AuditEvent.objects.exclude(event="accessplan.exported").count()) == before, (
        "a plan writes nothing"
    )
    assert [(one.kind.name, one.verb, one.name) for one in plan.changes] == [
        ("nodes", "create", "/Default/Web/DMZ"),
        ("nodes", "create", "/Default/Web/DMZ/Inner"),
        ("user_groups", "create", "Night"),
        ("user_groups", "update", "Operations"),
        ("asset_permissions", "create", "night shift"),
        ("asset_permissions", "update", "web for operations"),
        ("application_permissions", "create", "shop for operations"),
        ("command_filters", "update", "careful"),
    ]
    gained = plan.access.gained
    # Bert: both hosts as root by the night shift, of which db-1 was his already, and web-1 as deploy by his new group.
    # Anna: web-1 also as root.
    assert (gained.people, gained.assets, gained.pairs) == (2, 1, 1)
    assert gained.system_users == {"deploy": 1, "root": 2}
    assert gained.listed == (("anna", "web-1", ("root",)), ("bert", "web-1", ("deploy", "root")))
    assert plan.access.lost.people == 0
    made = applied(NEW, expected=plan.digest)
    assert made == plan
    group = UserGroup.objects.get(name="Operations")
    assert set(group.users.values_list("username", flat=True)) == {"anna", "bert"}
    night = AssetPermission.objects.get(name="night shift")
    assert (night.actions, night.date_expired.isoformat()) == (3, "2098-12-31T23:00:00+00:00")
    assert set(night.nodes.values_list("full_value", flat=True)) == {"/Default", "/Default/Web/DMZ"}
    assert CommandFilterRule.objects.count() == 2
    record = AuditEvent.objects.get(event="plan.applied")
    assert (record.new["digest"], record.new["gained"]) == (plan.digest, 1)
    counted = AuditEvent.objects.count()
    again = applied(NEW)
    assert (again.changes, again.access.gained.pairs) == ([], 0)
    assert AuditEvent.objects.count() == counted, "without changes there is no record"


def test_the_export_changes_nothing_and_what_is_not_named_is_kept(world: PlannedWorld) -> None:
    applied(NEW)
    text = exported()
    assert planned(text).changes == []
    assert planned(HEAD).changes == []
    assert planned(text + "prune: {nodes: true, user_groups: true, asset_permissions: true}\n").changes == []


def test_prune_deletes_what_the_file_does_not_name(world: PlannedWorld) -> None:
    applied(NEW)
    text = HEAD + (
        "prune: {asset_permissions: true, user_groups: true, nodes: true, command_filters: true, "
        "application_permissions: false}\n"
        "user_groups: [{name: Operations}]\n"
        "nodes: [/Default/Web]\n"
        "asset_permissions: [{name: web for operations}]\n"
    )
    plan = planned(text)
    assert {(one.kind.name, one.name) for one in plan.changes if one.verb == "delete"} == {
        ("asset_permissions", "night shift"),
        ("asset_permissions", "db for bert"),
        ("user_groups", "Night"),
        ("nodes", "/Default/Web/DMZ"),
        ("nodes", "/Default/Web/DMZ/Inner"),
        ("command_filters", "careful"),
    }
    assert plan.access.lost.listed == (("bert", "db-1", ("root",)),)
    assert plan.access.lost.pairs == 1
    applied(text, expected=plan.digest)
    assert not Node.objects.filter(full_value__startswith="/Default/Web/").exists()
    assert planned(text).changes == []


def test_without_a_licence_permissions_for_remote_apps_are_neither_shown_nor_touched(world: PlannedWorld) -> None:
    account = make_system_user("windows", protocol="rdp")
    with licensing.LICENCE.replaced(lambda: True):
        chrome = make_application("browser", kind="chrome")
        grant_application("secret tool", kind="chrome", applications=[chrome], system_users=[account])
        assert "secret tool" in exported()
    assert "secret tool" not in exported()
    assert "shop for bert" in exported()
    text = HEAD + "application_permissions: [{name: shop for bert}]\nprune: {application_permissions: true}\n"
    assert applied(text).changes == []
    assert ApplicationPermission.objects.filter(name="secret tool").exists()
    named = HEAD + "application_permissions:\n  - {name: secret tool, type: %s, system_users: [%s]}\n"
    with override("en"):
        (needs_licence,) = problems(named % ("chrome", "windows"))
        (is_taken,) = problems(named % ("mysql", "mysql root"))
    assert (needs_licence[0], "valid licence" in needs_licence[2]) == (4, True)
    assert (is_taken[0], "unique" in is_taken[2]) == (4, True)


def test_a_plan_is_outdated_when_something_has_changed_since(world: PlannedWorld) -> None:
    plan = planned(NEW)
    AssetPermission.objects.get(name="db for bert").delete()
    with pytest.raises(StateMoved):
        applied(NEW, expected=plan.digest)
    assert not UserGroup.objects.filter(name="Night").exists()


def test_names_that_stand_for_nothing_are_found_all_at_once(
    world: PlannedWorld, make_user: Callable[..., User]
) -> None:
    found = problems(
        HEAD
        + """\
nodes:
  - /Default/Missing/Below
  - /Elsewhere/Web
asset_permissions:
  - name: bad
    users: [nobody, anna]
    user_groups: [none]
    assets: [web-9]
    nodes: [/Default/Nowhere]
    system_users: [toor]
  - name: web for operations
    date_expired: 1999-01-01T00:00:00Z
application_permissions:
  - name: shop for bert
    type: oracle
  - name: typeless
    system_users: [mysql root]
"""
    )
    assert [(line, column) for line, column, _message in found] == [
        (4, 5), (5, 5), (8, 13), (9, 19), (10, 14), (11, 13), (12, 20), (17, 11), (18, 11),
    ]  # fmt: skip
    assert "nobody" in found[2][2]


def test_refusals_of_rules_have_their_places_and_nothing_is_written(world: PlannedWorld) -> None:
    text = HEAD + (
        "user_groups:\n"
        "  - name: Fresh\n"
        "asset_permissions:\n"
        "  - name: fine\n"
        "    system_users: [root]\n"
        "  - name: without account\n"
        "    users: [anna]\n"
        "  - name: db for bert\n"
        "    date_expired: 1999-01-01T00:00:00Z\n"
        "  - name: web for operations\n"
        "    system_users: []\n"
        "application_permissions:\n"
        "  - name: wrong account\n"
        "    type: mysql\n"
        "    applications: [shop]\n"
        "    system_users: [root]\n"
        "command_filters:\n"
        "  - name: careful\n"
        "    rules:\n"
        "      - {type: regex, content: '('}\n"
        "prune: {nodes: true}\n"
    )
    for act in (planned, applied):
        found = problems(text, act)
        assert [(line, column) for line, column, _message in found] == [
            (8, 11), (11, 19), (13, 19), (18, 19), (22, 9),
        ]  # fmt: skip
        assert not UserGroup.objects.filter(name="Fresh").exists()
    found = problems(HEAD + "prune: {nodes: true}\n", applied)
    assert [(line, column) for line, column, _message in found] == [(3, 16)]
    assert "/Default/Web" in found[0][2]


def test_a_file_cannot_use_what_it_deletes_and_is_for_its_organization(world: PlannedWorld) -> None:
    found = problems(
        HEAD
        + "prune: {user_groups: true}\nasset_permissions:\n  - {name: x, user_groups: [Operations], system_users: [root]}\n"
    )
    assert [(line, column) for line, column, _message in found] == [(5, 29)]
    assert problems("version: 1\norganization: Other\n")[0][:2] == (2, 15)
