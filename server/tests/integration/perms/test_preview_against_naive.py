"""Random changes of every kind that a preview takes, alone and several at once. What the preview says before equals what
a naive evaluator, written straight from the rules, finds different after the real write.
"""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final
from uuid import UUID

import pytest
from django.db import transaction
from rest_framework.test import APIClient

from factories.naive_reach import NaiveReach
from factories.reach_edits import Edits
from postern.apps.assets.assets.actions.assets import create_assets, delete_assets, update_assets
from postern.apps.assets.assets.protocols import parse
from postern.apps.assets.models import Asset, Node, Platform
from postern.apps.assets.nodes.actions import add_assets, remove_assets
from postern.apps.assets.tree.actions import delete_node, move_nodes
from postern.apps.audits.models import AuditEvent
from postern.apps.perms.grants.action_names import to_names
from postern.apps.perms.models import AssetPermission
from postern.apps.perms.permissions.actions import create_permission, delete_permission, update_permission
from postern.apps.users.groups.actions import change_groups, delete_group, update_group
from postern.apps.users.models import Membership, User, UserGroup
from postern.foundation import installation
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.caller.scope import OrgScope
from postern.kernel.errors import PosternError

pytestmark = pytest.mark.django_db(transaction=True)

URL: Final = "/api/v1/perms/preview/"
_CHANGES: Final = 60
#: Changes of access that the test must have seen. Objects are chosen by their random ids, so a run may need more tries.
_EFFECTIVE: Final = 5
_MOST_CHANGES: Final = 4 * _CHANGES
#: A change as the API takes it, and its real write.
Change = tuple[dict[str, Any], Callable[[], Any]]
_LISTS: Final = ("users", "user_groups", "assets", "nodes", "system_users")


@pytest.fixture(autouse=True)
def _installed() -> None:
    """Restore the rows of every installation, because tests with real transactions empty the tables."""
    installation.run()


class Wishes:
    """Random changes that are not written yet."""

    def __init__(self, edits: Edits, org_id: UUID) -> None:
        self.edits, self.dice, self.org_id = edits, edits.dice, org_id

    def one(self) -> Change | None:
        """A change of a random kind; None if there is nothing to change."""
        often = (self.update, self.group, self.move, self.asset, self.join, self.place)
        rarely = (
            self.create, self.delete, self.ungroup, self.remove_node, self.person, self.drop_asset, self.new_asset,
        )  # fmt: skip
        return self.dice.choice([*often, *often, *rarely])()

    def _sent(self, values: dict[str, Any]) -> dict[str, Any]:
        sent = dict(values)
        for name in _LISTS:
            if name in sent:
                sent[name] = [str(one.pk) for one in sent[name]]
        if "actions" in sent:
            sent["actions"] = to_names(sent["actions"])
        for name in ("date_start", "date_expired"):
            if isinstance(sent.get(name), datetime):
                sent[name] = sent[name].isoformat()
        return sent

    def _grants(self) -> dict[str, Any]:
        return self.edits._grants(self.org_id)

    def _any(self, model: Any) -> Any:
        rows = list(model.objects.filter(org_id=self.org_id).order_by("pk"))
        return self.dice.choice(rows) if rows else None

    def _members(self) -> list[User]:
        rows = Membership.objects.filter(org_id=self.org_id)
        return [user for user in self.edits.users if rows.filter(user=user).exists()]

    def create(self) -> Change:
        values = self._grants()
        name = f"new-{self.dice.random()}"
        return (
            {"object": "asset_permission", "action": "create", "values": {"name": name, **self._sent(values)}},
            lambda: create_permission(actor=SYSTEM, org_id=self.org_id, values={"name": name, **values}),
        )

    def update(self) -> Change | None:
        row, values = self._any(AssetPermission), self._grants()
        chosen = {name: values[name] for name in {*self.dice.sample(sorted(values), 3), "date_start", "date_expired"}}
        sent = self._sent(chosen)
        if row and self.dice.random() < 0.3:
            name, way = self.dice.choice(_LISTS), self.dice.choice(["add", "remove"])
            held, some = set(getattr(row, name).all()), set(values[name])
            chosen = {name: list(held | some if way == "add" else held - some)}
            sent = {way: self._sent({name: some})}
        return row and (
            {"object": "asset_permission", "action": "update", "id": str(row.pk), "values": sent},
            lambda: update_permission(actor=SYSTEM, permission=row, values=chosen),
        )

    def delete(self) -> Change | None:
        row = self._any(AssetPermission)
        return row and (
            {"object": "asset_permission", "action": "delete", "id": str(row.pk)},
            lambda: delete_permission(actor=SYSTEM, permission=row),
        )

    def group(self) -> Change | None:
        row = self._any(UserGroup)
        members = [user.pk for user in self._members()]
        wanted = self.dice.sample(members, self.dice.randint(0, min(3, len(members))))
        return row and (
            {
                "object": "user_group",
                "action": "update",
                "id": str(row.pk),
                "values": {"users": [str(one) for one in wanted]},
            },
            lambda: update_group(actor=SYSTEM, group=row, user_ids=wanted),
        )

    def ungroup(self) -> Change | None:
        if UserGroup.objects.filter(org_id=self.org_id).count() < 2:
            return None  # the edits change groups, too
        row = self._any(UserGroup)
        return row and (
            {"object": "user_group", "action": "delete", "id": str(row.pk)},
            lambda: delete_group(actor=SYSTEM, group=row),
        )

    def move(self) -> Change | None:
        row, parent = self._any(Node), self._any(Node)
        return row and (
            {"object": "node", "action": "update", "id": str(row.pk), "values": {"parent": str(parent.pk)}},
            lambda: move_nodes(actor=SYSTEM, target=parent, nodes=[row]),
        )

    def remove_node(self) -> Change | None:
        row = self._any(Node)
        return row and (
            {"object": "node", "action": "delete", "id": str(row.pk)},
            lambda: delete_node(actor=SYSTEM, node=row),
        )

    def person(self) -> Change | None:
        members = self._members()
        if not members:
            return None
        user = self.dice.choice(members)
        on = self.dice.random() < 0.5
        action = {"action": "update", "values": {"is_active": on}} if on or self.dice.random() < 0.5 else {}
        return (
            {"object": "user", "action": "delete", "id": str(user.pk), **action},
            lambda: User.objects.filter(pk=user.pk).update(is_active=on),
        )

    def asset(self) -> Change | None:
        row, on = self._any(Asset), self.dice.random() < 0.5
        return row and (
            {"object": "asset", "action": "update", "id": str(row.pk), "values": {"is_active": on}},
            lambda: update_assets(actor=SYSTEM, pairs=[(row, {"is_active": on})]),
        )

    def join(self) -> Change | None:
        """Other groups and another end of a person."""
        members = self._members()
        if not members:
            return None
        user, scope = self.dice.choice(members), OrgScope(org_id=self.org_id)
        groups = self._some(UserGroup)
        end = self.dice.choice([None, self.edits.at - timedelta(minutes=1), self.edits.at + timedelta(days=1)])
        values: dict[str, Any] = {"groups": [str(one.pk) for one in groups]}
        if self.dice.random() < 0.3:
            values["date_expired"] = end and end.isoformat()

        def write() -> None:
            change_groups(scope=scope, user=user, group_ids=frozenset(one.pk for one in groups))
            if "date_expired" in values:
                User.objects.filter(pk=user.pk).update(date_expired=end)

        return {"object": "user", "action": "update", "id": str(user.pk), "values": values}, write

    def _some(self, model: Any) -> list[Any]:
        rows = list(model.objects.filter(org_id=self.org_id).order_by("pk"))
        return self.dice.sample(rows, self.dice.randint(0, min(3, len(rows))))

    def _placement(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Nodes and protocols as the API takes them, and as the real write does."""
        nodes = self._some(Node) or [self._any(Node)]
        texts = self.dice.sample(["ssh/22", "rdp/3389", "vnc/5900"], self.dice.randint(1, 2))
        given = {"nodes": [str(one.pk) for one in nodes], "protocols": texts}
        return given, {"nodes": nodes, "protocols": [parse(text) for text in texts]}

    def place(self) -> Change | None:
        row, (sent, values) = self._any(Asset), self._placement()
        if row and self.dice.random() < 0.3:
            node, (way, write) = self._any(Node), self.dice.choice([("add", add_assets), ("remove", remove_assets)])
            return (
                {"object": "asset", "action": "update", "id": str(row.pk), "values": {way: [str(node.pk)]}},
                lambda: write(actor=SYSTEM, node=node, assets=[row]),
            )
        names = self.dice.choice([["nodes"], ["protocols"], ["nodes", "protocols"]])
        return row and (
            {"object": "asset", "action": "update", "id": str(row.pk), "values": {name: sent[name] for name in names}},
            lambda: update_assets(actor=SYSTEM, pairs=[(row, {name: values[name] for name in names})]),
        )

    def new_asset(self) -> Change:
        (sent, values), name = self._placement(), f"new-{self.dice.random()}"
        columns = {"hostname": name, "ip": "127.0.0.1", "platform": Platform.objects.get(name="Linux")}
        return (
            {"object": "asset", "action": "create", "values": {"hostname": name, **sent}},
            lambda: create_assets(actor=SYSTEM, org_id=self.org_id, items=[{**columns, **values}]),
        )

    def drop_asset(self) -> Change | None:
        row = self._any(Asset)
        return row and (
            {"object": "asset", "action": "delete", "id": str(row.pk)},
            lambda: delete_assets(actor=SYSTEM, assets=[row]),
        )


class Seen:
    """Who uses what in one organization, by the rules."""

    def __init__(self, edits: Edits, org_id: UUID) -> None:
        naive = NaiveReach()
        self.uses = {
            user.pk: {pair for pair in naive.uses(edits.at, user.pk) if naive.assets[pair[0]].org_id == org_id}
            for user in edits.users
        }
        self.names = {key: asset.hostname for key, asset in naive.assets.items()}

    def assets(self, user: UUID) -> set[UUID]:
        return {asset for asset, _system_user in self.uses[user]}

    def without(self, other: "Seen") -> dict[UUID, set[UUID]]:
        """The assets of each person that `other` does not give them."""
        found = {user: self.assets(user) - other.assets(user) for user in self.uses}
        return {user: assets for user, assets in found.items() if assets}

    def by_account(self, other: "Seen") -> dict[str, dict[str, int]]:
        """The figures for each system user of what `other` does not give."""
        extra = {(user, *pair) for user, pairs in self.uses.items() for pair in pairs - other.uses[user]}
        return {
            str(account): {
                "people": len({user for user, _asset, one in extra if one == account}),
                "targets": len({asset for _user, asset, one in extra if one == account}),
                "pairs": len([1 for _user, _asset, one in extra if one == account]),
            }
            for account in {one for _user, _asset, one in extra}
        }


def _figures(assets: dict[UUID, set[UUID]]) -> dict[str, int]:
    return {
        "people": len(assets),
        "targets": len(set().union(*assets.values())) if assets else 0,
        "pairs": sum(map(len, assets.values())),
    }


def _compare(answer: dict[str, Any], before: Seen, after: Seen) -> int:
    gained, lost = after.without(before), before.without(after)
    assert (answer["assets"]["gained"], answer["assets"]["lost"]) == (_figures(gained), _figures(lost))
    for side, expected in (("gained", after.by_account(before)), ("lost", before.by_account(after))):
        shown = {row["id"]: row[side] for row in answer["assets"]["system_users"] if row[side]["pairs"]}
        assert shown == expected
    listed = {row["id"]: (row["gained_assets"], row["lost_assets"]) for row in answer["people"]["results"]}
    changed = {user for user in before.uses if before.uses[user] != after.uses[user]}
    assert listed == {str(user): (len(gained.get(user, ())), len(lost.get(user, ()))) for user in changed}
    # By name: a new asset has no id before it is written.
    names = before.names | after.names
    marks = {row["name"]: (row["gained"], row["lost"]) for row in answer["asset_list"]["results"]}
    new, gone = (set().union(*part.values()) if part else set() for part in (gained, lost))
    assert marks == {names[asset]: (asset in new, asset in gone) for asset in new | gone}
    ids = {row["name"]: row["id"] for row in answer["asset_list"]["results"]}
    assert ids == {names[asset]: str(asset) if asset in before.names else None for asset in new | gone}
    return sum(map(len, (gained, lost)))


def test_preview_equals_what_the_rules_find_after_the_write(
    make_user: Callable[..., User], as_admin: APIClient
) -> None:
    dice = Random(7)
    edits = Edits(dice, make_user)
    seen = refused = 0
    for number in range(_MOST_CHANGES):
        if number >= _CHANGES and seen > _EFFECTIVE and refused:
            break
        edits.step()
        org_id = dice.choice(edits.org_ids)
        wishes = Wishes(edits, org_id)
        changes = [one for _ in range(dice.choice([1, 1, 1, 2, 3])) if (one := wishes.one()) is not None]
        if not changes:
            continue
        before, records = Seen(edits, org_id), AuditEvent.objects.count()
        answer = as_admin.post(
            f"{URL}?limit=200",
            {"changes": [sent for sent, _write in changes], "at": edits.at.isoformat()},
            format="json",
            headers={"X-JMS-ORG": str(org_id)},
        )
        assert AuditEvent.objects.count() == records
        # What the real writes refuse, the preview refuses; several writes may also stand in each other's way.
        with suppress(PosternError, AssetPermission.DoesNotExist, UserGroup.DoesNotExist), transaction.atomic():
            for _sent, write in changes:
                write()
            if len(changes) > 1 and answer.status_code != 200:
                continue  # each change is judged on what is stored, without the others
            assert answer.status_code == 200, (answer.json(), changes)
            try:
                seen += _compare(answer.json(), before, Seen(edits, org_id))
            except AssertionError as error:
                error.add_note(f"at {edits.at}: {[sent for sent, _write in changes]}")
                raise
            continue
        refused += answer.status_code != 200
        if len(changes) == 1:
            assert answer.status_code != 200, changes
    # Changes that change nothing would prove little.
    assert seen > _EFFECTIVE
    assert refused
