from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from factories.grants import grant, make_asset, make_group, make_node, make_system_user
from factories.hearing import Hearing
from postern.apps.assets.assets.actions.assets import update_asset
from postern.apps.assets.nodes.actions import root_of
from postern.apps.perms import facade
from postern.apps.perms.models import PermissionUser
from postern.apps.perms.permissions import actions
from postern.apps.perms.permissions.events import AccessChanged
from postern.apps.users.memberships.events import MembershipChanged
from postern.apps.users.models import Membership, User
from postern.contracts.access import Denial
from postern.contracts.enums import Actions, DenialCode, Protocol
from postern.foundation.bus import events
from postern.foundation.caller.actor import SYSTEM
from postern.kernel.clock import now
from postern.kernel.ids import DEFAULT_ORG_ID, new_id

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("answered_by")]


@pytest.fixture
def user(make_user: Any) -> User:
    made: User = make_user("ann")
    return made


def resolve(user: User, asset: str, system_user: str = "", protocol: Protocol = Protocol.SSH) -> facade.TargetAnswer:
    return facade.resolve_target(user_id=user.pk, asset_ref=asset, system_user_ref=system_user, protocol=protocol)


def denial(answer: facade.TargetAnswer) -> Denial:
    assert answer.target is None
    assert answer.denial is not None
    assert answer.denial.message
    return answer.denial


@pytest.mark.spec("S5-026")
def test_resolve_by_id_name_or_address_with_the_highest_priority_by_default(user: User) -> None:
    asset = make_asset("web-1", ip="192.0.2.1", protocols=["ssh/2222"])
    low, high = (
        make_system_user("low", username="guest", priority=10),
        make_system_user("high", username="root", priority=90),
    )
    grant(users=[user], assets=[asset], system_users=[low], actions=1)
    grant(users=[user], assets=[asset], system_users=[high], actions=7)
    for ref in (str(asset.pk), "web-1", "WEB-1", "192.0.2.1"):
        target = resolve(user, ref).target
        assert target is not None
        assert (target.asset.id, target.port, target.system_user.name) == (asset.pk, 2222, "high")
        assert target.decision.actions == Actions(7)
    for ref in (str(low.pk), "low", "guest"):
        target = resolve(user, "web-1", ref).target
        assert target is not None
        assert (target.system_user.name, target.decision.actions) == ("low", Actions.CONNECT)


def test_ambiguous_address_lists_the_candidates(user: User) -> None:
    system_user = make_system_user()
    for name in ("a", "b"):
        grant(users=[user], assets=[make_asset(name, ip="192.0.2.1")], system_users=[system_user])
    make_asset("not mine", ip="192.0.2.1")
    answer = resolve(user, "192.0.2.1")
    assert denial(answer).code is DenialCode.AMBIGUOUS
    assert [candidate.hostname for candidate in answer.candidates] == ["a", "b"]


def test_k63_name_of_an_asset_out_of_reach_is_as_unknown_as_nonsense(user: User) -> None:
    hidden = make_asset("hidden", ip="192.0.2.9")
    grant(assets=[hidden], system_users=[make_system_user()])
    answers = [denial(resolve(user, ref)) for ref in ("hidden", "192.0.2.9", "nonsense", str(new_id()))]
    assert {answer.code for answer in answers} == {DenialCode.UNKNOWN_ASSET}
    assert answers[0].message.replace("hidden", "X") == answers[2].message.replace("nonsense", "X")
    assert denial(resolve(user, str(hidden.pk))).code is DenialCode.NO_PERMISSION


def test_denial_names_the_reason_for_a_known_asset_out_of_reach(user: User) -> None:
    system_user = make_system_user("root")
    asset = make_asset("web-1")
    long_ago = now() - timedelta(days=10)
    permission = grant(
        "secret name",
        users=[user],
        assets=[asset],
        system_users=[system_user],
        date_start=long_ago,
        date_expired=long_ago + timedelta(days=1),
    )
    refused = denial(resolve(user, "web-1"))
    assert refused.code is DenialCode.PERMISSION_EXPIRED
    assert refused.reasons == ("grant_expired",)
    actions.update_permission(
        actor=SYSTEM, permission=permission, values={"date_expired": now() + timedelta(days=1), "is_active": False}
    )
    assert denial(resolve(user, "web-1", "root")).code is DenialCode.PERMISSION_INACTIVE
    actions.update_permission(actor=SYSTEM, permission=permission, values={"is_active": True, "actions": 2})
    assert denial(resolve(user, "web-1")).code is DenialCode.ACTION_NOT_PERMITTED
    actions.update_permission(actor=SYSTEM, permission=permission, values={"actions": 255})
    assert resolve(user, "web-1").target is not None
    assert denial(resolve(user, "web-1", "toor")).code is DenialCode.UNKNOWN_SYSTEM_USER
    assert denial(resolve(user, "web-1", "root", Protocol.RDP)).code is DenialCode.PROTOCOL_NOT_OFFERED
    update_asset(actor=SYSTEM, asset=asset, values={"is_active": False})
    assert denial(resolve(user, "web-1")).code is DenialCode.ASSET_INACTIVE


def test_disabled_or_expired_user_is_refused(user: User) -> None:
    grant(users=[user], assets=[make_asset("web-1")], system_users=[make_system_user()])
    User.objects.filter(pk=user.pk).update(date_expired=now())
    assert denial(resolve(user, "web-1")).code is DenialCode.USER_EXPIRED
    User.objects.filter(pk=user.pk).update(is_active=False)
    assert denial(resolve(user, "web-1")).code is DenialCode.USER_INACTIVE


def test_dynamic_username_is_offered_by_name_and_marked(user: User) -> None:
    system_user = make_system_user("me", username="", username_same_with_user=True)
    grant(users=[user], assets=[make_asset("web-1")], system_users=[system_user])
    target = resolve(user, "web-1", "me").target
    assert target is not None
    assert target.system_user.username_same_with_user
    assert not target.system_user.manual


def test_reachable_assets_pages_searches_and_orders(user: User) -> None:
    web = make_node("web")
    for number in range(5):
        make_asset(f"web-{number}", ip=f"192.0.2.{9 - number}", nodes=[web], comment="a_b" if number == 3 else "axb")
    make_asset("rdp", nodes=[web], protocols=["rdp/3389"])
    ssh, rdp = make_system_user("s"), make_system_user("r", protocol="rdp")
    grant(user_groups=[make_group(users=[user])], nodes=[root_of(DEFAULT_ORG_ID)], system_users=[ssh, rdp])

    def names(**query: Any) -> list[str]:
        return [asset.hostname for asset in facade.reachable_assets(user_id=user.pk, **query).assets]

    assert names() == ["rdp", "web-0", "web-1", "web-2", "web-3", "web-4"]
    assert names(protocol=Protocol.SSH) == ["web-0", "web-1", "web-2", "web-3", "web-4"]
    assert names(protocol=Protocol.RDP) == ["rdp"]
    assert names(protocol=Protocol.VNC) == []
    assert names(search="web 192.0.2.7") == ["web-2"]
    assert names(search="a_b") == ["web-3"]
    assert names(search="%") == []
    assert names(order_by="ip", limit=2) == ["rdp", "web-4"] or names(
        order_by="ip", protocol=Protocol.SSH, limit=1
    ) == ["web-4"]
    page = facade.reachable_assets(user_id=user.pk, offset=4, limit=10)
    assert (page.count, len(page.assets)) == (6, 2)
    assert [system_user.name for system_user in page.assets[0].system_users] == ["s"]
    assert facade.reachable_assets(user_id=user.pk, offset=-5, limit=-1).assets == ()


def test_reachable_assets_take_a_fixed_number_of_queries(user: User, django_assert_num_queries: Any) -> None:
    for _ in range(6):
        grant(users=[user], assets=[make_asset()], nodes=[make_node()], system_users=[make_system_user()])
    facade.reachable_assets(user_id=user.pk)  # reads the index
    with django_assert_num_queries(11):
        assert facade.reachable_assets(user_id=user.pk).count == 6


def test_k24_decision_follows_every_change_at_once(user: User) -> None:
    asset, system_user = make_asset(), make_system_user()

    def allowed() -> bool:
        return facade.decide(
            user_id=user.pk, asset_id=asset.pk, system_user_id=system_user.pk, protocol=Protocol.SSH
        ).allowed

    assert not allowed()
    permission = grant(users=[user], assets=[asset], system_users=[system_user])
    assert allowed()
    with transaction.atomic():
        actions.delete_permission(actor=SYSTEM, permission=permission)
        assert not allowed()
        transaction.set_rollback(True)
    assert allowed()
    Membership.objects.filter(user=user).delete()
    assert not allowed()


def test_user_who_leaves_an_organization_is_removed_from_its_permissions(
    user: User, django_capture_on_commit_callbacks: Any
) -> None:
    permission = grant(users=[user], assets=[make_asset()], system_users=[make_system_user()])
    Membership.objects.filter(user=user).delete()
    with django_capture_on_commit_callbacks(execute=True):
        events.publish(MembershipChanged(user_id=user.pk, org_id=DEFAULT_ORG_ID, removed=True))
    assert not PermissionUser.objects.filter(assetpermission=permission).exists()


def test_every_write_that_may_withdraw_access_publishes_an_event(
    user: User, hear: Hearing, django_capture_on_commit_callbacks: Any
) -> None:
    heard = hear(AccessChanged)
    asset, system_user = make_asset(), make_system_user()

    def publishes(write: Any) -> bool:
        heard.clear()
        with django_capture_on_commit_callbacks(execute=True):
            write()
        return AccessChanged(org_id=DEFAULT_ORG_ID) in heard

    permission = grant(users=[user], assets=[asset], system_users=[system_user])
    assert publishes(
        lambda: actions.update_permission(actor=SYSTEM, permission=permission, values={"is_active": False})
    )
    assert publishes(lambda: update_asset(actor=SYSTEM, asset=asset, values={"is_active": False}))
    assert publishes(make_node)
    assert publishes(make_system_user)
    assert publishes(lambda: actions.delete_permission(actor=SYSTEM, permission=permission))
