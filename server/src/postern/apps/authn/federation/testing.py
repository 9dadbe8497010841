"""Tests a provider, saved or not. Every test is audited."""

from collections.abc import Callable, Mapping
from typing import Any

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.authn.federation.models import FederatedProvider
from postern.foundation.caller.actor import Actor
from postern.kernel.errors import PosternError
from postern.kernel.ids import ROOT_ORG_ID


def audited_test(
    *, actor: Actor, model: type[FederatedProvider], slug: str, audited: Mapping[str, Any], attempt: Callable[[], str]
) -> str:
    """Run and audit `attempt`; returns its report. `audited`: values for the audit record. Errors of `attempt` are
    raised.
    """
    try:
        report = attempt()
    except PosternError as error:
        _record(actor, model, slug, audited, error.sentence.code or error.code)
        raise
    _record(actor, model, slug, audited, "")
    return report


def _record(actor: Actor, model: type[FederatedProvider], slug: str, audited: Mapping[str, Any], reason: str) -> None:
    """`reason`: the code of the failure; empty when the provider can be used."""
    with transaction.atomic():
        audits.record(
            actor=actor,
            org_id=ROOT_ORG_ID,
            event=audits.Event.PROVIDER_TESTED,
            object_type=model.__name__,
            object_name=slug,
            new={**audited, "accepted": not reason, "reason": reason},
        )
