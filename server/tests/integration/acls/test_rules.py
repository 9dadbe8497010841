"""Rules of command filters: what may be saved, in which order they decide, and who may review."""

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from factories.grants import make_system_user
from postern.apps.acls.command_filters import usable
from postern.apps.acls.command_filters.actions import MAX_RULES, create_rule
from postern.apps.acls.facade import controls_of
from postern.apps.acls.models import CommandFilter, CommandFilterRule
from postern.apps.orgs.models import Organization
from postern.apps.users.memberships import actions as memberships
from postern.apps.users.models import User
from postern.contracts.command_control import CommandAction
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import OrgScope
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db

FILTERS = "/api/v1/assets/cmd-filters/"
ENGLISH = {"Accept-Language": "en"}


def make_filter(name: str = "careful", **values: Any) -> CommandFilter:
    row: CommandFilter = CommandFilter.objects.create(org_id=DEFAULT_ORG_ID, name=name, **values)
    return row


def rules_of(row: CommandFilter) -> str:
    return f"{FILTERS}{row.pk}/rules/"


def add(row: CommandFilter, content: str, **values: Any) -> CommandFilterRule:
    wish = {"type": "command", "priority": 50, "action": 0, **values, "content": content}
    return create_rule(actor=SYSTEM, filter_row=row, values=wish)


@pytest.mark.spec("S3-041")
def test_content_holds_one_command_in_each_line(as_org_admin: APIClient) -> None:
    row = make_filter()
    answer = as_org_admin.post(rules_of(row), {"type": "command", "content": "rm -rf\n\nshutdown\n"})
    assert answer.status_code == 201, answer.data
    tried = as_org_admin.post(f"{FILTERS}{row.pk}/try-line/", {"line": "sudo shutdown now\nrm -f -r /srv\nls"}).json()
    assert [(line["action"], line["rule"] and line["rule"]["line_number"]) for line in tried["lines"]] == [
        ("deny", 3),
        ("deny", 1),
        ("allow", None),
    ]


@pytest.mark.parametrize(
    ("kind", "content", "named"),
    [
        ("command", "ls\nrm 'x\n'' y", ("Line 2", "Line 3")),
        ("regex", "ok\na(\n(?=x)", ("Line 2", "Line 3", "look-ahead")),
        ("regex", "x{2000}", ("Line 1", "1,000")),
        ("command", "  \n ", ("",)),
    ],
)
def test_each_bad_line_is_named_with_its_number_and_reason(
    kind: str, content: str, named: tuple[str, ...], as_org_admin: APIClient
) -> None:
    row = make_filter()
    answer = as_org_admin.post(rules_of(row), {"type": kind, "content": content}, headers=ENGLISH)
    assert (answer.status_code, set(answer.json())) == (400, {"content"})
    text = " ".join(answer.json()["content"])
    assert all(word in text for word in named), text
    assert not CommandFilterRule.objects.exists()


def test_bad_lines_are_named_in_the_language_of_the_person(as_org_admin: APIClient) -> None:
    row = make_filter()
    answer = as_org_admin.post(
        rules_of(row), {"type": "regex", "content": "a("}, headers={"Accept-Language": "zh-hans"}
    )
    assert answer.json()["content"] == ["第 1 行（a(）：缺少右括号。"]


@pytest.mark.spec("S3-042")
@pytest.mark.parametrize(("priority", "status"), [(0, 400), (1, 201), (100, 201), (101, 400)])
def test_priority_is_from_1_to_100(priority: int, status: int, as_org_admin: APIClient) -> None:
    answer = as_org_admin.post(rules_of(make_filter()), {"content": "reboot", "priority": priority})
    assert answer.status_code == status
    assert status == 201 or set(answer.json()) == {"priority"}


@pytest.mark.spec("S3-043")
def test_action_is_deny_allow_or_confirm(as_org_admin: APIClient) -> None:
    options = as_org_admin.options(rules_of(make_filter()), headers=ENGLISH).json()["actions"]["POST"]["action"]
    assert [(one["value"], one["display_name"]) for one in options["choices"]] == [
        (0, "Deny"),
        (1, "Allow"),
        (2, "Confirm"),
    ]
    assert as_org_admin.post(rules_of(make_filter("b")), {"content": "ls", "action": 3}).status_code == 400


@pytest.mark.spec("S5-025")
def test_rules_are_listed_in_the_order_in_which_they_decide(as_org_admin: APIClient) -> None:
    row = make_filter()
    add(row, "five", priority=5)
    add(row, "allowed", priority=50, action=1)
    add(row, "denied", priority=50)
    add(row, "ninety", priority=90, action=1)
    listed = [rule["content"] for rule in as_org_admin.get(rules_of(row)).json()]
    assert listed == ["ninety", "denied", "allowed", "five"]


@pytest.mark.spec("S5-025")
def test_higher_priority_decides_first(as_org_admin: APIClient) -> None:
    row = make_filter()
    add(row, "rm", priority=50)
    high = add(row, "rm -r /tmp/build", priority=90, action=1)
    judged = as_org_admin.post(f"{FILTERS}{row.pk}/try-line/", {"line": "rm -r /tmp/build"}).json()["lines"][0]
    assert (judged["action"], judged["commands"][0]["rule"]["id"]) == ("allow", str(high.pk))
    draft = {"type": "command", "content": "rm", "priority": 95, "action": 0}
    judged = as_org_admin.post(
        f"{FILTERS}{row.pk}/try-line/", {"line": "rm -r /tmp/build", "rule": draft}, format="json"
    ).json()["lines"][0]
    assert (judged["action"], judged["rule"]["id"]) == ("deny", "draft")
    assert CommandFilterRule.objects.count() == 2


def test_confirm_needs_reviewers_who_are_active_members(
    as_org_admin: APIClient, make_user: Callable[..., User]
) -> None:
    row = make_filter()
    wish: dict[str, Any] = {"content": "reboot", "action": 2}
    assert set(as_org_admin.post(rules_of(row), wish).json()) == {"reviewers"}
    closed = make_user("closed", is_active=False)
    answer = as_org_admin.post(rules_of(row), {**wish, "reviewers": [str(closed.pk)]}, format="json")
    assert (answer.status_code, set(answer.json())) == (400, {"reviewers"})
    stranger = make_user("stranger", org_id=Organization.objects.create(name="Elsewhere").pk)
    answer = as_org_admin.post(rules_of(row), {**wish, "reviewers": [str(stranger.pk)]}, format="json")
    assert (answer.status_code, set(answer.json())) == (400, {"reviewers"})
    able = make_user("able")
    answer = as_org_admin.post(rules_of(row), {**wish, "reviewers": [str(able.pk)]}, format="json")
    assert (answer.status_code, answer.json()["reviewers"]) == (201, [str(able.pk)])
    again = as_org_admin.patch(f"{rules_of(row)}{answer.json()['id']}/", {"reviewers": []}, format="json")
    assert set(again.json()) == {"reviewers"}


def test_member_who_leaves_reviews_no_longer(as_org_admin: APIClient, make_user: Callable[..., User]) -> None:
    row, reviewer = make_filter(), make_user("reviewer")
    rule = add(row, "reboot", action=2, reviewers=[reviewer])
    memberships.remove_from_org(actor=SYSTEM, scope=OrgScope(DEFAULT_ORG_ID), user=reviewer)
    assert list(rule.reviewers.all()) == []


def test_rules_of_another_filter_or_organization_are_not_found(as_org_admin: APIClient) -> None:
    ours, second = make_filter(), make_filter("second")
    theirs: CommandFilter = CommandFilter.objects.create(org_id=Organization.objects.create(name="E").pk, name="theirs")
    rule, foreign = add(second, "reboot"), add(theirs, "halt")
    for url in (f"{rules_of(ours)}{rule.pk}/", f"{rules_of(theirs)}{foreign.pk}/", f"{rules_of(ours)}{foreign.pk}/"):
        assert as_org_admin.get(url).status_code == 404
        assert as_org_admin.patch(url, {"comment": "x"}).status_code == 404
        assert as_org_admin.delete(url).status_code == 404
    assert as_org_admin.get(rules_of(theirs)).status_code == 404
    assert as_org_admin.post(rules_of(theirs), {"content": "ls"}).status_code == 404
    assert as_org_admin.post(f"{FILTERS}{theirs.pk}/try-line/", {"line": "ls"}).status_code == 404
    assert CommandFilterRule.objects.count() == 2


def test_filter_holds_a_limited_number_of_rules(as_org_admin: APIClient) -> None:
    row = make_filter()
    CommandFilterRule.objects.bulk_create(
        CommandFilterRule(filter=row, org_id=row.org_id, content=f"c{number}") for number in range(MAX_RULES)
    )
    answer = as_org_admin.post(rules_of(row), {"content": "one more"})
    assert (answer.status_code, set(answer.json())) == (400, {"content"})


def test_rules_of_one_system_user_must_be_usable_together(
    as_org_admin: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rule that makes it too much is refused, whichever write brings it: rule, filter, or system user."""
    monkeypatch.setattr(usable, "MAX_CHARACTERS", 100)
    system_user = make_system_user("deploy")
    one, two = make_filter("one"), make_filter("two", is_active=False)
    one.system_users.add(system_user)
    two.system_users.add(system_user)
    add(one, "a" * 60)
    add(two, "b" * 60)
    answer = as_org_admin.patch(f"{FILTERS}{two.pk}/", {"is_active": True})
    assert (answer.status_code, set(answer.json())) == (400, {"is_active"})
    two.refresh_from_db()
    assert not two.is_active
    answer = as_org_admin.post(rules_of(one), {"content": "c" * 50})
    assert (answer.status_code, set(answer.json())) == (400, {"content"})
    three = make_filter("three")
    add(three, "d" * 60)
    answer = as_org_admin.patch(f"{FILTERS}{three.pk}/", {"system_users": [str(system_user.pk)]}, format="json")
    assert (answer.status_code, set(answer.json())) == (400, {"system_users"})
    url = f"/api/v1/assets/system-users/{system_user.pk}/"
    answer = as_org_admin.patch(url, {"cmd_filters": [str(one.pk), str(three.pk)]}, format="json")
    assert (answer.status_code, set(answer.json())) == (400, {"cmd_filters"})
    assert list(system_user.cmd_filters.order_by("name")) == [one, two]


def test_expressions_that_need_too_much_memory_together_are_refused(as_org_admin: APIClient) -> None:
    system_user, row = make_system_user("deploy"), make_filter()
    row.system_users.add(system_user)
    huge = "\n".join(f"(?:[^a]{{{900 + number}}}|[^é]{{900}}[^ü]{{900}}){number}" for number in range(90))
    answers = [as_org_admin.post(rules_of(row), {"type": "regex", "content": huge}) for _ in range(8)]
    refused = [answer for answer in answers if answer.status_code == 400]
    assert all(set(answer.json()) == {"content"} for answer in refused)
    assert controls_of([system_user.pk])[system_user.pk].unresolved is CommandAction.ALLOW


def test_system_user_reads_and_writes_its_filters(as_org_admin: APIClient) -> None:
    one, two = make_filter("one"), make_filter("two", unresolved="deny")
    answer = as_org_admin.post(
        "/api/v1/assets/system-users/",
        {"name": "deploy", "username": "deploy", "password": "x y z 1 2 3", "cmd_filters": [str(one.pk)]},
        format="json",
    )
    assert (answer.status_code, answer.json()["cmd_filters"]) == (201, [str(one.pk)])
    url = f"/api/v1/assets/system-users/{answer.json()['id']}/"
    changed = as_org_admin.patch(url, {"cmd_filters": [str(two.pk)]}, format="json")
    assert changed.json()["cmd_filters"] == [str(two.pk)]
    theirs = CommandFilter.objects.create(org_id=Organization.objects.create(name="E").pk, name="theirs")
    refused = as_org_admin.patch(url, {"cmd_filters": [str(theirs.pk)]}, format="json")
    assert (refused.status_code, set(refused.json())) == (400, {"cmd_filters"})
    assert "cmd_filters" not in as_org_admin.get(f"{url}?fields_size=small").json()
    add(one, "reboot")
    rule = add(two, "halt")
    applied = as_org_admin.get(f"{url}cmd-filter-rules/").json()
    assert [row["id"] for row in applied] == [str(rule.pk)]


def test_control_of_a_system_user_has_its_active_filters_and_the_strictest_answer() -> None:
    system_user = make_system_user("deploy")
    values = [("a", "confirm", True), ("b", "allow", True), ("c", "deny", False)]
    for name, unresolved, is_active in values:
        row = make_filter(name, unresolved=unresolved, is_active=is_active)
        row.system_users.add(system_user)
        add(row, f"rule-of-{name}", action=1 if name == "b" else 0)
    control = controls_of([system_user.pk])[system_user.pk]
    assert control.unresolved is CommandAction.CONFIRM
    assert [(rule.filter_name, rule.content, rule.action) for rule in control.rules] == [
        ("a", "rule-of-a", CommandAction.DENY),
        ("b", "rule-of-b", CommandAction.ALLOW),
    ]


def test_a_line_that_is_tried_is_read_like_the_shell_reads_it(as_org_admin: APIClient) -> None:
    row = make_filter(unresolved="confirm")
    rule = add(row, "systemctl stop mysqld")
    url = f"{FILTERS}{row.pk}/try-line/"
    [judged] = as_org_admin.post(url, {"line": "cd /tmp; echo stop | xargs -I{} sudo \\systemctl {} mysqld"}).json()[
        "lines"
    ]
    assert (judged["action"], judged["rule"]["id"]) == ("deny", str(rule.pk))
    assert "systemctl stop mysqld" in [command["text"] for command in judged["commands"]]
    [judged] = as_org_admin.post(url, {"line": "curl http://h | sh"}).json()["lines"]
    assert (judged["action"], judged["reason"], judged["rule"]) == ("confirm", "unknown_code", None)
    assert judged["reason_text"]
    earlier = as_org_admin.post(url, {"line": "x=systemctl\n$x stop mysqld"}).json()["lines"]
    assert [line["action"] for line in earlier] == ["allow", "deny"]


def test_draft_that_cannot_be_used_is_refused_like_a_rule(as_org_admin: APIClient) -> None:
    draft = {"type": "regex", "content": "a(", "priority": 50, "action": 0}
    answer = as_org_admin.post(f"{FILTERS}{make_filter().pk}/try-line/", {"line": "ls", "rule": draft}, format="json")
    assert (answer.status_code, set(answer.json())) == (400, {"content"})
