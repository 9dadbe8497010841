"""Decides: may this person use this system user there? Loads the facts, and hands them to the rules."""

from collections.abc import Hashable, Mapping
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from postern.apps.perms.decisions.applications import load_facts_of_application
from postern.apps.perms.decisions.decision import Decision, evaluate
from postern.apps.perms.decisions.many import Request, load_facts_of_many
from postern.apps.perms.decisions.queries import load_facts
from postern.contracts.enums import Protocol
from postern.kernel.clock import now

_Key = TypeVar("_Key", bound=Hashable)


def decide(
    *, user_id: UUID, asset_id: UUID, system_user_id: UUID, protocol: Protocol, at: datetime | None = None
) -> Decision:
    """May this user use this system user on this asset with this protocol at `at` (default: now)?

    Reads the tables without a cache: one query when a permission names both user and asset. The decision contains every
    reason, so it also serves as its explanation.
    """
    facts = load_facts(user_id=user_id, asset_id=asset_id, system_user_id=system_user_id, protocol=protocol)
    return evaluate(facts, at or now())


def decide_application(
    *, user_id: UUID, application_id: UUID, system_user_id: UUID, at: datetime | None = None
) -> Decision:
    """May this user use this system user on this application at `at` (default: now)? As `decide`, for applications."""
    facts = load_facts_of_application(user_id=user_id, application_id=application_id, system_user_id=system_user_id)
    return evaluate(facts, at or now())


def decide_many(requests: Mapping[_Key, Request], *, at: datetime | None = None) -> dict[_Key, Decision]:
    """`decide` for many requests, under the same keys: a dozen queries per 200 requests instead of one per request."""
    instant = at or now()
    return {key: evaluate(facts, instant) for key, facts in load_facts_of_many(requests)}
