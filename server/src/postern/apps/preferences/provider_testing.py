"""Tests the settings of a sign-in provider, saved or not."""

from collections.abc import Mapping
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from postern.apps.audits import facade as audits
from postern.apps.preferences import queries, secret_destinations
from postern.apps.preferences.declarations.preference import Category, Value
from postern.apps.preferences.errors import SecretRequired
from postern.apps.preferences.provider_apps import ProviderApp, app_of
from postern.apps.preferences.registry import of_category
from postern.apps.preferences.secret_destinations import SecretDestination
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

#: The administrator waits for the result.
LIMIT_S: Final = 10.0
_DESTINATIONS: Final[Mapping[Category, SecretDestination]] = {
    Category.WECOM: secret_destinations.WECOM,
    Category.DINGTALK: secret_destinations.DINGTALK,
    Category.FEISHU: secret_destinations.FEISHU,
}


def try_provider(*, actor: Actor, category: Category, entered: Mapping[str, Value]) -> None:
    """Ask the service whether it accepts application and secret.

    `entered`: validated values of the category; missing values are replaced with the stored values. An empty secret
    means the stored secret, which is sent only to the address and application that it is stored for. Otherwise a caller
    could send it to any server. Every test is audited. Raises `WebApiFailed`, `SecretRequired`.
    """
    belongs = _DESTINATIONS[category]
    stored = queries.values(setting.name for setting in of_category(category) if not setting.is_secret)
    values = {**stored, **{name: value for name, value in entered.items() if name in stored}}
    try:
        secret = str(entered.get(belongs.secret) or "")
        _ask(app_of(category, values, Secret(secret) if secret else _stored_secret(belongs, stored, values)))
    except PosternError as error:
        _record(actor, category, values, error.sentence.code or error.code)
        raise
    _record(actor, category, values, "")


def _stored_secret(destination: SecretDestination, stored: Mapping[str, Value], values: Mapping[str, Value]) -> Secret:
    secret = queries.secret(destination.secret)
    if secret is None:
        raise SecretRequired(_("Enter the secret: none is stored yet."))
    if destination.is_changed(stored, values):
        raise SecretRequired(destination.refusal_text())
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
