"""The access rule, fact by fact. `integration/perms/test_decide_against_naive.py` compares random worlds."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from postern.apps.perms.decisions.decision import (
    AssetFacts,
    Decision,
    Facts,
    GrantFacts,
    Named,
    ReasonCode,
    SystemUserFacts,
    UserFacts,
    Verdict,
    Via,
    evaluate,
    without_details,
)
from postern.contracts.enums import SESSION_PROTOCOLS, Actions, DenialCode, Protocol

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
USER = UserFacts(id=uuid4(), name="Ann", is_active=True, date_expired=None)
ASSET = AssetFacts(id=uuid4(), name="web-1", is_active=True, offers_protocol=True)
SYSTEM_USER = SystemUserFacts(id=uuid4(), name="root", protocol="ssh")


def a_grant(**changes: Any) -> GrantFacts:
    fresh = GrantFacts(
        permission=Named(uuid4(), "p"),
        is_active=True,
        date_start=NOW - HOUR,
        date_expired=NOW + HOUR,
        actions=255,
        names_system_user=True,
        via=Via(user=Named(USER.id, USER.name), asset=Named(ASSET.id, ASSET.name)),
    )
    return replace(fresh, **changes)


def facts(*grants: GrantFacts, **changes: Any) -> Facts:
    fresh = Facts(protocol=Protocol.SSH, user=USER, asset=ASSET, system_user=SYSTEM_USER, grants=grants)
    return replace(fresh, **changes)


def codes(decision: Decision) -> list[ReasonCode]:
    return [reason.code for reason in decision.reasons]


def test_evaluate_allows_with_one_good_grant_and_names_it() -> None:
    grant = a_grant(actions=3)
    decision = evaluate(facts(grant), NOW)
    assert decision.verdict is Verdict.ALLOW
    assert (decision.actions, decision.expires_at, decision.next_change_at) == (Actions(3), NOW + HOUR, NOW + HOUR)
    [reason] = decision.reasons
    assert (reason.code, reason.permission, reason.via) == (ReasonCode.GRANTED, grant.permission, grant.via)


@pytest.mark.parametrize(
    ("changes", "reason", "denial"),
    [
        ({"user": None}, ReasonCode.USER_UNKNOWN, DenialCode.USER_INACTIVE),
        ({"user": replace(USER, is_active=False)}, ReasonCode.USER_INACTIVE, DenialCode.USER_INACTIVE),
        ({"user": replace(USER, date_expired=NOW)}, ReasonCode.USER_EXPIRED, DenialCode.USER_EXPIRED),
        ({"asset": None}, ReasonCode.ASSET_UNKNOWN, DenialCode.UNKNOWN_ASSET),
        ({"asset": replace(ASSET, is_active=False)}, ReasonCode.ASSET_INACTIVE, DenialCode.ASSET_INACTIVE),
        (
            {"asset": replace(ASSET, offers_protocol=False)},
            ReasonCode.PROTOCOL_NOT_OFFERED,
            DenialCode.PROTOCOL_NOT_OFFERED,
        ),
        ({"system_user": None}, ReasonCode.SYSTEM_USER_UNKNOWN, DenialCode.UNKNOWN_SYSTEM_USER),
        (
            {"system_user": replace(SYSTEM_USER, protocol="rdp")},
            ReasonCode.SYSTEM_USER_PROTOCOL,
            DenialCode.PROTOCOL_NOT_OFFERED,
        ),
    ],
)
def test_evaluate_denies_with_one_obstacle_whatever_is_granted(
    changes: dict[str, Any], reason: ReasonCode, denial: DenialCode
) -> None:
    decision = evaluate(facts(a_grant(), a_grant(), **changes), NOW)
    assert (decision.allowed, decision.denial_code, decision.actions) == (False, denial, Actions.NONE)
    assert codes(decision) == [reason]
    assert decision.expires_at is None


@pytest.mark.parametrize(
    ("changes", "reason", "denial"),
    [
        ({"is_active": False}, ReasonCode.GRANT_INACTIVE, DenialCode.PERMISSION_INACTIVE),
        ({"date_start": NOW + HOUR / 2}, ReasonCode.GRANT_NOT_STARTED, DenialCode.PERMISSION_INACTIVE),
        ({"date_expired": NOW}, ReasonCode.GRANT_EXPIRED, DenialCode.PERMISSION_EXPIRED),
        ({"actions": 254}, ReasonCode.GRANT_WITHOUT_CONNECT, DenialCode.ACTION_NOT_PERMITTED),
        ({"actions": 0}, ReasonCode.GRANT_WITHOUT_CONNECT, DenialCode.ACTION_NOT_PERMITTED),
        ({"names_system_user": False}, ReasonCode.GRANT_OTHER_SYSTEM_USER, DenialCode.NO_PERMISSION),
        ({"user_is_member": False}, ReasonCode.GRANT_NOT_A_MEMBER, DenialCode.NO_PERMISSION),
    ],
)
def test_evaluate_denies_a_near_miss_and_names_it(
    changes: dict[str, Any], reason: ReasonCode, denial: DenialCode
) -> None:
    miss = a_grant(**changes)
    decision = evaluate(facts(miss), NOW)
    assert (codes(decision), decision.denial_code) == ([reason], denial)
    assert decision.reasons[0].permission == miss.permission
    # A near miss does not spoil another good grant.
    assert evaluate(facts(miss, a_grant(actions=1)), NOW).actions == Actions.CONNECT


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"user_is_named": False}, ReasonCode.NO_GRANT_FOR_USER),
        ({"asset_is_named": False}, ReasonCode.NO_GRANT_FOR_ASSET),
        ({}, ReasonCode.NO_GRANT),
    ],
)
def test_evaluate_without_grants_names_the_missing_side(changes: dict[str, Any], reason: ReasonCode) -> None:
    decision = evaluate(facts(**changes), NOW)
    assert (codes(decision), decision.denial_code) == ([reason], DenialCode.NO_PERMISSION)


def test_k63_user_without_a_grant_learns_nothing_about_the_asset() -> None:
    decision = evaluate(facts(asset=replace(ASSET, is_active=False)), NOW)
    assert decision.denial_code is DenialCode.NO_PERMISSION
    assert len(without_details(decision).reasons) == 1
    assert "disabled" not in without_details(decision).message


def test_evaluate_includes_the_start_and_excludes_the_end_of_a_permission() -> None:
    moment = timedelta(microseconds=1)
    grant = a_grant(date_start=NOW, date_expired=NOW + HOUR)
    expected = {NOW - moment: False, NOW: True, NOW + HOUR - moment: True, NOW + HOUR: False}
    assert {at: evaluate(facts(grant), at).allowed for at in expected} == expected


def test_evaluate_expires_with_the_last_grant_but_not_after_the_account() -> None:
    grants = (a_grant(date_expired=NOW + HOUR), a_grant(date_expired=NOW + 3 * HOUR))
    decision = evaluate(facts(*grants), NOW)
    assert (decision.expires_at, decision.next_change_at) == (NOW + 3 * HOUR, NOW + HOUR)
    closing = replace(USER, date_expired=NOW + 2 * HOUR)
    assert evaluate(facts(*grants, user=closing), NOW).expires_at == NOW + 2 * HOUR


grants = st.builds(
    a_grant,
    is_active=st.booleans(),
    date_start=st.integers(-3, 3).map(lambda hours: NOW + hours * HOUR),
    date_expired=st.integers(-3, 3).map(lambda hours: NOW + hours * HOUR),
    actions=st.integers(0, 511),
    names_system_user=st.booleans(),
    user_is_member=st.booleans(),
)


@pytest.mark.spec("S6-064")
@pytest.mark.parametrize("protocol", SESSION_PROTOCOLS)
def test_clipboard_is_an_action_of_rdp_and_vnc_only(protocol: Protocol) -> None:
    system_user = replace(SYSTEM_USER, protocol=protocol.value)
    decision = evaluate(facts(a_grant(), protocol=protocol, system_user=system_user), NOW)
    held = decision.actions & Actions.CLIPBOARD_COPY_PASTE
    assert held == (Actions.CLIPBOARD_COPY_PASTE if protocol in {"rdp", "vnc"} else Actions.NONE)
    assert decision.actions & Actions.UPDOWNLOAD == Actions.UPDOWNLOAD


@pytest.mark.parametrize("protocol", SESSION_PROTOCOLS)
def test_port_forwarding_is_an_action_of_ssh_only(protocol: Protocol) -> None:
    system_user = replace(SYSTEM_USER, protocol=protocol.value)
    permission = a_grant(actions=Actions.EVERY.value)
    decision = evaluate(facts(permission, protocol=protocol, system_user=system_user), NOW)
    assert bool(decision.actions & Actions.FORWARD) is (protocol == "ssh")
    assert not evaluate(facts(a_grant(), protocol=protocol, system_user=system_user), NOW).actions & Actions.FORWARD


@given(st.lists(grants, max_size=5), st.integers(-4, 4))
def test_evaluate_of_any_grants_agrees_with_the_one_line_rule(permissions: list[GrantFacts], hours: int) -> None:
    at = NOW + hours * HOUR
    good = [
        permission
        for permission in permissions
        if permission.is_active
        and permission.date_start <= at < permission.date_expired
        and permission.names_system_user
        and permission.user_is_member
        if permission.actions & 1
    ]
    decision = evaluate(facts(*permissions), at)
    actions = Actions.NONE
    for permission in good:
        actions |= Actions(permission.actions)
    actions &= ~Actions.CLIPBOARD_COPY_PASTE  # the protocol is SSH
    assert (decision.allowed, decision.actions) == (bool(good), actions)
    assert decision.reasons
    assert (decision.denial_code is None) == decision.allowed
    # The decision stays the same until the next change.
    until = decision.next_change_at or at + 100 * HOUR
    just_before = until - timedelta(microseconds=1)
    assert evaluate(facts(*permissions), just_before).actions == decision.actions


@given(st.lists(grants, max_size=4))
def test_evaluate_never_loses_access_through_more_grants(permissions: list[GrantFacts]) -> None:
    for count in range(len(permissions)):
        fewer, more = evaluate(facts(*permissions[:count]), NOW), evaluate(facts(*permissions[: count + 1]), NOW)
        assert fewer.actions & more.actions == fewer.actions
