"""The catalogue of rights, checked for every kind of actor."""

from typing import ClassVar

import pytest

from postern.contracts.enums import RoleBits
from postern.foundation.caller.actor import Actor, ActorKind, anonymous
from postern.foundation.caller.scope import DEFAULT, ROOT
from postern.foundation.rest.rights import Right, declared, holds
from postern.kernel.ids import DEFAULT_ORG_ID, new_id


def _user(bits: int) -> Actor:
    return Actor(kind=ActorKind.USER, user_id=new_id(), bits=RoleBits(bits), org_ids=frozenset({DEFAULT_ORG_ID}))


ACTORS = {
    "anonymous": anonymous(),
    "expired": _user(0),
    "user": _user(1),
    "org_auditor": _user(3),
    "org_admin": _user(19),
    "auditor": _user(131),
    "admin": _user(147),
    "terminal": Actor(kind=ActorKind.TERMINAL),
    "bootstrap": Actor(kind=ActorKind.BOOTSTRAP),
}

HOLDERS = {
    Right.ANYONE: set(ACTORS),
    Right.AUTHENTICATED: {"expired", "user", "org_auditor", "org_admin", "auditor", "admin", "terminal"},
    Right.VALID_USER: {"user", "org_auditor", "org_admin", "auditor", "admin"},
    Right.ORG_MEMBER: {"user", "org_auditor", "org_admin", "auditor", "admin"},
    Right.ORG_AUDITOR: {"org_auditor", "org_admin", "auditor", "admin"},
    Right.ORG_ADMIN: {"org_admin", "admin"},
    Right.SUPER_AUDITOR: {"auditor", "admin"},
    Right.SUPER_USER: {"admin"},
    Right.TERMINAL: {"terminal"},
    Right.BOOTSTRAP: {"bootstrap"},
}


@pytest.mark.parametrize("right", list(Right))
def test_right_is_held_exactly_by_the_listed_actors(right: Right) -> None:
    assert {name for name, actor in ACTORS.items() if holds(right, actor, DEFAULT)} == HOLDERS[right]


def test_member_right_in_another_organization_is_not_held_by_ordinary_users() -> None:
    assert not holds(Right.ORG_MEMBER, ACTORS["user"], ROOT)
    assert holds(Right.ORG_MEMBER, ACTORS["auditor"], ROOT)


class _View:
    rights: ClassVar = {"list": Right.ORG_AUDITOR, "update": Right.ORG_ADMIN, "destroy": Right.SUPER_USER}


@pytest.mark.parametrize(
    ("action", "right"),
    [
        ("list", Right.ORG_AUDITOR),
        ("partial_update", Right.ORG_ADMIN),
        ("bulk_update", Right.ORG_ADMIN),
        ("partial_bulk_update", Right.ORG_ADMIN),
        ("bulk_destroy", Right.SUPER_USER),
        ("retrieve", None),
        ("create", None),
    ],
)
def test_k4_undeclared_action_has_no_right(action: str, right: Right | None) -> None:
    assert declared(_View(), "X", action) is right


def test_k4_view_without_declaration_has_no_right() -> None:
    assert declared(object(), "GET", None) is None
