"""Random edits of everything that decides who reaches what. After each, the index equals a naive evaluator written
straight from the rules, the decision, an index that is read from nothing, and the answer from the tables.

`POSTERN_INDEX_EDITS`: number of edits for each seed.
"""

import os
import threading
from collections.abc import Callable
from random import Random
from typing import Final
from uuid import UUID

import pytest
from django.db import transaction

from factories.at_once import other_threads
from factories.grants import grant, make_asset, make_node, make_system_user
from factories.naive_reach import NaiveReach
from factories.reach_edits import START, Edits, in_order
from postern.apps.assets.assets.actions.assets import delete_assets, update_assets
from postern.apps.assets.models import Asset, Node, TreeVersion
from postern.apps.assets.nodes.actions import replace_assets
from postern.apps.assets.tree.actions import drop_root
from postern.apps.orgs.facade import create_organization
from postern.apps.perms import facade
from postern.apps.perms.granted import indexed
from postern.apps.perms.granted.indexed import IndexedReach, Members
from postern.apps.perms.granted.reach import Reach, Who, load_reach
from postern.apps.perms.index import kept, reading, texts
from postern.apps.perms.index import order as order_blocks
from postern.apps.perms.index.comparing import differences
from postern.apps.perms.index.reading import read_world
from postern.apps.perms.index.world import SEARCHED
from postern.apps.perms.permissions.actions import delete_permission
from postern.apps.users.models import User, UserGroup
from postern.contracts.enums import Protocol
from postern.foundation import installation
from postern.foundation.caller.actor import SYSTEM
from postern.foundation.database.snapshot import snapshot
from postern.foundation.rest.search_terms import occurs_in
from postern.kernel.clock import now
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db(transaction=True)

_EDITS: Final = int(os.environ.get("POSTERN_INDEX_EDITS", "80"))
_ORDERS: Final = (("hostname", "pk"), ("-hostname", "pk"), ("ip", "pk"), ("-ip", "pk"), ("comment", "pk"))


@pytest.fixture(autouse=True)
def _installed() -> None:
    """Restore the rows of every installation, because tests with real transactions empty the tables."""
    installation.run()


def _ids(reach: IndexedReach, members: Members) -> set[UUID]:
    return set(reach.page(members, ("hostname", "pk"), 0, 10_000).keys)


def _check_worlds(org_ids: list[UUID]) -> None:
    """The cached worlds equal a new reading of the tables."""
    with snapshot():
        worlds = kept.worlds_of(org_ids)
        for org_id, world in worlds.items():
            assert list(differences(world, read_world(org_id, world.seq))) == []


def _check_one(dice: Random, edits: Edits, naive: NaiveReach, subject: dict[str, UUID]) -> int:
    who = Who(user_id=subject.get("user"), group_id=subject.get("group"))
    index = load_reach(who, edits.at).indexed
    assert index is not None
    expected = naive.reach(edits.at, **subject)
    everything = index.assets(include_inactive=True)
    in_order = naive.in_order(expected)
    page = index.page(everything, ("hostname", "pk"), 0, 1_000)
    assert (page.count, page.keys) == (len(in_order), in_order)
    active = {asset for asset in expected if naive.assets[asset].is_active}
    assert _ids(index, index.assets()) == active
    assert _ids(index, index.directly_granted()) == naive.reach(edits.at, by_name_only=True, **subject)
    visible = naive.visible_nodes(edits.at, **subject)
    assert index.visible_nodes() == visible
    assert {node for node in naive.parents if index.is_visible(node)} == visible
    counts = naive.counts(expected)
    shown = Node.objects.filter(org_id__in=list(everything)).values_list("pk", flat=True)
    assert index.counts(naive.parents) == {node: counts.get(node, 0) for node in shown}
    node = dice.choice(sorted(naive.parents))
    assert _ids(index, index.below(node)) == {asset for asset in expected if node in naive.above(asset)}
    assert _ids(index, index.directly_in(node)) == {asset for asset in expected if node in naive.standing[asset]}
    letter = dice.choice(["a", "1", "-x", "b2"])
    matching = Asset.objects.filter(hostname__icontains=letter)
    found = {asset for asset in expected if letter in naive.assets[asset].hostname.lower()}
    assert _ids(index, index.search(everything, matching)) == found
    assert _ids(index, index.among(matching)) == found
    word = dice.choice(["A", "b1", "192.0.2.1", "y", "1"])
    with_word = Asset.objects.filter(occurs_in(word, SEARCHED, Asset), pk__in=expected)
    assert _ids(index, index.with_words(everything, [word])) == set(with_word.values_list("pk", flat=True))
    order, offset, limit = dice.choice(_ORDERS), dice.randint(0, 12), dice.randint(1, 9)
    rows = Asset.objects.filter(pk__in=expected).order_by(*order).values_list("pk", flat=True)
    assert index.page(everything, order, offset, limit).keys == list(rows[offset : offset + limit])
    # Inside a transaction the tables themselves answer.
    with transaction.atomic():
        assert load_reach(who, edits.at).indexed is None
    assert set(Reach(who, edits.at).assets().values_list("pk", flat=True)) == active
    return len(active)


def _check_decision(dice: Random, edits: Edits, naive: NaiveReach, user: User) -> None:
    index = load_reach(Who(user_id=user.pk), edits.at).indexed
    assert index is not None
    reachable = _ids(index, index.assets())
    chosen = dice.sample(sorted(naive.assets), min(3, len(naive.assets)))
    requests = {
        (asset, system_user): facade.Request(
            user_id=user.pk, asset_id=asset, system_user_id=system_user, protocol=Protocol(protocol)
        )
        for asset in chosen
        for system_user, protocol in naive.speaks.items()
    }
    decisions = facade.decide_many(requests, at=edits.at)
    allowed = {asset for (asset, _system_user), decision in decisions.items() if decision.allowed}
    assert allowed == reachable & set(chosen)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Borders that a large organization crosses: blocks, pages from several blocks, and what is read anew as a whole."""
    for module, name, value in (
        (order_blocks, "_BLOCK", 3),
        (texts, "_BLOCK", 4),
        (texts, "_EMPTY", b"\n" * 3),
        (indexed, "_FEW", 4),
        (indexed, "_MERGED", 6),
        (reading, "MAX_PLACED", 2),
        (reading, "MAX_NODES", 3),
        (reading, "MAX_ASSETS", 2),
    ):
        monkeypatch.setattr(module, name, value)


@pytest.mark.parametrize(("seed", "borders"), [(0, "usual"), (1, "small_blocks")])
def test_index_after_random_edits_equals_rules_and_decision(
    seed: int, borders: str, make_user: Callable[..., User], request: pytest.FixtureRequest
) -> None:
    if borders == "small_blocks":
        request.getfixturevalue(borders)
    dice = Random(seed)
    edits = Edits(dice, make_user)
    groups = in_order(UserGroup.objects.all(), "name")
    seen = 0
    for number in range(_EDITS):
        done = [edits.step() for _ in range(dice.choice([1, 1, 1, 3]))]
        naive = NaiveReach()
        try:
            seen += _check_one(dice, edits, naive, {"user": dice.choice(edits.users).pk})
            seen += _check_one(dice, edits, naive, {"group": dice.choice(groups).pk})
            _check_decision(dice, edits, naive, dice.choice(edits.users))
            _check_worlds(edits.org_ids)
        except AssertionError as error:
            error.add_note(f"after edit {number}: {', '.join(done)}")
            raise
    # A world in which nothing is reachable would prove little.
    assert seen > _EDITS
    assert TreeVersion.objects.filter(org_id__in=edits.org_ids, seq__gt=10).count() == 2


def test_readers_beside_a_writer_see_only_states_that_were_committed(make_user: Callable[..., User]) -> None:
    """The writer takes an asset out of the granted node before it renames it, and puts it back under its old name."""
    user = make_user("ann")
    web, other = make_node("web"), make_node("other")
    assets = [make_asset(f"a{number}", nodes=[web]) for number in range(6)]
    grant(users=[user], nodes=[web], system_users=[make_system_user()], date_start=START)
    secret = assets[0]
    expected = {frozenset(f"a{number}" for number in range(first, 6)) for first in (0, 1)}
    stop, seen, turns = threading.Event(), set[frozenset[str]](), 40

    def read() -> None:
        while not stop.is_set():
            index = load_reach(Who(user_id=user.pk), START).indexed
            assert index is not None
            everything = index.assets(include_inactive=True)
            page = index.page(everything, ("hostname", "pk"), 0, 100)
            # The list, the number at the node, and the number in all are of one world.
            assert page.count == len(page.keys) == index.counts([web.pk])[web.pk]
            names = dict(Asset.objects.filter(pk__in=page.keys).values_list("pk", "hostname"))
            shown = frozenset("a0" if key == secret.pk else names[key] for key in page.keys)
            assert shown in expected
            seen.add(shown)

    with other_threads(2) as beside:
        readers = [beside(read) for _ in range(2)]
        try:
            for _ in range(turns):
                replace_assets(actor=SYSTEM, node=other, assets=[secret])
                update_assets(actor=SYSTEM, pairs=[(secret, {"hostname": "hidden"})])
                update_assets(actor=SYSTEM, pairs=[(secret, {"hostname": "a0"})])
                replace_assets(actor=SYSTEM, node=web, assets=[secret])
        finally:
            stop.set()
        for reader in readers:
            reader.result()
    assert seen == expected


def test_reader_that_another_one_has_passed_takes_a_new_snapshot(make_user: Callable[..., User]) -> None:
    user, web = make_user("ann"), make_node("web")
    grant(users=[user], nodes=[web], system_users=[make_system_user()], date_start=START)
    first = make_asset("a", nodes=[web])
    who = Who(user_id=user.pk)
    with other_threads(1) as beside:

        def pass_by() -> None:
            make_asset("b", nodes=[web])
            load_reach(who, START)

        with snapshot():
            assert TreeVersion.objects.exists()  # the snapshot begins here
            beside(pass_by).result()
            with pytest.raises(kept.WentOn):
                kept.worlds_of([DEFAULT_ORG_ID])
            worlds = kept.worlds_of([DEFAULT_ORG_ID], alone=True)
            assert [worlds[DEFAULT_ORG_ID].key(number) for number in worlds[DEFAULT_ORG_ID].assets] == [first.pk]
    index = load_reach(who, START).indexed
    assert index is not None
    assert len(_ids(index, index.assets())) == 2


def test_index_of_a_deleted_organization_is_dropped(make_user: Callable[..., User]) -> None:
    org = create_organization(actor=SYSTEM, name="Elsewhere")
    user = make_user("ann", org_id=org.pk)
    asset = make_asset(org_id=org.pk)
    permission = grant(org_id=org.pk, users=[user], assets=[asset], system_users=[make_system_user(org_id=org.pk)])
    load_reach(Who(user_id=user.pk), now())
    assert kept.is_kept(org.pk)
    delete_permission(actor=SYSTEM, permission=permission)
    delete_assets(actor=SYSTEM, assets=[asset])
    drop_root(org_id=org.pk)
    # Another process hears nothing of it, and drops the world when it next makes one.
    index = make_asset()
    grant(users=[make_user("ben")], assets=[index], system_users=[make_system_user()])
    load_reach(Who(user_id=User.objects.get(username="ben").pk), now())
    assert kept.is_kept(DEFAULT_ORG_ID)
    assert not kept.is_kept(org.pk)


def test_snapshot_refuses_to_begin_inside_a_transaction() -> None:
    with (
        transaction.atomic(),
        pytest.raises(transaction.TransactionManagementError, match="cannot begin inside"),
        snapshot(),
    ):
        pass
