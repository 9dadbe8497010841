"""The migrations that give the messages about refused commands the name of the contract."""

from collections.abc import Callable
from importlib import import_module

import pytest
from django.apps import apps

from postern.apps.forwarding.models import Webhook
from postern.apps.notifications.models import SiteMessage, SystemMessageSubscription
from postern.apps.users.models import User, UserGroup
from postern.kernel.ids import DEFAULT_ORG_ID

pytestmark = pytest.mark.django_db

OLD, NEW = "CommandRefusedMessage", "CommandAlertMessage"


def migrate() -> None:
    for name in ("notifications.migrations.0005_component_states", "forwarding.migrations.0002_command_alerts"):
        import_module(f"postern.apps.{name}").rename(apps, None)


def test_choices_messages_and_webhooks_keep_their_meaning(make_user: Callable[..., User]) -> None:
    uma, group = make_user("uma"), UserGroup.objects.create(name="night", org_id=DEFAULT_ORG_ID)
    old = SystemMessageSubscription.objects.create(message_type=OLD, receive_backends=["email"])
    old.users.set([uma])
    old.groups.set([group])
    SystemMessageSubscription.objects.create(message_type="TerminalLostMessage", receive_backends=["site_msg"])
    SiteMessage.objects.create(subject="A command was refused", message="<p>x</p>", message_type=OLD)
    hook = Webhook.objects.create(name="siem", address="https://a.test", message_types=["TerminalLostMessage", OLD])
    migrate()
    migrate()
    row = SystemMessageSubscription.objects.get(message_type=NEW)
    assert (list(row.users.all()), list(row.groups.all()), row.receive_backends) == ([uma], [group], ["email"])
    assert not SystemMessageSubscription.objects.filter(message_type=OLD).exists()
    assert SystemMessageSubscription.objects.count() == 2
    assert SiteMessage.objects.get().message_type == NEW
    hook.refresh_from_db()
    assert hook.message_types == ["TerminalLostMessage", NEW]


def test_nothing_happens_where_nobody_chose() -> None:
    migrate()
    assert not SystemMessageSubscription.objects.exists()
