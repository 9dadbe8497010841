"""Try the settings of a sign-in provider, which may not be saved yet."""

from collections.abc import Mapping
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.preferences import belonging, queries
from postern.apps.preferences.belonging import Belonging
from postern.apps.preferences.declarations.preference import Category, Value
from postern.apps.preferences.errors import SecretWanted
from postern.apps.preferences.provider_apps import ProviderApp, app_of
from postern.apps.preferences.registry import of_category
from postern.foundation.caller.actor import Actor
from postern.foundation.network import outbound
from postern.integrations.dingtalk import client as dingtalk
from postern.integrations.dingtalk.client import DingtalkApp
from postern.integrations.feishu import client as feishu
from postern.integrations.web_apis.calls import WebCalls
from postern.integrations.wecom import client as wecom
from postern.integrations.wecom.client import WecomApp
from postern.kernel.errors import PosternError
from postern.kernel.ids import ROOT_ORG_ID
from postern.kernel.secret import Secret

#: The person waits for the answer.
LIMIT_S: Final = 10.0
_BELONGING: Final[Mapping[Category, Belonging]] = {
    Category.WECOM: belonging.WECOM,
    Category.DINGTALK: belonging.DINGTALK,
    Category.FEISHU: belonging.FEISHU,
}


def try_provider(*, actor: Actor, category: Category, entered: Mapping[str, Value]) -> None:
    """Ask the service whether it accepts application and secret.

    `entered`: validated values of the category; for those that are left out the stored values count. An empty secret
    means the stored one, which is only sent to the address and application that it is stored for: otherwise this call
    would give it to any server that the caller names. Every test is audited. Raises `WebApiFailed`, `SecretWanted`.
    """
    belongs = _BELONGING[category]
    stored = queries.values(one.name for one in of_category(category) if not one.is_secret)
    values = {**stored, **{name: value for name, value in entered.items() if name in stored}}
    try:
        secret = str(entered.get(belongs.secret) or "")
        _ask(app_of(category, values, Secret(secret) if secret else _stored_secret(belongs, stored, values)))
    except PosternError as error:
        _record(actor, category, values, error.sentence.code or error.code)
        raise
    _record(actor, category, values, "")


def _stored_secret(belongs: Belonging, stored: Mapping[str, Value], values: Mapping[str, Value]) -> Secret:
    secret = queries.secret(belongs.secret)
    if secret is None:
        raise SecretWanted(_("Enter the secret: none is stored yet."))
    if belongs.is_moved(stored, values):
        raise SecretWanted(belongs.wanted())
    return secret


def _ask(app: ProviderApp) -> None:
    calls = WebCalls(check=outbound.check_dial, limit_s=LIMIT_S)
    if isinstance(app, WecomApp):
        wecom.check(app, calls)
    elif isinstance(app, DingtalkApp):
        dingtalk.check(app, calls)
    else:
        feishu.check(app, calls)


def _record(actor: Actor, category: Category, values: Mapping[str, Value], reason: str) -> None:
    """`reason`: the code of the failure; empty when the service accepted the application."""
    with transaction.atomic():
        audits.record(
            actor=actor,
            org_id=ROOT_ORG_ID,
            event=audits.Event.PROVIDER_TESTED,
            object_type="PreferenceValue",
            object_name=category.value,
            new={**values, "accepted": not reason, "reason": reason},
        )
