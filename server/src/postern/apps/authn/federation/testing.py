"""Try a provider, which may not be saved yet. Every test is audited."""

from collections.abc import Callable, Mapping
from typing import Any

from django.db import transaction

from postern.apps.audits import facade as audits
from postern.apps.authn.federation.models import FederatedProvider
from postern.foundation.caller.actor import Actor
from postern.kernel.errors import PosternError
from postern.kernel.ids import ROOT_ORG_ID


def audited_test(
    *, actor: Actor, model: type[FederatedProvider], slug: str, shown: Mapping[str, Any], attempt: Callable[[], str]
) -> str:
    """The report of `attempt`. `shown`: the values of the audit record. Raises what the attempt raises."""
    try:
        report = attempt()
    except PosternError as error:
        _record(actor, model, slug, shown, error.sentence.code or error.code)
        raise
    _record(actor, model, slug, shown, "")
    return report


def _record(actor: Actor, model: type[FederatedProvider], slug: str, shown: Mapping[str, Any], reason: str) -> None:
    """`reason`: the code of the failure; empty when the provider can be used."""
    with transaction.atomic():
        audits.record(
            actor=actor,
            org_id=ROOT_ORG_ID,
            event=audits.Event.PROVIDER_TESTED,
            object_type=model.__name__,
            object_name=slug,
            new={**shown, "accepted": not reason, "reason": reason},
        )
